import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics as oracle

from textnb.evaluation import metrics

SEEDS = range(8)


def random_predictions(seed, n_documents=80, n_classes=5):
    """True classes, of which the last never is one, and probabilities far from equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_classes - 1, n_documents), rng.dirichlet(np.full(n_classes, 0.4), n_documents)


def table_of(seed):
    y, P = random_predictions(seed)
    return y, P.argmax(axis=1), metrics.confusion(y, P.argmax(axis=1), 5)


def counts(table):
    return np.diag(table), table.sum(axis=1), table.sum(axis=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_confusion_is_that_of_scikit_learn(seed):
    y, predicted, table = table_of(seed)
    np.testing.assert_array_equal(table, oracle.confusion_matrix(y, predicted, labels=range(5)))


@pytest.mark.parametrize("seed", SEEDS)
def test_precision_recall_and_f1_are_those_of_scikit_learn(seed):
    y, predicted, table = table_of(seed)
    expected = oracle.precision_recall_fscore_support(y, predicted, labels=range(5), zero_division=0)
    for found, values in zip(metrics.precision_recall_f1(table), expected, strict=False):
        np.testing.assert_allclose(found, values, atol=1e-12)
    macro = oracle.f1_score(y, predicted, average="macro", zero_division=0)
    assert metrics.macro_f1(*counts(table)) == pytest.approx(macro, abs=1e-12)


def test_macro_f1_leaves_out_classes_that_neither_occur_nor_are_predicted():
    y, predicted = np.array([0, 0, 1]), np.array([0, 1, 1])
    small, large = (metrics.macro_f1(*counts(metrics.confusion(y, predicted, n))) for n in (2, 6))
    assert small == large == pytest.approx(oracle.f1_score(y, predicted, average="macro"), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_log_loss_and_brier_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y, P = rng.integers(0, 5, 80), rng.dirichlet(np.full(5, 2.0), 80)
    expected = oracle.log_loss(y, P, labels=range(5))
    assert metrics.log_losses(y, np.log(P)).mean() == pytest.approx(expected, abs=1e-12)
    expected = oracle.brier_score_loss(y, P, labels=range(5), scale_by_half=False)
    assert metrics.brier_losses(y, P).mean() == pytest.approx(expected, abs=1e-12)


def test_log_loss_is_infinite_where_a_true_class_was_impossible():
    log_p = np.array([[0.0, -np.inf], [0.0, -np.inf]])
    assert metrics.log_losses(np.array([0, 1]), log_p).tolist() == [0.0, math.inf]


def test_brier_goes_from_none_to_two():
    certain = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert metrics.brier_losses(np.array([0, 0]), certain).tolist() == [0.0, 2.0]


@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_is_that_of_scipy(total, share, level):
    hits = round(share * total)
    expected = binomtest(hits, total).proportion_ci(level, method="wilson")
    low, high = metrics.wilson_interval(hits, total, level)
    assert (low, high) == (pytest.approx(expected.low, abs=1e-12), pytest.approx(expected.high, abs=1e-12))
    assert 0 <= low <= hits / total + 1e-12 <= high + 2e-12 <= 1 + 2e-12


def test_nothing_counted_has_the_widest_interval():
    assert metrics.wilson_interval(0, 0) == (0.0, 1.0)
