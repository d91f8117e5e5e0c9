"""Cut-offs of a promised precision, formula (7) of textnb.decisions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from textnb.decisions import CONFIDENCE, UNSURE, ClassThresholds, JudgedAnswers, check_precision
from textnb.errors import ParameterError

PRECISIONS = [1e-9, 0.3, 0.5, 0.8, 0.95, 0.98, 0.999999]


def lower_bound(hits, n):
    """Clopper and Pearson's bound by scipy's quantiles."""
    return beta.ppf(1 - CONFIDENCE, hits, n - hits + 1) if hits else 0.0


def by_brute_force(precision, probability, correct):
    """The smallest probability that occurs for which the bound of all answers from it on is enough."""
    enough = [
        t
        for t in sorted(set(probability))
        if lower_bound(sum(c for p, c in zip(probability, correct, strict=True) if p >= t), sum(probability >= t))
        >= precision
    ]
    return min(enough, default=math.inf)


def cutoff(precision, probability, correct):
    n = len(probability)
    correct = np.asarray(correct, bool)
    return ClassThresholds.of_precision(
        precision, JudgedAnswers(np.zeros(n, np.intp), np.asarray(probability), correct), 1
    ).least[0]


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 10, 100, 400])
@pytest.mark.parametrize("decimals", [1, 2, 15])
def test_a_cutoff_is_that_of_brute_force_over_all_thresholds(precision, n, decimals):
    rng = np.random.default_rng(n)
    probability = rng.beta(4, 0.4, n).round(decimals)  # rounded: ties
    correct = rng.random(n) < probability
    assert cutoff(precision, probability, correct) == by_brute_force(precision, probability, correct)


@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.9, 1.0]), st.booleans()), max_size=30), st.floats(0.01, 0.99))
def test_a_cutoff_is_that_of_brute_force_on_any_answers(answers, precision):
    probability, correct = np.array([p for p, _ in answers]), np.array([c for _, c in answers], bool)
    assert cutoff(precision, probability, correct) == by_brute_force(precision, probability, correct)


@pytest.mark.parametrize("precision", [0.5, 0.9, 0.95, 0.98])
def test_without_a_mistake_log_005_over_log_precision_answers_are_enough_and_one_less_is_not(precision):
    needed = math.ceil(math.log(1 - CONFIDENCE) / math.log(precision))
    assert cutoff(precision, np.linspace(0.6, 0.9, needed), np.ones(needed)) == 0.6
    assert cutoff(precision, np.linspace(0.6, 0.9, needed - 1), np.ones(needed - 1)) == math.inf


def test_149_answers_without_a_mistake_promise_98_percent_and_59_promise_95():
    assert [math.ceil(math.log(1 - CONFIDENCE) / math.log(q)) for q in (0.95, 0.98)] == [59, 149]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_where_all_answers_are_wrong_none_is_given(precision):
    assert cutoff(precision, np.linspace(0.5, 1, 1000), np.zeros(1000)) == math.inf


def test_no_thousand_answers_promise_one_mistake_in_a_million():
    assert cutoff(0.999999, np.linspace(0.5, 1, 1000), np.ones(1000)) == math.inf


def test_equally_probable_answers_are_given_all_or_none():
    p = np.repeat([0.9, 0.6], 100)
    assert cutoff(0.8, p, np.arange(200) < 150) == 0.9  # half of those at .6 are wrong
    assert cutoff(0.8, np.full(100, 0.9), np.arange(100) < 50) == math.inf


def test_each_class_has_a_cutoff_of_its_own():
    rng = np.random.default_rng(0)
    predicted, probability = rng.integers(0, 3, 900), rng.beta(5, 0.5, 900)
    correct = rng.random(900) < probability
    predicted[predicted == 2] = 3  # class 2 is never predicted
    rule = ClassThresholds.of_precision(0.9, JudgedAnswers(predicted, probability, correct), 4)
    for k in range(4):
        own = predicted == k
        assert rule.least[k] == cutoff(0.9, probability[own], correct[own])
    assert rule.never_decided(["a", "b", "c", "d"])[:1] == ["c"]


def test_a_document_is_unsure_below_the_cutoff_of_its_most_probable_class():
    rng = np.random.default_rng(1)
    P, least = rng.dirichlet(np.ones(4), 200), np.array([0.3, 0.6, math.inf, 0.0])
    P[0], P[1] = [0.3, 0.3, 0.2, 0.2], np.nan
    expected = [int(p.argmax()) if p.max() >= least[p.argmax()] else UNSURE for p in P]
    assert expected[:2] == [0, UNSURE]
    assert ClassThresholds(least)(P).tolist() == expected


@pytest.mark.parametrize("precision", [0.9, 0.95])
@pytest.mark.parametrize("shape", [(4, 0.5), (2, 1)])
def test_fresh_documents_reach_the_promised_precision_in_nine_of_ten_runs(precision, shape):
    rng = np.random.default_rng(0)
    fresh = np.sort((1 + rng.beta(*shape, 200_000)) / 2)[::-1]  # a calibrated answer is correct with its probability
    reached = np.cumsum(fresh) / np.arange(1, len(fresh) + 1)
    missed, n_runs, answered = 0, 300, 0
    for _ in range(n_runs):
        p = (1 + rng.beta(*shape, 800)) / 2
        kept = np.searchsorted(-fresh, -cutoff(precision, p, rng.random(800) < p), side="right")
        answered += kept > 0
        missed += kept > 0 and reached[kept - 1] < precision
    assert missed <= 0.1 * n_runs
    assert answered > 0.25 * n_runs  # it is not unsure all the time


def test_probabilities_that_say_nothing_miss_the_promise_in_a_quarter_of_the_runs_at_most():
    rng, missed = np.random.default_rng(0), 0
    for _ in range(300):
        missed += cutoff(0.9, rng.random(300), rng.random(300) < 0.899) < math.inf
    assert missed <= 0.26 * 300


@pytest.mark.parametrize("wrong", [0, 1, -0.5, 1.5, math.nan, math.inf, True, "0.9", None])
def test_a_precision_that_is_not_between_0_and_1_is_refused(wrong):
    with pytest.raises(ParameterError, match="precision must be a number above 0 and below 1"):
        check_precision(wrong, None, None)
