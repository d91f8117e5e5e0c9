"""Categorical naive Bayes: every column has one of its values, independently of the other columns given the class.

    N_kjv  = documents of class k with value v in column j,  N_k = documents of class k                (1)
    p(v|k) = (N_kjv + alpha) / (N_k + alpha M_j)             M_j: the number of values of column j     (2)
    p(k|x) = p(k) prod_j p(x_j|k) / sum_l p(l) prod_j p(x_j|l)                                         (3)

alpha = 0 is maximum likelihood: a value that a class never had has log p = -inf in it. M_j counts the values seen in
training. The factor of any other value is 1 for every class: an unknown column is summed out, sum_v p(v|k) = 1. The
factor alpha / (N_k + alpha M_j) would favour the class with the fewest documents.
"""

import numpy as np

from textnb.counts.contingency import Contingency
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import LinearScorer
from textnb.numerics import log_of


def fit(tables: Contingency, alpha: float = 1.0, prior: Prior = "empirical") -> LinearScorer:
    """Scorer of eq. (3) over ``tables.indicators(X)``, with the weights log p(v|k).

    >>> tables = Contingency.of([["red"], ["red"], ["blue"]], ["x", "x", "y"])
    >>> np.exp(fit(tables, alpha=1.0).weights)
    array([[0.25      , 0.75      ],
           [0.66666667, 0.33333333]])
    """
    smoothing = float(as_alpha(alpha, 1)[0])
    by_value = [np.empty((0, len(tables.classes)))]
    for table in tables.tables:
        totals = tables.documents + smoothing * table.shape[1]
        by_value.append((log_of(table + smoothing) - np.where(totals > 0, log_of(totals), 0.0)[:, np.newaxis]).T)
    return LinearScorer(np.concatenate(by_value), log_prior(prior, tables.classes, tables.documents))
