"""Rows of length 1 in single precision whose numbers are made when they are read, so that no array has them.

    z_ij = x_ij s_j / n_i        x (D, V), 1 where no values are given; scale s (V,); norms n (D,)         (1)

The C extension makes the numbers of a row when it comes to it, for products and passes over the rows (``hinge.c``), and
sums them in the order in which scipy does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.counts.rows import row_blocks, row_sums
from textnb.extension import cached_property, sparse
from textnb.numerics import Codes, Floats

_SINGLE = np.dtype(np.float32)


@dataclass(frozen=True, eq=False)
class UnitRows:
    """Rows z of eq. (1): columns ``indices`` and bounds ``indptr`` of int32, values of float32 or None.

    Where there are values, the numbers of ``scale`` are of single precision, too.

    >>> starts, columns = np.array([0, 2], np.int32), np.array([0, 1], np.int32)
    >>> UnitRows(columns, starts, None, np.array([3.0, 4.0]), np.array([5.0])).stored.toarray()
    array([[0.6, 0.8]], dtype=float32)
    """

    indices: NDArray[np.int32]
    indptr: NDArray[np.int32]
    values: NDArray[np.float32] | None
    scale: Floats
    norms: Floats

    dtype = _SINGLE

    @property
    def shape(self) -> tuple[int, int]:
        """D, V."""
        return len(self.norms), len(self.scale)

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return len(self.indices)

    @property
    def T(self) -> Transposed:  # noqa: N802  # as of an array
        """Transposed rows, for a product."""
        return Transposed(self)

    def __matmul__(self, factors: NDArray[Any]) -> NDArray[Any]:
        """Product Z factors, (D, K) or (D,)."""
        return self._product(factors, np.zeros((self.shape[0], *factors.shape[1:]), _SINGLE), transposed=False)

    def __getitem__(self, rows: Codes) -> UnitRows:
        """Rows by number, ascending."""
        lengths, chosen = np.diff(self.indptr), np.zeros(self.shape[0], bool)
        chosen[rows] = True
        starts = np.zeros(len(rows) + 1, np.int32)
        np.cumsum(lengths[rows], out=starts[1:])
        of_rows = np.repeat(chosen, lengths)
        values = None if self.values is None else self.values[of_rows]
        return UnitRows(self.indices[of_rows], starts, values, self.scale, self.norms[rows])

    @cached_property
    def squares(self) -> Floats:
        """Squared lengths of the rows, (D,)."""
        found = np.empty(self.shape[0])
        for rows, block in self.blocks():
            found[rows] = row_sums(block, block.data * block.data)
        return found

    @property
    def stored(self) -> CSR:
        """Rows as a csr_array, which holds their numbers."""
        data = np.concatenate([np.empty(0, _SINGLE), *(block.data for _, block in self.blocks())])
        return sparse.csr_array((data, self.indices, self.indptr), shape=self.shape)

    def blocks(self) -> Iterator[tuple[slice, CSR]]:
        """Yield some rows after the other, stored."""
        for rows, entries in row_blocks(self.indptr):
            starts, columns = self.indptr[rows.start : rows.stop + 1], self.indices[entries]
            part: NDArray[Any] = self.scale[columns]
            if self.values is not None:
                part = self.values[entries] * part.astype(_SINGLE)
            data = (part / np.repeat(self.norms[rows], np.diff(starts))).astype(_SINGLE)
            yield rows, sparse.csr_array((data, columns, starts - starts[0]), shape=(len(starts) - 1, self.shape[1]))

    def _product(self, factors: NDArray[Any], product: NDArray[Any], *, transposed: bool) -> NDArray[Any]:
        """Add a product to an array, which is returned."""
        from textnb._native import hinge_product

        factors = np.ascontiguousarray(factors, _SINGLE)
        n_columns = factors.shape[1] if factors.ndim == 2 else 1
        of_rows = self.indptr, self.indices, self.values, self.scale, self.norms
        hinge_product(*of_rows, factors, product, self.shape[1], n_columns, _SINGLE.itemsize, transposed)
        return product


@dataclass(frozen=True, eq=False)
class Transposed:
    """Columns of rows, for a product."""

    rows: UnitRows

    def __matmul__(self, factors: NDArray[Any]) -> NDArray[Any]:
        """Product Z' factors, (V, K) or (V,)."""
        product = np.zeros((self.rows.shape[1], *factors.shape[1:]), _SINGLE)
        self.add_product(factors, product)
        return product

    def add_product(self, factors: NDArray[Any], product: NDArray[Any]) -> None:
        """Add the product Z' factors to an array in single precision, (V, K) or (V,)."""
        self.rows._product(factors, product, transposed=True)


def stored(X: Any) -> Any:
    """X with its numbers held, where they are made; else X itself."""
    return X.stored if isinstance(X, UnitRows) else X
