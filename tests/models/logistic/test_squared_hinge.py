import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.svm import LinearSVC

from textnb.models.logistic.solvers import bound, minimum
from textnb.models.logistic.squared_hinge import SquaredHingeLoss

problems = pytest.mark.parametrize("n_classes", [2, 3, 5])
forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def problem(n_classes, form=np.asarray, l2=0.7):
    rng = np.random.default_rng(0)
    y = np.arange(40) % n_classes
    X = (rng.normal(1, 2, (40, 5)) + y[:, np.newaxis]) * (rng.random((40, 5)) < 0.6)
    weight = rng.random(40) + 0.5
    return X, y, weight, SquaredHingeLoss.of(form(X), y, weight, l2)


def test_the_start_is_the_best_bias_without_weights():
    _, y, weight, loss = problem(3)
    assert not loss.start[:-1].any()
    np.testing.assert_allclose(loss.at(loss.start).gradient[-1], 0, atol=1e-10)
    shares = np.bincount(y, weight) / weight.sum()
    np.testing.assert_allclose(loss.start[-1], 2 * shares - 1)


@problems
@forms
@pytest.mark.parametrize("l2", [0.2, 5.0])
def test_newton_ends_where_a_general_minimiser_does(n_classes, form, l2):
    X, y, weight, loss = problem(n_classes, form, l2)
    mine = minimum(loss, bound(loss, 1e-9), 200)
    scorer = loss.scorer(mine.point.theta)
    for k in range(n_classes):
        sides = np.where(y == k, 1.0, -1.0)

        def one(w, sides=sides):
            missing = np.maximum(0, 1 - sides * (X @ w[:-1] + w[-1]))
            slope = -2 * weight * sides * missing
            gradient = np.append(slope @ X + l2 * w[:-1], slope.sum())
            return weight @ missing**2 + l2 / 2 * w[:-1] @ w[:-1], gradient

        found = optimize.minimize(one, np.zeros(6), jac=True, method="BFGS", options={"gtol": 1e-9})
        np.testing.assert_allclose(np.append(scorer.weights[k], scorer.bias[k]), found.x, atol=1e-5)


def test_it_is_the_support_vector_machine_of_liblinear_where_the_bias_is_all_but_free():
    X, y, weight, loss = problem(3, l2=0.5)
    scorer = loss.scorer(minimum(loss, bound(loss, 1e-9), 200).point.theta)
    theirs = LinearSVC(C=2.0, intercept_scaling=100.0, tol=1e-8, max_iter=200_000, dual=False).fit(X, y, weight)
    np.testing.assert_allclose(scorer.weights, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(scorer.bias, theirs.intercept_, atol=1e-3)


@pytest.mark.parametrize(("n_classes", "shape"), [(1, (0, 1)), (2, (1, 2)), (4, (4, 4))])
def test_two_classes_have_one_column_and_one_has_none(n_classes, shape):
    assert SquaredHingeLoss.class_map(n_classes).shape == shape


def test_one_class_has_nothing_to_minimise():
    loss = SquaredHingeLoss.of(np.ones((3, 2)), np.zeros(3, int), np.ones(3), 1.0)
    found = minimum(loss, bound(loss, 1e-6), 10)
    assert found.point.value == 0
    assert loss.scorer(found.point.theta).by_term.tolist() == [[0.0], [0.0]]
