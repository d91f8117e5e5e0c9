import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.svm import LinearSVC

from textnb.models.logistic.loss import Loss, LossPoint
from textnb.models.logistic.solvers import bound, minimum
from textnb.models.logistic.squared_hinge import SquaredHingeLoss, against_the_rest

problems = pytest.mark.parametrize("n_classes", [2, 3, 5])
forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def problem(n_classes, form=np.asarray, l2=0.7):
    rng = np.random.default_rng(0)
    y = np.arange(40) % n_classes
    X = (rng.normal(1, 2, (40, 5)) + y[:, np.newaxis]) * (rng.random((40, 5)) < 0.6)
    weight = rng.random(40) + 0.5
    return X, y, weight, SquaredHingeLoss.of(form(X), y, weight, l2)


def anywhere(loss, seed=1):
    return np.random.default_rng(seed).normal(0, 0.3, loss.shape)


def formula(X, y, weight, weights, bias, l2):
    """Eq. (2), a row and a class at a time."""
    total = l2 / 2 * (weights**2).sum()
    for x, label, w in zip(X, y, weight, strict=True):
        for k in range(len(bias)):
            total += w * max(0, 1 - (1 if k == label else -1) * (weights[k] @ x + bias[k])) ** 2
    return total


@problems
@forms
def test_the_value_is_that_of_the_formula_in_weights_and_bias(n_classes, form):
    X, y, weight, loss = problem(n_classes, form)
    theta = anywhere(loss)
    scorer = loss.scorer(theta)
    times = 2 if n_classes == 2 else 1  # both classes of two say the same
    expected = formula(X, y, weight, scorer.weights, scorer.bias, 0.7)
    assert times * loss.at(theta).value == pytest.approx(expected, rel=1e-12)


@problems
@forms
def test_the_gradient_is_the_difference_quotient_of_the_value(n_classes, form):
    *_, loss = problem(n_classes, form)
    theta, h = anywhere(loss), 1e-6
    quotient = np.zeros(loss.shape)
    for cell in np.ndindex(loss.shape):
        step = np.zeros(loss.shape)
        step[cell] = h
        quotient[cell] = (loss.at(theta + step).value - loss.at(theta - step).value) / (2 * h)
    np.testing.assert_allclose(loss.at(theta).gradient, quotient, atol=1e-5)


@problems
@forms
def test_the_hessian_is_the_difference_quotient_of_the_gradient(n_classes, form):
    *_, loss = problem(n_classes, form)
    theta, h = anywhere(loss), 1e-7  # so small that no row crosses its margin
    point, direction = loss.at(theta), anywhere(loss, seed=2)
    quotient = (loss.at(theta + h * direction).gradient - loss.at(theta - h * direction).gradient) / (2 * h)
    product = point.hessian_times(direction)
    np.testing.assert_allclose(product, quotient, atol=1e-4)
    np.testing.assert_allclose((point.hessian() @ direction.ravel()).reshape(loss.shape), product, atol=1e-10)
    assert point.curvature(direction, loss.Z.times(direction)) == pytest.approx(np.vdot(direction, product))


def test_about_the_diagonal_is_exact_where_every_row_is_inside_its_margin():
    *_, loss = problem(3)
    at_start = loss.at(loss.start)
    assert (at_start.missing > 0).all()
    np.testing.assert_allclose(at_start.hessian_diagonal().ravel(), np.diag(at_start.hessian()), rtol=1e-10)


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


def test_both_losses_are_what_the_solvers_ask_for():
    *_, loss = problem(3)
    asked: Loss = loss
    point: LossPoint = asked.at(asked.start)
    assert point.loss is loss
    assert loss.with_l2(3.0).l2 == 3.0
    assert loss.with_l2(3.0).Z is loss.Z


@pytest.mark.parametrize(("n_classes", "shape"), [(1, (0, 1)), (2, (1, 2)), (4, (4, 4))])
def test_two_classes_have_one_column_and_one_has_none(n_classes, shape):
    assert against_the_rest(n_classes).shape == shape


def test_one_class_has_nothing_to_minimise():
    loss = SquaredHingeLoss.of(np.ones((3, 2)), np.zeros(3, int), np.ones(3), 1.0)
    found = minimum(loss, bound(loss, 1e-6), 10)
    assert found.point.value == 0
    assert loss.scorer(found.point.theta).by_term.tolist() == [[0.0], [0.0]]
