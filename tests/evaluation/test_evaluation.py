import json

import numpy as np
import pytest
from sklearn import metrics as oracle

from textnb.decisions import ClassThresholds
from textnb.errors import InputError
from textnb.evaluation import CostEvaluation, Costs, Evaluation, KeptAnswers
from textnb.evaluation.evaluation import Mistake, confident_mistakes
from textnb.evaluation.metrics import accuracy_interval

CLASSES = ("ham", "spam", "迷惑")
COST_CLASSES = ("ham", "list", "spam")


def random_evaluation(seed, n_documents=50):
    rng = np.random.default_rng(seed)
    labels, P = rng.choice(CLASSES, n_documents).tolist(), rng.dirichlet(np.ones(3), n_documents)
    return labels, P, Evaluation.of(labels, np.log(P), CLASSES)


@pytest.mark.parametrize("seed", range(4))
def test_the_numbers_are_those_of_scikit_learn(seed):
    labels, P, evaluation = random_evaluation(seed)
    predicted = [CLASSES[k] for k in P.argmax(axis=1)]
    assert evaluation.documents == len(labels)
    assert evaluation.accuracy == pytest.approx(oracle.accuracy_score(labels, predicted), abs=1e-12)
    assert evaluation.macro_f1 == pytest.approx(oracle.f1_score(labels, predicted, average="macro"), abs=1e-12)
    assert evaluation.log_loss == pytest.approx(oracle.log_loss(labels, P, labels=CLASSES), abs=1e-12)
    brier = oracle.brier_score_loss(labels, P, labels=CLASSES, scale_by_half=False)
    assert evaluation.brier == pytest.approx(brier, abs=1e-12)
    assert evaluation.confusion.tolist() == oracle.confusion_matrix(labels, predicted, labels=CLASSES).tolist()
    low, high = evaluation.accuracy_interval
    assert low < evaluation.accuracy < high
    assert 0 <= evaluation.ece <= 1
    expected = oracle.precision_recall_fscore_support(labels, predicted, labels=CLASSES, zero_division=0)
    for row, name, *values in zip(evaluation.per_class(), CLASSES, *expected, strict=True):
        assert row[0] == name
        assert row[1:] == pytest.approx(values, abs=1e-12)


def test_a_label_that_the_model_does_not_know_is_always_wrong():
    logs = np.log([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    evaluation = Evaluation.of(["ham", "new", "another"], logs, ("ham", "spam"))
    assert (evaluation.classes, evaluation.unknown) == (("ham", "spam", "(unknown)"), ("another", "new"))
    assert evaluation.accuracy == pytest.approx(1 / 3)
    assert evaluation.log_loss == np.inf
    assert evaluation.brier == pytest.approx((2 * 0.1**2 + 1 + 0.2**2 + 0.8**2 + 1 + 0.7**2 + 0.3**2) / 3)
    assert evaluation.confusion.tolist() == [[1, 0, 0], [0, 0, 0], [1, 1, 0]]
    assert [(row[0], row[4]) for row in evaluation.per_class()] == [("ham", 1), ("spam", 0), ("(unknown)", 2)]
    assert evaluation.confusions() == [("(unknown)", "ham", 1), ("(unknown)", "spam", 1)]


def test_one_class_and_certain_answers_are_evaluated():
    evaluation = Evaluation.of(["a", "a"], np.zeros((2, 1)), ("a",))
    assert (evaluation.accuracy, evaluation.macro_f1, evaluation.brier, evaluation.ece) == (1, 1, 0, 0)
    assert str(evaluation.log_loss) == "0.0"


def test_an_array_of_labels_is_as_good_as_a_list():
    logs = np.log([[0.9, 0.1], [0.2, 0.8]])
    a, b = (Evaluation.of(labels, logs, ("x", "y")) for labels in (["x", "x"], np.array(["x", "x"], object)))
    assert a.json == b.json


def test_the_json_is_plain_and_holds_every_number():
    _, _, evaluation = random_evaluation(0)
    again = json.loads(json.dumps(evaluation.json, allow_nan=False))
    assert again["confusion"] == evaluation.confusion.tolist()
    assert (again["accuracy"], again["classes"]) == (evaluation.accuracy, list(CLASSES))
    assert again["accuracy_interval"] == list(evaluation.accuracy_interval)
    assert again.keys() == {*Evaluation.__dataclass_fields__, "per_class"}
    assert json.loads(json.dumps(Evaluation.of(["new"], np.zeros((1, 1)), ("a",)).json, allow_nan=False))


@pytest.mark.parametrize("copies", [2, 7])
def test_copies_change_the_numbers_of_documents_and_nothing_else(copies):
    labels, P, once = random_evaluation(1)
    rows = np.repeat(np.arange(len(labels)), copies)
    repeated = Evaluation.of([labels[i] for i in rows], np.log(P[rows]), CLASSES, rows)
    assert (repeated.documents, repeated.groups, once.groups) == (50 * copies, 50, 50)
    assert repeated.accuracy_interval == pytest.approx(once.accuracy_interval, abs=1e-12)
    for a, b in zip(repeated.reliability.bins, once.reliability.bins, strict=True):
        assert (a.documents, a.accuracy_interval) == (copies * b.documents, pytest.approx(b.accuracy_interval))
    for a, b in zip(repeated.risk_coverage.points(), once.risk_coverage.points(), strict=True):
        assert (a.documents, a.accuracy_interval) == (copies * b.documents, pytest.approx(b.accuracy_interval))
    alone = Evaluation.of([labels[i] for i in rows], np.log(P[rows]), CLASSES)
    assert np.ptp(alone.accuracy_interval) < 0.8 * np.ptp(once.accuracy_interval)


def test_as_many_groups_as_documents_are_needed():
    with pytest.raises(InputError, match="there are 2 documents, but 3 groups"):
        Evaluation.of(["a", "b"], np.zeros((2, 2)), ("a", "b"), np.arange(3))


def test_no_documents_are_refused():
    with pytest.raises(InputError, match="no documents"):
        Evaluation.of([], np.zeros((0, 2)), ("a", "b"))
    with pytest.raises(InputError, match="no documents"):
        CostEvaluation.of([], np.empty((0, 2)), Costs(), ("a", "b"))


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (2, 1), (2, 3)])
def test_probabilities_of_another_shape_are_refused(shape):
    with pytest.raises(InputError, match=rf"\({shape[0]}, {shape[1]}\)"):
        Evaluation.of(["a", "b"], np.full(shape, -1.0), ("a", "b"))


@pytest.mark.parametrize("seed", range(4))
def test_the_most_confident_mistakes_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(3), 40)
    labels = rng.choice([*CLASSES, "new"], 40).tolist()
    every = []
    for i, (label, row) in enumerate(zip(labels, P, strict=True)):
        predicted = CLASSES[row.argmax()]
        if predicted != label:
            every.append((-row.max(), i, label, predicted, dict(zip(CLASSES, row, strict=True)).get(label, 0.0)))
    for most in (0, 1, 7, 100):
        found = confident_mistakes(labels, np.log(P), CLASSES, most)
        assert [(m.row, m.true, m.predicted) for m in found] == [each[1:4] for each in sorted(every)[:most]]
        np.testing.assert_allclose([m.probability for m in found], [-each[0] for each in sorted(every)[:most]])
        np.testing.assert_allclose([m.probability_of_true for m in found], [each[4] for each in sorted(every)[:most]])


def test_of_equally_confident_mistakes_the_earlier_comes_first_and_there_may_be_none():
    found = confident_mistakes(["b", "b", "b"], np.log(np.full((3, 1), 1.0)), ["a"], 2)
    assert found == [Mistake(0, "b", "a", 1.0, 0.0), Mistake(1, "b", "a", 1.0, 0.0)]
    assert confident_mistakes(["a"], np.zeros((1, 1)), ["a"], 5) == []
    assert confident_mistakes([], np.zeros((0, 2)), ["a", "b"], 5) == []


def cost_by_a_plain_loop(labels, decided, costs):
    total = 0.0
    for label, answer in zip(labels, decided, strict=True):
        if answer is None:
            total += costs.unsure
        else:
            right = 0.0 if label == answer else costs.default
            total += costs.mistakes.get(label, {}).get(answer, right)
    return total / len(labels)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("unsure", [None, 0.3])
def test_mean_costs_are_those_of_a_plain_loop(seed, unsure):
    rng = np.random.default_rng(seed)
    P, labels = rng.dirichlet(np.ones(3), 80), rng.choice([*COST_CLASSES, "new"], 80).tolist()
    costs = Costs({"ham": {"spam": 10, "list": 0.5}, "spam": {"spam": 0.1}}, default=2, unsure=unsure)
    names = np.array([*COST_CLASSES, None], object)
    decided, likeliest = names[costs.rule(COST_CLASSES)(P)], names[P.argmax(axis=1)]
    found = CostEvaluation.of(labels, P, costs, COST_CLASSES)
    assert found.mean_cost == pytest.approx(cost_by_a_plain_loop(labels, decided, costs), abs=1e-12)
    assert found.mean_cost_of_most_probable == pytest.approx(cost_by_a_plain_loop(labels, likeliest, costs), abs=1e-12)
    assert found.unsure == sum(answer is None for answer in decided)
    assert (found.unsure > 0) == (unsure is not None)
    assert found.changed == sum(decided != likeliest)
    assert found.json["mean_cost"] == found.mean_cost


def test_where_probabilities_are_true_least_expected_cost_is_least_cost():
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(3), 20_000)
    labels = [COST_CLASSES[k] for k in (P.cumsum(axis=1) < rng.random((len(P), 1))).sum(axis=1)]
    found = CostEvaluation.of(labels, P, Costs({"ham": {"spam": 10}}, unsure=0.4), COST_CLASSES)
    assert found.mean_cost < 0.5 * found.mean_cost_of_most_probable


@pytest.mark.parametrize("seed", range(5))
def test_kept_answers_are_those_of_a_plain_loop_and_an_unknown_label_is_a_mistake(seed):
    rng = np.random.default_rng(seed)
    names, least = ["a", "b", "c"], [0.5, 0.7, np.inf]
    P, labels = rng.dirichlet(np.ones(3), 80), rng.choice(["a", "b", "c", "new"], 80).tolist()
    kept = KeptAnswers.of(labels, P, ClassThresholds(least), names)
    decided = [names[k] if p[k] >= least[k] else None for p, k in zip(P, P.argmax(axis=1), strict=True)]
    for each in kept.classes:
        own = [label for label, name in zip(labels, decided, strict=True) if name == each.name]
        assert (each.answered, each.correct) == (len(own), own.count(each.name))
        assert each.precision == (own.count(each.name) / len(own) if own else None)
        if own:
            assert each.interval == accuracy_interval(each.correct, len(own), len(own))
    assert [each.cutoff for each in kept.classes] == [0.5, 0.7, None]
    answered = [(label, name) for label, name in zip(labels, decided, strict=True) if name is not None]
    assert kept.coverage == len(answered) / 80
    assert kept.precision == sum(label == name for label, name in answered) / len(answered)


def test_copies_do_not_narrow_the_interval_of_a_precision():
    P, rule = np.tile([0.9, 0.1], (6, 1)), ClassThresholds([0.5, 0.5])
    labels = ["x"] * 4 + ["y"] * 2
    once, copied = (
        KeptAnswers.of(labels * times, np.tile(P, (times, 1)), rule, ["x", "y"], np.tile(np.arange(6), times))
        for times in (1, 10)
    )
    assert once.classes[0].interval == pytest.approx(copied.classes[0].interval)


def test_without_an_answer_there_is_no_precision():
    kept = KeptAnswers.of(["x"], np.array([[0.9, 0.1]]), ClassThresholds([np.inf, np.inf]), ["x", "y"])
    assert (kept.answered, kept.coverage, kept.precision, kept.json["precision"]) == (0, 0.0, None, None)
