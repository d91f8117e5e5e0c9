"""How probable labels are under a logistic model as a whole, its weights integrated out: Laplace evidence, and BIC.

    log p(y | X, l2) ~ - L(theta_MAP) - ...                   eq. (3) of ``laplace.py``, with the prior there (1)
    BIC = log p(y | X, theta_MAP) - P/2 log N                 P = (V+1)(C-1),   N = sum_i w_i                (2)

Both are logarithms of probabilities, roughly the same one: the larger the better, and a difference of 3 between two
models of the same labels is a factor of 20. (2) is (1) for much data and a broad prior, with what does not grow with N
left out. P counts the weights that are free, of the classes that have rows: those of contrasts, and the bias. With
V > N, as of texts, hardly any of them is determined by the data, and BIC says little; (1) knows how many are.

- One class: its labels are certain, and both are 0. l2 must be positive: without a prior there is no evidence.
- Beyond some thousand documents with as many terms (1) is an estimate, and ``error`` its standard error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.models.labelled import Labelled
from textnb.models.laplace import Posterior, laplace
from textnb.models.laplace import log_evidence as laplace_evidence
from textnb.models.logistic import LogisticFit, Settings, solution
from textnb.models.scorer import LinearScorer
from textnb.models.softmax_loss import Point, SoftmaxLoss
from textnb.numerics import Floats


@dataclass(frozen=True)
class Evidence:
    """Eq. (1) and (2), the log likelihood at theta_MAP, P of eq. (2), and the standard error of (1)."""

    log_evidence: float
    bic: float
    log_likelihood: float
    n_parameters: int
    error: float


@dataclass(frozen=True, eq=False)
class LaplaceFit:
    """The minimum of the loss, the normal distribution about it, and the evidence."""

    fit: LogisticFit
    posterior: Posterior
    evidence: Evidence


def log_evidence(X: Any, y: ArrayLike, *, l2: float, sample_weight: ArrayLike | None = None) -> float:
    """Eq. (1) for rows X (D, V), sparse or dense, and labels y (D,).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["x", "x", "y", "x", "y", "y"]
    >>> [round(log_evidence(X, y, l2=l2), 3) for l2 in (0.1, 1.0, 10.0)]
    [-6.704, -6.167, -6.575]
    """
    return evidence(X, y, l2=l2, sample_weight=sample_weight).log_evidence


def bic(X: Any, y: ArrayLike, *, l2: float, sample_weight: ArrayLike | None = None) -> float:
    """Eq. (2) for rows X (D, V), sparse or dense, and labels y (D,).

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["x", "x", "y", "x", "y", "y"]
    >>> round(bic(X, y, l2=1.0), 3)
    -4.333
    """
    return evidence(X, y, l2=l2, sample_weight=sample_weight).bic


def evidence(X: Any, y: ArrayLike, *, l2: float, sample_weight: ArrayLike | None = None) -> Evidence:
    """Both, with what they are made of."""
    rows = Labelled.of(X, y, sample_weight=sample_weight).some
    return laplace_fit(rows.X, rows.y, rows.weight, len(rows.classes), Settings(l2, tol=1e-10)).evidence


def laplace_fit(X: Any, y: NDArray[np.intp], weight: Floats, n_classes: int, settings: Settings) -> LaplaceFit:
    """For checked rows X (D, V), classes by number y (D,) and positive weights (D,)."""
    if not settings.l2 > 0:
        raise InputError(f"l2 must be above 0, not {settings.l2!r}: without a prior there is no evidence")
    fit = solution(X, y, weight, n_classes, settings)
    present, y = np.unique(y, return_inverse=True)
    point = _point(SoftmaxLoss.of(X, y, weight, float(settings.l2)), fit.scorer, present)
    posterior = laplace(point)
    log_likelihood = float(weight @ point.log_p_true)
    size = point.theta.size
    found = Evidence(
        log_evidence=laplace_evidence(point, posterior),
        bic=log_likelihood - size / 2 * float(np.log(weight.sum())),
        log_likelihood=log_likelihood,
        n_parameters=size,
        error=posterior.error / 2,
    )
    return LaplaceFit(fit, posterior, found)


def _point(loss: SoftmaxLoss, scorer: LinearScorer, present: NDArray[np.intp]) -> Point:
    """Where the weights of a scorer stand among the parameters of the loss: eq. (5) of ``softmax_loss.py``, undone."""
    weights = scorer.by_term[:, present] @ loss.contrasts
    return loss.at(np.vstack([weights, scorer.bias[present] @ loss.contrasts + loss.Z.mean @ weights]))
