"""Smoothing as textnb 0.1 found it, for model files that it wrote: they answer as before until they learn more.

It differs from ``dirichlet.py`` where there is no maximum, or several. One number became 1 only where alpha grew
without bound, alpha fell almost to 0 where every class repeats one term, and alphas of left-out documents were the
first solution found.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.models.dirichlet import CONVERGED, ONE_SIDED, UNBOUNDED, Solution, fixed_point_step, newton_step, unigram
from textnb.models.draws import Draws, weighted_sum
from textnb.numerics import Floats, bracketed_root

_LEFT_OUT_FLOOR = 0.01
_UNFINISHED = "unfinished"
_MAX_TOTAL, _MIN_TOTAL = 1e9, 1e-9  # A per length of a draw; outside there is no maximum
_MAX_LAST_STEP = 1e-7
_MIN_GAIN_PER_TOKEN = 1e-11  # a smaller difference of evidence counts as none; with one term there is none
_MAX_LOSS_PER_TOKEN = 1e-6  # a smaller loss of evidence may be the rounding of a step where it is nearly flat
_GRID = np.logspace(-8, 8, 49)
_MAX_STEPS = 10_000
_MAX_LEFT_OUT_STEPS, _TOLERANCE = 200, 1e-12


def old_alpha(alpha: str, shape: str, counts: ClassCounts, histograms: ClassHistograms | None) -> tuple[Any, Solution]:
    """Alpha that textnb 0.1 used, and the search for it; every term occurs."""
    if histograms is None:
        solution = _best(Draws.of_rows(counts.terms, counts.unit), shape)
        unbounded = alpha == "evidence" and solution.outcome == UNBOUNDED
        return (1.0 if unbounded else solution.alpha), solution
    if alpha == "leave-one-out":
        draws = Draws.of_left_out(counts, histograms)
        least = _LEFT_OUT_FLOOR * _best_on_line(draws, "scalar").alpha
        solution = _best_left_out_alpha(draws)
        return np.maximum(solution.alpha, least), solution
    solution = _best_vector(Draws.of_documents(histograms.total))
    return solution.alpha, solution


def _best(draws: Draws, shape: str) -> Solution:
    return _best_vector(draws) if shape == "vector" else _best_on_line(draws, shape)


def _best_vector(draws: Draws) -> Solution:
    mean_length = draws.mean_length
    alpha = unigram(draws) * mean_length
    trace = [draws.log_evidence(alpha, weighted_sum(draws.multiplicity, alpha))]
    max_loss = _MAX_LOSS_PER_TOKEN * weighted_sum(draws.n_draws, draws.sizes)

    def taken(step: Callable[[Draws, Floats], Floats]) -> tuple[Floats, float, float]:
        following = step(draws, alpha)
        total = weighted_sum(draws.multiplicity, following)
        return following, total, draws.log_evidence(following, total)

    outcome = _UNFINISHED
    for _ in range(_MAX_STEPS):
        following, total, evidence = taken(newton_step)
        if evidence < trace[-1] - max_loss:
            following, total, evidence = taken(fixed_point_step)
        trace.append(evidence)
        moved = np.max(np.abs(following - alpha) / np.maximum(following, _MIN_TOTAL))
        alpha = following
        if total > _MAX_TOTAL * mean_length:
            outcome, alpha = UNBOUNDED, unigram(draws)
        elif total < _MIN_TOTAL:
            outcome = ONE_SIDED
        elif moved < _MAX_LAST_STEP:
            outcome = CONVERGED
        else:
            continue
        break
    return Solution(draws.spread(alpha), trace[-1], outcome, len(trace) - 1, tuple(trace))


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


def _best_left_out_alpha(draws: Draws) -> Solution:
    """Alpha of each term that maximises the likelihood of the left-out documents."""
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
