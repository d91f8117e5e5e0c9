"""Rows give the numbers of scipy's csr_array, to the bit."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from textnb.counts import Vocabulary, counted
from textnb.counts import rows as rows_module
from textnb.counts.documents import TermsOf
from textnb.counts.matrix import canonical, csr_of, presence, rows_of
from textnb.counts.rows import Rows, as_matrix, kept_before, narrowed, row_sums, with_data, with_entries
from textnb.counts.weighting import WEIGHTINGS
from textnb.document import Document
from textnb.text import Analyzer, tokenizer


def made_up(n_rows, n_columns, density, seed=0):
    X = sparse.random_array((n_rows, n_columns), density=density, rng=np.random.default_rng(seed), format="csr")
    X.data = np.ceil(X.data * 9)
    return X, Rows(X.data, X.indices, X.indptr, n_columns)


SHAPES = [(0, 5, 0.5), (1, 1, 1.0), (1, 1000, 0.01), (7, 40, 0.3), (7, 40, 0.0), (300, 2000, 0.05)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_classes", [1, 2, 20])
@pytest.mark.parametrize("few", [0, 1 << 20])
def test_products_and_sums_are_those_of_scipy(shape, n_classes, few, monkeypatch):
    monkeypatch.setattr(rows_module, "_MAX_CELLS", few)
    X, rows = made_up(*shape)
    table = np.random.default_rng(1).normal(size=(shape[1], n_classes)) * 10.0 ** np.arange(n_classes)
    np.testing.assert_array_equal(rows @ table, X @ table)
    np.testing.assert_array_equal(row_sums(rows), np.asarray(X.sum(axis=1)))
    np.testing.assert_array_equal(row_sums(rows, rows.data**2), np.asarray(X.multiply(X).sum(axis=1)))
    for each in (X, rows):
        used, columns = narrowed(each)
        np.testing.assert_array_equal(used @ table[columns], X @ table)


@pytest.mark.parametrize("shape", SHAPES)
def test_functions_of_matrices_take_rows_and_give_rows(shape):
    X, rows = made_up(*shape)
    kept = np.arange(X.nnz) % 3 == 0
    for made in (lambda M: with_entries(M, kept), lambda M: with_data(M, M.data * 2), presence, canonical):
        found = made(rows)
        assert isinstance(found, Rows)
        assert (as_matrix(found) != made(X)).nnz == 0
    assert canonical(with_data(rows, np.zeros(rows.nnz))).nnz == 0


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_every_weighting_gives_the_same_weights(name):
    X, rows = made_up(20, 60, 0.2)
    np.testing.assert_array_equal(WEIGHTINGS[name].weights(rows).data, WEIGHTINGS[name].weights(X).data)


@pytest.mark.parametrize("many", [0, 1 << 17])
def test_rows_are_sorted_as_scipy_sorts_them(many, monkeypatch):
    from textnb.counts import matrix

    monkeypatch.setattr(matrix, "_MANY_ENTRIES", many)
    rng = np.random.default_rng(2)
    lengths = np.array([3, 0, 5], np.int32)
    columns = np.concatenate([rng.permutation(9)[:n] for n in lengths]).astype(np.int32)
    data = np.arange(8, dtype=np.int32)
    expected = csr_of(lengths, columns, data, 9)
    found = rows_of(lengths, columns, data, 9)
    assert (found.matrix != expected).nnz == 0
    assert found.indices.tolist() == expected.indices.tolist()


def test_the_counts_of_an_answered_part_are_a_csr_array_for_who_asks():
    terms_of = TermsOf(tokenizer("words"), Analyzer())
    (part,) = counted([Document("a b a"), Document("")], terms_of, Vocabulary(["a", "c"]))
    assert sparse.issparse(part.X)
    assert part.X.toarray().tolist() == [[2, 0], [0, 0]]
    assert part.rows(np.array([1, 0])).X.toarray().tolist() == [[0, 0], [2, 0]]
    assert part.on(Vocabulary(["c", "a", "x"])).X.toarray().tolist() == [[2, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("block", [1, 2, 7, 1000])
def test_blocks_of_rows_give_the_bounds_and_sums_of_all_rows(block, monkeypatch):
    monkeypatch.setattr(rows_module, "_BLOCK", block)
    X, _ = made_up(30, 20, 0.2)
    X.data[:] = np.random.default_rng(1).random(X.nnz)
    X = sparse.vstack([sparse.csr_array((2, 20)), X, sparse.csr_array((1, 20))], format="csr")  # rows without entries
    kept = X.data > 0.5
    expected = [int(kept[:end].sum()) for end in X.indptr]
    assert kept_before(kept, X.indptr).tolist() == expected
    np.testing.assert_array_equal(row_sums(X), [sum(X.data[a:b].tolist()) for a, b in pairwise(X.indptr)])
    assert kept_before(np.zeros(0, bool), np.zeros(1, np.int32)).tolist() == [0]
