"""What scores are worth as probabilities, whatever their scale: the log loss at their best temperature.

    E = min over t, 0 <= t <= t_max, of  - sum_i w_i log p_i,y_i(t) / sum_i w_i,    p_i(t) = softmax(t s_i)     (1)
    dE/dt = sum_i w_i (sum_k p_ik s_ik - s_i,y_i) / sum_i w_i                                                   (2)

E is convex in t, so (2) crosses 0 once at most. At t = 0, where scores say nothing or lie, E is the logarithm of the
number of classes. Where every row is right the best t is infinite; t_max is 100 over the deviation of the scores from
the means of their rows.
"""

import numpy as np

from textnb.models.nb_ratios import Numbers
from textnb.numerics import Floats, bracketed_root, log_softmax

_SHARPEST = 100.0
_CLOSE = 1e-9


def best_log_loss(scores: Floats, y: Numbers, weight: Floats) -> float:
    """Eq. (1) for scores (D, C), classes by number y (D,) and weights (D,).

    A score may be -inf, but not that of the row's own class.

    >>> scores = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> y, weight = np.array([0, 0, 1, 1]), np.ones(4)
    >>> best_log_loss(scores, y, weight) == best_log_loss(10 * scores, y, weight) < float(np.log(2))
    True
    """
    shares, rows = weight / weight.sum(), np.arange(len(y))
    possible = np.isfinite(scores)
    s = np.where(possible, scores, 0.0)
    s -= (s.sum(axis=1) / possible.sum(axis=1))[:, np.newaxis]
    spread = float(np.sqrt(shares @ np.where(possible, s * s, 0.0).sum(axis=1)))
    s /= spread or 1.0

    def log_p(t: float) -> Floats:
        return log_softmax(np.where(possible, t * s, -np.inf))

    def slope(t: float) -> float:
        return float(shares @ ((np.exp(log_p(t)) * s).sum(axis=1) - s[rows, y]))

    if slope(0.0) >= 0:
        best = 0.0
    else:
        best = _SHARPEST if slope(_SHARPEST) <= 0 else bracketed_root(slope, 0.0, _SHARPEST, _CLOSE)
    return float(-shares @ log_p(best)[rows, y])
