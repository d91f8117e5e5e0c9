from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from textnb.models.linear.centred import isometric
from textnb.models.logistic import laplace as laplace_module
from textnb.models.logistic.laplace import (
    CertainPosterior,
    DualPosterior,
    PrimalPosterior,
    SampledPosterior,
    alike,
    laplace,
    log_evidence,
)
from textnb.models.logistic.loss import SoftmaxLoss
from textnb.models.logistic.solvers import newton

classes = pytest.mark.parametrize("n_classes", [2, 3, 5])
forms = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def rows(n_rows=24, n_columns=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(0.5, 1, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.6)
    return X, rng.random(n_rows) + 0.3


def minimum(X, y, weight=None, l2=0.5):
    loss = SoftmaxLoss.of(X, y, np.ones(len(y)) if weight is None else weight, l2)
    return newton(loss.at(loss.start), 1e-11, 100)[0]


def at_minimum(n_classes, form=np.asarray, n_rows=24, l2=0.5):
    X, weight = rows(n_rows)
    return minimum(form(X), np.arange(n_rows) % n_classes, weight, l2)


@classes
@forms
@pytest.mark.parametrize("l2", [1e-3, 0.5, 50.0])
def test_dual_and_primal_are_one_posterior(n_classes, form, l2):
    point = at_minimum(n_classes, form, l2=l2)
    primal, dual = PrimalPosterior(point), DualPosterior.of(point)
    assert dual.log_det == pytest.approx(primal.log_det, rel=1e-9)
    asked = rows(300, seed=1)[0]
    for one in (asked, sparse.csr_array(asked)):
        np.testing.assert_allclose(dual.spread()(one), primal.spread()(one), rtol=1e-8)


@classes
def test_the_determinant_is_that_of_the_second_differences_of_the_loss(n_classes):
    X, weight = rows(12, 2)
    point = minimum(X, np.arange(12) % n_classes, weight)
    loss, size, step = point.loss, point.theta.size, 1e-4

    def gradient(move):
        return loss.at(point.theta + move.reshape(point.theta.shape)).gradient.ravel()

    H = np.array([(gradient(step * e) - gradient(-step * e)) / (2 * step) for e in np.eye(size)])
    H += np.diag([0.0] * (size - n_classes + 1) + [0.01] * (n_classes - 1))
    prior = (n_classes - 1) * (2 * np.log(loss.l2) + np.log(0.01))
    assert laplace(point).log_det == pytest.approx(np.linalg.slogdet(H)[1] - prior, abs=1e-6)


def test_the_spread_is_the_mean_variance_of_the_differences_of_scores():
    point = at_minimum(4)
    Q = point.loss.contrasts
    covariance = np.linalg.inv(point.hessian() + np.diag([0.0] * 21 + [0.01] * 3)).reshape(8, 3, 8, 3)
    x = rows(1, seed=3)[0][0]
    z = np.append(x - point.loss.Z.means[0], 1)
    of_scores = Q @ np.einsum("i,iajb,j->ab", z, covariance, z) @ Q.T
    pairs = [(k, m) for k in range(4) for m in range(k)]
    variances = [of_scores[k, k] + of_scores[m, m] - 2 * of_scores[k, m] for k, m in pairs]
    assert laplace(point).spread()(x[np.newaxis]) == pytest.approx(np.mean(variances))


def test_of_two_classes_the_spread_is_the_textbooks():
    """S_N^-1 = l2/2 I + sum p (1-p) phi phi', for w the difference of the two classes' weights."""
    X, weight = rows()
    y = np.arange(24) % 2
    point = minimum(X, y, weight)
    p = point.p[:, 1]
    mean = weight @ X / weight.sum()
    phi = np.column_stack([X - mean, np.ones(24)])
    precision = (phi.T * (weight * p * (1 - p))) @ phi + np.diag([0.25] * 7 + [0.01 / 2])
    asked = rows(5, seed=1)[0]
    z = np.column_stack([asked - mean, np.ones(5)])
    expected = np.einsum("ij,ij->i", z @ np.linalg.inv(precision), z)
    np.testing.assert_allclose(laplace(point).spread()(asked), expected, rtol=1e-9)


@classes
def test_columns_that_do_not_vary_change_nothing(n_classes):
    X, weight = rows()
    y = np.arange(24) % n_classes
    wider = np.column_stack([X, np.zeros(24), np.full(24, 3.0)])
    a, b = laplace(minimum(X, y, weight)), laplace(minimum(wider, y, weight))
    assert a.log_det == pytest.approx(b.log_det, rel=1e-9)
    np.testing.assert_allclose(a.spread()(X), b.spread()(wider), rtol=1e-9)


@classes
@forms
def test_isometric_rows_have_the_same_posterior(n_classes, form):
    X, weight = rows(10, 30)
    y = np.arange(10) % n_classes
    point = minimum(form(X), y, weight)
    turned = minimum(isometric(point.loss.Z), y, weight)
    assert turned.loss.Z.shape[1] <= 10
    assert turned.value == pytest.approx(point.value, rel=1e-12)
    assert laplace(turned).log_det == pytest.approx(laplace(point).log_det, rel=1e-9)


@forms
def test_products_of_centred_rows_are_what_they_say(form):
    X, weight = rows(300)
    centred = X - weight @ X / weight.sum()
    Z = SoftmaxLoss.of(form(X), np.arange(300) % 2, weight, 1.0).Z
    np.testing.assert_allclose(Z.kernel, centred @ centred.T, atol=1e-12)
    np.testing.assert_allclose(Z.squared_lengths(form(X)), (centred**2).sum(axis=1))
    for other in (np.asarray, sparse.csr_array):
        found = np.vstack([block for _, block in Z.products(other(X))])
        np.testing.assert_allclose(found, centred @ centred.T, atol=1e-12)


def test_the_smaller_system_is_taken_and_beyond_both_a_sample_of_the_rows(monkeypatch):
    tall, wide = rows(24, 7), rows(10, 30)
    assert isinstance(laplace(minimum(tall[0], np.arange(24) % 2)), PrimalPosterior)
    few_rows = minimum(wide[0], np.arange(10) % 2)
    assert isinstance(laplace(few_rows), DualPosterior)
    monkeypatch.setattr(laplace_module, "LARGEST", 100)
    assert isinstance(laplace(few_rows), SampledPosterior)
    assert log_evidence(few_rows, laplace(few_rows)) is None
    assert isinstance(laplace(minimum(tall[0][:, :4], np.arange(24) % 2)), PrimalPosterior)
    assert isinstance(laplace(minimum(tall[0], np.zeros(24, int))), CertainPosterior)


@forms
def test_for_two_classes_the_sampled_spread_is_exact_and_for_more_it_is_close(form):
    asked = rows(50, seed=1)[0]
    for n_classes, close in ((2, 1e-9), (4, 0.25)):
        point = at_minimum(n_classes, form, n_rows=80)
        exact, estimated = PrimalPosterior(point).spread()(asked), SampledPosterior(point).spread()(asked)
        np.testing.assert_allclose(estimated, exact, rtol=close)


@forms
def test_the_spread_of_some_rows_is_theirs_alone(form, monkeypatch):
    monkeypatch.setattr(laplace_module, "SAMPLED_ROWS", 40)
    point = at_minimum(2, form, n_rows=79)  # 40 of 79, evenly: every second
    asked = rows(9, seed=1)[0]
    kept, Z = np.arange(0, 79, 2), point.loss.Z
    part = replace(Z, columns=form(Z.columns)[kept], groups=Z.groups[kept], weight=Z.weight[kept])
    r = Z.weight * 2 * point.p[:, 0] * point.p[:, 1]
    expected = alike(part, point.loss.l2, r[kept])(asked)
    np.testing.assert_allclose(SampledPosterior(point).spread()(asked), expected, rtol=1e-9)
    assert (expected > PrimalPosterior(point).spread()(asked)).all()


def test_one_class_is_certain():
    posterior = laplace(minimum(rows()[0], np.zeros(24, int)))
    assert posterior.log_det == 0
    assert posterior.spread()(np.ones((3, 7))).tolist() == [0, 0, 0]


def test_rows_that_all_but_separate_have_a_posterior_too():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    for l2 in (1e-2, 1e-8):
        point = minimum(X, np.array([0, 0, 1, 1]), l2=l2)
        primal, dual = PrimalPosterior(point), DualPosterior.of(point)
        assert dual.log_det == pytest.approx(primal.log_det, abs=1e-6)
        assert dual.spread()(np.zeros((1, 1))) < 2 / 0.01
        np.testing.assert_allclose(dual.spread()(X), primal.spread()(X), rtol=1e-4)
