"""Centred rows and the three ways to solve systems in their scatter."""

import tracemalloc

import numpy as np
import pytest
from fitted_rows import covariance_of, fit_fisher, fit_gaussian, fit_least_squares
from scipy import sparse

from textnb.counts import rows
from textnb.counts.moments import ClassMoments
from textnb.errors import FitWarning, InputError
from textnb.models.linear import centred, discriminants, systems
from textnb.models.linear.centred import Centred
from textnb.models.linear.systems import SOLVERS, inverse_times, regression, squared_norm

SHAPES = [(40, 7), (9, 30), (12, 12)]


def sparse_rows(n_rows, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.6, (n_rows, n_columns)) * rng.gamma(2, 1, (n_rows, n_columns))
    return X, np.arange(n_rows) % 3, rng.random(n_rows) + 0.5


def plain_centred(X, y, weight):
    means = np.array([np.average(X[y == k], axis=0, weights=weight[y == k]) for k in range(y.max() + 1)])
    return X - means[y]


def centred_rows(X, y, weight):
    return Centred.around(ClassMoments.of(X, y, range(3), sample_weight=weight), X, y, weight)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_centred_rows_are_those_made_dense(shape, form):
    X, y, weight = sparse_rows(*shape)
    Z, plain = centred_rows(form(X), y, weight), plain_centred(X, y, weight)
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(shape[1], 2)), rng.normal(size=(shape[0], 2))
    np.testing.assert_allclose(Z.times(A), plain @ A, atol=1e-12)
    np.testing.assert_allclose(Z.transposed_times(B), plain.T @ B, atol=1e-12)
    gram = (plain.T * weight) @ plain
    np.testing.assert_allclose(Z.gram, gram, atol=1e-12)
    np.testing.assert_allclose(Z.kernel, plain @ plain.T, atol=1e-12)
    np.testing.assert_allclose(Z.squared_lengths(), (plain**2).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(Z.squares, np.diag(gram), atol=1e-12)
    assert squared_norm(Z) == pytest.approx((gram**2).sum())


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
def test_squares_of_rows_in_single_precision_are_summed_in_blocks(block, monkeypatch):
    monkeypatch.setattr(rows, "_BLOCK", block)
    X, _, weight = sparse_rows(40, 7)
    single, double = (Centred.of(sparse.csr_array(X.astype(kind)), weight) for kind in (np.float32, np.float64))
    assert single.columns.dtype == np.float32
    np.testing.assert_allclose(single.squares, double.squares, rtol=1e-5)


def test_the_kernel_is_made_of_blocks_of_rows():
    X, y, weight = sparse_rows(600, 5)
    Z = centred_rows(sparse.csr_array(X), y, weight)
    blocks = [block for _, block in Z.products()]
    assert [len(block) for block in blocks] == [256, 256, 88]
    np.testing.assert_array_equal(np.vstack(blocks), Z.kernel)


@pytest.mark.parametrize("value", [0.1, 1e9, 1e-9])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_constant_column_is_zero_and_not_the_rounding_of_its_mean(value, form):
    X, y, weight = sparse_rows(30, 4)
    X[:, 2] = value
    Z = centred_rows(form(X), y, weight)
    assert Z.squares[2] == 0
    np.testing.assert_allclose(Z.times(np.eye(4))[:, 2], 0, atol=0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("r", [0.0, 0.3, 50.0])
def test_primal_dual_and_iterative_agree(shape, form, r):
    X, y, weight = sparse_rows(*shape)
    plain = plain_centred(X, y, weight)
    T = np.random.default_rng(2).normal(size=(shape[0], 3))
    B = (plain.T * weight) @ T
    wanted = np.linalg.pinv((plain.T * weight) @ plain + r * np.eye(shape[1]), rcond=1e-11, hermitian=True) @ B
    Z = centred_rows(form(X), y, weight)
    for solver in SOLVERS:
        np.testing.assert_allclose(regression(Z, T, r, solver), wanted, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(inverse_times(Z, B, r, solver), wanted, rtol=1e-6, atol=1e-8)


EVERY_FIT = [
    (fit_least_squares, {"l2": 0.5}),
    (fit_fisher, {"shrinkage": 0.2}),
    (fit_gaussian, {"shrinkage": 0.2}),
    (fit_gaussian, {}),
]


@pytest.mark.parametrize(("shape", "made"), [((40, 9), "gram"), ((9, 40), "kernel")])
@pytest.mark.parametrize(("fit", "options"), EVERY_FIT)
def test_the_smaller_side_is_solved_and_beyond_the_bound_no_square_matrix_is_made(
    shape, made, fit, options, monkeypatch
):
    used = set()
    for name in ("gram", "kernel"):
        wanted = getattr(Centred, name).fget
        watched = property(lambda self, name=name, wanted=wanted: (used.add(name), wanted(self))[1])
        monkeypatch.setattr(Centred, name, watched)
    X, y, weight = sparse_rows(*shape)
    direct = fit(sparse.csr_array(X), y, sample_weight=weight, **options)
    assert used == {made}
    used.clear()
    monkeypatch.setattr(systems, "LARGEST", 8)
    iterative = fit(sparse.csr_array(X), y, sample_weight=weight, **options)
    assert used == set()
    np.testing.assert_allclose(direct.by_term, iterative.by_term, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(direct.bias, iterative.bias, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("bound", [4000, 100], ids=["dual", "iterative"])
@pytest.mark.parametrize(("fit", "options"), EVERY_FIT)
def test_many_terms_take_memory_for_copies_of_the_rows_and_a_small_square(fit, options, bound, monkeypatch):
    monkeypatch.setattr(systems, "LARGEST", bound)
    rng, y = np.random.default_rng(4), np.arange(300) % 3
    entries = (rng.random(9000), (rng.integers(0, 300, 9000), rng.integers(0, 30_000, 9000)))
    X = sparse.csr_array(entries, shape=(300, 30_000))
    tracemalloc.start()
    fit(X, y, **options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 8 * 3 * 30_000 + 4 * 8 * 300**2  # some tables like the weights; (V, V) would be 7 GB


def test_units_of_columns_do_not_decide_the_rank():
    rng = np.random.default_rng(3)
    X, T = rng.normal(size=(50, 3)) * [1e-7, 1.0, 1e7], rng.normal(size=(50, 1))
    Z = Centred.of(X, np.ones(50))
    wanted = np.linalg.lstsq((X - X.mean(axis=0)) / [1e-7, 1, 1e7], T, rcond=None)[0] / np.array([[1e-7], [1], [1e7]])
    np.testing.assert_allclose(regression(Z, T, 0.0), wanted, rtol=1e-8)


def test_gradients_that_do_not_arrive_say_so(monkeypatch):
    monkeypatch.setattr(systems, "_MAX_STEPS", 2)
    X, y, weight = sparse_rows(40, 20)
    with pytest.warns(FitWarning, match=r"a residual of .* after 2 steps"):
        fit_least_squares(X, y, sample_weight=weight, solver="iterative")


def test_an_unknown_solver_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="unknown solver 'qr'; use 'primal', 'dual' or 'iterative'"):
        fit_least_squares([[1.0]], ["a"], solver="qr")


def test_the_shared_covariance_is_solved_alike_by_every_solver():
    X, y, weight = sparse_rows(20, 25)
    found = [
        discriminants.fit_covariance(covariance_of(sparse.csr_array(X), y, None, weight, 0.1, solver))
        for solver in SOLVERS
    ]
    for other in found[1:]:
        np.testing.assert_allclose(found[0].by_term, other.by_term, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found[0].bias, other.bias, rtol=1e-6, atol=1e-8)


def test_the_private_loop_of_scipy_is_there_and_adds_what_the_plain_product_adds(monkeypatch):
    assert centred._csr_matvecs() is not None, (
        "scipy has moved csr_matvecs; the plain product is slower and still right"
    )
    X, _, weight = sparse_rows(40, 9)
    Z, R = Centred.of(sparse.csr_array(X), weight), np.random.default_rng(0).normal(size=(40, 3))
    fast = Z.transposed_times(R)
    monkeypatch.setattr(centred, "_csr_matvecs", lambda: None)
    for B in (R, np.asfortranarray(R)):
        np.testing.assert_allclose(Z.transposed_times(B), fast, atol=1e-12)
