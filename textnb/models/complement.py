"""Complement naive Bayes: a class is scored by the counts of all other classes (Rennie et al. 2003).

    comp_kj  = total_j - tau_kj,   N_k = sum_j comp_kj,   A = sum_j alpha_j                             (1)
    theta_kj = (comp_kj + alpha_j) / (N_k + A)                                                          (2)
    w_kj     = -log theta_kj                                                                            (3)
    w_kj     = -log theta_kj * M / sum_j |log theta_kj|,  M the mean of these sums over the classes     (4)
    score_k  = log p(k) + sum_j x_j w_kj                                                                (5)

(4) is weight normalisation. The paper divides by the sum alone, which makes all scores of (5) tiny compared with the
prior. The factor M leaves the order of the classes without a prior unchanged and gives a prior its usual effect.
With complement=False theta is that of the class itself, and w = +log theta.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.errors import ParameterError
from textnb.models.left_out import LeftOut, LogTotals, class_table, left_out_log_p
from textnb.models.model import TRIED_ALPHAS, Fit, Flag, Model, Option, Options, Statistics, by_name, weightings_from
from textnb.models.multinomial import check_size, fit_seen
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import LinearScorer
from textnb.models.smoothing import ALPHAS, LOG_LOSS
from textnb.numerics import Floats


def fit(
    counts: ClassCounts,
    alpha: ArrayLike = 1.0,
    prior: Prior = "empirical",
    *,
    complement: bool = True,
    normalise: bool = False,
) -> LinearScorer:
    """Scorer of eq. (5). alpha: a number, or one per term (V,), all positive.

    >>> scorer = fit(ClassCounts.of([[2, 0], [0, 1]], ["x", "y"]))
    >>> np.exp(-scorer.weights)
    array([[0.33333333, 0.66666667],
           [0.75      , 0.25      ]])
    """
    check_size(counts)
    alpha = _positive(alpha, counts.n_terms)
    smoothed = class_table(counts, complement) + alpha[:, np.newaxis]
    by_term = np.log(smoothed / smoothed.sum(axis=0))
    if normalise:
        by_term *= _evened(np.abs(by_term).sum(axis=0))
    return LinearScorer(-by_term if complement else by_term, log_prior(prior, counts.classes, counts.documents))


def left_out(rows: LeftOut, alpha: ArrayLike, *, normalise: bool = False) -> Floats:
    """Left-out scores of each document, (D, C): eq. (5) without the prior.

    A left-out document is missing in the complements of all classes except its own.
    """
    counts = rows.counts
    alpha = np.broadcast_to(_positive(alpha, counts.n_terms), counts.n_terms)
    scores, change = np.empty_like(rows.copies), np.zeros_like(rows.copies)
    logs, log_totals = None, None
    if normalise:
        logs = np.log(class_table(counts, complement=True) + alpha[:, np.newaxis])  # (V, C)
        log_totals = LogTotals.of(rows, alpha, complement=True).log_totals
    for block, log_p in left_out_log_p(rows, alpha, complement=True):
        here = slice(block.first, block.last)
        scores[here] = block.summed(block.weight[:, np.newaxis] * log_p)
        if logs is not None and log_totals is not None:
            change[here] = block.summed(log_p + log_totals[block.row + block.first] - logs[block.term])
    if logs is not None and log_totals is not None:
        n_terms = counts.n_terms - rows.lost(np.ones(1))
        lost = np.array([rows.lost(logs[:, k]) for k in range(counts.n_classes)]).T.reshape(scores.shape)
        scores *= _evened(np.abs(logs.sum(axis=0) - lost + change - n_terms[:, np.newaxis] * log_totals))
    return -scores


def _evened(sums: Floats) -> Floats:
    """M / sums, eq. (4), along the last axis; 1 where a sum is 0 (a single term)."""
    mean = sums.mean(axis=-1, keepdims=True)
    return np.asarray(np.divide(mean, sums, out=np.ones_like(sums), where=sums > 0))


def _positive(alpha: ArrayLike, n_terms: int) -> Floats:
    values = as_alpha(alpha, n_terms)
    if not (values > 0).all():
        raise ParameterError(
            "complement naive Bayes needs an alpha above 0; otherwise a term of one class decides alone"
        )
    return values


def _fit(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = statistics.smoothing(alpha)
    counts, chosen = statistics.counts, {"prior": prior, "normalise": options["weight_norm"]}
    if np.ndim(found.alpha):  # it is 0 for terms of idf 0
        return Fit(fit_seen(fit, counts, found.alpha, **chosen), found)
    return Fit(fit(counts, found.alpha, **chosen), found)


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
    weightings=weightings_from("log"),
    alphas=(*ALPHAS, LOG_LOSS),
    accepts_number=True,
    options=by_name(Option("weight_norm", Flag(), False, "scale the weights of all classes to one sum", (False, True))),
    tried_alphas=("evidence", *TRIED_ALPHAS),
)
