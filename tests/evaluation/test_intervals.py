import math

import numpy as np
import pytest
from scipy import stats

from textnb.evaluation import Evaluation
from textnb.evaluation.intervals import MEASURES, Quality, estimate_measures
from textnb.evaluation.metrics import squared_sizes, wilson_interval
from textnb.evaluation.reliability import Reliability

RANGES = {"accuracy": 1, "macro_f1": 1, "log_loss": math.inf, "brier": 2, "ece": 1}


def answers(seed, n=60, n_classes=4):
    """Classes and log probabilities, which are true: the classes are drawn from them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.5, (n, n_classes))
    log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return (np.exp(log_p).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=n_classes - 1), log_p


def estimated(y, log_p, copies=1):
    y, log_p, groups = (np.repeat(each, copies, axis=0) for each in (y, log_p, np.arange(len(y))))
    return estimate_measures(y, [log_p], groups)


@pytest.mark.parametrize("seed", range(5))
def test_measures_are_those_of_an_evaluation(seed):
    y, log_p = answers(seed)
    evaluation = Evaluation.of([f"{k}" for k in y], log_p, [f"{k}" for k in range(log_p.shape[1])])
    found = estimated(y, log_p)
    for name in MEASURES:
        assert found[name].value == pytest.approx(getattr(evaluation, name), abs=1e-12)


CONFIDENT = np.log([0.98, 0.01, 0.01])
CASES = {
    "one document, right": ([0], [CONFIDENT], 1),
    "one document, wrong": ([1], [CONFIDENT], 1),
    "all right": ([0] * 9, [CONFIDENT] * 9, 1),
    "all wrong": ([1] * 9, [CONFIDENT] * 9, 1),
    "copies of one text": ([0], [CONFIDENT], 500),
    "one text with two labels": ([0, 1], [CONFIDENT] * 2, [1, 1]),
    "one class": ([0] * 4, np.zeros((4, 1)), 1),
    "two documents": ([0, 1], [CONFIDENT] * 2, 1),
    "one text among 1,000 copies of another": ([0, 1], [CONFIDENT] * 2, [1000, 1]),
    "groups from 1 to 128": ([0, 1] * 4, [CONFIDENT] * 8, 2 ** np.arange(8)),
}


@pytest.mark.parametrize("case", CASES)
def test_intervals_contain_their_estimates_and_keep_to_the_range_of_the_measure(case):
    y, log_p, copies = CASES[case]
    for name, (value, low, high) in estimated(np.array(y), np.array(log_p), copies).items():
        assert 0 <= low <= value <= high <= RANGES[name], name
        if case not in {"one class", "one text among 1,000 copies of another"} and name in {"accuracy", "macro_f1"}:
            assert high - low > 0.1, name


def test_one_text_however_often_it_occurs_says_next_to_nothing():
    for copies in (1, 2, 1000):
        found = estimated(np.array([0]), np.array([CONFIDENT]), copies)
        assert found["accuracy"][1:] == wilson_interval(1, 1)
        assert found["log_loss"][1:] == (0, math.inf)
        assert found["brier"][1:] == (0, 2)


def test_groups_of_several_classes_do_not_narrow_macro_f1():
    y = np.array([0, 1] * 5)
    found = estimate_measures(y, [np.log(0.1 + 0.8 * np.eye(2)[y])], np.arange(10) // 2)
    assert found["macro_f1"] == pytest.approx(found["accuracy"], abs=1e-12)
    assert found["accuracy"][1:] == pytest.approx(wilson_interval(5, 5), abs=1e-12)


def test_documents_worth_less_than_two_say_nothing_of_mean_losses():
    for sizes in ([1000, 1], [6, 2, 1], [3, 1]):
        n = len(sizes)
        found = estimated(np.arange(n) % 2, np.log(np.full((n, 2), 0.5) + [[0.1, -0.1]] * n), sizes)
        assert (found["log_loss"][1:], found["brier"][1:]) == ((0, math.inf), (0, 2))


def test_without_copies_accuracy_has_wilsons_interval():
    y, log_p = answers(1)
    hits = int((log_p.argmax(axis=1) == y).sum())
    assert tuple(estimated(y, log_p)["accuracy"])[1:] == wilson_interval(hits, len(y))


@pytest.mark.parametrize("copies", [2, 3, 50])
def test_equally_many_copies_of_each_document_change_nothing(copies):
    y, log_p = answers(2)
    alone, repeated = estimated(y, log_p), estimated(y, log_p, copies)
    for name in MEASURES:
        assert repeated[name] == pytest.approx(alone[name], abs=1e-12)


def test_groups_are_worth_the_square_of_their_documents_over_their_squared_sizes():
    y, log_p = answers(3)
    sizes = np.random.default_rng(0).geometric(0.2, len(y))
    worth = sizes.sum() ** 2 / (sizes**2).sum()
    value, low, high = estimated(y, log_p, sizes)["accuracy"]
    assert (low, high) == pytest.approx(wilson_interval(value * worth, worth), abs=1e-12)
    losses = -log_p[np.arange(len(y)), y]
    mean = np.average(losses, weights=sizes)
    error = math.sqrt(np.average((losses - mean) ** 2, weights=sizes) / (worth - 1))
    assert estimated(y, log_p, sizes)["log_loss"] == pytest.approx(
        (mean, *stats.t.interval(0.95, worth - 1, mean, error)), abs=1e-9
    )


def test_without_copies_losses_have_students_interval():
    y, log_p = answers(4)
    losses = -log_p[np.arange(len(y)), y]
    expected = stats.t.interval(0.95, len(y) - 1, losses.mean(), stats.sem(losses))
    assert estimated(y, log_p)["log_loss"][1:] == pytest.approx(expected, abs=1e-12)


def weighted_macro_f1(y, predicted, weights):
    scores = []
    for k in set(y) | set(predicted):
        both = weights[(y == k) & (predicted == k)].sum()
        scores.append(2 * both / (weights[y == k].sum() + weights[predicted == k].sum()))
    return np.mean(scores)


@pytest.mark.parametrize("sizes", [np.ones(300, int), np.arange(300) % 5 + 1])
def test_macro_f1_varies_as_its_derivatives_by_the_documents_say(sizes):
    y, log_p = answers(5, n=300)
    predicted, step = log_p.argmax(axis=1), 1e-6
    value, total = weighted_macro_f1(y, predicted, sizes), sizes.sum()
    moved = [weighted_macro_f1(y, predicted, sizes + step * (np.arange(300) == i)) for i in range(300)]
    z = (np.array(moved) - value) / step * total
    variance = np.average(z**2, weights=sizes) * (sizes**2).sum() / total**2
    number = value * (1 - value) / variance
    expected = (value, *wilson_interval(value * number, number))
    assert estimated(y, log_p, sizes)["macro_f1"] == pytest.approx(expected, abs=1e-4)


def test_without_mistakes_macro_f1_of_equal_classes_has_the_interval_of_accuracy():
    y = np.arange(30) % 3
    found = estimated(y, np.log(0.02 + 0.94 * np.eye(3)[y]))
    assert found["macro_f1"] == pytest.approx(found["accuracy"], abs=1e-12)


def test_chance_adds_to_the_ece_what_its_interval_allows():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.4, 1, 5000)
    number = (confidence * 15).astype(int)
    noise = [
        np.abs(np.bincount(number, (rng.random(5000) < confidence) - confidence)).sum() / 5000 for _ in range(2000)
    ]
    table = Reliability.of(confidence, rng.random(5000) < 0.5)  # far from right, so that the low end is not 0
    accuracy = np.array([each.documents * 0.25 for each in table.bins])
    ratio = math.sqrt(accuracy.sum() / np.bincount(number, confidence * (1 - confidence)).sum())
    assert table.ece - table.ece_interval[0] == pytest.approx(ratio * np.quantile(noise, 0.975), rel=0.1)


def test_repeats_are_averaged_and_a_repeat_of_the_same_changes_nothing():
    (y, a), (_, b) = answers(5), answers(6)
    groups = np.arange(len(y))
    both, same = estimate_measures(y, [a, b], groups), estimate_measures(y, [a, a], groups)
    for name in MEASURES:
        one, other = estimated(y, a)[name], estimated(y, b)[name]
        assert both[name] == pytest.approx(np.add(one, other) / 2)
        assert same[name] == pytest.approx(one)


def test_a_truth_held_impossible_makes_log_loss_infinite_and_nothing_else():
    y, log_p = np.array([0, 1, 0]), np.log([[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    log_p[1] = [0.0, -np.inf]
    found = estimated(y, log_p)
    assert found["log_loss"] == (math.inf, math.inf, math.inf)
    assert all(math.isfinite(found[name].high) for name in MEASURES if name != "log_loss")


SIZES = {"no copies": 1.0, "copies in unequal numbers": 0.3}


@pytest.mark.parametrize("copies", SIZES)
@pytest.mark.parametrize("n_groups", [50, 300])
def test_intervals_hold_the_truth_in_95_per_cent_of_samples(n_groups, copies):
    truths = {name: value for name, (value, _, _) in estimated(*answers(0, 400_000)).items()} | {"ece": 0.0}
    held, rng = dict.fromkeys(MEASURES, 0), np.random.default_rng(n_groups)
    for seed in range(400):
        found = estimated(*answers([seed, n_groups], n_groups), rng.geometric(SIZES[copies], n_groups))
        for name, truth in truths.items():
            held[name] += found[name].low <= truth <= found[name].high
    assert all(number >= stats.binom.ppf(0.001, 400, 0.95) for number in held.values()), held


@pytest.mark.parametrize("power", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("n_documents", [20, 200, 2000])
def test_the_interval_of_the_ece_holds_the_true_one_however_wrong_the_probabilities_are(n_documents, power):
    rng = np.random.default_rng(n_documents)

    def sample(n):
        odds = np.exp(rng.uniform(0, 5, n))
        return odds / (1 + odds), odds**power / (1 + odds**power)

    confidence, right = sample(400_000)
    truth = np.abs(np.bincount((confidence * 15).astype(int), right - confidence)).sum() / 400_000
    held = 0
    for _ in range(300):
        confidence, right = sample(n_documents)
        low, high = Reliability.of(confidence, rng.random(n_documents) < right).ece_interval
        held += low <= truth <= high
    assert held >= stats.binom.ppf(0.001, 300, 0.95)


def test_squared_sizes_are_those_of_a_plain_loop():
    rng = np.random.default_rng(0)
    groups, cells = rng.integers(0, 9, 200), rng.integers(0, 4, 200)
    expected = [sum(((groups == g) & (cells == c)).sum() ** 2 for g in range(9)) for c in range(5)]
    assert squared_sizes(groups, cells, 5).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_quality_of_weighted_rows_is_that_of_as_many_copies(seed):
    rng = np.random.default_rng(seed)
    log_p = np.log(rng.dirichlet(np.ones(3), 60))
    y, weights, groups = rng.integers(0, 3, 60), rng.integers(1, 9, 60), rng.integers(0, 40, 60)
    rows = np.repeat(np.arange(60), weights)
    expected = estimate_measures(y[rows], [log_p[rows]], groups[rows])
    losses = -log_p[np.arange(60), y]
    for factor in (1.0, 0.25):  # weights count up to a common factor
        found = Quality.of(log_p.argmax(axis=1) == y, losses, factor * weights, groups)
        assert found.documents == 60
        assert found.accuracy == pytest.approx(expected["accuracy"])
        assert found.log_loss == pytest.approx(expected["log_loss"])
    assert Quality.from_json(found.json) == found


def test_the_quality_of_one_document_has_the_whole_range_and_comes_back_from_json():
    found = Quality.of(np.array([True]), np.array([0.5]), np.ones(1), np.zeros(1, int))
    assert (found.log_loss.low, found.log_loss.high, found.json["log_loss"][2]) == (0.0, np.inf, None)
    assert Quality.from_json(found.json) == found
