"""The Laplace approximation of the posterior of a softmax's weights: a normal distribution about the likeliest ones.

With theta (V+1, M), rows z_i = [x_i - m, 1] and the loss L of ``softmax_loss.py``; M = C - 1 contrasts Q of C classes:

    p(theta_w) = N(0, I/l2),   p(theta_b) = N(0, I/beta)                     prior: weights, bias            (1)
    p(theta | y) ~ N(theta_MAP, H^-1),   H = Z' R Z + diag(l2, ..., l2, beta)                                (2)
    R_i = w_i Q' (diag(p_i) - p_i p_i') Q                                    (M, M), p_i at theta_MAP
    log p(y | X) ~ - L(theta_MAP) - beta/2 |theta_b|^2 - G/2                 the evidence                    (3)
    G = log det H - V M log l2 - M log beta
    s^2(x) = 2/M tr(z' H^-1 z)                                               z' H^-1 z is (M, M)             (4)

theta_MAP is the minimum of L, in which the bias is free. Its prior, beta = 0.01, is so broad that it would hardly move
the minimum, but there must be one: of rows that can be separated a weak prior of the weights leaves the bias unknown,
and a flat one would then make the evidence of the labels as large as one likes. It is the bias at the mean of the rows,
so that the evidence does not change when all rows are moved. The weights W of all C classes have the same prior as
those of the contrasts, N(0, 1/l2): what all classes share has no part in the labels. Columns that do not vary add
nothing to G.

s^2(x) is the variance of the difference between the scores of two classes, in the mean over all pairs of classes: for
two classes it is that of their difference.

H is worked with where it is smallest, and is the same everywhere:

    primal    H itself, ((V+1) M)^2 numbers                                  this file
    dual      one (D, D) system a class, C D^2 numbers                       ``laplace_dual.py``
    estimate  G by Lanczos' method, s^2 from some of the rows                ``laplace_estimate.py``

Primal and dual are exact, and taken where they have at most LARGEST numbers (1.2 GB): the dual with 9 classes up to
4,000 documents, with 2 up to 8,600; beyond both it is the estimate. Of one class nothing is uncertain: G = s^2 = 0.

The Laplace approximation in the space of documents: one (D, D) system a class, and no matrix of V columns.

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

The Laplace approximation of many documents with many terms, estimated: no matrix is made, but a (D', D') one.

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
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from textnb.models.linear.centred import CentredRows, kernel, products, squared_norms
from textnb.models.logistic.loss import SoftmaxPoint
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

    point: SoftmaxPoint
    systems: list[Floats]
    factor: Floats
    sums: Floats
    solved: Floats
    bias_covariance: Floats
    log_det: float
    error = 0.0

    @classmethod
    def of(cls, point: SoftmaxPoint) -> "DualPosterior":
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


LARGEST = 1.5e8
_CELLS = 1 << 20


class Spread(Protocol):
    """s^2 of eq. (4)."""

    def __call__(self, X: Any) -> Floats:
        """For the rows of X (T, V), dense or csr: (T,)."""


class Posterior(Protocol):
    """The distribution of eq. (2)."""

    @property
    def log_det(self) -> float:
        """G of eq. (3)."""

    @property
    def error(self) -> float:
        """The standard error of G; 0 where it is exact."""

    def spread(self) -> Spread:
        """How sure the scores of a document are, eq. (4)."""


def laplace(point: SoftmaxPoint) -> Posterior:
    """The posterior about the minimum of the loss, l2 > 0.

    >>> from textnb.models.logistic.loss import SoftmaxLoss
    >>> loss = SoftmaxLoss.of(np.array([[-1.0], [1.0]]), np.array([0, 1]), np.ones(2), l2=2.0)
    >>> posterior = laplace(loss.at(loss.start))  # R_i = 2 p (1 - p) = 1/2: H = diag(1 + 2, 1 + 0.01)
    >>> round(posterior.log_det, 6), round(float(np.log(3 / 2) + np.log(1.01 / 0.01)), 6)
    (5.020586, 5.020586)
    >>> posterior.spread()(np.array([[3.0]])).round(6)  # 2 (9/3 + 1/1.01)
    array([7.980198])
    """
    (n_rows, n_columns), n_contrasts = point.loss.Z.shape, point.loss.shape[1]
    if n_contrasts == 0:
        return CertainPosterior()
    size = n_columns * n_contrasts
    primal, dual = size**2 <= LARGEST, (n_contrasts + 1) * n_rows**2 <= LARGEST
    if primal and (size**2 * (size + n_rows) <= (n_contrasts + 1) * n_rows**3 or not dual):
        return PrimalPosterior(point)
    return DualPosterior.of(point) if dual else EstimatedPosterior(point)


def log_evidence(point: SoftmaxPoint, posterior: Posterior) -> float:
    """Eq. (3)."""
    bias = point.theta[-1]
    return float(-point.value - BETA / 2 * bias @ bias - posterior.log_det / 2)


class CertainPosterior:
    """Of one class."""

    log_det = error = 0.0

    def spread(self) -> Spread:
        """s^2 = 0."""
        return lambda X: np.zeros(X.shape[0])


@dataclass(frozen=True, eq=False)
class PrimalPosterior:
    """H itself, and its factor."""

    point: SoftmaxPoint
    error = 0.0

    @cached_property
    def _factor(self) -> tuple[Floats, bool]:
        from scipy import linalg

        H, n_contrasts = self.point.hessian(), self.point.loss.shape[1]
        bias = np.arange(len(H) - n_contrasts, len(H))
        H[bias, bias] += BETA
        factor: tuple[Floats, bool] = linalg.cho_factor(H, lower=True, overwrite_a=True)
        return factor

    @property
    def log_det(self) -> float:
        """G of eq. (3)."""
        n_columns, n_contrasts = self.point.loss.shape
        prior = n_contrasts * ((n_columns - 1) * np.log(self.point.loss.l2) + np.log(BETA))
        return float(2 * np.log(np.diag(self._factor[0])).sum() - prior)

    def spread(self) -> "PrimalSpread":
        """Eq. (4), from the mean over the contrasts of the blocks of H^-1 on the diagonal, (V+1, V+1)."""
        from scipy import linalg

        n_columns, n_contrasts = self.point.loss.shape
        inverse = linalg.cho_solve(self._factor, np.eye(n_columns * n_contrasts), overwrite_b=True)
        blocks = inverse.reshape(n_columns, n_contrasts, n_columns, n_contrasts)
        return PrimalSpread(self.point.loss.Z.mean, np.einsum("imjm->ij", blocks) / n_contrasts)


@dataclass(frozen=True, eq=False)
class PrimalSpread:
    """s^2(x) = 2 z' S z, with S (V+1, V+1) the covariance of the weights, in the mean over the contrasts."""

    mean: Floats
    covariance: Floats

    def __call__(self, X: Any) -> Floats:
        """For the rows of X (T, V): (T,)."""
        variances, step = np.empty(X.shape[0]), max(1, _CELLS // len(self.covariance))
        for start in range(0, X.shape[0], step):
            part = X[start : start + step]
            centred = (part.toarray() if sparse.issparse(part) else part) - self.mean
            z = np.column_stack([centred, np.ones(len(centred))])
            variances[start : start + step] = np.einsum("ij,ij->i", z @ self.covariance, z)
        return 2 * variances


PROBES = 8
STEPS = 40
ROWS = 3000
_SETTLED = 1e-4
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class EstimatedPosterior:
    """The posterior about the minimum of a loss with l2 > 0, of at least two classes."""

    point: SoftmaxPoint

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
