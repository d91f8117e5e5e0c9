"""Centred rows without making sparse rows dense, and their scalar products.

``Centred`` has rows less the mean of their group, weighted, for systems in the scatter within classes:

    z_i   = s_i (x_i - m_g),   g the group of row i,   s_i = sqrt(w_i)                       Z (D, V)      (1)
    Z A   = R A - s (M A)_g                                             R = diag(s) X,   M (G, V)          (2)
    Z' B  = R' B - M' (sum of s_i B_i over the rows of each group)                                         (3)
    Z'Z   = R' R - M' diag(N) M                                         N_g = sum of w_i     (V, V)        (4)
    ZZ'ij = R_i R_j' - s_j P_i,gj - s_i P_j,gi + s_i s_j (M M')_gi,gj   P = R M'             (D, D)        (5)

If rows are dense, Z itself is kept, and M is 0. A column that does not vary within any group is 0 in Z, not the
rounding of its mean: one whose deviations are below 1e-13 of its size; 1e-7 for sparse rows, where (4) subtracts.

``CentredRows`` has rows measured from their common mean, with a column of ones, for linear models with a free bias:

    Z = [X - 1 m', 1],   (D, V+1)      m_j = sum_i w_i x_ij / sum_i w_i                                    (6)
    Z U  = X U_w + 1 (u_b - m' U_w)                      U = [U_w; u_b]   (V+1, M) -> (D, M)               (7)
    Z' R = [X' R - m (1' R); 1' R]                                        (D, M) -> (V+1, M)               (8)

There Z is never made: a sparse X stays sparse, by columns, and that one copy serves both products. A dense X is centred
once, which is exact however far its mean is from 0. Without the common direction m, of which the rows of a text matrix
mostly consist, and which does what the bias does, iterative methods need far fewer steps. Scalar products of such rows:

    k(x, x') = (x - m)'(x' - m),     K = [k(x_i, x_j)]  (D, D),     k(x) = [k(x, x_i)]  (D,)               (9)
    L L' = K,   L (D, r)                                 rows as far from each other as those of Z         (10)

A model with a penalty on |W|^2 depends on rows through K alone, so that L serves as well as X where V is large.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.counts.moments import ClassMoments
from textnb.numerics import Codes, Floats

_BLOCK = 256
_NOISE = {False: 1e-13, True: 1e-7}  # by whether rows are sparse


@dataclass(frozen=True, eq=False)
class Centred:
    """Z of eq. (1): ``rows`` R (D, V), ``roots`` s (D,), ``groups`` (D,), ``means`` M (G, V).

    ``squares`` (V,) is the diagonal of Z'Z.

    >>> Z = Centred.of(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]), np.ones(3), 2)
    >>> Z.times(np.ones((1, 1))).tolist(), Z.gram.tolist()
    ([[-1.0], [1.0], [0.0]], [[2.0]])
    """

    rows: Any
    roots: Floats
    groups: Codes
    means: Floats
    squares: Floats

    @classmethod
    def of(cls, X: Any, groups: Codes, weight: Floats, n_groups: int = 1) -> "Centred":
        """The rows of X (D, V), dense or csr, with weights (D,), less the means of their groups by number (D,)."""
        return cls.around(ClassMoments.of(X, groups, range(n_groups), sample_weight=weight), X, groups, weight)

    @classmethod
    def around(cls, moments: ClassMoments, X: Any, groups: Codes, weight: Floats) -> "Centred":
        """The same, where the moments of the groups are there already."""
        is_sparse, roots = sparse.issparse(X), np.sqrt(weight)
        squares, means = moments.squares.sum(axis=0), moments.means
        still = squares <= _NOISE[is_sparse] ** 2 * (squares + moments.documents @ means**2)
        squares = np.where(still, 0.0, squares)
        if not is_sparse:
            rows = (X - means[groups]) * roots[:, np.newaxis]
            rows[:, still] = 0
            return cls(rows, roots, groups, np.zeros((len(means), 0)), squares)
        data = X.data * np.repeat(roots, np.diff(X.indptr)) * ~still[X.indices]
        rows = sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
        return cls(rows, roots, groups, np.where(still, 0.0, means), squares)

    @property
    def shape(self) -> tuple[int, int]:
        """D, V."""
        n_rows, n_columns = self.rows.shape
        return n_rows, n_columns

    @property
    def is_sparse(self) -> bool:
        """Whether M has a part in Z, or Z is there itself."""
        return bool(sparse.issparse(self.rows))

    def times(self, A: Floats) -> Floats:
        """Z A (D, K), of A (V, K): eq. (2)."""
        product = np.asarray(self.rows @ A)
        return product - self.roots[:, np.newaxis] * (self.means @ A)[self.groups] if self.is_sparse else product

    def transposed_times(self, B: Floats) -> Floats:
        """Z' B (V, K), of B (D, K): eq. (3)."""
        product = np.asarray(self.rows.T @ B)
        return product - self.means.T @ (self._members @ B) if self.is_sparse else product

    @cached_property
    def _members(self) -> CSR:
        """s_i at (group of i, i), (G, D)."""
        places = (self.groups, np.arange(len(self.groups)))
        return sparse.csr_array((self.roots, places), shape=(len(self.means), len(self.groups)))

    @property
    def gram(self) -> Floats:
        """Z'Z (V, V), dense: eq. (4)."""
        if not self.is_sparse:
            return np.asarray(self.rows.T @ self.rows)
        documents = np.bincount(self.groups, self.roots**2, len(self.means))
        product = (self.rows.T @ self.rows).toarray()
        product -= (self.means.T * documents) @ self.means
        return np.asarray(product)

    @property
    def kernel(self) -> Floats:
        """ZZ' (D, D), dense: eq. (5)."""
        kernel = np.empty((self.shape[0], self.shape[0]))
        for rows, block in self.kernel_blocks():
            kernel[rows] = block
        return kernel

    def kernel_blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Some rows of ZZ' after the other, a block (_BLOCK, D) at a time."""
        g, s = self.groups, self.roots
        crossed = np.asarray(self.rows @ self.means.T) if self.is_sparse else None
        squared = self.means @ self.means.T
        for start in range(0, self.shape[0], _BLOCK):
            b = slice(start, start + _BLOCK)
            block = self.rows[b] @ self.rows.T
            if crossed is not None:
                outer = s[b, np.newaxis] * s
                block = block.toarray() - s * crossed[b][:, g] - s[b, np.newaxis] * crossed[:, g[b]].T
                block += outer * squared[g[b]][:, g]
            yield b, np.asarray(block)


try:  # scipy's own loop for X.T @ R adds into a given array, which saves three passes over one as large as the weights
    from scipy.sparse._sparsetools import csr_matvecs as _csr_matvecs
except ImportError:
    _csr_matvecs = None

_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class CentredRows:
    """Z of eq. (6): ``columns`` is X as CSC, or X - 1 m' where X is dense; ``mean`` (V,); ``weight`` (D,).

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
        """Z U, eq. (7)."""
        product = self.columns @ U[:-1]
        product += U[-1] - self.mean @ U[:-1] if sparse.issparse(self.columns) else U[-1]
        return np.asarray(product)

    def transposed_times(self, R: Floats) -> Floats:
        """Z' R, eq. (8)."""
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


_KERNEL_BLOCK = 256
_NOTHING = 1e-13


def kernel(Z: CentredRows) -> Floats:
    """K of eq. (9), (D, D).

    >>> kernel(CentredRows.of(np.array([[1.0], [5.0]]), np.ones(2)))
    array([[ 4., -4.],
           [-4.,  4.]])
    """
    if not sparse.issparse(Z.columns):
        return np.asarray(Z.columns @ Z.columns.T)
    K = np.empty((Z.shape[0], Z.shape[0]))
    for rows, block in products(Z.columns.tocsr(), Z):
        K[rows] = block
    return K


def products(X: Any, Z: CentredRows) -> Iterator[tuple[slice, Floats]]:
    """k(x) of eq. (9) for the rows of X (T, V), dense or csr, some at a time: which, and their products (t, D)."""
    for start in range(0, X.shape[0], _KERNEL_BLOCK):
        rows = slice(start, start + _KERNEL_BLOCK)
        yield rows, _products(X[rows], Z)


def _products(X: Any, Z: CentredRows) -> Floats:
    if not sparse.issparse(Z.columns):  # they are centred already
        X = X.toarray() if sparse.issparse(X) else X
        return np.asarray((X - Z.mean) @ Z.columns.T)
    crossed = X @ Z.columns.T
    crossed = np.asarray(crossed.toarray() if sparse.issparse(crossed) else crossed)
    crossed -= Z.columns @ Z.mean
    crossed += (Z.mean @ Z.mean - X @ Z.mean)[:, np.newaxis]
    return np.asarray(crossed)


def squared_norms(X: Any, mean: Floats) -> Floats:
    """k(x, x) of eq. (9) for the rows of X, (T,)."""
    if not sparse.issparse(X):
        return np.asarray(((X - mean) ** 2).sum(axis=1))
    squares = X.multiply(X).sum(axis=1) - 2 * (X @ mean) + mean @ mean
    return np.asarray(np.maximum(squares, 0.0))


def isometric(Z: CentredRows) -> Floats:
    """L of eq. (10), (D, r), r at most D."""
    values, vectors = np.linalg.eigh(kernel(Z))
    kept = values > _NOTHING * max(values.max(initial=0), 0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
