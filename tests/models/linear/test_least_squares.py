import numpy as np
import pytest
from fitted_rows import fit_least_squares as fit
from scipy import sparse
from sklearn.linear_model import Ridge, RidgeClassifier

from textnb.errors import InputError


def data(n_rows=60, n_columns=5, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    X = rng.normal(y[:, np.newaxis] * np.linspace(-1, 1, n_columns), 1.0)
    X[rng.random(X.shape) < 0.3] = 0
    return X, y, rng.random(n_rows) + 0.2


def test_it_is_numpys_least_squares_with_a_column_of_ones():
    X, y, _ = data()
    scorer = fit(X, y, l2=0)
    wanted = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), np.eye(3)[y], rcond=None)[0]
    np.testing.assert_allclose(scorer.bias, wanted[0], atol=1e-12)
    np.testing.assert_allclose(scorer.by_term, wanted[1:], atol=1e-12)


@pytest.mark.parametrize("l2", [0.0, 0.7, 30.0])
def test_it_solves_the_normal_equations_with_weights_and_a_free_bias(l2):
    X, y, weight = data()
    with_ones = np.column_stack([np.ones(len(y)), X])
    penalty = l2 * np.diag([0.0, *np.ones(X.shape[1])])
    wanted = np.linalg.solve((with_ones.T * weight) @ with_ones + penalty, (with_ones.T * weight) @ np.eye(3)[y])
    for rows in (X, sparse.csr_array(X)):
        scorer = fit(rows, y, sample_weight=weight, l2=l2)
        np.testing.assert_allclose(np.vstack([scorer.bias, scorer.by_term]), wanted, atol=1e-10)


@pytest.mark.parametrize("shape", [(60, 5), (10, 40)], ids=str)
def test_it_is_scikit_learns_ridge(shape):
    X, y, weight = data(*shape)
    scorer = fit(X, y, sample_weight=weight, l2=0.7)
    ridge = Ridge(alpha=0.7, solver="cholesky").fit(X, np.eye(3)[y], sample_weight=weight)
    np.testing.assert_allclose(scorer.weights, ridge.coef_, atol=1e-10)
    np.testing.assert_allclose(scorer.bias, ridge.intercept_, atol=1e-10)
    classifier = RidgeClassifier(alpha=0.7, solver="cholesky").fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(2 * scorer.joint_log_scores(X) - 1, classifier.decision_function(X), atol=1e-10)


@pytest.mark.parametrize("shape", [(60, 5), (10, 40)], ids=str)
@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_the_scores_of_a_row_sum_to_one_and_are_no_probabilities(shape, l2):
    X, y, weight = data(*shape)
    far = np.vstack([X, 100 * X])
    scores = fit(sparse.csr_array(X), y, sample_weight=weight, l2=l2).joint_log_scores(far)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-9)
    assert scores.min() < 0


def test_with_more_columns_than_rows_the_fit_is_exact_and_of_least_norm():
    X, y, _ = data(10, 40)
    scorer = fit(X, y, l2=0)
    np.testing.assert_allclose(scorer.joint_log_scores(X), np.eye(3)[y], atol=1e-10)
    wanted = np.linalg.lstsq(X - X.mean(axis=0), np.eye(3)[y] - np.eye(3)[y].mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(scorer.by_term, wanted, atol=1e-10)


@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_constant_and_repeated_columns(l2):
    X, y, weight = data()
    plain = fit(X, y, sample_weight=weight, l2=l2)
    X = np.column_stack([X, np.full(len(y), 0.1)])
    for rows in (X, sparse.csr_array(X)):
        with_constant = fit(rows, y, sample_weight=weight, l2=l2)
        np.testing.assert_array_equal(with_constant.by_term[-1], 0)
        np.testing.assert_allclose(with_constant.by_term[:-1], plain.by_term, atol=1e-10)
    twice = fit(np.column_stack([X, X]), y, sample_weight=weight, l2=l2)
    np.testing.assert_allclose(twice.by_term[:6], twice.by_term[6:], atol=1e-10)


def test_one_class_and_a_class_without_documents():
    X, _, _ = data()
    scorer = fit(X, ["a"] * len(X))
    np.testing.assert_array_equal(scorer.by_term, 0)
    np.testing.assert_array_equal(scorer.bias, [1.0])
    wider = fit([[0.0], [1.0]], ["a", "c"], classes=["a", "b", "c"], l2=0)
    np.testing.assert_allclose(wider.joint_log_scores(np.array([[0.0], [1.0]])), [[1, 0, 0], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize("l2", [-1, np.inf, "1", None, True])
def test_wrong_strengths_are_refused(l2):
    with pytest.raises(InputError, match="l2 must be a number of at least 0"):
        fit([[1.0], [2.0]], ["a", "b"], l2=l2)


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(InputError, match="nothing to learn from"):
        fit([[1.0]], ["a"], sample_weight=[0.0])
