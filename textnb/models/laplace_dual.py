"""The Laplace approximation in the space of documents: one (D, D) system a class, and no matrix of V columns.

With K (D, D) the scalar products of centred rows over l2, d_k = sqrt(w p_k) (D,), J a 1 for every class, e_k = E_k 1:

    B_k = I + diag(d_k) K diag(d_k),   E_k = diag(d_k) B_k^-1 diag(d_k),   O = sum_k E_k     (D, D) each     (1)
    P_kl = E_k 1[k=l] - E_k O^-1 E_l,                    which is (R^-1 + K)^-1 without R^-1                  (2)
    S_kl = 1' P_kl 1 = e_k'1 1[k=l] - e_k' O^-1 e_l,     what the labels say of the bias, (C, C)              (3)
    G = sum_k log det B_k + log det O - sum_i log w_i + log det (Q'SQ / beta + I)                            (4)

The weights of a class with all others fixed would have B_k alone; O is what the classes' sum to one takes back, since
R = diag(w p) - (w p) w^-1 (w p)' is a diagonal less one row a document. For a document with k = k(x)/l2 (D,), and
T = Q (Q'SQ + beta I)^-1 Q' the covariance of the bias, P summed over one of its classes being 0:

    s^2(x) = 2/M [ M k(x,x)/l2 - k'N k + tr(T) - 2 u'k + k'U k ]                                             (5)
    N = sum_k P_kk,   u = sum_kl T_kl Y_lk,   U = sum_l Y_l T Y_l',   Y_l = [P_l1 1, ..., P_lC 1]   (D, C)

``alike`` puts the mean r_i = tr(R_i)/M in the place of R_i: then all contrasts share one system, with d = sqrt(r). For
two classes it is the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.models.centred_kernel import kernel, products, squared_norms
from textnb.models.centred_rows import CentredRows
from textnb.models.softmax_loss import Point
from textnb.numerics import Floats

BETA = 0.01
"""The precision of the prior of the bias: a standard deviation of 10 for logarithms of the classes' shares."""


@dataclass(frozen=True, eq=False)
class DualSpread:
    """s^2(x) = 2 [k(x,x)/l2 - k'A k - 2 b'k + c], eq. (5) with everything over M: A (D, D), b (D,)."""

    rows: CentredRows
    l2: float
    A: Floats
    b: Floats
    c: float

    def __call__(self, X: Any) -> Floats:
        """For the rows of X (T, V), dense or csr: (T,)."""
        variances = squared_norms(X, self.rows.mean) / self.l2 + self.c
        for part, crossed in products(X, self.rows):
            k = crossed / self.l2
            variances[part] -= np.einsum("ij,ij->i", k @ self.A, k) + 2 * (k @ self.b)
        return np.asarray(2 * np.maximum(variances, 0.0))


@dataclass(frozen=True, eq=False)
class DualPosterior:
    """Eq. (1) to (4): ``systems`` are the E_k, ``factor`` that of O, ``sums`` e (D, C), ``solved`` O^-1 e."""

    point: Point
    systems: list[Floats]
    factor: Floats
    sums: Floats
    solved: Floats
    bias_covariance: Floats
    log_det: float
    error = 0.0

    @classmethod
    def of(cls, point: Point) -> "DualPosterior":
        """The posterior about the minimum of a loss with l2 > 0, of at least two classes."""
        from scipy import linalg

        Q, weight = point.loss.contrasts, point.loss.Z.weight
        K = kernel(point.loss.Z)
        K /= point.loss.l2
        pairs = [_system(K, np.sqrt(weight * p)) for p in point.p.T]
        systems = [E for E, _ in pairs]
        factor = linalg.cholesky(sum(systems), lower=True, overwrite_a=True)
        sums = np.column_stack([E.sum(axis=0) for E in systems])
        solved = linalg.cho_solve((factor, True), sums)
        S = Q.T @ (np.diag(sums.sum(axis=0)) - sums.T @ solved) @ Q + BETA * np.eye(Q.shape[1])
        log_det = sum(part for _, part in pairs) + 2 * np.log(np.diag(factor)).sum() - np.log(weight).sum()
        log_det += np.linalg.slogdet(S / BETA)[1]
        return cls(point, systems, factor, sums, solved, Q @ np.linalg.inv(S) @ Q.T, float(log_det))

    def spread(self) -> DualSpread:
        """Eq. (5)."""
        from scipy import linalg

        T, n_contrasts = self.bias_covariance, self.point.loss.shape[1]
        A, b = np.sum(self.systems, axis=0), np.zeros(len(self.sums))
        for k, E in enumerate(self.systems):
            half = linalg.solve_triangular(self.factor, E, lower=True)
            A -= half.T @ half
            Y = -(E @ self.solved)
            Y[:, k] += self.sums[:, k]
            A -= Y @ T @ Y.T
            b += Y @ T[:, k]
        loss = self.point.loss
        return DualSpread(loss.Z, loss.l2, A / n_contrasts, b / n_contrasts, float(np.trace(T)) / n_contrasts)


def alike(rows: CentredRows, l2: float, r: Floats) -> DualSpread:
    """Eq. (5) as if R_i were r_i I, r (D,)."""
    K = kernel(rows)
    K /= l2
    E, _ = _system(K, np.sqrt(r))
    e = E.sum(axis=0)
    precision = e.sum() + BETA
    return DualSpread(rows, l2, E - np.outer(e, e) / precision, e / precision, float(1 / precision))


def _system(K: Floats, d: Floats) -> tuple[Floats, float]:
    """E of eq. (1), and log det B."""
    from scipy import linalg

    B = K * d
    B *= d[:, np.newaxis]
    B.flat[:: len(B) + 1] += 1
    factor = linalg.cholesky(B, lower=True, overwrite_a=True, check_finite=False)
    log_det = float(2 * np.log(np.diag(factor)).sum())
    (inverse, _) = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    below = np.tril(inverse, -1)
    E = np.tril(inverse) + below.T
    E *= d
    E *= d[:, np.newaxis]
    return E, log_det
