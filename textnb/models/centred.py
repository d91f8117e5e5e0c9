"""Rows less the mean of their group, weighted, without making sparse rows dense.

    z_i   = s_i (x_i - m_g),   g the group of row i,   s_i = sqrt(w_i)                       Z (D, V)      (1)
    Z A   = R A - s (M A)_g                                             R = diag(s) X,   M (G, V)          (2)
    Z' B  = R' B - M' (sum of s_i B_i over the rows of each group)                                         (3)
    Z'Z   = R' R - M' diag(N) M                                         N_g = sum of w_i     (V, V)        (4)
    ZZ'ij = R_i R_j' - s_j P_i,gj - s_i P_j,gi + s_i s_j (M M')_gi,gj   P = R M'             (D, D)        (5)

Of dense rows Z itself is kept, and M is 0. A column that does not vary within any group is 0 in Z, not the rounding
of its mean: one whose deviations are below 1e-13 of its size; for sparse rows, where (4) and (5) subtract, 1e-7.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.counts.moments import ClassMoments
from textnb.numerics import Floats

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
    groups: NDArray[np.intp]
    means: Floats
    squares: Floats

    @classmethod
    def of(cls, X: Any, groups: NDArray[np.intp], weight: Floats, n_groups: int = 1) -> "Centred":
        """The rows of X (D, V), dense or csr, with weights (D,), less the means of their groups by number (D,)."""
        return cls.around(ClassMoments.of(X, groups, range(n_groups), sample_weight=weight), X, groups, weight)

    @classmethod
    def around(cls, moments: ClassMoments, X: Any, groups: NDArray[np.intp], weight: Floats) -> "Centred":
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
