"""Count matrices X (D, V), CSR, one row per document and one column per term: built, checked and rearranged."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.rows import Rows, kept_before, row_blocks, with_data, with_entries
from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError
from textnb.extension import sparse
from textnb.numerics import Codes, Ints

CSR = Any
"""A scipy.sparse.csr_array; scipy has no types of its own."""
Matrix = Any
"""Rows of documents: an array, a sparse matrix, a list of rows or a data frame."""

_ENTRIES_PER_BLOCK = 1 << 15
_MANY_ENTRIES = 1 << 17  # scipy sorts so many in less time than its import takes
_COUNT_TYPES = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64))
_BITS = {np.dtype(np.float64): np.uint64, np.dtype(np.float32): np.uint32}


class _Ids(dict[str, int]):
    """Numbers terms in the order of their first appearance."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        return number


class MatrixBuilder:
    """Builds a count matrix row by row, in buffers little larger than the matrix."""

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._fixed = vocabulary
        self._ids = _Ids()
        self._lengths, self._indices, self._data = array("q"), array("i"), array("i")

    @property
    def n_entries(self) -> int:
        """Number of non-zero entries so far."""
        return len(self._data)

    def add(self, terms: Iterable[str]) -> None:
        """Append the row of one document; terms outside a given vocabulary are left out."""
        if self._fixed is None:
            counted = Counter(map(self._ids.__getitem__, terms))
        else:
            counted = Counter(column for column in map(self._fixed.find, terms) if column >= 0)
        self._indices.extend(counted.keys())
        self._data.extend(counted.values())
        self._lengths.append(len(counted))

    def add_rows(self, X: CSR, vocabulary: Vocabulary) -> None:
        """Append the rows of another matrix; terms outside a given vocabulary are left out."""
        if self._fixed is None:
            numbers = np.fromiter(map(self._ids.__getitem__, vocabulary.terms), np.int32, len(vocabulary))
            indices = numbers[X.indices]
        else:
            X = mapped(X, vocabulary, self._fixed)
            indices = X.indices.astype(np.int32, copy=False)
        self._indices.frombytes(indices.tobytes())
        self._data.frombytes(X.data.astype(np.int32, copy=False).tobytes())
        self._lengths.frombytes(np.diff(X.indptr).astype(np.int64).tobytes())

    def build(self) -> tuple[CSR, Vocabulary]:
        """Return the matrix, int32, and its vocabulary; the builder is empty afterwards."""
        lengths = np.frombuffer(self._lengths, np.int64)
        numbers, data = np.frombuffer(self._indices, np.int32), np.frombuffer(self._data, np.int32)
        if self._fixed is None:
            terms = list(self._ids)
            order = sorted(range(len(terms)), key=terms.__getitem__)
            vocabulary = Vocabulary.of_sorted([terms[number] for number in order])
            built = matrix_of(lengths, numbers, data, vocabulary, np.array(order, np.int32))
        else:
            built = csr_of(lengths, numbers, data, len(self._fixed)), self._fixed
        self.__init__(self._fixed)  # type: ignore[misc]  # the matrix owns the buffers now
        return built


def matrix_of(lengths: Ints, numbers: Ints, data: Ints, terms: Vocabulary, order: Ints) -> tuple[CSR, Vocabulary]:
    """Matrix and vocabulary from the length of each row, its term numbers and their counts.

    ``order`` has the numbers of the terms; those in no row are left out of the vocabulary. ``numbers`` is overwritten.
    """
    is_used = np.zeros(len(terms), bool)
    for start in range(0, len(numbers), _ENTRIES_PER_BLOCK):  # so that no copy of all numbers is made
        is_used[numbers[start : start + _ENTRIES_PER_BLOCK]] = True
    is_used = is_used[order]
    columns = np.empty(len(terms), np.int32)
    columns[order] = np.cumsum(is_used, dtype=np.int32) - 1
    vocabulary = terms.selected(np.flatnonzero(is_used))
    for start in range(0, len(numbers), _ENTRIES_PER_BLOCK):
        numbers[start : start + _ENTRIES_PER_BLOCK] = columns[numbers[start : start + _ENTRIES_PER_BLOCK]]
    return csr_of(lengths, numbers, data, len(vocabulary)), vocabulary


def mapped(X: CSR, vocabulary: Vocabulary, onto: Vocabulary) -> CSR:
    """X on the columns of another vocabulary; terms outside it are left out."""
    if vocabulary is onto:
        return X
    return renumbered(X, onto.places_of(vocabulary), len(onto))  # both are sorted, so columns stay in order


def with_columns(X: CSR, columns: Ints) -> CSR:
    """Some columns of X, given in ascending order; with few rows several times faster than X[:, columns]."""
    numbers = np.full(X.shape[1], -1, np.intp)
    numbers[columns] = np.arange(len(columns))
    return renumbered(X, numbers, len(columns))


def renumbered(X: CSR, numbers: Ints, n_columns: int) -> CSR:
    """X with its columns moved to ``numbers`` (V,), ascending; columns with number -1 are left out."""
    numbers, indptr, data = numbers.astype(X.indices.dtype), X.indptr, X.data
    if (numbers >= 0).all():
        return sparse.csr_array((data, numbers[X.indices], indptr), shape=(X.shape[0], n_columns))
    kept = (numbers >= 0)[X.indices]
    data, indptr = data[kept], kept_before(kept, indptr)
    indices, place = np.empty(len(data), X.indices.dtype), 0
    for _, entries in row_blocks(X.indptr):  # so that no copy of all columns is made
        part = X.indices[entries][kept[entries]]
        indices[place : place + len(part)] = numbers[part]
        place += len(part)
    return sparse.csr_array((data, indices, indptr), shape=(X.shape[0], n_columns))


def csr_of(lengths: Ints, columns: Ints, data: Ints, n_terms: int) -> CSR:
    """Matrix from the length of each row, its columns in any order, and their counts."""
    X = sparse.csr_array((data, columns, _indptr(lengths)), shape=(len(lengths), n_terms))
    X.sort_indices()
    return X


def rows_of(lengths: Ints, columns: Ints, data: Ints, n_terms: int) -> Rows:
    """Rows from the length of each, its distinct columns in any order, and their counts; few need no scipy."""
    if len(data) > _MANY_ENTRIES:
        X = csr_of(lengths, columns, data, n_terms)
        return Rows(X.data, X.indices, X.indptr, n_terms)
    order = np.lexsort((columns, np.repeat(np.arange(len(lengths)), lengths)))
    return Rows(data[order], columns[order], _indptr(lengths), n_terms)


def _indptr(lengths: Ints) -> Ints:
    indptr: Ints = np.zeros(len(lengths) + 1, np.int32 if lengths.sum() < 2**31 else np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def count_matrix(documents: Iterable[Iterable[str]], vocabulary: Vocabulary | None = None) -> tuple[CSR, Vocabulary]:
    """Count the terms of documents.

    Parameters
    ----------
    documents : iterable of iterables of str
        The terms of each document.
    vocabulary : Vocabulary, optional
        The columns; terms outside it are left out. By default the terms of the documents.

    Returns
    -------
    X : csr_array (D, V) of int32
        How often each document has each term.
    vocabulary : Vocabulary
        The terms of the columns.

    Examples
    --------
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
            raise InputError("a document must be a list of terms, not the single string {text!r}", text=terms[:40])
        builder.add(terms)
    return builder.build()


def as_counts(X: Matrix, *, keep_float32: bool = False) -> CSR:
    """X as a checked count matrix: a csr_array of int32, int64 or float64, or of float32 if that is to be kept.

    X is sparse or dense, with one row per document. Negative, NaN, infinite and non-numeric entries and other than two
    dimensions are refused. The result shares memory with X if it can.

    >>> as_counts([[1, -1]])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: counts must not be negative: row 0, column 1 holds -1
    """
    if not sparse.issparse(X):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise InputError("counts must be a matrix, every row of one length: {error}", error=error) from None
    if X.dtype.kind not in "biuf":
        raise InputError("counts must be numbers, not {dtype}", dtype=X.dtype)
    if X.ndim != 2:
        raise InputError("counts must have two dimensions (documents, terms), not {ndim}", ndim=X.ndim)
    if X.dtype == np.uint64:
        _check_below_int64(sparse.csr_array(X))
    if X.dtype not in _COUNT_TYPES and not (keep_float32 and X.dtype == np.float32):
        X = X.astype(np.float64 if X.dtype.kind == "f" else np.int32 if X.dtype.itemsize < 4 else np.int64)
    X = sparse.csr_array(X)
    _check_entries(X)
    return X


def check_vocabulary(X: CSR, vocabulary: Vocabulary | None) -> None:
    """Refuse a vocabulary that does not have a term per column of X."""
    if vocabulary is not None and X.shape[1] != len(vocabulary):
        raise InputError("X has {n} columns, the vocabulary {terms} terms", n=X.shape[1], terms=len(vocabulary))


def are_whole(values: NDArray[Any]) -> bool:
    """True if all values are whole numbers."""
    return values.dtype.kind != "f" or not (values % 1 != 0).any()


def _check_below_int64(X: CSR) -> None:
    for entry in np.flatnonzero(X.data >= 2**63)[:1]:
        raise _entry_error(X, entry, "must be below 2^63")


def _check_entries(X: CSR) -> None:
    """Refuse negative, NaN and infinite entries; the error names the first."""
    data = X.data
    if not _may_offend(data):
        return
    for entry in np.flatnonzero(~(data >= 0) | (data == np.inf))[:1]:  # none if it was -0.0
        kind = "negative" if data[entry] < 0 else "NaN" if np.isnan(data[entry]) else "infinite"
        raise _entry_error(X, entry, f"must not be {kind}")


def _entry_error(X: CSR, entry: int, rule: str) -> InputError:
    return InputError(
        "counts {rule}: row {row}, column {column} holds {value}",
        rule=rule,
        row=int(np.searchsorted(X.indptr, entry, side="right")) - 1,
        column=int(X.indices[entry]),
        value=str(X.data[entry]),
    )


def _may_offend(data: NDArray[Any]) -> bool:
    """True if a value could be negative, NaN or infinite, in one pass: the bits of such floats are the largest."""
    if not len(data):
        return False
    bits = _BITS.get(data.dtype)
    if bits is None:
        return bool(data.min() < 0)
    return bool(data.view(bits).max() >= data.dtype.type(np.inf).view(bits))


def in_bytes(X: CSR, n_bytes: int = 1) -> CSR:
    """X with counts of a byte each, or of two, if none needs more than ``n_bytes``: for counts that are kept.

    Sums need ``as_counts`` first.

    >>> in_bytes(sparse.csr_array([[1, 255]])).dtype, in_bytes(sparse.csr_array([[1, 256]])).dtype
    (dtype('uint8'), dtype('int64'))
    >>> in_bytes(sparse.csr_array([[1, 256]]), 2).dtype
    dtype('uint16')
    """
    if X.dtype.kind not in "iu" or X.dtype == np.uint8:
        return X
    narrow = np.min_scalar_type(X.data.max(initial=0))
    return with_data(X, X.data.astype(narrow)) if narrow.itemsize <= n_bytes and narrow != X.dtype else X


def presence(X: CSR) -> CSR:
    """X with 1 in place of every count."""
    X = canonical(X)
    return with_data(X, np.ones(X.nnz, np.int32))


def canonical(X: CSR) -> CSR:
    """X with each entry stored once, in order, and no zero stored; X itself if it is so already."""
    if isinstance(X, Rows):
        return X if X.data.all() else with_entries(X, X.data != 0)
    if not X.has_canonical_format or (X.nnz and not X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def first_equal_rows(X: CSR) -> Codes:
    """Find for each row of X the first row that is equal to it, (D,); a row of zeros is equal to itself only.

    >>> first_equal_rows(sparse.csr_array([[1, 2], [0, 0], [1, 2], [2, 1], [0, 0]])).tolist()
    [0, 1, 0, 3, 4]
    """
    X = canonical(X)
    lengths, sums = np.diff(X.indptr).astype(np.int64), np.zeros(X.shape[0], np.int64)
    for within, entries in row_blocks(X.indptr):
        before = np.concatenate([[0], np.cumsum(X.indices[entries], dtype=np.int64)])
        sums[within] = np.diff(before[X.indptr[within.start : within.stop + 1] - entries.start])
    sizes = np.column_stack([lengths, sums])  # rows that differ here are not equal
    _, size, number = np.unique(sizes, axis=0, return_inverse=True, return_counts=True)
    size = size.reshape(-1)  # numpy 2.0 returns a column
    first: dict[bytes, int] = {}
    rows = np.arange(X.shape[0])
    for row in np.flatnonzero((number[size] > 1) & (sizes[:, 0] > 0)).tolist():
        entries = slice(X.indptr[row], X.indptr[row + 1])
        content = X.indices[entries].astype(np.int64).tobytes() + X.data[entries].astype(np.float64).tobytes()
        rows[row] = first.setdefault(blake2b(content, digest_size=16).digest(), row)
    return rows


@cache
def _csc_matvec() -> Any:
    """Return scipy's private loop for X.T @ v, which adds into a given array; None if there is none."""
    try:
        from scipy.sparse._sparsetools import csc_matvec  # np.add.at does the same at half the speed
    except ImportError:
        return None
    return csc_matvec


def add_at(table: NDArray[Any], cells: NDArray[Any], values: NDArray[Any]) -> None:
    """Add values to the cells of a table, in place, repeated cells included; table and values are of one type."""
    add_products = _csc_matvec()
    if add_products is None:
        np.add.at(table, cells, values)
    else:
        within = np.array([0, len(cells)], cells.dtype)
        add_products(len(table), 1, within, cells, values, np.ones(1, table.dtype), table)
