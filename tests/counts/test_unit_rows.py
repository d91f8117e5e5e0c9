"""Rows whose numbers are made when they are read are those that hold them."""

import numpy as np
import pytest
from scipy import sparse

from textnb.counts.unit_rows import UnitRows, stored

native = pytest.importorskip("textnb._native", reason="the C extension is not built")
with_values = pytest.mark.parametrize("with_values", [True, False])


def rows(*, with_values):
    rng = np.random.default_rng(4)
    X = sparse.random_array((40, 25), density=0.3, format="csr", random_state=rng).astype(np.float32)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    scale, norms = ((rng.random(n, np.float32) + np.float32(0.5)).astype(float) for n in (25, 40))
    return UnitRows(X.indices, X.indptr, X.data if with_values else None, scale, norms)


@with_values
def test_the_numbers_are_those_of_the_formula(with_values):
    Z = rows(with_values=with_values)
    values = np.ones(Z.nnz) if Z.values is None else Z.values
    x = sparse.csr_array((values, Z.indices, Z.indptr), shape=Z.shape).toarray()
    np.testing.assert_allclose(Z.stored.toarray(), x * Z.scale / Z.norms[:, np.newaxis], rtol=1e-6)
    np.testing.assert_allclose(Z.squares, (Z.stored.toarray() ** 2).sum(axis=1), rtol=1e-6)
    assert stored(Z).dtype == Z.dtype == np.float32


@with_values
@pytest.mark.parametrize("shape", [(), (1,), (3,), (9,), (13,)], ids=str)
def test_products_are_those_of_stored_rows_to_the_bit(with_values, shape):
    Z, rng = rows(with_values=with_values), np.random.default_rng(5)
    weights, slopes = (rng.normal(size=(n, *shape)).astype(np.float32) for n in Z.shape[::-1])
    np.testing.assert_array_equal(Z @ weights, Z.stored @ weights)
    np.testing.assert_array_equal(Z.T @ slopes, Z.stored.T @ slopes)


@with_values
def test_some_rows_are_those_of_the_whole(with_values):
    Z, some = rows(with_values=with_values), np.array([0, 3, 4, 39])
    np.testing.assert_array_equal(Z[some].stored.toarray(), Z.stored.toarray()[some])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"indices": np.full(3, 25, np.int32)}, "out of range"),
        ({"indptr": np.array([0, 4], np.int32)}, "out of range"),
        ({"scale": np.ones(24, np.float32)}, "scale: 96 bytes"),
        ({"norms": np.ones(2)}, "norms: 16 bytes"),
        ({"values": np.ones(2, np.float32)}, "values: 8 bytes"),
    ],
    ids=str,
)
def test_memory_that_does_not_fit_is_refused(changed, words):
    parts = {"indices": np.arange(3, dtype=np.int32), "indptr": np.array([0, 3], np.int32), "values": None}
    parts |= {"scale": np.ones(25), "norms": np.ones(1)} | changed
    product, sizes = np.zeros((1, 1), np.float32), (25, 1, 4, False)
    given = (parts[name] for name in ("indptr", "indices", "values", "scale", "norms"))
    with pytest.raises(ValueError, match=words):
        native.hinge_product(*given, np.zeros(25, np.float32), product, *sizes)
