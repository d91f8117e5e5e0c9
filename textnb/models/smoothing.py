"""How much probability unseen terms get: a given alpha, or one that the counts themselves choose.

    evidence            one number: the classes' pooled counts are draws from Dirichlet(alpha, ..., alpha)
    evidence-class      one a term: the same draws from Dirichlet(alpha_1, ..., alpha_V)
    evidence-unigram    one a term: the same draws from Dirichlet(concentration * unigram)
    evidence-document   one a term: each document is a draw, whatever its class
    leave-one-out       one a term: each document under the other documents of its class

All maximise a likelihood of the training counts (``dirichlet.py``); none looks at how well documents are classified. No
one of them is best on every corpus; ``evidence`` is the default since it was never far from the best.

Only terms that were seen count; one never seen has alpha = 0 in a vector. Where the evidence has no maximum the answer
is decided: one number is then 1; a vector is the unigram, with a sum of 1.
A term that is only ever seen beside itself can have a left-out alpha of 0, which would make it impossible elsewhere: no
alpha of ``leave-one-out`` is less than a hundredth of the one number that does best for all terms.

The alpha under which left-out documents are likeliest, eq. (5) of ``draws.py``.

At the maximum f_j(alpha_j) = S(A), or alpha_j = 0 where f_j(0) is less than that (a term that never stands alone in its
class). f_j falls and is convex, so alpha_j(S) is found by Newton's method from the left, which cannot overshoot; that
leaves one equation in one unknown, sum_j alpha_j(S(A)) = A, which is bracketed and solved.
"""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.vocabulary import Columns
from textnb.errors import InputError, listed
from textnb.models.dirichlet import CONVERGED, ONE_SIDED, UNBOUNDED, Solution, best_alpha
from textnb.models.draws import Draws, weighted_sum
from textnb.models.prior import as_alpha
from textnb.numerics import Floats

_STEPS = 200
_TOLERANCE = 1e-12
_SMALLEST, _LARGEST = 1e-9, 1e9  # of A per length of a class


def best_left_out_alpha(draws: Draws) -> Solution:
    """The alpha of each term that maximises the likelihood of the left-out documents.

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


ALPHAS = ("evidence", "evidence-document", "evidence-class", "evidence-unigram", "leave-one-out")
OF_DOCUMENTS = ("evidence-document", "leave-one-out")
"""Those that look at single documents, and need histograms."""

_SHAPES = {"evidence": "scalar", "evidence-class": "vector", "evidence-unigram": "unigram"}
_LEFT_OUT_FLOOR = 0.01


@dataclass(frozen=True)
class Smoothing:
    """alpha, a number or one a term (V,), and how it was found; ``solution`` is None for a given one."""

    alpha: Any
    solution: Solution | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What there is to tell, as plain JSON values; of a vector its sum and its quartiles."""
        vector = np.ndim(self.alpha) > 0
        shown = {"sum": float(np.sum(self.alpha)), "quartiles": _quartiles(self.alpha)} if vector else float(self.alpha)
        if self.solution is None:
            return {"alpha": shown}
        found = self.solution
        return {
            "alpha": shown,
            "outcome": found.outcome,
            "iterations": found.iterations,
            "log evidence": found.log_evidence,
            "trace": list(found.trace),
        }


def as_alpha_or_name(alpha: Any) -> float | str:
    """A number that is finite and not negative, or one of ALPHAS; anything else is refused."""
    if isinstance(alpha, str):
        if alpha not in ALPHAS:
            raise InputError(
                "alpha {alpha!r} is not known; give a number, or one of: {known}", alpha=alpha, known=listed(ALPHAS)
            )
        return alpha
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise InputError("alpha must be a number or one of {known}, not {alpha!r}", known=listed(ALPHAS), alpha=alpha)
    try:
        return float(as_alpha(float(alpha), 1)[0])
    except OverflowError:
        raise InputError("alpha must be finite, and this one is not") from None


def smoothing(alpha: ArrayLike | str, counts: ClassCounts, histograms: ClassHistograms | None = None) -> Smoothing:
    """The alpha of these statistics: as given, or by its name.

    >>> found = smoothing("evidence", ClassCounts.of([[8, 1, 0], [1, 7, 2]], ["x", "y"]))
    >>> round(found.alpha, 3), found.solution.outcome
    (0.654, 'converged')
    """
    if not isinstance(alpha, str):
        values = as_alpha(alpha, counts.n_terms)
        return Smoothing(values if np.ndim(alpha) else float(values[0]))
    as_alpha_or_name(alpha)
    seen = np.flatnonzero(np.asarray(counts.terms.sum(axis=0)) > 0)
    if not len(seen):
        return Smoothing(1.0 if alpha == "evidence" else np.ones(counts.n_terms))
    if len(seen) < counts.n_terms:
        of_seen = None if histograms is None else histograms.selected(seen, histograms.classes)
        return _spread(smoothing(alpha, counts.selected(seen), of_seen), seen, counts.n_terms)
    if alpha in OF_DOCUMENTS:
        return _of_documents(alpha, counts, histograms)
    solution = best_alpha(Draws.of_rows(counts.terms, counts.unit), _SHAPES[alpha])
    if alpha == "evidence" and solution.outcome == UNBOUNDED:
        return Smoothing(1.0, solution)
    return Smoothing(solution.alpha, solution)


def _of_documents(alpha: str, counts: ClassCounts, histograms: ClassHistograms | None) -> Smoothing:
    if histograms is None:
        raise InputError("alpha {alpha!r} needs the histograms of the documents", alpha=alpha)
    if alpha == "leave-one-out":
        draws = Draws.of_left_out(counts, histograms)
        least = _LEFT_OUT_FLOOR * best_alpha(draws, "scalar").alpha
        solution = best_left_out_alpha(draws)
        return Smoothing(np.maximum(solution.alpha, least), solution)
    if histograms.total.unit != 1:
        raise InputError("alpha {alpha!r} needs whole counts: use the weighting 'raw'", alpha=alpha)
    solution = best_alpha(Draws.of_documents(histograms.total))
    if solution.outcome == ONE_SIDED:
        raise InputError("alpha {alpha!r} does not exist: every document repeats one term; use a number", alpha=alpha)
    return Smoothing(solution.alpha, solution)


def _spread(found: Smoothing, seen: Columns, n_terms: int) -> Smoothing:
    """The same on all terms: those never seen have alpha = 0."""
    if np.ndim(found.alpha) == 0:
        return found
    alpha = np.zeros(n_terms)
    alpha[seen] = found.alpha
    return replace(found, alpha=alpha)


def _quartiles(alpha: Any) -> list[float]:
    return [float(value) for value in np.quantile(alpha, [0, 0.25, 0.5, 0.75, 1])]
