"""Centred rows: rows less the mean of their group, without making sparse rows dense, and their scalar products.

    z_i    = x_i - m_g,   g the group of row i,   m_g = its mean weighted by w            Z (D, V)         (1)
    Z A    = X A - (M A)_g                                                                M (G, V)         (2)
    Z' B   = X' B - M' (sum of B_i over the rows of each group)                                            (3)
    Z'W Z  = X'W X - M' diag(N) M               W = diag(w),   N_g = sum of w_i           (V, V)           (4)
    k(x,y) = x'y - x'm_h - m_g'y + m_g'm_h      x of group g, y of group h                                 (5)
    K      = Z Z' = [k(x_i, x_j)]                                                         (D, D)           (6)
    L L'   = K,   L (D, r)                      rows as far from each other as those of Z                  (7)

Linear systems have the classes as groups (``systems.py``). Losses have one group: without the common direction m, of
which the rows of a text matrix mostly consist and which does what the bias does, iterative methods need far fewer
steps. A model with a penalty on |W|^2 depends on rows through K alone, so that L serves as well as X where V is large.

A sparse X stays sparse, by columns, and that one copy serves (2) and (3). Rows in single precision stay by rows,
without a copy, for losses that are minimised row by row; products are then in single precision. A dense X is centred
once, which is exact however far its mean is from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from textnb.counts.matrix import CSR
from textnb.counts.moments import ClassMoments
from textnb.counts.rows import row_blocks
from textnb.counts.unit_rows import UnitRows, stored
from textnb.extension import cached_property, sparse
from textnb.numerics import Codes, Floats

_KERNEL_ROWS = 256
_BLOCK_CELLS = 1 << 20
_MIN_RELATIVE_DEVIATION = {False: 1e-13, True: 1e-7}
"""Deviation relative to its size below which a column is constant, by whether rows are sparse: eq. (4) subtracts."""
_MIN_RELATIVE_EIGENVALUE = 1e-13


@cache
def _csr_matvecs() -> Any:
    """Return scipy's own loop for X.T @ B, which adds into a given array; None if there is none.

    It saves three passes over an array as large as the weights.
    """
    try:
        from scipy.sparse._sparsetools import csr_matvecs
    except ImportError:
        return None
    return csr_matvecs


@dataclass(frozen=True, eq=False)
class Centred:
    """Z of eq. (1): ``columns`` X by columns, or Z where X is dense; ``means`` M; ``groups`` (D,); ``weight`` (D,).

    >>> Z = Centred.of(np.array([[1.0, 4.0], [3.0, 0.0]]), np.ones(2))
    >>> Z.times(np.array([[1.0], [0.0]])).tolist(), Z.kernel.tolist()
    ([[-1.0], [1.0]], [[5.0, -5.0], [-5.0, 5.0]])
    """

    columns: Any
    means: Floats
    groups: Codes
    weight: Floats

    @classmethod
    def of(cls, X: Any, weight: Floats) -> "Centred":
        """Rows of X (D, V), sparse or dense, with weights (D,), not all of them 0, less their common mean."""
        total, groups = weight.sum(), np.zeros(len(weight), np.intp)
        if _is_sparse(X):
            columns = X if X.dtype == np.float32 else sparse.csc_array(X)
            of_rows = weight.astype(np.float32) if X.dtype == np.float32 else weight
            return cls(columns, (columns.T @ of_rows / total)[np.newaxis], groups, weight)
        mean = weight @ X / total
        columns = X - mean
        slip = weight @ columns / total  # what rounding has left in the mean
        return cls(columns - slip, (mean + slip)[np.newaxis], groups, weight)

    @classmethod
    def around(cls, moments: ClassMoments, X: Any, groups: Codes, weight: Floats) -> "Centred":
        """Rows of X (D, V) less the means of their groups; a column constant in every group becomes exactly 0."""
        is_sparse, squares = sparse.issparse(X), moments.squares.sum(axis=0)
        least = _MIN_RELATIVE_DEVIATION[is_sparse] ** 2
        varies = squares > least * (squares + moments.documents @ moments.means**2)
        if is_sparse:
            columns = sparse.csc_array(X)
            data = columns.data * np.repeat(varies, np.diff(columns.indptr))
            columns = sparse.csc_array((data, columns.indices, columns.indptr), shape=X.shape)
        else:
            columns = (X - moments.means[groups]) * varies
        return cls(columns, moments.means * varies, groups, weight)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of Z: D, V."""
        return self.columns.shape[0], self.columns.shape[1]

    @property
    def is_sparse(self) -> bool:
        """True if X is sparse; Z is then never formed."""
        return _is_sparse(self.columns)

    @property
    def stored(self) -> "Centred":
        """Rows in a matrix that holds its numbers, also where they are made; products alone do without."""
        return replace(self, columns=stored(self.columns)) if isinstance(self.columns, UnitRows) else self

    @cached_property
    def by_rows(self) -> Any:
        """X as CSR, cached; Z if X is dense."""
        return _by_rows(self.columns)

    def of_rows(self, rows: Codes) -> "Centred":
        """Some of the rows, by number, with the means of all."""
        columns = _by_rows(self.columns)[rows]
        return Centred(columns.tocsc() if self.is_sparse else columns, self.means, self.groups[rows], self.weight[rows])

    def times(self, A: Floats, offset: Floats | float = 0.0) -> Floats:
        """Product Z A + offset (D, K) for A (V, K) and an offset (K,): eq. (2)."""
        product = np.asarray(self.columns @ self._as_entries(A), np.float64)
        if self.is_sparse:
            shift = offset - self.means @ A
            product += shift if len(shift) == 1 else shift[self.groups]
        else:
            product += offset
        return product

    def transposed_times(self, B: Floats, out: Floats | None = None) -> Floats:
        """Product Z' B (V, K) for B (D, K), into ``out`` where that is given: eq. (3)."""
        out = np.empty((self.shape[1], B.shape[1])) if out is None else out
        if not self.is_sparse:
            return np.matmul(self.columns.T, B, out=out)
        sums = B.sum(axis=0)[np.newaxis] if len(self.means) == 1 else self._members @ B
        np.matmul(self.means.T, -sums, out=out)
        X = self.columns
        add_products = _csr_matvecs()
        if add_products is None or X.dtype != B.dtype:
            out += X.T @ self._as_entries(B)
        else:
            shape = X.shape[1], X.shape[0], B.shape[1]
            add_products(*shape, X.indptr, X.indices, X.data, np.ascontiguousarray(B).ravel(), out.reshape(-1))
        return out

    def _as_entries(self, A: Floats) -> Floats:
        """A in the precision of X, which is then not copied for a product."""
        return A.astype(np.float32, copy=False) if self.columns.dtype == np.float32 else A

    @cached_property
    def _members(self) -> CSR:
        """Indicator of the groups: 1 at (group of i, i), (G, D)."""
        places = (self.groups, np.arange(len(self.groups)))
        return sparse.csr_array((np.ones(len(self.groups)), places), shape=(len(self.means), len(self.groups)))

    def gram_times(self, A: Floats) -> Floats:
        """Product Z'W Z A (V, K) for A (V, K), without the matrix of eq. (4)."""
        return self.transposed_times(self.weight[:, np.newaxis] * self.times(A))

    @property
    def gram(self) -> Floats:
        """Scatter Z'W Z of eq. (4), (V, V), dense."""
        roots, X = np.sqrt(self.weight), self.columns
        if not self.is_sparse:
            rows = roots[:, np.newaxis] * X
            return np.asarray(rows.T @ rows)
        weighted = sparse.csc_array((X.data * roots[X.indices], X.indices, X.indptr), shape=X.shape)
        product = (weighted.T @ weighted).toarray()
        product -= (self.means.T * self._documents) @ self.means
        return np.asarray(product)

    @cached_property
    def squares(self) -> Floats:
        """Diagonal of eq. (4): sum_i w_i z_ij^2, (V,)."""
        if not self.is_sparse:
            return np.asarray(np.einsum("i,ij,ij->j", self.weight, self.columns, self.columns))
        squares = _squared_sums(self.columns, self.weight) - self._documents @ self.means**2
        return np.asarray(np.maximum(squares, 0.0))

    @property
    def _documents(self) -> Floats:
        """Weight N of each group, (G,)."""
        return np.bincount(self.groups, self.weight, len(self.means)).astype(float)

    @property
    def kernel(self) -> Floats:
        """Scalar products K of eq. (6), (D, D)."""
        if not self.is_sparse:
            return np.asarray(self.columns @ self.columns.T)
        kernel = np.empty((self.shape[0], self.shape[0]))
        for rows, block in self.products():
            kernel[rows] = block
        return kernel

    def products(self, X: Any = None) -> Iterator[tuple[slice, Floats]]:
        """Yield blocks (t, D) of K and their rows; or of k(x, x_i) for rows X (T, V) of the first group."""
        own, X = X is None, _by_rows(self.columns) if X is None else X
        groups = self.groups if own else np.zeros(X.shape[0], np.intp)
        crossed, squared = np.asarray(self.columns @ self.means.T), self.means @ self.means.T
        for start in range(0, X.shape[0], _KERNEL_ROWS):
            b = slice(start, start + _KERNEL_ROWS)
            rows, g = X[b], groups[b]
            if self.is_sparse:
                block = _dense(rows @ self.columns.T)
                block -= crossed.T[g]
                block += (squared[g] - rows @ self.means.T)[:, self.groups]
            else:
                block = (rows if own else _dense(rows) - self.means[0]) @ self.columns.T
            yield b, block

    def squared_lengths(self, X: Any = None) -> Floats:
        """Squared lengths k(x, x) of all rows (D,), or for rows X (T, V) of the first group."""
        own, X = X is None, self.columns if X is None else X
        if not sparse.issparse(X):
            return np.asarray(((X if own else X - self.means[0]) ** 2).sum(axis=1))
        groups = self.groups if own else np.zeros(X.shape[0], np.intp)
        crossed = (X @ self.means.T)[np.arange(len(groups)), groups]
        squares = X.power(2).sum(axis=1) - 2 * crossed + (self.means**2).sum(axis=1)[groups]
        return np.asarray(np.maximum(squares, 0.0))

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield dense blocks (t, V+1) of [Z, 1] and their rows."""
        n_rows, n_columns = self.shape
        rows = _by_rows(self.columns)
        step = max(1, _BLOCK_CELLS // (n_columns + 1))
        for start in range(0, n_rows, step):
            part = slice(start, start + step)
            block = rows[part].toarray() - self.means[self.groups[part]] if self.is_sparse else rows[part]
            yield part, np.column_stack([block, np.ones(len(block))])


def _is_sparse(X: Any) -> bool:
    return isinstance(X, UnitRows) or bool(sparse.issparse(X))


def _squared_sums(X: Any, weight: Floats) -> Floats:
    """Weighted sums of the squared entries of each column of sparse X, (V,)."""
    if X.format == "csc":
        return np.asarray(X.power(2).T @ weight)
    sums = np.zeros(X.shape[1])
    for rows, entries in row_blocks(X.indptr):  # so that no copy of all entries is made
        part, lengths = X.data[entries], np.diff(X.indptr[rows.start : rows.stop + 1])
        sums += np.bincount(X.indices[entries], part * part * np.repeat(weight[rows], lengths), X.shape[1])
    return sums


def _by_rows(X: Any) -> Any:
    return X.tocsr() if sparse.issparse(X) else X


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if sparse.issparse(X) else X)


def isometric(Z: Centred) -> Floats:
    """Rows L of eq. (7) with the distances of Z, (D, r), r at most D."""
    values, vectors = np.linalg.eigh(Z.kernel)
    kept = values > _MIN_RELATIVE_EIGENVALUE * max(values.max(initial=0), 0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
