"""Smoothing: alpha as given, or estimated from the counts by the name of a method.

    evidence            one number: the pooled counts of the classes are draws from Dirichlet(alpha, ..., alpha)
    evidence-class      one per term: the same draws from Dirichlet(alpha_1, ..., alpha_V)
    evidence-unigram    one per term: the same draws from Dirichlet(concentration * unigram)
    evidence-document   one per term: each document is a draw, whatever its class
    leave-one-out       one per term: each document under the other documents of its class

All maximise a likelihood of the training counts (``dirichlet.py``), not the accuracy of classification. None of them is
best on every corpus; ``evidence`` is the default because it was never far from the best. They are for counts: weights
divided by the length of a document have no evidence that means anything, and ``log-loss`` is the default there
(``classifier/log_loss_alpha.py``).

Only terms that occur are used; in a vector the others have alpha = 0. Without a maximum, whether it is approached as
alpha grows or as it falls to 0, one number is 1, and a vector is the unigram, with sum 1. A term that only ever occurs
with itself can have a left-out alpha of 0, which would make it impossible elsewhere: no alpha that maximises the
left-out likelihood is less than a hundredth of the best single number for all terms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.errors import InputError
from textnb.models.dirichlet import CONVERGED, Solution, best_alpha, best_left_out_alpha
from textnb.models.draws import Draws
from textnb.models.prior import as_alpha
from textnb.numerics import check_choice

ALPHAS = ("evidence", "evidence-document", "evidence-class", "evidence-unigram", "leave-one-out")
LEAVE_ONE_OUT = "leave-one-out"
LOG_LOSS = "log-loss"
"""Smoothing by left-out documents, which only a classifier that keeps them can find."""

OF_DOCUMENTS = ("evidence-document", "leave-one-out")
"""Methods that read single documents and need histograms."""

_SHAPES = {"evidence": "scalar", "evidence-class": "vector", "evidence-unigram": "unigram"}
_LEFT_OUT_FLOOR = 0.01
_SEARCH = ("log_evidence", "outcome", "iterations", "trace")


@dataclass(frozen=True)
class Smoothing:
    """alpha, a number or one per term (V,), and how it was estimated.

    solution: search for the maximum of a likelihood. log_loss: log loss of left-out documents, if alpha minimises it.
    is_old: True if it was estimated as textnb 0.1 did.
    """

    alpha: Any
    solution: Solution | None = None
    log_loss: float | None = None
    is_old: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """Plain JSON values for `info`; a vector is shown by its sum and quartiles."""
        shown: Any = np.asarray(self.alpha).tolist()
        if np.ndim(self.alpha):
            values = self.alpha if len(self.alpha) else np.zeros(1)  # all documents may be empty
            shown = {"sum": float(values.sum()), "quartiles": np.quantile(values, np.arange(5) / 4).tolist()}
        found = self.solution
        if found is None:
            return {"alpha": shown} | ({} if self.log_loss is None else {"log loss": self.log_loss})
        search = {"outcome": found.outcome, "iterations": found.iterations, "log evidence": found.log_evidence}
        old = {"rule": "textnb 0.1"} if self.is_old else {}
        return {"alpha": shown, **search, "trace": list(found.trace), **old}

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values of all but alpha, which may be a vector."""
        search = None if self.solution is None else {name: getattr(self.solution, name) for name in _SEARCH}
        return {"search": search, "log_loss": self.log_loss}

    @classmethod
    def from_json(cls, json: Mapping[str, Any], alpha: Any, *, is_old: bool) -> "Smoothing":
        """Smoothing with this alpha and the values of ``json``."""
        search, log_loss = json["search"], json["log_loss"]
        if search is None:
            return cls(alpha, None, None if log_loss is None else float(log_loss), is_old)
        trace = tuple(float(value) for value in search["trace"])
        numbers = float(search["log_evidence"]), str(search["outcome"]), int(search["iterations"])
        return cls(alpha, Solution(alpha, *numbers, trace), is_old=is_old)


def smoothing(
    alpha: ArrayLike | str, counts: ClassCounts, histograms: ClassHistograms | None = None, *, is_old: bool = False
) -> Smoothing:
    """Smoothing of these statistics: alpha as given, or estimated by the method of that name.

    is_old: estimate it as textnb 0.1 did.

    >>> found = smoothing("evidence", ClassCounts.of([[8, 1, 0], [1, 7, 2]], ["x", "y"]))
    >>> round(found.alpha, 3), found.solution.outcome
    (0.654, 'converged')
    """
    if not isinstance(alpha, str):
        values = as_alpha(alpha, counts.n_terms)
        return Smoothing(values if np.ndim(alpha) else float(values[0]))
    check_choice(alpha, "alpha", ALPHAS)
    seen = np.flatnonzero(np.asarray(counts.terms.sum(axis=0)) > 0)
    if not len(seen):
        return Smoothing(1.0 if alpha == "evidence" else np.ones(counts.n_terms))
    if len(seen) < counts.n_terms:
        of_seen = None if histograms is None else histograms.selected(seen, histograms.classes)
        found = smoothing(alpha, counts.selected(seen), of_seen, is_old=is_old)
        if np.ndim(found.alpha) == 0:
            return found
        spread = np.zeros(counts.n_terms)
        spread[seen] = found.alpha
        return replace(found, alpha=spread)
    return _estimated(alpha, counts, histograms if alpha in OF_DOCUMENTS else None, is_old)


def _estimated(alpha: str, counts: ClassCounts, histograms: ClassHistograms | None, is_old: bool) -> Smoothing:
    """Smoothing estimated from counts in which every term occurs."""
    if alpha in OF_DOCUMENTS and histograms is None:
        raise InputError("alpha {alpha!r} needs the histograms of the documents", alpha=alpha)
    if is_old:
        from textnb.models.old_smoothing import old_alpha  # only for old files

        used, solution = old_alpha(alpha, _SHAPES.get(alpha, "vector"), counts, histograms)
        return Smoothing(used, solution, is_old=True)
    if histograms is not None:
        return _smoothing_by_document(alpha, counts, histograms)
    solution = best_alpha(Draws.of_rows(counts.terms, counts.unit), _SHAPES[alpha])
    return Smoothing(solution.alpha, solution)


def _smoothing_by_document(alpha: str, counts: ClassCounts, histograms: ClassHistograms) -> Smoothing:
    if alpha == "leave-one-out":
        return _left_out_smoothing(Draws.of_left_out(counts, histograms).grouped())
    if histograms.total.unit != 1:
        raise InputError("alpha {alpha!r} needs whole counts: use the weighting 'raw'", alpha=alpha)
    solution = best_alpha(Draws.of_documents(histograms.total))
    return Smoothing(solution.alpha, solution)


def _left_out_smoothing(draws: Draws) -> Smoothing:
    solution = best_left_out_alpha(draws)
    if solution.outcome != CONVERGED:
        return Smoothing(solution.alpha, solution)
    least = _LEFT_OUT_FLOOR * best_alpha(draws, "scalar").alpha
    return Smoothing(np.maximum(solution.alpha, least), solution)
