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

There may be several maxima. The profile over A shows them all: with A given, the evidence is concave in alpha, and at
its maximum all f_j(alpha_j) are equal. So the profile rises where

    sum_j alpha_j(S(A)) > A,    alpha_j(s) the solution of f_j(alpha_j) = s, or 0 where f_j(0) < s             (1)

and has a maximum wherever (1) becomes false on a grid of A. 1/f_j is concave and nearly linear: Newton's method solves
1/f_j(alpha_j) = 1/s in a few steps. Left-out documents, eq. (5) of ``draws.py``, are solved by (1) alone; a term that
never occurs alone in its class can have alpha_j = 0.

There may be no finite maximum. Draws that vary no more than multinomial draws raise A without bound ('unbounded').
Draws that each repeat one term lower A to 0 ('one-sided'). The limits of the evidence are known:

    A -> inf    sum_j total_j log p_j                                                                          (2)
    A -> 0      sum_j firsts_j log p_j + rest,  or -inf                                                        (3)

with p uniform (one alpha), the unigram, or the best p. ``Draws.firsts`` and ``Draws.rest`` belong to (3). A maximum
that exceeds a limit by less than 1e-11 per token cannot be told from rounding and counts as none. Without a maximum
alpha is 1, and a vector is the unigram, which has sum 1; this holds for both limits and all shapes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textnb.counts.matrix import as_counts
from textnb.errors import InputError
from textnb.models.draws import Draws, weighted_sum
from textnb.models.prior import as_alpha
from textnb.numerics import Floats, bracketed_root, check_choice, log_rising

__all__ = ["log_evidence"]

CONVERGED, UNBOUNDED, ONE_SIDED = "converged", "unbounded", "one-sided"
SOLVERS = ("newton", "fixed-point")
SHAPES = ("vector", "scalar", "unigram")

_MAX_TOTAL, _MIN_TOTAL = 1e9, 1e-9  # A per length of a draw; a search that gets there has no maximum
_MAX_LAST_STEP = {"newton": 1e-7, "fixed-point": 1e-12}  # relative; the error of Newton's method is about its square
_MIN_GAIN_PER_TOKEN = 1e-11  # a smaller difference of evidence counts as none; with one term there is none
_MAX_LOSS_PER_TOKEN = 1e-6  # a smaller loss of evidence may be the rounding of a step where it is nearly flat
_GRID = np.logspace(-8, 8, 49)
_GRID_STEP = _GRID[1] / _GRID[0]
_PROFILE_STEP = 10**0.5
_MAX_STEPS = 10_000
_MAX_SLOPE_STEPS, _TOLERANCE = 200, 1e-13
_ROUGH_TOLERANCE = 1e-3  # enough to tell whether the profile rises, unless it is nearly flat
_MIN_RELATIVE_TOTAL = 1e-12  # a maximum at a smaller A is no better than the limit
_LEAST = 1e-200


@dataclass(frozen=True)
class Solution:
    """alpha (V,), or a number for the shape 'scalar'; the evidence after each step and how the search ended.

    After a search on a grid ``trace`` holds the evidence at its best point and after refining that. Without a maximum
    alpha is 1 or the unigram, and ``log_evidence`` is the limit.
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


class EvidenceLimits(NamedTuple):
    """Limits (2) and (3) of the evidence."""

    unbounded: float
    one_sided: float

    @classmethod
    def of(cls, draws: Draws, shape: str) -> "EvidenceLimits":
        """Limits for alphas of this shape."""
        p = np.full(len(draws.totals), 1 / draws.n_terms) if shape == "scalar" else unigram(draws)
        unbounded = weighted_sum(draws.multiplicity, draws.totals * np.log(p))
        if draws.rest == -np.inf:
            return cls(unbounded, -np.inf)
        number = weighted_sum(draws.multiplicity, draws.firsts)
        if shape == "vector" and number:
            p = draws.firsts / number
        log_p = np.log(np.where(draws.firsts > 0, p, 1.0))
        return cls(unbounded, weighted_sum(draws.multiplicity, draws.firsts * log_p) + draws.rest)


def _solution(draws: Draws, shape: str, alpha: Any, trace: Sequence[float], iterations: int) -> Solution:
    """Solution with the best alpha found, whose evidence is the last of ``trace``, unless a limit is as good."""
    limits = EvidenceLimits.of(draws, shape)
    if trace[-1] > max(limits) + _MIN_GAIN_PER_TOKEN * draws.n_tokens:
        found: Any = float(alpha[0]) if shape == "scalar" else draws.spread(alpha)
        return Solution(found, trace[-1], CONVERGED, iterations, tuple(trace))
    outcome = UNBOUNDED if limits.unbounded >= limits.one_sided else ONE_SIDED
    used: Any = 1.0 if shape == "scalar" else draws.spread(unigram(draws))
    finite = tuple(value for value in trace if np.isfinite(value))
    return Solution(used, max(limits), outcome, iterations, finite or (max(limits),))


def _best_vector(draws: Draws, solver: str) -> Solution:
    alpha, trace, finished = _climbed(draws, solver)
    n_steps = len(trace) - 1
    evidence = trace[-1] if finished else -np.inf
    total = weighted_sum(draws.multiplicity, alpha)
    profile = _Profile(draws)
    for low, high in profile.maxima():
        if finished and low <= total <= high:
            continue
        other = profile.best_within(low, high)
        value = draws.log_evidence(other, weighted_sum(draws.multiplicity, other))
        if value > evidence:
            alpha, evidence = other, value
    return _solution(draws, "vector", alpha, trace if evidence == trace[-1] else [*trace, evidence], n_steps)


def _climbed(draws: Draws, solver: str) -> tuple[Floats, list[float], bool]:
    """Local maximum near the unigram: alpha, the evidence after each step, and whether the search came to an end."""
    step = newton_step if solver == "newton" else fixed_point_step
    mean_length = draws.mean_length
    alpha = unigram(draws) * mean_length
    trace = [draws.log_evidence(alpha, weighted_sum(draws.multiplicity, alpha))]
    max_loss = _MAX_LOSS_PER_TOKEN * draws.n_tokens

    def taken(step: Callable[[Draws, Floats], Floats]) -> tuple[Floats, float, float]:
        following = step(draws, alpha)
        total = weighted_sum(draws.multiplicity, following)
        return following, total, draws.log_evidence(following, total)

    for _ in range(_MAX_STEPS):
        following, total, evidence = taken(step)
        if evidence < trace[-1] - max_loss:
            following, total, evidence = taken(fixed_point_step)
        trace.append(evidence)
        moved = np.max(np.abs(following - alpha) / np.maximum(following, _MIN_TOTAL))
        alpha = following
        if not _MIN_TOTAL <= total <= _MAX_TOTAL * mean_length:
            return alpha, trace, False
        if moved < _MAX_LAST_STEP[solver]:
            return alpha, trace, True
    return alpha, trace, False


def fixed_point_step(draws: Draws, alpha: Floats) -> Floats:
    """Alpha after a fixed-point step."""
    s, _ = draws.length_slopes(weighted_sum(draws.multiplicity, alpha))
    return np.asarray(alpha * draws.slopes(alpha)[0] / s)


def newton_step(draws: Draws, alpha: Floats) -> Floats:
    """Alpha after a step of Newton's method."""
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

    def evidence(x: float) -> float:
        return draws.log_evidence(x * direction, x * sum_direction)

    def slope(x: float) -> float:
        f, _ = draws.slopes(x * direction)
        along = weighted_sum(draws.multiplicity * direction, f)
        return along - sum_direction * draws.length_slopes(x * sum_direction)[0]

    grid = list(_GRID * draws.mean_length / sum_direction)
    on_grid = [evidence(x) for x in grid]
    limits = EvidenceLimits.of(draws, shape)
    while max(on_grid) == on_grid[0] > limits.one_sided and grid[0] > _LEAST:
        grid.insert(0, grid[0] / _GRID_STEP)
        on_grid.insert(0, evidence(grid[0]))
    peaks = [i for i in range(1, len(grid) - 1) if on_grid[i - 1] <= on_grid[i] >= on_grid[i + 1]]
    found = [_root(slope, grid[i - 1], grid[i + 1]) for i in peaks]
    values = [evidence(x) for x in found]
    if not found:
        return _solution(draws, shape, direction, [-np.inf], len(grid))
    best = int(np.argmax(values))
    trace = [on_grid[peaks[best]], values[best]]
    return _solution(draws, shape, found[best] * direction, trace, len(grid) + len(found))


def _root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Point where the slope falls through 0, searched in log x."""

    def slope_at(log_x: float) -> float:
        return slope(float(np.exp(log_x)))

    ends = float(np.log(low)), float(np.log(high))
    if slope_at(ends[0]) <= 0 or slope_at(ends[1]) >= 0:  # up to rounding, a point of the grid is the maximum
        return float(np.sqrt(low * high))
    return float(np.exp(bracketed_root(slope_at, *ends)))


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
    if not len(draws.totals):
        raise InputError("there are no counts to fit alpha on")
    profile = _Profile(draws)
    alpha, evidence = unigram(draws), -np.inf
    for low, high in profile.maxima():
        other = profile.best_within(low, high)
        value = draws.log_evidence(other, weighted_sum(draws.multiplicity, other))
        if value > evidence:
            alpha, evidence = other, value
    return _solution(draws, "vector", alpha, [evidence], profile.n_evaluations)


class _Profile:
    """Sign of eq. (1) for totals A; each solution alpha(S(A)) starts from the one before."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.n_evaluations = 0
        self._alpha = np.zeros(len(draws.totals))
        self._at_zero = np.full(len(draws.totals), np.inf)
        self._rounding = 0.0  # of alpha
        if draws.left_out:
            inverse = draws.weight / np.where(draws.offset > 0, draws.offset, 1.0)
            self._at_zero = np.where(draws.firsts > 0, np.inf, draws.summed(inverse))
            self._rounding = len(draws.totals) * np.finfo(float).eps * float(draws.offset.max())

    def maxima(self) -> Iterator[tuple[float, float]]:
        """Yield the intervals of A in which the profile has a maximum."""
        low, high = self.draws.range_of_totals
        totals = list(np.geomspace(low, high, 2 + int(np.log(high / low) / np.log(_PROFILE_STEP))))
        rises = [self._rises(total) for total in totals]
        while not rises[0] and totals[0] > _MIN_RELATIVE_TOTAL * low:
            totals.insert(0, totals[0] / _PROFILE_STEP)
            rises.insert(0, self._rises(totals[0]))
        while rises[-1] and totals[-1] < _MAX_TOTAL * high:
            totals.append(totals[-1] * _PROFILE_STEP)
            rises.append(self._rises(totals[-1]))
        for (before, rose), (after, is_rising) in pairwise(zip(totals, rises, strict=True)):
            if rose and not is_rising:
                yield before, after

    def best_within(self, low: float, high: float) -> Floats:
        """Alpha at the maximum of the profile in an interval of ``maxima``."""
        ends = float(np.log(low)), float(np.log(high))
        return self._alphas(float(np.exp(bracketed_root(self._excess, *ends))))

    def _rises(self, total: float) -> bool:
        roughly = self._excess(float(np.log(total)), _ROUGH_TOLERANCE)
        return (roughly or self._excess(float(np.log(total)))) > 0

    def _excess(self, log_total: float, tolerance: float = _TOLERANCE) -> float:
        """Logarithm of the left side of eq. (1) less that of A; 0 where it is within the tolerance."""
        sum_alpha = weighted_sum(self.draws.multiplicity, self._alphas(float(np.exp(log_total)), tolerance))
        excess = float(np.log(max(sum_alpha, _LEAST)) - log_total)
        return excess if abs(excess) > 10 * (tolerance + self._rounding * float(np.exp(-log_total))) else 0.0

    def _alphas(self, total: float, tolerance: float = _TOLERANCE) -> Floats:
        """alpha_j(S(A)) of each group, to this proportion of itself."""
        self.n_evaluations += 1
        s, _ = self.draws.length_slopes(total)
        positive = self._at_zero > s
        alpha = np.where(positive, np.where(self._alpha > 0, self._alpha, self.draws.firsts / s), 1.0)
        for _ in range(_MAX_SLOPE_STEPS):
            f, slope = self.draws.slopes(alpha)
            following = np.where(positive, alpha - f * (f / s - 1) / slope, 1.0)
            following = np.where(following > 0, following, 0.1 * alpha)
            done = (np.abs(following - alpha) <= tolerance * following + self._rounding).all()
            alpha = following
            if done:
                break
        self._alpha = np.where(positive, alpha, 0.0)
        return self._alpha
