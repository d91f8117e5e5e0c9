import numpy as np
import pytest
from scipy import sparse

from textnb.models.linear import centred
from textnb.models.linear.centred import CentredRows
from textnb.models.logistic.loss import SoftmaxLoss, contrasts


def problem(n_classes, form=np.asarray, l2=0.7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(1, 2, (40, 5)) * (rng.random((40, 5)) < 0.6)
    y = np.arange(40) % n_classes
    weight = rng.random(40) + 0.5
    return X, y, weight, SoftmaxLoss.of(form(X), y, weight, l2)


problems = pytest.mark.parametrize("n_classes", [2, 3, 5])
forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def anywhere(loss, seed=1):
    return np.random.default_rng(seed).normal(0, 0.5, loss.shape)


@problems
@forms
def test_the_value_is_that_of_the_formula_in_weights_and_bias(n_classes, form):
    X, y, weight, loss = problem(n_classes, form)
    theta = anywhere(loss)
    scorer = loss.scorer(theta)
    expected = 0.7 / 2 * (scorer.weights**2).sum()
    for x, label, w in zip(X, y, weight, strict=True):
        odds = np.exp(scorer.weights @ x + scorer.bias)
        expected -= w * np.log(odds[label] / odds.sum())
    assert loss.at(theta).value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(scorer.by_term.sum(axis=1), 0, atol=1e-12)
    assert scorer.bias.sum() == pytest.approx(0, abs=1e-12)


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
    np.testing.assert_allclose(loss.at(theta).gradient, quotient, atol=1e-6)


@problems
@forms
def test_the_hessian_is_the_difference_quotient_of_the_gradient(n_classes, form):
    *_, loss = problem(n_classes, form)
    theta, h = anywhere(loss), 1e-5
    point, direction = loss.at(theta), anywhere(loss, seed=2)
    quotient = (loss.at(theta + h * direction).gradient - loss.at(theta - h * direction).gradient) / (2 * h)
    product = point.hessian_times(direction)
    np.testing.assert_allclose(product, quotient, atol=1e-6)
    np.testing.assert_allclose((point.hessian() @ direction.ravel()).reshape(loss.shape), product, atol=1e-10)
    assert point.curvature(direction, loss.Z.times(direction)) == pytest.approx(np.vdot(direction, product))


def test_the_whole_hessian_is_symmetric_and_positive_and_has_about_the_diagonal_that_is_told():
    *_, loss = problem(4)
    at_start = loss.at(loss.start)
    H = at_start.hessian()
    np.testing.assert_allclose(H, H.T, atol=1e-12)
    assert np.linalg.eigvalsh(H).min() > 0
    np.testing.assert_allclose(at_start.hessian_diagonal().ravel(), np.diag(H), rtol=1e-10)  # equal rows: exact there


@forms
def test_a_point_that_was_moved_to_is_the_point_there(form):
    *_, loss = problem(3, form)
    theta, direction = anywhere(loss), anywhere(loss, seed=2)
    moved = loss.at(theta).moved(direction, loss.Z.times(direction), 0.25)
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
def test_centred_rows_are_those_of_a_plain_matrix(form):
    X, _, weight, _ = problem(3)
    rows, rng = CentredRows.of(form(X), weight), np.random.default_rng(3)
    Z = np.column_stack([X - weight @ X / weight.sum(), np.ones(40)])
    U, R = rng.normal(size=(6, 2)), rng.normal(size=(40, 2))
    assert rows.shape == (40, 6)
    np.testing.assert_allclose(rows.times(U), Z @ U, atol=1e-12)
    np.testing.assert_allclose(rows.transposed_times(R), Z.T @ R, atol=1e-12)
    np.testing.assert_allclose(rows.squares(), weight @ Z**2, atol=1e-11)
    np.testing.assert_allclose(np.vstack([block for _, block in rows.blocks()]), Z, atol=1e-12)


def test_rows_far_from_zero_are_centred_to_the_last_digits():
    X, _, weight, _ = problem(3)
    near, far = CentredRows.of(X, weight), CentredRows.of(X + 1e9, weight)
    np.testing.assert_allclose(far.columns, near.columns, atol=1e-6)
    np.testing.assert_allclose(weight @ far.columns, 0, atol=1e-9)


def test_scipys_loop_and_its_public_product_agree(monkeypatch):
    X, _, weight, _ = problem(3)
    rows, R = CentredRows.of(sparse.csr_array(X), weight), np.random.default_rng(3).normal(size=(40, 2))
    quick = rows.transposed_times(R)
    monkeypatch.setattr(centred, "_csr_matvecs", None)
    np.testing.assert_allclose(rows.transposed_times(R), quick, atol=1e-12)
    np.testing.assert_allclose(rows.transposed_times(np.asfortranarray(R)), quick, atol=1e-12)
