"""The evidence of a Dirichlet prior, and the alpha that maximises it.

The evidence is the probability of the draws with the term probabilities integrated out (the Polya distribution); its
logarithm and slopes stand in ``draws.py``, eq. (1) to (4). At the maximum f_j(alpha_j) = S(A) for every term.

Solvers for a vector of alphas:
  newton        Newton's method on the reciprocals 1/f_j(alpha_j) = 1/S(A), in which the equations are nearly straight:
                with h = 1/f, r = 1/S, p = (r - h)/h', q = r'/h', d alpha = p + q dA, dA = sum p / (1 - sum q);
                a step that would lower the evidence, and so might go in circles, is a step of the other solver
  fixed-point   alpha_j <- alpha_j f_j / S (Minka): each step raises the evidence, many are needed
One number for all terms, and concentration times unigram, have one unknown: a grid is searched, since there may be two
maxima, and the best place of it polished.

There may be no finite maximum: draws that vary no more than multinomial ones do raise A without bound ('unbounded': the
limit is the unigram); draws that each repeat one term lower it to 0 ('one-sided').
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.counts.matrix import as_counts
from textnb.errors import InputError
from textnb.models.draws import Draws, weighted_sum
from textnb.models.prior import as_alpha
from textnb.numerics import Floats, as_choice, bracketed_root, log_rising

CONVERGED, UNBOUNDED, ONE_SIDED, UNFINISHED = "converged", "unbounded", "one-sided", "unfinished"
SOLVERS = ("newton", "fixed-point")
SHAPES = ("vector", "scalar", "unigram")

_LARGEST, _SMALLEST = 1e9, 1e-9  # of A per draw-length, beyond which there is no maximum to speak of
_TOLERANCES = {"newton": 1e-7, "fixed-point": 1e-12}  # of the last step; Newton's leaves about its square
_FLAT = 1e-11  # of evidence per token: less is no difference (with one term there is none at all)
_LOWERED = 1e-6  # of evidence per token: less may be the rounding of a step where the evidence is nearly flat
_GRID = np.logspace(-8, 8, 49)


@dataclass(frozen=True)
class Solution:
    """alpha (V,), or a number for the shape 'scalar'; what the evidence was on the way, and how the search ended.

    Of a search on a grid ``trace`` has the best place of it and what came of that.
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


def best_alpha(draws: Draws, shape: str = "vector", solver: str = "newton", *, limit: int = 10_000) -> Solution:
    """Alpha that maximises the evidence of the draws.

    shape: 'vector' (one per term), 'scalar' (one for all), 'unigram' (concentration times the terms' frequencies).
    """
    as_choice(shape, "shape", SHAPES)
    as_choice(solver, "solver", SOLVERS)
    if not len(draws.totals) or not len(draws.sizes):
        raise InputError("there are no counts to fit alpha on")
    if shape == "vector":
        return _vector(draws, solver, limit)
    return _one_number(draws, shape)


def unigram(draws: Draws) -> Floats:
    """The share of each group's term among all that was drawn."""
    return np.asarray(draws.totals / weighted_sum(draws.multiplicity, draws.totals))


def _vector(draws: Draws, solver: str, limit: int) -> Solution:
    step = _newton_step if solver == "newton" else _fixed_point_step
    mean_length = draws.mean_length
    alpha = unigram(draws) * mean_length
    trace = [draws.log_evidence(alpha, weighted_sum(draws.multiplicity, alpha))]
    slack = _LOWERED * weighted_sum(draws.n_draws, draws.sizes)

    def taken(step: Callable[[Draws, Floats], Floats]) -> tuple[Floats, float, float]:
        following = step(draws, alpha)
        total = weighted_sum(draws.multiplicity, following)
        return following, total, draws.log_evidence(following, total)

    for iteration in range(1, limit + 1):
        following, total, evidence = taken(step)
        if evidence < trace[-1] - slack:
            following, total, evidence = taken(_fixed_point_step)
        trace.append(evidence)
        moved = np.max(np.abs(following - alpha) / np.maximum(following, _SMALLEST))
        alpha = following
        if total > _LARGEST * mean_length:
            return Solution(draws.spread(unigram(draws)), trace[-1], UNBOUNDED, iteration, tuple(trace))
        if total < _SMALLEST:
            return Solution(draws.spread(alpha), trace[-1], ONE_SIDED, iteration, tuple(trace))
        if moved < _TOLERANCES[solver]:
            return Solution(draws.spread(alpha), trace[-1], CONVERGED, iteration, tuple(trace))
    return Solution(draws.spread(alpha), trace[-1], UNFINISHED, limit, tuple(trace))


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


def _one_number(draws: Draws, shape: str) -> Solution:
    """The maximum over one unknown x: alpha_j = x, A = V x; or alpha_j = x p_j, A = x."""
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
    as_good = on_grid[best] - _FLAT * weighted_sum(draws.n_draws, draws.sizes)
    if on_grid[-1] >= as_good or on_grid[0] >= as_good:
        outcome, x = (UNBOUNDED, float(grid[-1])) if on_grid[-1] >= as_good else (ONE_SIDED, float(grid[0]))
    else:
        outcome, x = CONVERGED, _root(slope, float(grid[best - 1]), float(grid[best + 1]))
        trace.append(evidence(x))
    alpha: Any = x if scalar else draws.spread(unigram(draws) * (1.0 if outcome == UNBOUNDED else x))
    return Solution(alpha, trace[-1], outcome, len(grid) + len(trace) - 1, tuple(trace))


def _root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Where the slope crosses 0 on its way down, in log x."""
    if slope(low) <= 0 or slope(high) >= 0:  # but for rounding, a place of the grid is the maximum
        return float(np.sqrt(low * high))
    return float(np.exp(bracketed_root(lambda u: slope(float(np.exp(u))), float(np.log(low)), float(np.log(high)))))
