"""Laplace approximation of the posterior of softmax weights: a normal distribution about the most probable ones.

With theta (V+1, M), rows z_i = [x_i - m, 1] and the loss L of ``loss.py``; M = C - 1 contrasts Q of C classes:

    p(theta_w) = N(0, I/l2),   p(theta_b) = N(0, I/beta)                     prior: weights, bias            (1)
    p(theta | y) ~ N(theta_MAP, H^-1),   H = Z' R Z + diag(l2, ..., l2, beta)                                (2)
    R_i = w_i Q' (diag(p_i) - p_i p_i') Q                                    (M, M), p_i at theta_MAP        (3)
    log p(y | X) ~ - L(theta_MAP) - beta/2 |theta_b|^2 - G/2                 the evidence                    (4)
    G = log det H - V M log l2 - M log beta                                                                  (5)
    s^2(x) = 2/M tr(z' H^-1 z)                                               z' H^-1 z is (M, M)             (6)

theta_MAP is the minimum of L, in which the bias is free. The bias needs a prior, though: where rows can be separated, a
weak prior of the weights leaves the bias unknown, and a flat one makes the evidence as large as one likes. beta = 0.01
is so broad that it hardly moves the minimum. It is the bias at the mean of the rows, so that moving all rows does not
change the evidence. The weights W of all C classes have the same prior as those of the contrasts, N(0, 1/l2): what all
classes share has no part in the labels. Columns that do not vary add nothing to G.

s^2(x) is the variance of the difference between the scores of two classes, in the mean over all pairs of classes.

H is used where it is smallest:

    primal    H itself, ((V+1) M)^2 numbers
    dual      one (D, D) system per class, C D^2 numbers, and no matrix of V columns

Both are exact, and are used where they have at most LARGEST numbers (1.2 GB): the dual with 9 classes up to 4,000
documents, with 2 up to 8,600. Beyond both limits the evidence is not computed, and s^2 is that of an even sample of
the rows. With one class nothing is uncertain: G = s^2 = 0.

Dual: with K (D, D) the scalar products of centred rows over l2, d_k = sqrt(w p_k) (D,), and e_k = E_k 1:

    B_k = I + diag(d_k) K diag(d_k),   E_k = diag(d_k) B_k^-1 diag(d_k),   O = sum_k E_k     (D, D) each     (7)
    P_kl = E_k 1[k=l] - E_k O^-1 E_l                     is (R^-1 + K)^-1 without R^-1                       (8)
    S_kl = 1' P_kl 1 = e_k'1 1[k=l] - e_k' O^-1 e_l      what the labels say of the bias, (C, C)
    G = sum_k log det B_k + log det O - sum_i log w_i + log det (Q'SQ / beta + I)                            (9)

The weights of a class with all others fixed would have B_k alone; O is what the classes' sum to one takes back, since
R = diag(w p) - (w p) w^-1 (w p)' is a diagonal less one row per document. For a document with k = k(x)/l2 (D,), and
T = Q (Q'SQ + beta I)^-1 Q' the covariance of the bias, P summed over one of its classes being 0:

    s^2(x) = 2/M [ M k(x,x)/l2 - k'N k + tr(T) - 2 u'k + k'U k ]                                             (10)
    N = sum_k P_kk,   u = sum_kl T_kl Y_lk,   U = sum_l Y_l T Y_l',   Y_l = [P_l1 1, ..., P_lC 1]   (D, C)

Sample: the mean r_i = tr(R_i)/M takes the place of R_i; then all contrasts share one system, with d = sqrt(r). For two
classes that is exact. On 1,500 documents of 9 classes it was off by 3 to 6 % of the exact s^2 (root mean square; l2
from .05 to .00001), and with half of the rows, whose error has the other sign, by 2 %. For 2 classes and 200 documents
half of the rows were off by 7 to 8 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from textnb.errors import InputError
from textnb.extension import cached_property, sparse
from textnb.models.linear.centred import Centred
from textnb.models.logistic.loss import SoftmaxPoint
from textnb.numerics import Floats

BETA = 0.01
"""The precision of the prior of the bias: a standard deviation of 10 for logarithms of the classes' shares."""


@dataclass(frozen=True, eq=False)
class DualSpread:
    """Variance s^2(x) = 2 [k(x,x)/l2 - k'A k - 2 b'k + c] of eq. (10); A (D, D), b (D,) and c are over M."""

    rows: Centred
    l2: float
    A: Floats
    b: Floats
    c: float

    kind = "dual"

    def arrays(self) -> dict[str, Any]:
        """Rows by columns, their mean, A, b, l2 and c."""
        X = self.rows.columns
        return {
            "spread_data": X.data.astype(np.float64),
            "spread_indices": X.indices.astype(np.int64),
            "spread_indptr": X.indptr.astype(np.int64),
            "spread_mean": self.rows.means[0],
            "spread_A": self.A,
            "spread_b": self.b,
            "spread_numbers": np.array([self.l2, self.c]),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, Any], n_terms: int) -> "DualSpread":
        """Spread with the arrays of a file; refuses rows that are no sparse matrix."""
        names = ("data", "indices", "indptr", "mean", "A", "b", "numbers")
        data, indices, indptr, mean, A, b, numbers = (arrays[f"spread_{name}"] for name in names)
        n_rows = len(b)
        sound = (
            A.shape == (n_rows, n_rows)
            and mean.shape == (n_terms,)
            and numbers.shape == (2,)
            and indptr.shape == (n_terms + 1,)
            and indptr[0] == 0
            and indptr[-1] == len(indices) == len(data)
            and (np.diff(indptr) >= 0).all()
            and (len(indices) == 0 or 0 <= indices.min() <= indices.max() < n_rows)
            and numbers[0] > 0
        )
        if not sound:
            raise InputError("the rows that the variance is computed from do not fit together")
        columns = sparse.csc_array((data, indices, indptr), shape=(n_rows, n_terms))
        rows = Centred(columns, mean[np.newaxis], np.zeros(n_rows, np.intp), np.ones(n_rows))
        return cls(rows, float(numbers[0]), A, b, float(numbers[1]))

    def __call__(self, X: Any) -> Floats:
        """Variances of the rows of X (T, V), dense or csr, (T,)."""
        variances = self.rows.squared_lengths(X) / self.l2 + self.c
        for part, crossed in self.rows.products(X):
            k = crossed / self.l2
            variances[part] -= np.einsum("ij,ij->i", k @ self.A, k) + 2 * (k @ self.b)
        return np.asarray(2 * np.maximum(variances, 0.0))


@dataclass(frozen=True, eq=False)
class DualPosterior:
    """Posterior by eq. (7) to (9): ``systems`` E_k, ``factor`` that of O, ``sums`` e (D, C), ``solved`` O^-1 e."""

    point: SoftmaxPoint
    systems: list[Floats]
    factor: Floats
    sums: Floats
    solved: Floats
    bias_covariance: Floats
    log_det: float

    @classmethod
    def of(cls, point: SoftmaxPoint) -> "DualPosterior":
        """Posterior about the minimum of a loss with l2 > 0 and at least two classes."""
        from scipy import linalg

        Q, weight = point.loss.contrasts, point.loss.Z.weight
        K = point.loss.Z.kernel / point.loss.l2
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
        """Variance of eq. (10)."""
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


def alike(rows: Centred, l2: float, r: Floats) -> DualSpread:
    """Variance of eq. (10) as if R_i were r_i I, r (D,)."""
    E, _ = _system(rows.kernel / l2, np.sqrt(r))
    e = E.sum(axis=0)
    precision = e.sum() + BETA
    return DualSpread(rows, l2, E - np.outer(e, e) / precision, e / precision, float(1 / precision))


def _system(K: Floats, d: Floats) -> tuple[Floats, float]:
    """Matrix E of eq. (7), and log det B."""
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
"""Numbers in the matrices of an exact posterior, at most."""

_CELLS = 1 << 20


class Spread(Protocol):
    """Variance s^2 of eq. (6) as a function of rows X (T, V), dense or csr, to (T,)."""

    kind: str
    """Name in a model file."""

    def __call__(self, X: Any) -> Floats:
        """Variances of rows, (T,)."""

    def arrays(self) -> dict[str, Any]:
        """Arrays that ``spread_of`` rebuilds it from."""


def spread_of(kind: str, arrays: Mapping[str, Any], n_terms: int) -> Spread:
    """Spread of a kind with the arrays that a file holds; refuses those that do not fit together."""
    if kind == CertainSpread.kind:
        return CertainSpread()
    if kind == PrimalSpread.kind:
        mean, covariance = arrays["spread_mean"], arrays["spread_covariance"]
        if mean.shape != (n_terms,) or covariance.shape != (n_terms + 1, n_terms + 1):
            raise InputError("the covariance is not that of {n} terms", n=n_terms)
        return PrimalSpread(mean, covariance)
    if kind == DualSpread.kind:
        return DualSpread.of(arrays, n_terms)
    raise InputError("unknown spread {kind!r}", kind=kind)


class Posterior(Protocol):
    """Posterior distribution of eq. (2)."""

    @property
    def log_det(self) -> float | None:
        """Log determinant G of eq. (5); None where it is not computed."""

    def spread(self) -> Spread:
        """Variance of the scores of documents, eq. (6)."""


def laplace(point: SoftmaxPoint) -> Posterior:
    """Posterior about the minimum of the loss, l2 > 0.

    >>> from textnb.models.logistic.loss import SoftmaxLoss
    >>> loss = SoftmaxLoss.of(np.array([[-1.0], [1.0]]), np.array([0, 1]), np.ones(2), l2=2.0)
    >>> posterior = laplace(loss.at(loss.start))  # R_i = 2 p (1 - p) = 1/2: H = diag(1 + 2, 1 + 0.01)
    >>> round(posterior.log_det, 6), round(float(np.log(3 / 2) + np.log(1.01 / 0.01)), 6)
    (5.020586, 5.020586)
    >>> posterior.spread()(np.array([[3.0]])).round(6)  # 2 (9/3 + 1/1.01)
    array([7.980198])
    """
    n_rows, (n_columns, n_contrasts) = point.loss.Z.shape[0], point.loss.shape
    if n_contrasts == 0:
        return CertainPosterior()
    size = n_columns * n_contrasts
    primal, dual = size**2 <= LARGEST, has_evidence(n_rows, n_contrasts + 1)
    if primal and (size**2 * (size + n_rows) <= (n_contrasts + 1) * n_rows**3 or not dual):
        return PrimalPosterior(point)
    return DualPosterior.of(point) if dual else SampledPosterior(point)


def has_evidence(n_documents: int, n_classes: int) -> bool:
    """True if the evidence can be computed whatever the number of terms.

    >>> has_evidence(4_000, 9), has_evidence(4_100, 9)
    (True, False)
    """
    return n_classes * n_documents**2 <= LARGEST


def log_evidence(point: SoftmaxPoint, posterior: Posterior) -> float | None:
    """Evidence of eq. (4); None where it is not computed."""
    if posterior.log_det is None:
        return None
    bias = point.theta[-1]
    return float(-point.value - BETA / 2 * bias @ bias - posterior.log_det / 2)


class CertainPosterior:
    """Posterior of one class."""

    log_det = 0.0

    def spread(self) -> "CertainSpread":
        """Variance 0."""
        return CertainSpread()


class CertainSpread:
    """Variance 0."""

    kind = "certain"

    def __call__(self, X: Any) -> Floats:
        """Variances of the rows of X (T, V), (T,)."""
        return np.zeros(X.shape[0])

    def arrays(self) -> dict[str, Any]:
        """No arrays."""
        return {}


@dataclass(frozen=True, eq=False)
class PrimalPosterior:
    """Posterior by H itself, eq. (2), and its Cholesky factor."""

    point: SoftmaxPoint

    @cached_property
    def _factor(self) -> tuple[Floats, bool]:
        from scipy import linalg

        H, n_contrasts = self.point.hessian(), self.point.loss.shape[1]
        bias = np.arange(len(H) - n_contrasts, len(H))
        H[bias, bias] += BETA
        return linalg.cho_factor(H, lower=True, overwrite_a=True)  # type: ignore[no-any-return]

    @property
    def log_det(self) -> float:
        """Log determinant G of eq. (5)."""
        n_columns, n_contrasts = self.point.loss.shape
        prior = n_contrasts * ((n_columns - 1) * np.log(self.point.loss.l2) + np.log(BETA))
        return float(2 * np.log(np.diag(self._factor[0])).sum() - prior)

    def spread(self) -> "PrimalSpread":
        """Variance of eq. (6), from the mean over the contrasts of the blocks of H^-1 on the diagonal, (V+1, V+1)."""
        from scipy import linalg

        n_columns, n_contrasts = self.point.loss.shape
        inverse = linalg.cho_solve(self._factor, np.eye(n_columns * n_contrasts), overwrite_b=True)
        blocks = inverse.reshape(n_columns, n_contrasts, n_columns, n_contrasts)
        return PrimalSpread(self.point.loss.Z.means[0], np.einsum("imjm->ij", blocks) / n_contrasts)


@dataclass(frozen=True, eq=False)
class PrimalSpread:
    """Variance s^2(x) = 2 z' S z; S (V+1, V+1) is the mean covariance of the weights over the contrasts."""

    mean: Floats
    covariance: Floats

    kind = "primal"

    def arrays(self) -> dict[str, Any]:
        """Mean and covariance."""
        return {"spread_mean": self.mean, "spread_covariance": self.covariance}

    def __call__(self, X: Any) -> Floats:
        """Variances of the rows of X (T, V), (T,)."""
        variances, step = np.empty(X.shape[0]), max(1, _CELLS // len(self.covariance))
        for start in range(0, X.shape[0], step):
            part = X[start : start + step]
            centred = (part.toarray() if sparse.issparse(part) else part) - self.mean
            z = np.column_stack([centred, np.ones(len(centred))])
            variances[start : start + step] = np.einsum("ij,ij->i", z @ self.covariance, z)
        return 2 * variances


SAMPLED_ROWS = 3000


@dataclass(frozen=True, eq=False)
class SampledPosterior:
    """Spread from an even sample of the rows, each with the mean of R_i over the contrasts; G is not computed."""

    point: SoftmaxPoint
    log_det = None

    def spread(self) -> DualSpread:
        """Variance of eq. (10) from at most SAMPLED_ROWS rows, with r_i in place of R_i."""
        Z, p = self.point.loss.Z, self.point.p
        kept = np.unique(np.linspace(0, len(p) - 1, min(SAMPLED_ROWS, len(p))).astype(int))
        r = Z.weight * (1 - (p**2).sum(axis=1)) / self.point.loss.shape[1]
        return alike(Z.of_rows(kept), self.point.loss.l2, r[kept])
