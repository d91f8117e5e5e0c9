import numpy as np
import pytest
from scipy import sparse

from textnb.models.linear.centred import Centred
from textnb.models.logistic.loss import SoftmaxLoss, contrasts
from textnb.models.logistic.squared_hinge import SquaredHingeLoss


def problem(n_classes, form=np.asarray, l2=0.7, kind=SoftmaxLoss):
    rng = np.random.default_rng(0)
    y = np.arange(40) % n_classes
    X = rng.normal(1, 2, (40, 5)) * (rng.random((40, 5)) < 0.6)
    weight = rng.random(40) + 0.5
    return X, y, weight, kind.of(form(X), y, weight, l2)


problems = pytest.mark.parametrize("n_classes", [2, 3, 5])
forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
losses = pytest.mark.parametrize("kind", [SoftmaxLoss, SquaredHingeLoss])


def anywhere(loss, seed=1):
    return np.random.default_rng(seed).normal(0, 0.5, loss.shape)


def formula(scores, y, weight, kind):
    """Sum of the losses of the rows, one row and one class at a time."""
    total = 0.0
    for s, label, w in zip(scores, y, weight, strict=True):
        if kind is SoftmaxLoss:
            total -= w * np.log(np.exp(s[label]) / np.exp(s).sum())
        else:
            total += w * sum(max(0, 1 - (1 if k == label else -1) * s[k]) ** 2 for k in range(len(s)))
    return total


@problems
@forms
@losses
def test_the_value_is_that_of_the_formula_in_weights_and_bias(n_classes, form, kind):
    X, y, weight, loss = problem(n_classes, form, kind=kind)
    theta = anywhere(loss)
    scorer = loss.scorer(theta)
    expected = 0.7 / 2 * (scorer.weights**2).sum() + formula(X @ scorer.weights.T + scorer.bias, y, weight, kind)
    counted = 2 if kind is SquaredHingeLoss and n_classes == 2 else 1  # both classes of two say the same
    assert counted * loss.at(theta).value == pytest.approx(expected, rel=1e-12)
    if kind is SoftmaxLoss:
        np.testing.assert_allclose(scorer.by_term.sum(axis=1), 0, atol=1e-12)
        assert scorer.bias.sum() == pytest.approx(0, abs=1e-12)


@problems
@forms
@losses
def test_the_gradient_is_the_difference_quotient_of_the_value(n_classes, form, kind):
    *_, loss = problem(n_classes, form, kind=kind)
    theta, h = anywhere(loss), 1e-6
    quotient = np.zeros(loss.shape)
    for cell in np.ndindex(loss.shape):
        step = np.zeros(loss.shape)
        step[cell] = h
        quotient[cell] = (loss.at(theta + step).value - loss.at(theta - step).value) / (2 * h)
    close = {SoftmaxLoss: 1e-6, SquaredHingeLoss: 1e-5}[kind]
    np.testing.assert_allclose(loss.at(theta).gradient, quotient, atol=close)


@problems
@forms
@losses
def test_the_hessian_is_the_difference_quotient_of_the_gradient(n_classes, form, kind):
    *_, loss = problem(n_classes, form, kind=kind)
    h, close = {SoftmaxLoss: (1e-5, 1e-6), SquaredHingeLoss: (1e-7, 1e-4)}[kind]  # no row crosses its margin
    theta, direction = anywhere(loss), anywhere(loss, seed=2)
    point = loss.at(theta)
    quotient = (loss.at(theta + h * direction).gradient - loss.at(theta - h * direction).gradient) / (2 * h)
    product = point.hessian_times(direction)
    np.testing.assert_allclose(product, quotient, atol=close)
    np.testing.assert_allclose((point.hessian() @ direction.ravel()).reshape(loss.shape), product, atol=1e-10)
    assert point.curvature(direction, loss.scores(direction)) == pytest.approx(np.vdot(direction, product))


@losses
def test_the_whole_hessian_is_symmetric_and_positive_and_has_about_the_estimated_diagonal(kind):
    *_, loss = problem(4, kind=kind)
    at_start = loss.at(loss.start)
    H = at_start.hessian()
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    assert np.linalg.eigvalsh(H).min() > 0
    np.testing.assert_allclose(at_start.hessian_diagonal().ravel(), np.diag(H), rtol=1e-10)  # equal rows: exact there


@forms
def test_a_point_that_was_moved_to_is_the_point_there(form):
    *_, loss = problem(3, form)
    theta, direction = anywhere(loss), anywhere(loss, seed=2)
    moved = loss.at(theta).moved(direction, loss.scores(direction), 0.25)
    there = loss.at(theta + 0.25 * direction)
    assert moved.value == pytest.approx(there.value, rel=1e-13)
    np.testing.assert_allclose(moved.gradient, there.gradient, atol=1e-11)


def test_at_the_start_the_probabilities_are_the_shares_of_the_classes():
    _, y, weight, loss = problem(3)
    point = loss.at(loss.start)
    np.testing.assert_allclose(point.p, np.tile(np.bincount(y, weight) / weight.sum(), (40, 1)))
    np.testing.assert_allclose(point.gradient[-1], 0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 9])
def test_contrasts_are_orthonormal_and_sum_to_zero(n_classes):
    Q = contrasts(n_classes)
    assert Q.shape == (n_classes, n_classes - 1)
    np.testing.assert_allclose(Q.T @ Q, np.eye(n_classes - 1), atol=1e-14)
    np.testing.assert_allclose(Q.sum(axis=0), 0, atol=1e-14)


@forms
def test_rows_with_a_column_of_ones_are_those_of_a_plain_matrix(form):
    X, _, weight, loss = problem(3, form, l2=0.0)
    Z, rng = np.column_stack([X - weight @ X / weight.sum(), np.ones(40)]), np.random.default_rng(3)
    theta, slopes = rng.normal(size=(6, 2)), rng.normal(size=(40, 2))
    np.testing.assert_allclose(loss.scores(theta), Z @ theta, atol=1e-12)
    np.testing.assert_allclose(loss.gradient(slopes, theta), Z.T @ slopes, atol=1e-12)
    np.testing.assert_allclose(loss.squares, weight @ Z**2, atol=1e-11)
    np.testing.assert_allclose(np.vstack([block for _, block in loss.Z.blocks()]), Z, atol=1e-12)


def test_rows_far_from_zero_are_centred_to_the_last_digits():
    X, _, weight, _ = problem(3)
    near, far = Centred.of(X, weight), Centred.of(X + 1e9, weight)
    np.testing.assert_allclose(far.columns, near.columns, atol=1e-6)
    np.testing.assert_allclose(weight @ far.columns, 0, atol=1e-9)
