import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from textnb.decisions import UNSURE, Threshold
from textnb.errors import InputError
from textnb.evaluation import Evaluation, Reliability, RiskCoverage
from textnb.evaluation.metrics import wilson_interval
from textnb.evaluation.reliability import COVERAGE_PERCENTS, shortest_between

SEEDS = range(4)


def random_answers(seed, n_documents=200):
    rng = np.random.default_rng(seed)
    y, P = rng.integers(0, 4, n_documents), rng.dirichlet(np.full(4, 0.4), n_documents)
    return y, P, P.max(axis=1), P.argmax(axis=1) == y


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bins_are_those_of_scikit_learn(seed):
    _, _, confidence, correct = random_answers(seed)
    table = Reliability.of(confidence, correct)
    accuracy, mean = calibration_curve(correct, confidence, n_bins=15)
    np.testing.assert_allclose([each.accuracy for each in table.bins], accuracy, atol=1e-12)
    np.testing.assert_allclose([each.confidence for each in table.bins], mean, atol=1e-12)


def plain_calibration_error(y, P, bins):
    error = 0.0
    for b in range(bins):
        inside = [i for i in range(len(y)) if min(int(max(P[i]) * bins), bins - 1) == b]
        if inside:
            accuracy = sum(P[i].argmax() == y[i] for i in inside) / len(inside)
            confidence = sum(max(P[i]) for i in inside) / len(inside)
            error += len(inside) / len(y) * abs(accuracy - confidence)
    return error


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bins", [1, 10, 15])
def test_the_expected_calibration_error_is_that_of_a_plain_loop(seed, bins):
    y, P, confidence, correct = random_answers(seed, 80)
    table = Reliability.of(confidence, correct, bins)
    assert table.ece == pytest.approx(plain_calibration_error(y, P, bins), abs=1e-12)
    assert table.documents == len(y)


def test_the_expected_calibration_error_by_hand():
    """Three documents at .9, two of them correct; one at .6, wrong: (|2 - 2.7| + |0 - .6|) / 4."""
    table = Reliability.of(np.array([0.9, 0.9, 0.9, 0.6]), np.array([True, True, False, False]))
    assert table.ece == pytest.approx(1.3 / 4)
    assert Reliability.of(np.array([1.0, 0.95]), np.array([False, True])).ece == pytest.approx((1 - 0.05) / 2)


def test_a_bin_holds_the_documents_between_its_ends_and_the_last_one_certainty():
    table = Reliability.of(np.array([0.5, 0.74, 0.75, 1.0]), np.array([True, False, True, True]), bins=4)
    assert [(b.low, b.high, b.documents, b.accuracy) for b in table.bins] == [(0.5, 0.75, 2, 0.5), (0.75, 1.0, 2, 1.0)]
    assert table.bins[0].accuracy_interval == wilson_interval(1, 2)


def test_the_json_is_plain():
    _, _, confidence, correct = random_answers(0)
    table = Reliability.of(confidence, correct)
    again = json.loads(json.dumps(table.json, allow_nan=False))
    assert [row["documents"] for row in again] == [each.documents for each in table.bins]
    assert again == table.json


@pytest.mark.parametrize("kind", [Reliability, RiskCoverage])
def test_no_documents_are_refused(kind):
    with pytest.raises(InputError, match="no documents"):
        kind.of(np.empty(0), np.empty(0, bool))


documents = st.lists(
    st.tuples(st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]) | st.floats(0.01, 1), st.booleans()), min_size=1
)


def curve_of(pairs):
    return RiskCoverage.of(np.array([r for r, _ in pairs]), np.array([w for _, w in pairs], bool))


def risk_by_a_plain_loop(pairs, t):
    answered = [wrong for r, wrong in pairs if r >= t]
    return sum(answered) / len(answered)


@given(documents)
def test_the_area_is_the_mean_over_documents_of_the_risk_at_each(pairs):
    expected = math.fsum(risk_by_a_plain_loop(pairs, r) for r, _ in pairs) / len(pairs)
    assert curve_of(pairs).aurc == pytest.approx(expected, abs=1e-12)


@given(documents)
def test_the_curve_is_that_of_a_plain_loop_over_thresholds(pairs):
    curve = curve_of(pairs)
    assert curve.thresholds.tolist() == sorted({r for r, _ in pairs}, reverse=True)
    for t, answered, errors in zip(curve.thresholds, curve.answered, curve.errors, strict=True):
        assert answered == sum(r >= t for r, _ in pairs)
        assert errors == sum(wrong for r, wrong in pairs if r >= t)


@given(documents, st.integers(1, 100))
def test_a_point_has_the_fewest_documents_that_cover_enough(pairs, percent):
    point = curve_of(pairs).at(percent)
    sizes = {sum(r >= t for r, _ in pairs) for t, _ in pairs}
    assert point.documents == min(size for size in sizes if 100 * size >= percent * len(pairs))
    answered = [wrong for r, wrong in pairs if r >= point.threshold]
    assert (len(answered), sum(answered)) == (point.documents, point.errors)
    assert point.coverage == point.documents / len(pairs)
    assert point.accuracy == pytest.approx(1 - risk_by_a_plain_loop(pairs, point.threshold), abs=1e-12)
    assert point.accuracy_interval == wilson_interval(point.documents - point.errors, point.documents)


@given(documents, st.integers(1, 5), st.randoms())
def test_intervals_of_bins_and_points_count_groups_of_the_documents_in_them(pairs, n_groups, random):
    groups = np.array([random.randrange(n_groups) for _ in pairs])
    r, wrong = np.array([r for r, _ in pairs]), np.array([w for _, w in pairs], bool)

    def expected(chosen):
        sizes = np.bincount(groups[chosen])
        worth = sizes.sum() ** 2 / (sizes**2).sum()
        return pytest.approx(wilson_interval((~wrong[chosen]).mean() * worth, worth), abs=1e-12)

    for point in RiskCoverage.of(r, wrong, groups).points(range(1, 101)):
        assert point.accuracy_interval == expected(r >= point.threshold)
    for each in Reliability.of(r, ~wrong, groups=groups).bins:
        last = each.high == 1
        chosen = (np.floor(r * 15) == round(each.low * 15)) | (last & (r == 1))
        assert each.accuracy_interval == expected(chosen)


@given(documents, st.randoms())
def test_the_order_of_documents_is_of_no_matter(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    assert curve_of(shuffled).json == curve_of(pairs).json


def test_documents_of_equal_confidence_are_answered_together():
    curve = curve_of([(0.9, False), (0.8, True), (0.8, False), (0.8, False)])
    assert [(p.documents, p.errors) for p in curve.points((100, 75, 50, 25))] == [(4, 1), (1, 0)]
    assert curve.aurc == (0 + 3 * (1 / 4)) / 4


def test_points_are_for_coverages_from_all_to_a_half():
    curve = curve_of([((i + 1) / 200, i < 40) for i in range(200)])
    assert [point.documents for point in curve.points()] == [2 * percent for percent in COVERAGE_PERCENTS]
    assert [point.errors for point in curve.points()] == [40, 30, 20, 0, 0, 0, 0]


def test_the_best_order_has_the_least_area_and_the_worst_the_most():
    wrong = [True] * 3 + [False] * 7
    orders = [curve_of(list(zip(np.linspace(0.1, 1, 10), w, strict=True))).aurc for w in (wrong, wrong[::-1])]
    rng = np.random.default_rng(0)
    for _ in range(20):
        mixed = curve_of(list(zip(np.linspace(0.1, 1, 10), rng.permutation(wrong), strict=True))).aurc
        assert orders[0] <= mixed <= orders[1]


def test_all_right_has_no_area_and_all_wrong_has_one_and_a_single_document_is_a_curve():
    assert (curve_of([(0.5, False), (0.6, False)]).aurc, curve_of([(0.5, True), (0.6, True)]).aurc) == (0, 1)
    (point,) = curve_of([(0.7, True)]).points()
    assert (point.threshold, point.documents, point.coverage, point.accuracy) == (0, 1, 1, 0)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_shortest_number_lies_between_and_none_is_shorter(one, other):
    below, high = sorted((one, other))
    if below == high:
        return
    short = shortest_between(below, high)
    assert below < short <= high
    decimals = len(f"{short:.17f}".rstrip("0").partition(".")[2])
    shorter = (math.floor(high * 10**n) / 10**n for n in range(min(decimals, 15)))
    assert decimals > 15 or not any(below < number < high * (1 - 1e-12) for number in shorter)


@pytest.mark.parametrize("seed", range(4))
def test_the_thresholds_of_an_evaluation_answer_as_many_when_used_to_decide(seed):
    rng = np.random.default_rng(seed)
    P, labels = rng.dirichlet(np.full(3, 0.3), 90), rng.choice(["a", "b", "c", "new"], 90).tolist()
    evaluation = Evaluation.of(labels, np.log(P), ("a", "b", "c"))
    whole = evaluation.risk_coverage.at(100)
    assert (whole.accuracy, whole.accuracy_interval) == (evaluation.accuracy, evaluation.accuracy_interval)
    for point in evaluation.risk_coverage.points():
        decided = Threshold(point.threshold)(P)
        wrong = [k for k, label in zip(decided, labels, strict=True) if k != UNSURE and "abc"[k] != label]
        assert (int((decided != UNSURE).sum()), len(wrong)) == (point.documents, point.errors)


@pytest.mark.parametrize("percent", [0, -5, 101, math.nan])
def test_a_coverage_that_is_none_is_refused(percent):
    with pytest.raises(InputError, match="per cent, not"):
        curve_of([(0.5, True)]).at(percent)
