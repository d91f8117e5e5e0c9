"""Alpha is at the maximum of its likelihood, or it is 1 or the unigram where there is none; against grids."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import digamma

from textnb.counts import ClassCounts, as_counts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.weighting import weighting
from textnb.models.bernoulli import evidence as bernoulli_evidence
from textnb.models.bernoulli import log_evidence as bernoulli_log_evidence
from textnb.models.smoothing import smoothing
from textnb.numerics import log_rising

TABLES = hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 3)), elements=st.integers(0, 9))
GRID = np.logspace(-7, 7, 561)
"""Values of A per token, or of one alpha."""

PER_TOKEN = 2e-11
"""A maximum that is better than a limit by half of this per token counts as none."""


def polya(draws, alpha):
    """Log probability of draws (D, V) of any numbers, for alphas (..., V)."""
    terms = sum(log_rising(alpha, row * np.ones_like(alpha)).sum(axis=-1) for row in draws)
    return terms - sum(log_rising(alpha.sum(axis=-1), row.sum()) for row in draws)


def left_out(draws, y, alpha):
    """Log probability of each document under the others of its class, for alphas (..., V)."""
    total = 0.0
    for i, row in enumerate(draws):
        others = draws[(y == y[i]) & (np.arange(len(y)) != i)].sum(axis=0)
        p = np.log(others + alpha) - np.log((others + alpha).sum(axis=-1))[..., np.newaxis]
        total = total + (row * p).sum(axis=-1)
    return total


def best_of_totals(slopes, totals, n_terms):
    """Alphas (len(totals), V) with these sums and equal slopes, by bisection; slopes fall with alpha."""
    low, high = np.full((2, len(totals)), [[-700.0], [700.0]])  # log of the common slope
    inner = np.full((2, len(totals), n_terms), np.log([[[1e-250]], [[1e12 * totals[-1]]]]))
    for _ in range(60):
        middle = (low + high) / 2
        bottom, top = inner
        for _ in range(55):
            half = (bottom + top) / 2
            above = slopes(np.exp(half)) > np.exp(middle)[:, np.newaxis]
            bottom, top = np.where(above, half, bottom), np.where(above, top, half)
        too_much = np.exp(bottom).sum(axis=1) > totals
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
    alpha = np.exp(bottom)
    return alpha * (totals / alpha.sum(axis=1))[:, np.newaxis]


def polya_slopes(draws):
    return lambda alpha: sum(digamma(alpha + row) - digamma(alpha) for row in draws)


def left_out_slopes(draws, y):
    def slopes(alpha):
        others = [draws[(y == y[i]) & (np.arange(len(y)) != i)].sum(axis=0) for i in range(len(y))]
        return sum(row / (rest + alpha) for row, rest in zip(draws, others, strict=True))

    return slopes


def check(found, likelihood, candidates, n_tokens, fallback):
    """A maximum is as good as every candidate; without one, the best candidate is at one of the ends."""
    values = likelihood(candidates)
    best, ends = values.max(), max(values[0], values[-1])
    assert found.solution is not None
    rounding = PER_TOKEN * n_tokens + 1e-13 * np.abs(values).max()
    if found.solution.outcome == "converged":
        assert found.solution.log_evidence >= best - rounding
        assert np.asarray(found.solution.alpha).max() < 1e13
    else:
        assert found.solution.log_evidence >= best - rounding
        assert ends >= best - rounding - 1e-5 * n_tokens * (values[-1] == ends)
        np.testing.assert_allclose(found.alpha, fallback, rtol=1e-12)


def seen(X):
    return X[:, X.any(axis=0)]


ONE_SIDED, ALIKE, TWO_MAXIMA = np.array([[5, 0], [0, 7]]), np.array([[5, 5], [5, 5]]), np.array([[0, 13], [90, 90]])


@settings(max_examples=60, deadline=None)
@given(TABLES)
@example(ONE_SIDED)
@example(ALIKE)
@example(TWO_MAXIMA)
@example(np.array([[3]]))
@example(np.array([[1, 0], [0, 1]]))
def test_one_number_is_the_best_of_a_grid_or_1(X):
    X = seen(X)
    assume(X.any())
    found = smoothing("evidence", ClassCounts.of(X, range(len(X))))
    totals = GRID * X.sum()
    candidates = np.repeat(totals[:, np.newaxis] / X.shape[1], X.shape[1], axis=1)
    check(found, lambda alpha: polya(X, alpha), candidates, X.sum(), 1.0)


@settings(max_examples=60, deadline=None)
@given(TABLES)
@example(ONE_SIDED)
@example(ALIKE)
@example(TWO_MAXIMA)
def test_the_unigram_is_scaled_to_the_best_of_a_grid_or_to_1(X):
    X = seen(X)
    assume(X.any())
    found = smoothing("evidence-unigram", ClassCounts.of(X, range(len(X))))
    share = X.sum(axis=0) / X.sum()
    check(found, lambda alpha: polya(X, alpha), GRID[:, np.newaxis] * X.sum() * share, X.sum(), share)


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(["evidence-class", "evidence-document"]))
@example(ONE_SIDED, "evidence-class")
@example(ONE_SIDED, "evidence-document")
@example(ALIKE, "evidence-class")
@example(TWO_MAXIMA, "evidence-class")
def test_a_vector_is_the_best_of_every_sum_or_the_unigram(X, name):
    X = seen(X)
    assume(X.any())
    y = range(len(X))
    found = smoothing(name, ClassCounts.of(X, y), ClassHistograms.of(X, y))
    totals = GRID[::16] * X.sum()
    candidates = best_of_totals(polya_slopes(X), totals, X.shape[1])
    check(found, lambda alpha: polya(X, alpha), candidates, X.sum(), X.sum(axis=0) / X.sum())


@settings(max_examples=60, deadline=None)
@given(TABLES, st.lists(st.integers(0, 1), min_size=4, max_size=4), st.sampled_from(["raw", "log"]))
@example(np.array([[3, 1], [2, 2]]), [0, 1, 0, 0], "raw")
@example(np.array([[3, 1]]), [0, 0, 0, 0], "raw")
@example(np.array([[4, 2], [4, 2]]), [0, 0, 0, 0], "raw")
def test_left_out_alphas_are_the_best_of_every_sum_or_the_unigram(X, classes, name):
    X = seen(X)
    assume(X.any())
    y, weights = np.array(classes[: len(X)]), weighting(name)
    stored = weights.stored(as_counts(X))
    counts = ClassCounts.of(stored, y, unit=weights.unit)
    found = smoothing("leave-one-out", counts, ClassHistograms.of(stored, y, unit=weights.unit))
    W = stored.toarray() * weights.unit
    totals = GRID[::16] * W.sum()
    with np.errstate(divide="ignore"):
        candidates = best_of_totals(left_out_slopes(W, y), totals, X.shape[1])
        check(found, lambda alpha: left_out(W, y, alpha), candidates, W.sum(), W.sum(axis=0) / W.sum())


@settings(max_examples=30, deadline=None)
@given(TABLES)
@example(np.array([[1, 1], [0, 1]]))
def test_the_number_of_bernoulli_is_the_best_of_a_grid_or_1(X):
    X = seen(X)
    assume(X.any())
    y = np.arange(len(X)) % 2
    counts = ClassCounts.of(X, y)
    found = bernoulli_evidence(counts)
    values = np.array([bernoulli_log_evidence(counts, alpha) for alpha in GRID * len(X)])
    check(found, lambda _: values, GRID, X.size, 1.0)


@pytest.mark.parametrize("name", ["evidence", "evidence-class", "evidence-unigram"])
@pytest.mark.parametrize("factor", [1, 2**20, 2**45])
def test_huge_counts_have_a_maximum_as_small_ones_do(name, factor):
    X = np.array([[90, 2, 0], [10, 30, 5], [0, 7, 60]]) * factor
    found = smoothing(name, ClassCounts.of(X, range(3)))
    assert found.solution.outcome == "converged"
    alpha = found.alpha * np.ones(3)
    assert all(polya(X, alpha * by) <= polya(X, alpha) + 1e-12 * X.sum() for by in (0.01, 0.5, 0.9, 1.1, 2, 100))
    assert 1e-6 < alpha.sum() < 1e3


@pytest.mark.parametrize("name", ["evidence", "evidence-class", "evidence-unigram", "leave-one-out"])
def test_log_weights_of_one_document_per_class_follow_the_same_rule(name):
    log = weighting("log")
    stored = log.stored(as_counts([[3, 0, 0], [0, 4, 0], [0, 0, 2]]))
    y = ["a", "b", "c"]
    counts, histograms = (kind.of(stored, y, unit=log.unit) for kind in (ClassCounts, ClassHistograms))
    found = smoothing(name, counts, histograms)
    share = np.log([4, 5, 3]) / np.log([4, 5, 3]).sum()
    assert found.solution.outcome in ("unbounded", "one-sided")
    np.testing.assert_allclose(found.alpha, 1.0 if name == "evidence" else share, rtol=1e-6)
