"""The Laplace approximation of many documents with many terms, estimated: no matrix is made, but a (D', D') one.

F (D, C, C) are square roots of R on all C classes, R_i = F_i F_i', and the bias is eliminated first:

    F_i = sqrt(w_i) (diag(sqrt(p_i)) - p_i sqrt(p_i)')                                                       (1)
    H_b = Q' 1' R 1 Q + beta I,   Pi^2 = I - F' 1 Q H_b^-1 Q' 1' F     what R says of the bias, taken out     (2)
    G = log det (H_b / beta) + log det A,   A = I + Pi F' (X - 1 m') (X - 1 m')' F Pi / l2   (D C, D C)      (3)
    log det A = tr log A ~ mean over g of |g|^2 sum_j (u_j1)^2 log a_j       g of random signs              (4)

a_j and u_j are the eigenvalues and eigenvectors of the tridiagonal matrix of Lanczos' method, started at g. A is the
identity plus a matrix whose eigenvalues fall off, and some ten products with X settle (4) for one g; its error is that
of the PROBES vectors g, drawn from one seed, so that the evidence of neighbouring l2 errs alike. Memory: STEPS times
(D, C) numbers.

s^2(x) comes from at most ROWS rows, evenly taken, each with the mean of its R_i over the contrasts (``alike`` in
``laplace_dual.py``). On 1,500 documents of 9 classes this was off by 3 to 6 % of the exact s^2 (root mean square; l2
from .05 to .00001), and with half of the rows, whose error is of the other sign, by 2 %. The diagonal of H, which is
cheaper, was off by 4 %, and knew less of what sets documents apart: its correlation with the exact s^2 was .74 to .79,
that of half of the rows .94 to .96. For 2 classes and 200 documents half of the rows were off by 7 to 8 %.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textnb.models.centred_rows import CentredRows
from textnb.models.laplace_dual import BETA, DualSpread, alike
from textnb.models.softmax_loss import Point
from textnb.numerics import Floats

PROBES = 8
STEPS = 40
ROWS = 3000
_SETTLED = 1e-4
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class EstimatedPosterior:
    """The posterior about the minimum of a loss with l2 > 0, of at least two classes."""

    point: Point

    @property
    def log_det(self) -> float:
        """Eq. (3) and (4)."""
        _, of_bias = self._bias
        return float(of_bias + self._logarithms.mean())

    @property
    def error(self) -> float:
        """The standard error of eq. (4)."""
        return float(self._logarithms.std(ddof=1) / np.sqrt(len(self._logarithms)))

    @cached_property
    def _logarithms(self) -> Floats:
        signs = np.random.default_rng(0)
        shape = self.point.p.shape
        return np.array([trace_log(self.times, signs.choice([-1.0, 1.0], shape)) for _ in range(PROBES)])

    def spread(self) -> DualSpread:
        """s^2 from some of the rows."""
        Z, p = self.point.loss.Z, self.point.p
        kept = np.unique(np.linspace(0, len(p) - 1, min(ROWS, len(p))).astype(int))
        r = Z.weight * (1 - (p**2).sum(axis=1)) / self.point.loss.shape[1]
        columns = Z.columns[kept] if isinstance(Z.columns, np.ndarray) else Z.columns.tocsr()[kept].tocsc()
        return alike(CentredRows(columns, Z.mean, Z.weight[kept]), self.point.loss.l2, r[kept])

    def times(self, v: Floats) -> Floats:
        """A v of eq. (3), (D, C)."""
        Z = self.point.loss.Z
        weighted = self._root(self._without_bias(v))
        by_term = Z.transposed_times(weighted)
        by_term[-1] = 0
        return v + self._without_bias(self._root_transposed(Z.times(by_term))) / self.point.loss.l2

    def _root(self, v: Floats) -> Floats:
        """F v."""
        p = self.point.p
        scaled = np.sqrt(p) * v
        scaled -= p * scaled.sum(axis=1, keepdims=True)
        return np.asarray(np.sqrt(self.point.loss.Z.weight)[:, np.newaxis] * scaled)

    def _root_transposed(self, v: Floats) -> Floats:
        """F' v."""
        p = self.point.p
        mean = np.einsum("ij,ij->i", p, v)[:, np.newaxis]
        return np.asarray(np.sqrt(self.point.loss.Z.weight[:, np.newaxis] * p) * (v - mean))

    def _without_bias(self, v: Floats) -> Floats:
        """Pi v."""
        part, _ = self._bias
        shift = part @ self._root(v).sum(axis=0)
        return v - self._root_transposed(np.broadcast_to(shift, v.shape))

    @cached_property
    def _bias(self) -> tuple[Floats, float]:
        """N (C, C) of Pi = I - F' 1 N 1' F, and log det (H_b / beta).

        Along an eigenvector of Q' 1' R 1 Q, of eigenvalue h, Pi^2 is 1 - h / (h + beta), and Pi its root.
        """
        p, weight, Q = self.point.p, self.point.loss.Z.weight, self.point.loss.contrasts
        h, vectors = np.linalg.eigh(Q.T @ (np.diag(weight @ p) - (p.T * weight) @ p) @ Q)
        h = np.maximum(h, np.finfo(float).tiny)
        root = np.sqrt(BETA / (h + BETA))
        directions = Q @ vectors
        return directions / (h + BETA) / (1 + root) @ directions.T, float(np.log1p(h / BETA).sum())


def trace_log(times: Callable[[Floats], Floats], start: Floats) -> float:
    """start' log(A) start by Lanczos' method, for a symmetric A > 0 known by its products.

    >>> A = np.diag([1.0, 2.0, 3.0])
    >>> round(trace_log(lambda v: A @ v, np.ones(3)), 10), round(float(np.log(6)), 10)
    (1.7917594692, 1.7917594692)
    """
    from scipy import linalg

    norm = np.linalg.norm(start)
    vectors, diagonal, beside = [start / norm], list[float](), list[float]()
    value = before = 0.0
    for _ in range(STEPS):
        product = times(vectors[-1])
        diagonal.append(float(np.vdot(product, vectors[-1])))
        values, parts = linalg.eigh_tridiagonal(diagonal, beside)
        before, value = value, float(parts[0] ** 2 @ np.log(values))
        for vector in vectors:  # rounding would make copies of what has been found
            product -= np.vdot(product, vector) * vector
        length = float(np.linalg.norm(product))
        if length <= _NOTHING * values.max() or abs(value - before) <= _SETTLED * abs(value) * (len(diagonal) > 2):
            break
        beside.append(length)
        vectors.append(product / length)
    return float(norm**2 * value)
