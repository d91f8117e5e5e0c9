"""Count matrices: X (D, V), a row a document, a column a term, CSR."""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError

try:  # scipy's own loop for X.T @ v adds into a given array; numpy's add.at does the same, half as fast
    from scipy.sparse._sparsetools import csc_matvec as _csc_matvec
except ImportError:
    _csc_matvec = None

Ints = NDArray[Any]
CSR = Any
"""A scipy.sparse.csr_array; scipy has no types of its own."""
Matrix = Any
"""Rows of documents: an array, a sparse matrix, a list of rows or a data frame."""

_BLOCK = 1 << 15
_PLAIN = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64))
_INFINITY = np.array(np.inf).view(np.uint64)


class _Ids(dict[str, int]):
    """Numbers terms in the order of their first appearance."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class MatrixBuilder:
    """Rows gathered one after the other, in buffers that are little larger than the matrix they become."""

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._fixed = vocabulary
        self._ids = _Ids()
        self._lengths, self._indices, self._data = array("q"), array("i"), array("i")

    @property
    def n_entries(self) -> int:
        """How many non-zero entries have been gathered."""
        return len(self._data)

    def add(self, terms: Iterable[str]) -> None:
        """One more row; terms outside a given vocabulary are left out."""
        if self._fixed is None:
            counted = Counter(map(self._ids.__getitem__, terms))
        else:
            columns = self._fixed.columns
            counted = Counter(columns[term] for term in terms if term in columns)
        self._indices.extend(counted.keys())
        self._data.extend(counted.values())
        self._lengths.append(len(counted))

    def add_rows(self, X: CSR, vocabulary: Vocabulary) -> None:
        """The rows of a matrix that has been built elsewhere; terms outside a given vocabulary are left out."""
        if self._fixed is None:
            numbers = np.fromiter(map(self._ids.__getitem__, vocabulary.terms), np.int32, len(vocabulary))
        else:
            known = np.array([term in self._fixed for term in vocabulary.terms], bool)
            X = X[:, np.flatnonzero(known)]
            numbers = np.array([self._fixed[term] for term in vocabulary.terms if term in self._fixed], np.int32)
        self._indices.frombytes(numbers[X.indices].tobytes())
        self._data.frombytes(X.data.astype(np.int32, copy=False).tobytes())
        self._lengths.frombytes(np.diff(X.indptr).astype(np.int64).tobytes())

    def build(self) -> tuple[CSR, Vocabulary]:
        """The matrix, int32, its columns in the order of the vocabulary."""
        lengths = np.frombuffer(self._lengths, np.int64)
        numbers, data = np.frombuffer(self._indices, np.int32), np.frombuffer(self._data, np.int32)
        if self._fixed is None:
            built = matrix_of(lengths, numbers, data, list(self._ids))
        else:
            built = csr_of(lengths, numbers, data, len(self._fixed)), self._fixed
        self.__init__(self._fixed)  # type: ignore[misc]  # the buffers are the matrix's now
        return built


def matrix_of(lengths: Ints, numbers: Ints, data: Ints, terms: list[str]) -> tuple[CSR, Vocabulary]:
    """A matrix from the length of each row, its terms by number, and their counts; ``numbers`` is written over.

    ``terms`` are distinct.
    """
    order = sorted(range(len(terms)), key=terms.__getitem__)
    vocabulary = Vocabulary.of_sorted(map(terms.__getitem__, order))
    columns = np.empty(len(terms), np.int32)
    columns[order] = np.arange(len(terms), dtype=np.int32)
    for start in range(0, len(numbers), _BLOCK):
        numbers[start : start + _BLOCK] = columns[numbers[start : start + _BLOCK]]
    return csr_of(lengths, numbers, data, len(vocabulary)), vocabulary


def mapped(X: CSR, vocabulary: Vocabulary, onto: Vocabulary) -> CSR:
    """The rows of X on the columns of another vocabulary; terms outside it are left out."""
    if vocabulary is onto:
        return X
    return renumbered(X, onto.places_of(vocabulary), len(onto))  # both are sorted, so columns stay in order


def with_columns(X: CSR, columns: Ints) -> CSR:
    """Some columns of X, given in ascending order; for a few rows several times faster than scipy's X[:, columns]."""
    numbers = np.full(X.shape[1], -1, np.intp)
    numbers[columns] = np.arange(len(columns))
    return renumbered(X, numbers, len(columns))


def renumbered(X: CSR, numbers: Ints, n_columns: int) -> CSR:
    """X with the columns under other numbers in the same order, ``numbers`` (V,); those of -1 are left out."""
    indices, indptr, data = numbers.astype(X.indices.dtype)[X.indices], X.indptr, X.data
    kept = indices >= 0
    if not kept.all():
        indptr = np.concatenate([[0], np.cumsum(kept)]).astype(indptr.dtype)[indptr]
        indices, data = indices[kept], data[kept]
    return sparse.csr_array((data, indices, indptr), shape=(X.shape[0], n_columns))


def csr_of(lengths: Ints, columns: Ints, data: Ints, n_terms: int) -> CSR:
    """A matrix from the length of each row, its columns in any order, and their counts."""
    indptr = np.zeros(len(lengths) + 1, np.int32 if len(data) < 2**31 else np.int64)
    np.cumsum(lengths, out=indptr[1:])
    X = sparse.csr_array((data, columns, indptr), shape=(len(lengths), n_terms))
    X.sort_indices()
    return X


def count_matrix(documents: Iterable[Iterable[str]], vocabulary: Vocabulary | None = None) -> tuple[CSR, Vocabulary]:
    """The counts of each document's terms, and the vocabulary of the columns.

    With a vocabulary given, terms outside it are left out.

    >>> X, vocabulary = count_matrix([["b", "a", "b"], []])
    >>> X.toarray()
    array([[1, 2],
           [0, 0]], dtype=int32)
    >>> vocabulary.terms
    ('a', 'b')
    """
    builder = MatrixBuilder(vocabulary)
    for terms in documents:
        if isinstance(terms, (str, bytes)):
            raise InputError(f"a document must be a list of terms, not the single string {terms[:40]!r}")
        builder.add(terms)
    return builder.build()


def as_counts(X: Any) -> CSR:
    """The one validator of count matrices: a csr_array of whole numbers or float64.

    Sparse or dense, rows are documents. Anything negative, NaN, infinite, not numeric or not two-dimensional is
    refused. Shares memory with X where it can.

    >>> as_counts([[1, -1]])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: counts must not be negative: row 0, column 1 holds -1
    """
    if not sparse.issparse(X):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise InputError(f"counts must be a matrix, every row of one length: {error}") from None
    if X.dtype.kind not in "biuf":
        raise InputError(f"counts must be numbers, not {X.dtype}")
    if X.ndim != 2:
        raise InputError(f"counts must have two dimensions (documents, terms), not {X.ndim}")
    if X.dtype == np.uint64:
        _refuse_beyond_int64(sparse.csr_array(X))
    X = sparse.csr_array(X if X.dtype in _PLAIN else X.astype(np.float64 if X.dtype.kind == "f" else np.int64))
    if _may_offend(X.data):
        _refuse_offenders(X)
    return X


def are_whole(values: NDArray[Any]) -> bool:
    """Whether all are whole numbers."""
    return values.dtype.kind != "f" or not (values % 1 != 0).any()


def _refuse_beyond_int64(X: CSR) -> None:
    for wrong in np.flatnonzero(X.data >= 2**63):
        row = int(np.searchsorted(X.indptr, wrong, side="right")) - 1
        raise InputError(f"counts must be below 2^63: row {row}, column {X.indices[wrong]} holds {X.data[wrong]}")


def _may_offend(data: NDArray[Any]) -> bool:
    """Whether a value could be negative, NaN or infinite, in one pass: the bits of such a float are the largest."""
    if not len(data):
        return False
    if data.dtype != np.float64:
        return bool(data.min() < 0)
    return bool(data.view(np.uint64).max() >= _INFINITY)


def _refuse_offenders(X: CSR) -> None:
    data = X.data
    wrong_ones = np.flatnonzero(~(data >= 0) | (data == np.inf))
    if not len(wrong_ones):  # it was -0.0
        return
    wrong = wrong_ones[0]
    row = int(np.searchsorted(X.indptr, wrong, side="right")) - 1
    kind = "negative" if data[wrong] < 0 else "NaN" if np.isnan(data[wrong]) else "infinite"
    raise InputError(f"counts must not be {kind}: row {row}, column {X.indices[wrong]} holds {data[wrong]}")


def presence(X: CSR) -> CSR:
    """1 where a document contains a term."""
    X = canonical(X)
    return sparse.csr_array((np.ones(X.nnz, np.int32), X.indices, X.indptr), shape=X.shape)


def canonical(X: CSR) -> CSR:
    """X with each entry stored once, in order, and no zero stored; X itself, where it is so already."""
    if not X.has_canonical_format or (X.nnz and not X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def add_at(table: NDArray[Any], cells: NDArray[Any], values: NDArray[Any]) -> None:
    """``table[cells] += values``, with repetition; table and values of one type."""
    if _csc_matvec is None:
        np.add.at(table, cells, values)
    else:
        within = np.array([0, len(cells)], cells.dtype)
        _csc_matvec(len(table), 1, within, cells, values, np.ones(1, table.dtype), table)
