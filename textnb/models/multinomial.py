"""Multinomial naive Bayes: a document is a sequence of terms, drawn one by one from its class.

    tau_kj  = count of term j in class k,   N_k = sum_j tau_kj,   A = sum_j alpha_j                    (1)
    p(j|k)  = (tau_kj + alpha_j) / (N_k + A)          the posterior mean under a Dirichlet(alpha)      (2)
    score_k = log p(k) + sum_j x_j log p(j|k)                                                          (3)

A constant alpha is additive smoothing. alpha = 0 is maximum likelihood: a term that a class never had has
log p = -inf there, and a class without any term allows none.
"""

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.errors import InputError
from textnb.models.left_out import LeftOut
from textnb.models.prior import Prior, log_prior
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats, log_of

_MOST_WEIGHTS = 2**30  # 8 GiB


def fit(counts: ClassCounts, alpha: ArrayLike = 1.0, prior: Prior = "empirical") -> LinearScorer:
    """The scorer of eq. (3). alpha: a number, or one a term (V,); none negative.

    >>> scorer = fit(ClassCounts.of([[2, 0], [0, 1]], ["x", "y"]), alpha=1.0)
    >>> np.exp(scorer.weights)
    array([[0.75      , 0.25      ],
           [0.33333333, 0.66666667]])
    """
    check_size(counts)
    alpha = as_alpha(alpha, counts.n_terms)
    terms, n_classes = counts.terms, counts.n_classes
    sum_alpha = alpha.sum() if len(alpha) == counts.n_terms else alpha[0] * counts.n_terms
    totals = terms.sum(axis=1) * counts.unit + sum_alpha  # N_k + A, (C,)
    log_totals = np.where(totals > 0, log_of(totals), 0.0)
    by_term = np.empty((counts.n_terms, n_classes))
    by_term[:] = log_of(alpha)[:, np.newaxis] - log_totals  # as if no class had any term
    rows = np.repeat(np.arange(n_classes), np.diff(terms.indptr))
    smoothed = terms.data * counts.unit + (alpha if len(alpha) == 1 else alpha[terms.indices])
    by_term.reshape(-1)[terms.indices.astype(np.intp) * n_classes + rows] = np.log(smoothed) - log_totals[rows]
    return LinearScorer(by_term, log_prior(prior, counts.classes, counts.documents))


def left_out(rows: LeftOut, alpha: ArrayLike) -> Floats:
    """The log likelihood of each document under each class without it, (D, C): eq. (3) without the prior."""
    counts = rows.counts
    alpha = as_alpha(alpha, counts.n_terms)
    sums = np.asarray(counts.terms.sum(axis=1)) * counts.unit
    rest = float(np.broadcast_to(alpha, counts.n_terms).sum()) - rows.lost(alpha)  # A, of the terms still known
    totals = sums - rows.own * rows.lengths[:, np.newaxis] + rest[:, np.newaxis]
    table = counts.terms.toarray().T * counts.unit  # (V, C)
    scores = (rows.known * counts.unit) @ log_of(table + alpha[:, np.newaxis])
    there, values = rows.known.indices, rows.known.data * counts.unit
    others = np.maximum(table[there, rows.y[rows.row]] - values, 0.0)
    own = np.bincount(rows.row, values * log_of(others + np.broadcast_to(alpha, counts.n_terms)[there]), len(rows.y))
    scores[rows.own] = own
    return np.asarray(scores - rows.known_lengths[:, np.newaxis] * log_of(np.where(totals > 0, totals, 1.0)))


def check_size(counts: ClassCounts) -> None:
    """Refuse a table of weights that no memory holds."""
    if counts.n_terms * counts.n_classes > _MOST_WEIGHTS:
        raise InputError(
            f"{counts.n_classes:,} classes times {counts.n_terms:,} terms are too many weights; are these the labels? "
            "if so, use fewer terms (max_terms, min_df)"
        )


def as_alpha(alpha: ArrayLike, n_terms: int) -> Floats:
    """alpha as (1,) or (V,); refused where it is negative, not finite or of another length."""
    try:
        values = np.asarray(alpha, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"alpha must be a number or one a term, not {alpha!r}") from None
    if values.shape not in ((), (n_terms,)):
        raise InputError(f"alpha must be a number or {n_terms} of them, one a term, not shape {values.shape}")
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise InputError(f"alpha must be finite and not negative, not {alpha!r}")
    return np.atleast_1d(values)
