"""Linear model of terms scaled by naive Bayes log-count ratios (Wang and Manning 2012).

    z_i = (b_i * s) / |b_i * s|           b_ij = 1 where x_ij > 0, s_j the largest log-count ratio of term j        (1)
    W, b = argmin sum_i w_i loss(y_i, W z_i + b) + l2/2 |W|^2                                                       (2)

``ratios.py`` has the scale s. The loss is that of logistic regression (``loss.py``), or the squared hinge
(``squared_hinge.py``), which has scores and no probabilities. l2 is a number, or found from the rows: ``cv`` by
cross-validation (``path.py``), with terms, scale and weights learnt anew in every fold; ``evidence``, for the logistic
loss only, by the probability of the labels given the scaled rows (``evidence.py``), without a search by folds.

- min_df ``auto``: terms of a single document are left out, unless that leaves too little (``counts/selection.py``).
- prune: the share of the terms to keep. Those with the largest weights at the minimum stay; the others get the scale
  0, and (1) and (2) are done again. (Single weights, as many, did no better and kept five times as many terms.)
- One class: all weights are 0. A row without a known term has the scores of the bias. A class of which no row has a
  weight: -inf, p = 0. Where no row can be left out, ``cv`` takes ``L2_WITHOUT_FOLDS``.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.matrix import CSR
from textnb.counts.selection import found_min_df
from textnb.errors import InputError, ParameterError
from textnb.models.linear import least_squares
from textnb.models.logistic.evidence import best_l2
from textnb.models.logistic.logistic import Minimised, fit_facts, row_weights
from textnb.models.logistic.path import LOSSES, STRENGTHS, Path, PresenceProblem, PresenceRows, Search, cross_validated
from textnb.models.logistic.ratios import Presence, frequent
from textnb.models.logistic.solvers import check_search
from textnb.models.model import BALANCED, Choice, Fit, Model, Need, Number, Option, Options, Statistics, by_name
from textnb.models.prior import Prior
from textnb.models.rows import as_folds, dealt_folds
from textnb.models.scorer import LinearScorer, ScaledScorer
from textnb.numerics import Codes, Floats, check_choice, check_number, check_number_or_name

L2_WITHOUT_FOLDS = 1.0
N_FOLDS = 4
_DECIMALS = 12
_CLOSE = {"logistic": 0.01, "squared-hinge": 0.1}
"""On news articles closer minima took long and answered no better."""
_MIN_SINGLE_TOL = 0.01
"""Tolerance from which on rows in single precision are enough."""
_SEARCHES = {
    "logistic": Search(STRENGTHS),
    "squared-hinge": Search((1.0, 0.316), min_gain=0.03, n_rows=1000, is_strict=True),
}
"""Of the squared hinge, weaker penalties and closer searches took long and answered no better, on any kind of text."""
L2_NAMES = ("cv", "evidence")


@dataclass(frozen=True)
class NBLogisticSettings:
    """Settings of the fit, checked.

    l2 > 0, ``cv`` or ``evidence``; loss ``logistic`` or ``squared-hinge``; a > 0; min_df > 0 or ``auto``;
    0 < prune <= 1 or None; tol > 0 or None, for that of the loss; max_iter >= 1.
    """

    l2: float | str = "cv"
    loss: str = "logistic"
    a: float = 1.0
    min_df: float | str = "auto"
    prune: float | None = None
    tol: float | None = None
    max_iter: int = 1000

    def __post_init__(self) -> None:
        check_number_or_name(self.l2, "l2", L2_NAMES, above=0)
        check_number_or_name(self.min_df, "min_df", ("auto",), above=0)
        check_choice(self.loss, "loss", LOSSES)
        if (self.l2, self.loss) == ("evidence", "squared-hinge"):
            raise ParameterError("the squared hinge has no evidence: use loss='logistic', or l2='cv' or a number")
        check_number(self.a, "a", above=0)
        if self.prune is not None:
            check_number(self.prune, "prune", above=0, high=1)
        check_search(self.close, self.max_iter)

    @property
    def close(self) -> float:
        """Tolerance: |weights - minimum| <= close |weights|."""
        return _CLOSE[self.loss] if self.tol is None else self.tol

    @property
    def search(self) -> Search:
        """Strengths that ``cv`` tries and where it ends, or the number given as the only one."""
        return _SEARCHES[self.loss] if isinstance(self.l2, str) else Search((float(self.l2),))


@dataclass(frozen=True, eq=False)
class NBLogisticFit(Minimised):
    """Minimum of eq. (2), the strength and min_df behind it, and the path that chose the strength.

    ``path.scores`` (D, C) are those of every row by a model that has not seen its fold, at that strength.
    """

    scorer: ScaledScorer
    l2: float
    min_df: float
    path: Path | None


def solution(
    X: CSR,
    y: Codes,
    documents: Floats,
    weight: Floats,
    n_classes: int,
    settings: NBLogisticSettings,
    folds: ArrayLike | None = None,
) -> NBLogisticFit:
    """Minimum of eq. (2) for checked counts X (D, V) and classes by number y (D,).

    documents, weight (D,), positive: number of documents of each row, and its weight in the loss. folds (D,): whole
    numbers, equal for rows held out together; with them there is a path with held-out scores even for a single l2.

    >>> from scipy import sparse
    >>> X, y = sparse.csr_array([[1, 0, 2], [3, 0, 0], [0, 1, 1], [0, 1, 0]]), np.array([0, 0, 1, 1])
    >>> found = solution(X, y, np.ones(4), np.ones(4), 2, NBLogisticSettings(l2=1.0))
    >>> found.scorer.scale.round(3), found.scorer.weights[0].round(3)
    (array([1.099, 1.099, 0.   ]), array([ 0.521, -0.521,  0.   ]))
    """
    if not len(y):
        raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
    rows = PresenceRows(Presence.of(X), y, documents, weight, n_classes)
    containing = rows.presence.containing(documents)
    min_df = float(found_min_df(containing, float(documents.sum())) if settings.min_df == "auto" else settings.min_df)
    terms = frequent(containing, min_df)  # in a part of the rows none is more frequent
    del containing
    rows = rows._replace(presence=rows.presence.of_terms(terms))

    def make(some: PresenceRows) -> PresenceProblem:
        single = settings.close >= _MIN_SINGLE_TOL
        return PresenceProblem.of(some, settings.loss, float(settings.a), min_df, single=single)

    search = settings.search
    if settings.l2 == "evidence":
        search = Search((_evidence_strength(make(rows)),))
    tried, guess = None, None
    if folds is not None or settings.l2 == "cv":
        groups = dealt_folds(X, y, N_FOLDS) if folds is None else as_folds(folds, len(y))
        tried, guess = cross_validated(rows, groups, make, search, settings.prune) or (None, None)
    fixed = search.strengths[0] if len(search.strengths) == 1 else L2_WITHOUT_FOLDS
    l2 = fixed if tried is None else tried.strengths[tried.best]
    problem = make(rows)
    found = problem.minimum(l2, settings.close, int(settings.max_iter), guess)
    if settings.prune is not None:
        problem = problem.pruned(found.point.theta, settings.prune)
        found = problem.minimum(l2, settings.close, int(settings.max_iter))
    scorer = _on_all_terms(problem, found.point.theta, terms, X.shape[1])
    return NBLogisticFit(scorer, found.point.value, found.steps, found.trouble, l2, min_df, tried)


def _on_all_terms(problem: PresenceProblem, theta: Floats, terms: Codes, n_terms: int) -> ScaledScorer:
    """Scorer of counts; terms not in use have the scale 0.

    Weights are rounded, so that equal classes tie.
    """
    linear = problem.linear(theta)
    by_term, bias, scale = linear.by_term.round(_DECIMALS), linear.bias.round(_DECIMALS), problem.scale
    if len(terms) < n_terms:
        found = by_term, scale
        by_term, scale = np.zeros((n_terms, len(bias)), theta.dtype), np.zeros(n_terms)
        by_term[terms], scale[terms] = found
    return ScaledScorer(scale, LinearScorer(by_term, bias))


def _evidence_strength(problem: PresenceProblem) -> float:
    """Strength with the most evidence."""
    y = np.searchsorted(problem.present, problem.rows.y)
    return best_l2(problem.loss.Z.columns.tocsr(), y, problem.rows.weight, len(problem.present)).l2


L2 = replace(
    least_squares.L2,
    kind=Number(above=0, names=L2_NAMES),
    default="cv",
    help="strength of the L2 penalty, by cross-validation (cv) or evidence",
)


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows, prune = statistics.documents, options["prune"]
    settings = NBLogisticSettings(
        options["l2"], options["loss"], min_df=max(statistics.min_df, 1), prune=None if prune == 1 else prune
    )
    found = solution(rows.X, rows.y, rows.weight, row_weights(rows, options), len(rows.classes), settings)
    return Fit(
        found.scorer.in_single_precision,
        found={"l2": found.l2},
        facts=fit_facts(found),
        includes_prior=options["loss"] == "logistic" and not options["balanced"],
        left_out_scores=None if found.path is None else found.path.scores,
    )


MODEL = Model(
    name="nb-logistic",
    help="linear model of terms scaled by naive Bayes log-count ratios",
    fit=_fit,
    weightings=("binary",),
    needs=frozenset({Need.ROWS}),
    presence_only=True,
    options=by_name(
        L2,
        Option("loss", Choice(("squared-hinge", "logistic")), "squared-hinge", "loss that is minimised"),
        Option("prune", Number(above=0, high=1), 1.0, "proportion of the terms to keep"),
        BALANCED,
    ),
    analyzer={"ngram": (1, 2), "min_df": "auto", "features": ("first-line", "short-chars")},
)
