"""Dirichlet evidence and the alpha that maximises it, by Newton and fixed-point (digamma) steps.

The evidence is the probability of the draws with the term probabilities integrated out (the Polya distribution). Its
logarithm and slopes are eq. (1) to (5) of ``draws.py``. At the maximum f_j(alpha_j) = S(A) for every term j.

Solvers for one alpha per term:
  newton        Newton's method on 1/f_j(alpha_j) = 1/S(A), where the equations are nearly linear: with h = 1/f,
                r = 1/S, p = (r - h)/h', q = r'/h', d alpha = p + q dA, dA = sum p / (1 - sum q). A step that would
                lower the evidence, and might run in a cycle, is replaced by a fixed-point step
  fixed-point   alpha_j <- alpha_j f_j / S (Minka); every step raises the evidence, but many are needed
One alpha for all terms, and concentration times unigram, have one unknown. There may be two maxima, so the best point
of a grid is refined.

There may be no finite maximum. Draws that vary no more than multinomial draws raise A without bound ('unbounded'; the
limit is the unigram). Draws that each repeat one term lower A to 0 ('one-sided').

Left-out documents, eq. (5): alpha_j = 0 where f_j(0) < S(A) (a term that never occurs alone in its class). f_j is
falling and convex, so Newton's method from the left finds alpha_j(S) without overshooting. One equation in one unknown
remains, sum_j alpha_j(S(A)) = A, which is bracketed and solved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import as_counts
from textnb.errors import InputError
from textnb.models.draws import Draws, weighted_sum
from textnb.models.prior import as_alpha
from textnb.numerics import Floats, bracketed_root, check_choice, log_rising

CONVERGED, UNBOUNDED, ONE_SIDED, UNFINISHED = "converged", "unbounded", "one-sided", "unfinished"
SOLVERS = ("newton", "fixed-point")
SHAPES = ("vector", "scalar", "unigram")

_MAX_TOTAL, _MIN_TOTAL = 1e9, 1e-9  # A per length of a draw; outside there is no maximum
_MAX_LAST_STEP = {"newton": 1e-7, "fixed-point": 1e-12}  # relative; the error of Newton's method is about its square
_MIN_GAIN_PER_TOKEN = 1e-11  # a smaller difference of evidence counts as none; with one term there is none
_MAX_LOSS_PER_TOKEN = 1e-6  # a smaller loss of evidence may be the rounding of a step where it is nearly flat
_GRID = np.logspace(-8, 8, 49)
_MAX_STEPS = 10_000
_MAX_LEFT_OUT_STEPS, _TOLERANCE = 200, 1e-12


@dataclass(frozen=True)
class Solution:
    """alpha (V,), or a number for the shape 'scalar'; the evidence after each step and how the search ended.

    After a search on a grid ``trace`` holds the evidence at its best point and after refining that.
    """

    alpha: Any
    log_evidence: float
    outcome: str
    iterations: int
    trace: tuple[float, ...]


def log_evidence(X: Any, alpha: Any) -> float:
    """Return the log probability of the term sequences of all rows under Dirichlet(alpha), summed over the rows.

    Parameters
    ----------
    X : array or sparse matrix of shape (D, V)
        Counts, one row per draw; none negative.
    alpha : float or array of shape (V,)
        Parameters of the Dirichlet distribution; one number is used for every term.

    Returns
    -------
    float
        The sum over rows of the log Polya probability; -inf if a term with alpha = 0 occurs.

    Examples
    --------
    >>> round(float(np.exp(log_evidence([[2, 1]], 1.0))), 6)  # 1/2 * 2/3 * 1/4
    0.083333
    """
    X = as_counts(X)
    given = as_alpha(alpha, X.shape[1])
    total = float(given.sum() if len(given) == X.shape[1] else given[0] * X.shape[1])
    own = (given if len(given) == 1 else given[X.indices]) * np.ones(X.nnz)
    counts = X.data.astype(np.float64)
    if (own[counts > 0] <= 0).any():
        return -np.inf
    lengths = np.asarray(X.sum(axis=1), np.float64)
    used = counts > 0
    terms = log_rising(own[used], counts[used]).sum()
    return float(terms - log_rising(total, lengths[lengths > 0]).sum()) if used.any() else 0.0


def best_alpha(draws: Draws, shape: str = "vector", solver: str = "newton") -> Solution:
    """Alpha that maximises the evidence of the draws.

    shape: 'vector' (one per term), 'scalar' (one for all), 'unigram' (concentration times the terms' frequencies).
    """
    check_choice(shape, "shape", SHAPES)
    check_choice(solver, "solver", SOLVERS)
    if not len(draws.totals) or not len(draws.sizes):
        raise InputError("there are no counts to fit alpha on")
    if shape == "vector":
        return _best_vector(draws, solver)
    return _best_on_line(draws, shape)


def unigram(draws: Draws) -> Floats:
    """Relative frequency of a term of each group."""
    return np.asarray(draws.totals / weighted_sum(draws.multiplicity, draws.totals))


def _best_vector(draws: Draws, solver: str) -> Solution:
    step = _newton_step if solver == "newton" else _fixed_point_step
    mean_length = draws.mean_length
    alpha = unigram(draws) * mean_length
    trace = [draws.log_evidence(alpha, weighted_sum(draws.multiplicity, alpha))]
    max_loss = _MAX_LOSS_PER_TOKEN * weighted_sum(draws.n_draws, draws.sizes)

    def taken(step: Callable[[Draws, Floats], Floats]) -> tuple[Floats, float, float]:
        following = step(draws, alpha)
        total = weighted_sum(draws.multiplicity, following)
        return following, total, draws.log_evidence(following, total)

    outcome = UNFINISHED
    for _ in range(_MAX_STEPS):
        following, total, evidence = taken(step)
        if evidence < trace[-1] - max_loss:
            following, total, evidence = taken(_fixed_point_step)
        trace.append(evidence)
        moved = np.max(np.abs(following - alpha) / np.maximum(following, _MIN_TOTAL))
        alpha = following
        if total > _MAX_TOTAL * mean_length:
            outcome, alpha = UNBOUNDED, unigram(draws)
        elif total < _MIN_TOTAL:
            outcome = ONE_SIDED
        elif moved < _MAX_LAST_STEP[solver]:
            outcome = CONVERGED
        else:
            continue
        break
    return Solution(draws.spread(alpha), trace[-1], outcome, len(trace) - 1, tuple(trace))


def _fixed_point_step(draws: Draws, alpha: Floats) -> Floats:
    s, _ = draws.length_slopes(weighted_sum(draws.multiplicity, alpha))
    return np.asarray(alpha * draws.slopes(alpha)[0] / s)


def _newton_step(draws: Draws, alpha: Floats) -> Floats:
    total = weighted_sum(draws.multiplicity, alpha)
    f, f_slope = draws.slopes(alpha)
    s, s_slope = draws.length_slopes(total)
    h, r = 1 / f, 1 / s
    h_slope, r_slope = -f_slope * h * h, -s_slope * r * r
    p, q = (r - h) / h_slope, r_slope / h_slope
    sum_p, sum_q = weighted_sum(draws.multiplicity, p), weighted_sum(draws.multiplicity, q)
    change = sum_p / (1 - sum_q) if sum_q < 1 else 9 * total if sum_p > 0 else -0.9 * total
    change = float(np.clip(change, -0.9 * total, 9 * total))
    following = alpha + p + q * change
    return np.where(following > 0, following, 0.1 * alpha)


def _best_on_line(draws: Draws, shape: str) -> Solution:
    """Maximum over one unknown x: alpha_j = x, A = V x (scalar); alpha_j = x p_j, A = x (unigram)."""
    scalar = shape == "scalar"
    draws = draws.pooled() if scalar else draws
    direction = np.ones(len(draws.totals)) if scalar else unigram(draws)
    sum_direction = float(draws.n_terms if scalar else 1.0)
    mean_length = draws.mean_length

    def evidence(x: float) -> float:
        return draws.log_evidence(x * direction, x * sum_direction)

    def slope(x: float) -> float:
        f, _ = draws.slopes(x * direction)
        along = weighted_sum(draws.multiplicity * direction, f)
        return along - sum_direction * draws.length_slopes(x * sum_direction)[0]

    grid = _GRID * mean_length / sum_direction
    on_grid = [evidence(x) for x in grid]
    best = int(np.argmax(on_grid))
    trace = [on_grid[best]]
    as_good = on_grid[best] - _MIN_GAIN_PER_TOKEN * weighted_sum(draws.n_draws, draws.sizes)
    if on_grid[-1] >= as_good or on_grid[0] >= as_good:
        outcome, x = (UNBOUNDED, float(grid[-1])) if on_grid[-1] >= as_good else (ONE_SIDED, float(grid[0]))
    else:
        outcome, x = CONVERGED, _root(slope, float(grid[best - 1]), float(grid[best + 1]))
        trace.append(evidence(x))
    alpha: Any = x if scalar else draws.spread(unigram(draws) * (1.0 if outcome == UNBOUNDED else x))
    return Solution(alpha, trace[-1], outcome, len(grid) + len(trace) - 1, tuple(trace))


def _root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Point where the slope falls through 0, searched in log x."""
    if slope(low) <= 0 or slope(high) >= 0:  # up to rounding, a point of the grid is the maximum
        return float(np.sqrt(low * high))
    return float(np.exp(bracketed_root(lambda u: slope(float(np.exp(u))), float(np.log(low)), float(np.log(high)))))


def best_left_out_alpha(draws: Draws) -> Solution:
    """Alpha of each term that maximises the likelihood of the left-out documents.

    >>> from textnb.counts import ClassCounts
    >>> from textnb.counts.histograms import ClassHistograms
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
        return _solve_slopes(draws, s, np.where(at_zero > s, singular / s, 0.0), at_zero > s)

    def excess(log_total: float) -> float:
        total = float(np.exp(log_total))
        alpha = alphas(total)
        trace.append(draws.log_evidence(np.maximum(alpha, np.finfo(float).tiny), total))
        return float(np.log(max(weighted_sum(draws.multiplicity, alpha), np.finfo(float).tiny)) - log_total)

    ends = [np.log(limit * draws.mean_length) for limit in (_MIN_TOTAL, _MAX_TOTAL)]
    at_ends = [excess(end) for end in ends]
    if at_ends[0] <= 0 or at_ends[1] >= 0:
        outcome, total = (ONE_SIDED, np.exp(ends[0])) if at_ends[0] <= 0 else (UNBOUNDED, np.exp(ends[1]))
    else:
        outcome, total = (
            CONVERGED,
            np.exp(brentq(excess, *ends, xtol=_TOLERANCE, rtol=4 * np.finfo(float).eps)),
        )
    alpha = alphas(float(total))
    if outcome == UNBOUNDED:
        alpha = unigram(draws)
    final = draws.log_evidence(np.maximum(alpha, np.finfo(float).tiny), weighted_sum(draws.multiplicity, alpha))
    return Solution(draws.spread(alpha), final, outcome, len(trace), (*trace, final))


def _solve_slopes(draws: Draws, s: float, start: Floats, positive: NDArray[np.bool_]) -> Floats:
    """Solve f_j(alpha_j) = s by Newton's method from the left where alpha_j is positive; 0 elsewhere."""
    alpha = start
    for _ in range(_MAX_LEFT_OUT_STEPS):
        f, slope = draws.slopes(np.where(positive, alpha, 1.0))
        following = np.where(positive, alpha + np.maximum((s - f) / slope, 0.0), 0.0)
        done = np.max(np.abs(following - alpha) / np.maximum(following, _MIN_TOTAL)) < _TOLERANCE
        alpha = following
        if done:
            break
    return np.asarray(alpha)
