"""The alpha under which left-out documents are likeliest, eq. (5) of ``draws.py``.

At the maximum f_j(alpha_j) = S(A), or alpha_j = 0 where f_j(0) is less than that (a term that never stands alone in its
class). f_j falls and is convex, so alpha_j(S) is found by Newton's method from the left, which cannot overshoot; that
leaves one equation in one unknown, sum_j alpha_j(S(A)) = A, which is bracketed and solved.
"""

import numpy as np
from numpy.typing import NDArray

from textnb.models.dirichlet import CONVERGED, ONE_SIDED, UNBOUNDED, Solution
from textnb.models.draws import Draws, weighted_sum
from textnb.numerics import Floats

_STEPS = 200
_TOLERANCE = 1e-12
_SMALLEST, _LARGEST = 1e-9, 1e9  # of A per length of a class


def best_left_out_alpha(draws: Draws) -> Solution:
    """The alpha of each term that maximises the likelihood of the left-out documents.

    >>> from textnb.counts import ClassCounts
    >>> from textnb.counts.class_histograms import ClassHistograms
    >>> X, y = [[3, 1, 0], [2, 0, 1], [0, 2, 2], [1, 0, 3]], ["x", "x", "y", "y"]
    >>> draws = Draws.of_left_out(ClassCounts.of(X, y), ClassHistograms.of(X, y))
    >>> found = best_left_out_alpha(draws)
    >>> found.outcome, found.alpha.round(2).tolist()
    ('converged', [6.36, 4.11, 6.36])
    """
    from scipy.optimize import brentq

    singular = draws.summed(np.where(draws.offset == 0, draws.weight, 0.0))
    at_zero = np.where(singular > 0, np.inf, draws.summed(draws.weight / np.where(draws.offset > 0, draws.offset, 1.0)))
    trace: list[float] = []

    def alphas(total: float) -> Floats:
        s, _ = draws.length_slopes(total)
        return _solved(draws, s, np.where(at_zero > s, singular / s, 0.0), at_zero > s)

    def excess(log_total: float) -> float:
        total = float(np.exp(log_total))
        alpha = alphas(total)
        trace.append(draws.log_evidence(np.maximum(alpha, np.finfo(float).tiny), total))
        return float(np.log(max(weighted_sum(draws.multiplicity, alpha), np.finfo(float).tiny)) - log_total)

    ends = [np.log(limit * draws.mean_length) for limit in (_SMALLEST, _LARGEST)]
    at_ends = [excess(end) for end in ends]
    if at_ends[0] <= 0 or at_ends[1] >= 0:
        outcome, total = (ONE_SIDED, np.exp(ends[0])) if at_ends[0] <= 0 else (UNBOUNDED, np.exp(ends[1]))
    else:
        outcome, total = CONVERGED, np.exp(brentq(excess, *ends, xtol=_TOLERANCE, rtol=4 * np.finfo(float).eps))
    alpha = alphas(float(total))
    if outcome == UNBOUNDED:
        alpha = draws.totals / weighted_sum(draws.multiplicity, draws.totals)
    final = draws.log_evidence(np.maximum(alpha, np.finfo(float).tiny), weighted_sum(draws.multiplicity, alpha))
    return Solution(draws.spread(alpha), final, outcome, len(trace), (*trace, final))


def _solved(draws: Draws, s: float, start: Floats, positive: NDArray[np.bool_]) -> Floats:
    """f_j(alpha_j) = s by Newton's method from the left, where alpha_j is positive; 0 elsewhere."""
    alpha = start
    for _ in range(_STEPS):
        f, slope = draws.slopes(np.where(positive, alpha, 1.0))
        following = np.where(positive, alpha + np.maximum((s - f) / slope, 0.0), 0.0)
        done = np.max(np.abs(following - alpha) / np.maximum(following, _SMALLEST)) < _TOLERANCE
        alpha = following
        if done:
            break
    return np.asarray(alpha)
