"""Multinomial naive Bayes: a document is a sequence of terms drawn independently from its class.

    tau_kj  = count of term j in class k,   N_k = sum_j tau_kj,   A = sum_j alpha_j                    (1)
    p(j|k)  = (tau_kj + alpha_j) / (N_k + A)          the posterior mean under a Dirichlet(alpha)      (2)
    score_k = log p(k) + sum_j x_j log p(j|k)                                                          (3)
    p(j|k)  = (tau_kj + alpha_j - 1) / (N_k + A - V)      the mode of the same posterior               (4)

A constant alpha is additive smoothing. alpha = 0 is maximum likelihood: a term that a class never had has
log p = -inf in it, and a class without terms allows none. The mode (estimate="map") is the mean of alpha - 1. It is
refused where it does not exist: where some tau_kj + alpha_j - 1 is negative (the density has no maximum), or all of a
class are 0 (the density is flat). With alpha = 1 the mode is maximum likelihood.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.counts.row_loops import class_logs
from textnb.errors import InputError
from textnb.models.changes import Changes, log_proportions
from textnb.models.left_out import LeftOut, LogTotals
from textnb.models.model import TRIED_ALPHAS, Choice, Fit, Model, Option, Options, Statistics, by_name, weightings_from
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import LinearScorer
from textnb.models.smoothing import ALPHAS, LOG_LOSS
from textnb.numerics import Floats, as_choice, log_of

ESTIMATES = ("mean", "map")
_MAX_WEIGHTS = 2**30  # 8 GiB
_TOO_MANY_WEIGHTS = (
    "{n_classes:,} classes times {n_terms:,} terms are too many weights; are these the labels? "
    "if so, use fewer terms (max_terms, min_df)"
)
_NO_MODE = (
    "there is no MAP estimate: {term} in class {name!r} has count + alpha - 1 below 0; "
    "use alpha >= 1 or estimate='mean'"
)
_FLAT_MODE = "there is no MAP estimate: class {name!r} has no terms and alpha is 1; use alpha > 1 or estimate='mean'"


def fit(
    counts: ClassCounts, alpha: ArrayLike = 1.0, prior: Prior = "empirical", estimate: str = "mean"
) -> LinearScorer:
    """Scorer of eq. (3). alpha: a number, or one per term (V,); none negative. estimate: ``mean`` (2) or ``map`` (4).

    >>> scorer = fit(ClassCounts.of([[2, 0], [0, 1]], ["x", "y"]), alpha=1.0)
    >>> np.exp(scorer.weights)
    array([[0.75      , 0.25      ],
           [0.33333333, 0.66666667]])
    """
    check_size(counts)
    alpha = as_alpha(alpha, counts.n_terms)
    if as_choice(estimate, "estimate", ESTIMATES) == "map":
        alpha = alpha - 1
        _check_mode(counts, alpha)
    sum_alpha = alpha.sum() if len(alpha) == counts.n_terms else alpha[0] * counts.n_terms
    log_of_prior = log_prior(prior, counts.classes, counts.documents)
    dense = counts.dense_terms
    totals = (counts.terms if dense is None else dense).sum(axis=1) * counts.unit + sum_alpha  # N_k + A, (C,)
    log_totals = np.where(totals > 0, log_of(totals), 0.0)
    if dense is not None and len(alpha) == 1 and alpha[0] >= 0:
        return LinearScorer(class_logs(dense, counts.unit, float(alpha[0]), log_totals), log_of_prior)
    terms, n_classes = counts.terms, counts.n_classes
    by_term = np.empty((counts.n_terms, n_classes))
    # First as if no class had any term; a term with alpha - 1 below 0 in eq. (4) occurs in every class.
    by_term[:] = log_of(np.maximum(alpha, 0))[:, np.newaxis] - log_totals
    rows = np.repeat(np.arange(n_classes), np.diff(terms.indptr))
    smoothed = terms.data * counts.unit + (alpha if len(alpha) == 1 else alpha[terms.indices])
    by_term.reshape(-1)[terms.indices.astype(np.intp) * n_classes + rows] = log_of(smoothed) - log_totals[rows]
    return LinearScorer(by_term, log_of_prior)


def _check_mode(counts: ClassCounts, pseudo: Floats) -> None:
    """Refuse powers tau_kj + alpha_j - 1 of the posterior that are negative, or all 0 in a class."""
    terms, pseudo = counts.terms, np.broadcast_to(pseudo, counts.n_terms)
    lowest = np.flatnonzero(pseudo < 0)
    for k, name in enumerate(counts.classes):
        tau = terms[[k]][:, lowest].toarray()[0] * counts.unit
        for j in lowest[tau + pseudo[lowest] < 0][:1]:
            term = f"column {j}" if counts.vocabulary is None else repr(counts.vocabulary.term(j))
            raise InputError(_NO_MODE, term=term, name=name)
    totals = terms.sum(axis=1) * counts.unit + pseudo.sum()
    for k in np.flatnonzero(totals <= 0)[: counts.n_terms]:
        raise InputError(_FLAT_MODE, name=counts.classes[k])


def fit_seen(fit: Callable[..., LinearScorer], counts: ClassCounts, alpha: Any, **options: Any) -> LinearScorer:
    """Fit to the terms that occur; the others have weight 0."""
    seen = np.flatnonzero(np.asarray(counts.terms.sum(axis=0)) > 0)
    if len(seen) == counts.n_terms:
        return fit(counts, alpha, **options)
    of_seen = np.asarray(alpha)[seen] if np.ndim(alpha) else alpha
    scorer = fit(counts.selected(seen), of_seen, **options)
    by_term = np.zeros((counts.n_terms, counts.n_classes))
    by_term[seen] = scorer.by_term
    return LinearScorer(by_term, scorer.bias)


def left_out(rows: LeftOut, alpha: ArrayLike) -> Floats:
    """Left-out log likelihood of each document under each class, (D, C): eq. (3) without the prior."""
    counts = rows.counts
    alpha = np.broadcast_to(as_alpha(alpha, counts.n_terms), counts.n_terms)
    table, place, _, log_totals = LogTotals.of(rows, alpha, complement=False)
    scores = (rows.known[:, rows.terms] * counts.unit) @ log_of(table + alpha[rows.terms, np.newaxis])
    document, of_class, copies = rows.pairs
    own = rows.known[document]
    pair, there, values = np.repeat(np.arange(len(document)), np.diff(own.indptr)), own.indices, own.data * counts.unit
    others = np.maximum(table[place[there], of_class[pair]] - copies[pair] * values, 0.0)
    scores[document, of_class] = np.bincount(pair, values * log_of(others + alpha[there]), len(document))
    return np.asarray(scores - rows.known_lengths[:, np.newaxis] * log_totals)


def check_size(counts: ClassCounts) -> None:
    """Refuse a table of weights that is too large for the memory."""
    if counts.n_terms * counts.n_classes > _MAX_WEIGHTS:
        raise InputError(_TOO_MANY_WEIGHTS, n_classes=counts.n_classes, n_terms=counts.n_terms)


def _fit(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found, counts = statistics.smoothing(alpha), statistics.counts
    scorer = fit(counts, found.alpha, prior, **options)
    return Fit(scorer, found, totals=smoothed_totals(counts, found.alpha, options["estimate"]))


def smoothed_totals(counts: ClassCounts, alpha: ArrayLike, estimate: str = "mean") -> list[float] | None:
    """Divisors of eq. (2) or (4); None if there is no smoothing, because rounding would show in what follows them."""
    pseudo = np.broadcast_to(as_alpha(alpha, counts.n_terms), counts.n_terms) - (estimate == "map")
    if not (pseudo > 0).all():
        return None
    return [float(total) for total in counts.terms.sum(axis=1) * counts.unit + pseudo.sum()]


def _follow(fit: Fit, changes: Changes, bias: Floats, _: Options) -> LinearScorer | None:
    by_term = log_proportions(cast("LinearScorer", fit.scorer).by_term, fit.totals, changes, changes.weights)
    return None if by_term is None else LinearScorer(by_term, bias)


def _left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return left_out(rows, alpha - (options["estimate"] == "map"))


MODEL = Model(
    name="multinomial",
    help="multinomial naive Bayes: a document is a sequence of terms",
    fit=_fit,
    left_out=_left_out,
    follow=_follow,
    weightings=weightings_from("log"),
    alphas=(*ALPHAS, LOG_LOSS),
    accepts_number=True,
    default_alpha="leave-one-out",
    analyzer={"terms": ("words", "chars")},
    options=by_name(
        Option("estimate", Choice(ESTIMATES), "mean", "mean or mode (map) of the posterior of the term probabilities")
    ),
    tried_alphas=("evidence", "evidence-unigram", "leave-one-out", *TRIED_ALPHAS),
)
