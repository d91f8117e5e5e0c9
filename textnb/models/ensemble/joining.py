"""Combine several scores into one by a small logistic model with smoothed targets; the sum of two scorers.

With s_mik score m of row i for class k, by a model that has not seen the row, n_k the rows of class k and n of all,

    z_ik = log n_k / n + sum_m a_m s_mik + d_k,      p(k|i) = exp z_ik / sum_l exp z_il                          (1)
    t_ik = 1 - e_i for the row's own class, e_i shared by the others,      e_i = 1 / (n_y + 2),  y = y_i         (2)
    a, d = argmin - sum_ik t_ik log p(k|i) + (sum_m (a_m - 1/M)^2 + sum_k d_k^2) / 20       a_m >= 0             (3)

The scores of all classes share one factor, so the M + C numbers can be learnt from few rows; without rows the scores
are averaged. The targets (2) are Platt's (1999): with targets of 1, scores that separate all rows have no best factor.

A score of -inf marks a class that the model did not know: the class is left out for that row, and a row whose own class
is unknown is left out of (3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from textnb.counts.matrix import CSR
from textnb.extension import cached_property
from textnb.models.calibration import platt_targets
from textnb.models.ensemble.presence import RatioScorer
from textnb.models.scorer import Differences, ScaledScorer, Scorer
from textnb.numerics import Codes, Floats, log_of, log_softmax

_PENALTY = 0.1


class Joint(NamedTuple):
    """Factors a (M,) and bias log n_k/n + d_k (C,) of eq. (1)."""

    factors: Floats
    bias: Floats

    def scores(self, scores: Floats) -> Floats:
        """Combined scores z of eq. (1), (D, C), from scores (M, D, C)."""
        known = np.isfinite(scores).all(axis=0)
        joined = np.tensordot(self.factors, np.where(known, scores, 0.0), 1) + self.bias
        return np.where(known, joined, -np.inf)


def joint(scores: Floats, y: Codes, *, tol: float = 1e-14) -> Joint:
    """Factors and bias at the minimum of eq. (3) for scores (M, D, C) and classes by number y (D,).

    tol: the search ends when a step lowers the loss by a smaller proportion.

    >>> first = np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 3.0]])
    >>> joint(np.array([first]), np.array([0, 0, 1, 1])).factors.round(2)  # three to one at 2 and at 3
    array([0.44])
    """
    from scipy.optimize import minimize  # half a second of a slow machine, which answering does not need

    n_scores, _, n_classes = scores.shape
    log_shares = log_of(np.bincount(y, minlength=n_classes) / len(y))
    kept = np.flatnonzero(np.isfinite(scores[:, np.arange(len(y)), y]).all(axis=0))
    scores, y = scores[:, kept], y[kept]
    known = np.asarray(np.isfinite(scores).all(axis=0))
    targets = platt_targets(y, np.ones(len(y)), known)
    scores, start = np.where(known, scores, 0.0), np.where(known, log_shares, -np.inf)
    mean = np.concatenate([np.full(n_scores, 1 / n_scores), np.zeros(n_classes)])

    def loss(parameters: Floats) -> tuple[float, Floats]:
        factors, shift = parameters[:n_scores], parameters[n_scores:]
        log_p = log_softmax(start + np.einsum("m,mik->ik", factors, scores) + shift)
        wrong = np.exp(log_p) - targets
        slopes = np.concatenate([(wrong * scores).sum(axis=(1, 2)), wrong.sum(axis=0)])
        away, likelihood = parameters - mean, (targets * np.where(targets > 0, log_p, 0.0)).sum()
        return float(_PENALTY / 2 * away @ away - likelihood), slopes + _PENALTY * away

    bounds = [(0.0, None)] * n_scores + [(None, None)] * n_classes
    limits = {"ftol": tol, "gtol": 1e-7, "maxiter": 500}
    found = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds, options=limits).x if len(kept) else mean
    return Joint(found[:n_scores], log_shares + found[n_scores:])


@dataclass(frozen=True, eq=False)
class SummedScorer(Scorer):
    """Sum of two scorers over the same V terms, biases included."""

    first: RatioScorer
    second: ScaledScorer

    presence = True
    takes_rows = True
    kind = "summed"
    axes = MappingProxyType({**RatioScorer.axes, **ScaledScorer.axes})

    @cached_property
    def bias(self) -> Floats:
        """Sum of both biases, (C,)."""
        return self.first.bias + self.second.bias

    def joint_log_scores(self, X: CSR) -> Floats:
        """Sums of both scores, (D, C)."""
        return self.first.joint_log_scores(X) + self.second.joint_log_scores(X)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Contribution of each stored entry of one row to score(label) - score(against), in both."""
        one, other = (scorer.differences(X, label, against) for scorer in (self.first, self.second))
        return Differences(one.bias + other.bias, one.values + other.values)

    def with_ratios(self, ratios: Floats, before: Codes | None = None) -> "SummedScorer":
        """Scorer with other ratios (V, C); before: the column that each term had, -1 for none; None: the same."""
        second = self.second if before is None else self.second.on(before)
        return SummedScorer(self.first.with_ratios(ratios), second)

    def arrays(self) -> dict[str, Floats]:
        """Arrays of both scorers."""
        return {**self.first.arrays(), **self.second.arrays()}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Scorer with these arrays."""
        return cls(RatioScorer.of(arrays, settings), ScaledScorer.of(arrays, settings))
