"""Complement naive Bayes: a class is scored by the counts of all other classes (Rennie et al. 2003).

    comp_kj  = total_j - tau_kj,   N_k = sum_j comp_kj,   A = sum_j alpha_j                             (1)
    theta_kj = (comp_kj + alpha_j) / (N_k + A)                                                          (2)
    w_kj     = -log theta_kj                                                                            (3)
    w_kj     = -log theta_kj * M / sum_j |log theta_kj|,  M the mean of these sums over the classes     (4)
               normalise="to-one" has M = 1, as the paper and scikit-learn do
    score_k  = log p(k) + sum_j x_j w_kj                                                                (5)

(4) is weight normalisation. The paper divides by the sum alone, which makes all scores of (5) tiny compared with the
prior. The factor M leaves the order of the classes without a prior unchanged and gives a prior its usual effect.
With complement=False theta is that of the class itself, and w = +log theta. A theta of 0 is refused: with alpha = 0,
a term that does not occur in two classes.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.errors import ParameterError
from textnb.models.changes import Changes, log_proportions, row_table
from textnb.models.left_out import LeftOut, LogTotals, class_table, left_out_logs
from textnb.models.model import TRIED_ALPHAS, Fit, Flag, Model, Option, Options, Statistics, by_name, weightings_from
from textnb.models.multinomial import check_size, fit_seen
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import LinearScorer
from textnb.models.smoothing import ALPHAS, LOG_LOSS
from textnb.numerics import Codes, Floats

TO_ONE = "to-one"
"""Normalisation of the weights of each class to the sum 1, without the factor M of eq. (4)."""


def fit(
    counts: ClassCounts,
    alpha: ArrayLike = 1.0,
    prior: Prior = "empirical",
    *,
    complement: bool = True,
    normalise: bool | str = False,
) -> LinearScorer:
    """Scorer of eq. (5). alpha: a number, or one per term (V,). normalise: False, True (eq. 4) or ``TO_ONE``.

    >>> scorer = fit(ClassCounts.of([[2, 0], [0, 1]], ["x", "y"]))
    >>> np.exp(-scorer.weights)
    array([[0.33333333, 0.66666667],
           [0.75      , 0.25      ]])
    """
    check_size(counts)
    by_term = class_table(counts.terms, counts.unit, complement)  # one array (V, C), whatever becomes of it
    by_term += as_alpha(alpha, counts.n_terms)[:, np.newaxis]
    _check_positive(by_term)
    by_term /= by_term.sum(axis=0)
    np.log(by_term, out=by_term)
    if normalise:
        by_term *= _evened(np.abs(by_term).sum(axis=0), 1.0 if normalise == TO_ONE else None)
    if complement:
        np.negative(by_term, out=by_term)
    return LinearScorer(by_term, log_prior(prior, counts.classes, counts.documents))


def left_out(rows: LeftOut, alpha: ArrayLike, *, normalise: bool = False) -> Floats:
    """Left-out scores of each document, (D, C): eq. (5) without the prior.

    A left-out document is missing in the complements of all classes except its own.
    """
    counts = rows.counts
    alpha = np.broadcast_to(_positive(alpha, counts.n_terms), counts.n_terms)
    scores, change = np.empty_like(rows.copies), np.zeros_like(rows.copies)
    sums = LogTotals.of(rows, alpha, complement=True)
    of_all = (
        np.log(class_table(counts.terms, counts.unit, complement=True) + alpha[:, np.newaxis]) if normalise else None
    )
    for block, logs in left_out_logs(rows, alpha, sums):
        here = slice(block.first, block.last)
        if of_all is not None:
            change[here] = block.summed(logs - of_all[block.term])
        scores[here] = block.summed(logs, block.weight)
    scores -= rows.known_lengths[:, np.newaxis] * sums.log_totals
    if of_all is not None:
        n_terms = counts.n_terms - rows.lost(np.ones(1))
        lost = np.array([rows.lost(of_all[:, k]) for k in range(counts.n_classes)]).T.reshape(scores.shape)
        scores *= _evened(np.abs(of_all.sum(axis=0) - lost + change - n_terms[:, np.newaxis] * sums.log_totals))
    return -scores


def _evened(sums: Floats, total: float | None = None) -> Floats:
    """M / sums, eq. (4), along the last axis; 1 where a sum is 0 (a single term). total: in place of M."""
    mean = sums.mean(axis=-1, keepdims=True) if total is None else total
    return np.asarray(np.divide(mean, sums, out=np.ones_like(sums), where=sums > 0))


def _positive(alpha: ArrayLike, n_terms: int) -> Floats:
    values = as_alpha(alpha, n_terms)
    _check_positive(values)
    return values


def _check_positive(values: Floats) -> None:
    if not (values > 0).all():
        raise ParameterError(
            "complement naive Bayes needs an alpha above 0; otherwise a term of one class decides alone"
        )


def _fit(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = statistics.smoothing(alpha)
    counts = statistics.counts
    if np.ndim(found.alpha):  # it is 0 for terms of idf 0
        scorer = fit_seen(fit, counts, found.alpha, prior=prior)
    else:
        scorer = fit(counts, found.alpha, prior)
    factors = _evened(scorer.by_term.sum(axis=0)) if options["weight_norm"] else None
    if factors is not None:
        scorer = LinearScorer(scorer.by_term * factors, scorer.bias)
    totals = smoothed_totals(counts, found.alpha)
    return Fit(scorer, found, totals=totals, factors=None if factors is None else factors.tolist())


def smoothed_totals(counts: ClassCounts, alpha: ArrayLike) -> list[float]:
    """N_k + A of eq. (2), for each class."""
    own = counts.terms.sum(axis=1) * counts.unit
    total = own.sum() + np.broadcast_to(as_alpha(alpha, counts.n_terms), counts.n_terms).sum()
    return [float(total - each) for each in own]


def followed(log_theta: Floats, totals: Sequence[float] | None, changes: Changes) -> Floats | None:
    """Table of log theta (V, C) whose counts follow corrections: those of a class are added to all other classes."""
    of_others = changes.weights.sum(axis=1, keepdims=True) - changes.weights
    return log_proportions(log_theta, totals, changes, of_others)


def _follow(fit: Fit, changes: Changes, bias: Floats, _: Options) -> LinearScorer | None:
    stored = cast("LinearScorer", fit.scorer).by_term
    factors = 1.0 if fit.factors is None else np.array(fit.factors)
    before = row_table(lambda rows: -np.asarray(stored[rows], np.float64) / factors, stored.shape)
    log_theta = followed(before, fit.totals, changes)
    if log_theta is None:
        return None

    def rows(columns: Codes) -> Floats:
        is_unused = (stored[columns] == 0).all(axis=1, keepdims=True)  # a term of idf 0
        return np.where(is_unused, 0.0, -log_theta[columns])

    weights = row_table(rows, stored.shape)
    if fit.factors is not None:
        whole = weights[:]
        weights = whole * _evened(whole.sum(axis=0))
    return LinearScorer(weights, bias)


def _left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    if np.ndim(alpha):
        seen = np.flatnonzero(alpha)
        rows, alpha = rows.selected(seen), alpha[seen]
    return left_out(rows, alpha, normalise=options["weight_norm"])


MODEL = Model(
    name="complement",
    help="complement naive Bayes: a class is known by what the other classes are like",
    fit=_fit,
    left_out=_left_out,
    follow=_follow,
    weightings=weightings_from("log"),
    alphas=(*ALPHAS, LOG_LOSS),
    accepts_number=True,
    default_alpha=1.0,
    analyzer={"terms": ("words", "chars")},
    options=by_name(Option("weight_norm", Flag(), False, "scale the weights of all classes to one sum", (False, True))),
    tried_alphas=("evidence", "leave-one-out", *TRIED_ALPHAS),
)
