import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textnb.decisions import UNSURE, Threshold
from textnb.errors import InputError
from textnb.evaluation import Evaluation, RiskCoverage
from textnb.evaluation.metrics import wilson_interval
from textnb.evaluation.reliability import PERCENTS, shortest_between

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


@given(documents, st.randoms())
def test_the_order_of_documents_is_of_no_matter(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    assert curve_of(shuffled).json == curve_of(pairs).json


def test_equally_sure_documents_are_answered_together():
    curve = curve_of([(0.9, False), (0.8, True), (0.8, False), (0.8, False)])
    assert [(p.documents, p.errors) for p in curve.points((100, 75, 50, 25))] == [(4, 1), (1, 0)]
    assert curve.aurc == (0 + 3 * (1 / 4)) / 4


def test_points_are_for_coverages_from_all_to_a_half():
    curve = curve_of([((i + 1) / 200, i < 40) for i in range(200)])
    assert [point.documents for point in curve.points()] == [2 * percent for percent in PERCENTS]
    assert [point.errors for point in curve.points()] == [40, 30, 20, 0, 0, 0, 0]


def test_the_best_order_has_the_least_area_and_the_worst_the_most():
    wrong = [True] * 3 + [False] * 7
    orders = [curve_of(list(zip(np.linspace(0.1, 1, 10), w, strict=True))).aurc for w in (wrong, wrong[::-1])]
    rng = np.random.default_rng(0)
    for _ in range(20):
        mixed = curve_of(list(zip(np.linspace(0.1, 1, 10), rng.permutation(wrong), strict=True))).aurc
        assert orders[0] <= mixed <= orders[1]


def test_all_right_has_no_area_and_all_wrong_has_one():
    assert (curve_of([(0.5, False), (0.6, False)]).aurc, curve_of([(0.5, True), (0.6, True)]).aurc) == (0, 1)


def test_a_single_document_is_a_curve():
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
    with pytest.raises(InputError, match="per cent"):
        curve_of([(0.5, True)]).at(percent)


def test_no_documents_are_refused():
    with pytest.raises(InputError, match="no documents"):
        RiskCoverage.of(np.empty(0), np.empty(0, bool))
