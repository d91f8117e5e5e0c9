"""Several scores joined into one by a small logistic model.

With s_mik score m of row i for class k, by a model that has not seen the row, D_k the rows of class k and D of all,

    z_ik = log D_k / D + sum_m a_m s_mik + d_k,      p(k|i) = exp z_ik / sum_l exp z_il                          (1)
    a, d = argmin sum_i -log p(y_i|i) + (sum_m (a_m - 1/M)^2 + sum_k d_k^2) / 20       a_m >= 0                  (2)

So the scores of all classes share one factor, and the M + C numbers can be learnt from few rows. With none at all the
scores are averaged. A score of -inf stands for a class that the model did not know: the class takes no part in that
row; a row whose own class is unknown has no part in (2).
"""

from typing import NamedTuple

import numpy as np

from textnb.models.nb_ratios import Numbers
from textnb.numerics import Floats, log_softmax

_PENALTY = 0.1


class Joint(NamedTuple):
    """a (M,) and log D_k/D + d_k (C,) of eq. (1)."""

    factors: Floats
    bias: Floats

    def scores(self, scores: Floats) -> Floats:
        """z of eq. (1), (D, C), from scores (M, D, C)."""
        known = np.isfinite(scores).all(axis=0)
        joined = np.tensordot(self.factors, np.where(known, scores, 0.0), 1) + self.bias
        return np.where(known, joined, -np.inf)


def joint(scores: Floats, y: Numbers) -> Joint:
    """The minimum of eq. (2) for scores (M, D, C) and classes by number y (D,).

    >>> first = np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.0, 3.0]])
    >>> joint(np.array([first, -first]), np.array([0, 0, 1, 1])).factors.round(2)  # the second is never right
    array([1.81, 0.  ])
    """
    from scipy.optimize import minimize  # half a second of a slow machine, which answering does not need

    n_scores, _, n_classes = scores.shape
    log_shares = _log_shares(y, n_classes)
    kept = np.flatnonzero(np.isfinite(scores[:, np.arange(len(y)), y]).all(axis=0))
    scores, y, rows = scores[:, kept], y[kept], np.arange(len(kept))
    known = np.isfinite(scores).all(axis=0)
    scores, start = np.where(known, scores, 0.0), np.where(known, log_shares, -np.inf)
    mean = np.concatenate([np.full(n_scores, 1 / n_scores), np.zeros(n_classes)])

    def loss(parameters: Floats) -> tuple[float, Floats]:
        factors, shift = parameters[:n_scores], parameters[n_scores:]
        log_p = log_softmax(start + np.tensordot(factors, scores, 1) + shift)
        wrong = np.exp(log_p)
        wrong[rows, y] -= 1
        slopes = np.concatenate([(wrong * scores).sum(axis=(1, 2)), wrong.sum(axis=0)])
        away = parameters - mean
        return float(_PENALTY / 2 * away @ away - log_p[rows, y].sum()), slopes + _PENALTY * away

    bounds = [(0.0, None)] * n_scores + [(None, None)] * n_classes
    exact = {"ftol": 1e-14, "gtol": 1e-7, "maxiter": 500}
    found = minimize(loss, mean, jac=True, method="L-BFGS-B", bounds=bounds, options=exact).x if len(kept) else mean
    return Joint(found[:n_scores], log_shares + found[n_scores:])


def _log_shares(y: Numbers, n_classes: int) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(np.bincount(y, minlength=n_classes) / len(y))
