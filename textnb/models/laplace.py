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
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from textnb.models.laplace_dual import BETA, DualPosterior
from textnb.models.laplace_estimate import EstimatedPosterior
from textnb.models.softmax_loss import Point
from textnb.numerics import Floats

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


def laplace(point: Point) -> Posterior:
    """The posterior about the minimum of the loss, l2 > 0.

    >>> from textnb.models.softmax_loss import SoftmaxLoss
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


def log_evidence(point: Point, posterior: Posterior) -> float:
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

    point: Point
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
