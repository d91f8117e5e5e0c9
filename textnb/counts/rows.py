"""Rows of counts or weights for answering: a sparse matrix by rows, as small as scipy's and without importing scipy.

``Rows`` has the arrays of a csr_array in canonical format. The functions take either kind of matrix and return the same
kind. Products and sums add up entries in their order, as scipy does, so both give the same numbers to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.extension import cached_property, sparse
from textnb.numerics import Codes, Floats

_BLOCK = 1 << 20
_MAX_CELLS = 1 << 20  # entries times columns of a product; with more, scipy is worth importing


class Rows:
    """Rows (D, V) in canonical format: columns of a row ascend, none is repeated.

    >>> rows = Rows(np.array([2.0, 1.0]), np.array([0, 2]), np.array([0, 2, 2]), 3)
    >>> rows.shape, rows @ np.array([[1.0], [5.0], [10.0]])
    ((2, 3), array([[12.],
           [ 0.]]))
    """

    has_canonical_format = True

    def __init__(self, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_columns: int) -> None:
        self.data, self.indices, self.indptr = data, indices, indptr
        self.shape = len(indptr) - 1, n_columns

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.data)

    @property
    def dtype(self) -> Any:
        """Type of the entries."""
        return self.data.dtype

    @cached_property
    def matrix(self) -> Any:
        """Rows as a csr_array."""
        return sparse.csr_array((self.data, self.indices, self.indptr), shape=self.shape)

    def __matmul__(self, table: NDArray[Any]) -> NDArray[Any]:
        """Product with a table (V, C), (D, C)."""
        if self.nnz * table.shape[1] > _MAX_CELLS:
            return np.asarray(self.matrix @ table)
        shape = self.shape[0], table.shape[1]
        terms = self.data[:, np.newaxis] * table[self.indices]
        cells = (row_numbers(self) * shape[1])[:, np.newaxis] + np.arange(shape[1])
        sums = np.bincount(cells.reshape(-1), terms.reshape(-1), shape[0] * shape[1])  # in the order of the entries
        return np.asarray(sums, np.float64).reshape(shape)


def as_matrix(X: Any) -> Any:
    """X as a csr_array if it is Rows, else X itself."""
    return X.matrix if isinstance(X, Rows) else X


def like(X: Any, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], n_columns: int) -> Any:
    """Sparse matrix of the kind of X with these arrays; the rows are canonical if X is."""
    if isinstance(X, Rows):
        return Rows(data, indices, indptr, n_columns)
    return sparse.csr_array((data, indices, indptr), shape=(X.shape[0], n_columns))


def with_data(X: Any, data: NDArray[Any]) -> Any:
    """X with other values for its entries."""
    return like(X, data, X.indices, X.indptr, X.shape[1])


def with_entries(X: Any, kept: NDArray[np.bool_]) -> Any:
    """X with only those of its stored entries for which ``kept`` is True."""
    return like(X, X.data[kept], X.indices[kept], kept_before(kept, X.indptr), X.shape[1])


def row_blocks(indptr: NDArray[Any]) -> Iterator[tuple[slice, slice]]:
    """Yield consecutive rows and their entries, about _BLOCK entries at a time, so that no copy is large."""
    first, n_rows = 0, len(indptr) - 1
    while first < n_rows:
        last = max(first + 1, int(np.searchsorted(indptr, int(indptr[first]) + _BLOCK, side="right")) - 1)
        yield slice(first, last), slice(int(indptr[first]), int(indptr[last]))
        first = last


def occurrences(numbers: NDArray[Any], n: int) -> Codes:
    """How often each number from 0 to n - 1 occurs, (n,); numpy makes a wider copy of its input, here of a block.

    >>> occurrences(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    found = np.zeros(n, np.intp)
    for first in range(0, len(numbers), _BLOCK):
        found += np.bincount(numbers[first : first + _BLOCK], minlength=n)
    return found


def kept_before(kept: NDArray[np.bool_], indptr: NDArray[Any]) -> NDArray[Any]:
    """Row bounds of the entries that are kept, for a mask of all entries and their row bounds."""
    found = np.zeros_like(indptr)
    for rows, entries in row_blocks(indptr):
        within = np.concatenate([[0], np.cumsum(kept[entries])])
        ends = slice(rows.start + 1, rows.stop + 1)
        found[ends] = found[rows.start] + within[indptr[ends] - entries.start]
    return found


def row_numbers(X: Any) -> Codes:
    """Number of the row of each entry, (nnz,)."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def row_sums(X: Any, values: NDArray[Any] | None = None) -> Floats:
    """Sums over the entries of each row: of X, or of other values of its entries, (D,)."""
    values = X.data if values is None else values
    sums = np.zeros(X.shape[0])
    for rows, entries in row_blocks(X.indptr):
        numbers = np.repeat(np.arange(rows.stop - rows.start), np.diff(X.indptr[rows.start : rows.stop + 1]))
        sums[rows] = np.bincount(numbers, values[entries], rows.stop - rows.start)
    return sums


def narrowed(X: Any) -> tuple[Any, Codes | slice]:
    """X on the columns that it has entries in, and these columns; X itself and all columns if they are many.

    A product X @ T is then X' @ T[columns], which reads only those rows of T.
    """
    if isinstance(X, np.ndarray) or X.nnz * 4 >= X.shape[1]:
        return X, slice(None)
    columns, indices = np.unique(X.indices, return_inverse=True)
    return like(X, X.data, indices, X.indptr, len(columns)), columns
