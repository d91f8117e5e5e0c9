"""Rows measured from their mean, with a column of ones: the matrix that a linear model with a free bias sees.

    Z = [X - 1 m', 1],   (D, V+1)      m_j = sum_i w_i x_ij / sum_i w_i                                 (1)
    Z U  = X U_w + 1 (u_b - m' U_w)                      U = [U_w; u_b]   (V+1, M) -> (D, M)            (2)
    Z' R = [X' R - m (1' R); 1' R]                                        (D, M) -> (V+1, M)            (3)

Z is never made: a sparse X stays sparse, by columns, and that one copy serves both products. A dense X is centred once,
which is exact however far its mean is from 0. Without the common direction m, of which the rows of a text matrix are
mostly made, and which does what the bias does, iterative methods need far fewer steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from textnb.numerics import Floats

try:  # scipy's own loop for X.T @ R adds into a given array, which saves three passes over one as large as the weights
    from scipy.sparse._sparsetools import csr_matvecs as _csr_matvecs
except ImportError:
    _csr_matvecs = None

_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class CentredRows:
    """Z of eq. (1). ``columns`` is X as CSC, or X - 1 m' where X is dense; ``mean`` (V,); ``weight`` (D,).

    >>> Z = CentredRows.of(np.array([[1.0, 4.0], [3.0, 0.0]]), np.ones(2))
    >>> Z.times(np.array([[1.0], [0.0], [10.0]]))
    array([[ 9.],
           [11.]])
    """

    columns: Any
    mean: Floats
    weight: Floats

    @classmethod
    def of(cls, X: Any, weight: Floats) -> "CentredRows":
        """X (D, V), sparse or dense, with weights (D,), not all of them 0."""
        total = weight.sum()
        if sparse.issparse(X):
            columns = sparse.csc_array(X)
            return cls(columns, columns.T @ weight / total, weight)
        mean = weight @ X / total
        columns = X - mean
        slip = weight @ columns / total  # what rounding has left in the mean
        return cls(columns - slip, mean + slip, weight)

    @property
    def shape(self) -> tuple[int, int]:
        """(D, V+1)."""
        return self.columns.shape[0], self.columns.shape[1] + 1

    @cached_property
    def by_rows(self) -> Any:
        """A sparse X as CSR: another copy, kept."""
        return self.columns.tocsr()

    def times(self, U: Floats) -> Floats:
        """Z U, eq. (2)."""
        product = self.columns @ U[:-1]
        product += U[-1] - self.mean @ U[:-1] if sparse.issparse(self.columns) else U[-1]
        return np.asarray(product)

    def transposed_times(self, R: Floats) -> Floats:
        """Z' R, eq. (3)."""
        sums = R.sum(axis=0)
        product = np.empty((self.shape[1], R.shape[1]))
        product[-1] = sums
        if not sparse.issparse(self.columns):
            product[:-1] = self.columns.T @ R
            return product
        np.multiply(self.mean[:, np.newaxis], -sums, out=product[:-1])
        self._add_transposed_times(R, product[:-1])
        return product

    def _add_transposed_times(self, R: Floats, to: Floats) -> None:
        """to += X' R, for a sparse X."""
        X = self.columns
        if _csr_matvecs is None or X.dtype != R.dtype:
            to += X.T @ R
        else:
            shape = X.shape[1], X.shape[0], R.shape[1]
            _csr_matvecs(*shape, X.indptr, X.indices, X.data, np.ascontiguousarray(R).ravel(), to.reshape(-1))

    def squares(self) -> Floats:
        """sum_i w_i z_ij^2, (V+1,)."""
        return self._squares

    @cached_property
    def _squares(self) -> Floats:
        total = self.weight.sum()
        if sparse.issparse(self.columns):
            of_terms = self.columns.power(2).T @ self.weight - total * self.mean**2
        else:
            of_terms = np.einsum("i,ij,ij->j", self.weight, self.columns, self.columns)
        return np.append(np.maximum(of_terms, 0.0), total)

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Z itself, some rows at a time: which, and the rows, dense."""
        n_rows, n_columns = self.shape
        rows = self.columns.tocsr() if sparse.issparse(self.columns) else self.columns
        step = max(1, _CELLS // n_columns)
        for start in range(0, n_rows, step):
            part = slice(start, start + step)
            block = rows[part].toarray() - self.mean if sparse.issparse(rows) else rows[part]
            yield part, np.column_stack([block, np.ones(len(block))])
