"""Least squares for classification: the classes as targets of a ridge regression, one column of zeros and ones each.

    t_ik = 1 where document i is of class k, else 0                                                        (1)
    E    = sum_i w_i |W x_i + b - t_i|^2 / 2 + l2 |W|^2 / 2         W (C, V), b (C,) is not penalised      (2)
    W    = argmin of E about the means,  b = mean(t) - W mean(x)    means weighted by w                    (3)
    score_k(x) = W_k x + b_k                                                                               (4)

The scores of a document sum to 1, whatever l2 is, since those of the targets do and b is free; they are not
probabilities: they may be negative or above 1. l2 = 0 is ordinary least squares, of least |W| where several W are
best (V > D). A constant column has weight 0; one class has W = 0 and b = 1; a class without documents scores 0.
``systems.py`` says how (3) is solved, and in which memory.
"""

from typing import Any

import numpy as np

from textnb.models.linear.centred import Centred
from textnb.models.linear.systems import regression
from textnb.models.model import TRIED_L2, Fit, Model, Need, Number, Option, Options, Statistics, weightings_from
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.scorer import LinearScorer
from textnb.numerics import as_number


def fit_rows(data: Labelled, l2: float, solver: str | None = None) -> LinearScorer:
    """Scorer of eq. (4) fitted to labelled rows.

    solver: ``primal``, ``dual``, ``iterative``, or None for the one that suits the shape of X.

    >>> scorer = fit_rows(Labelled.of([[0.0], [1.0], [2.0]], ["x", "x", "y"]), l2=0)
    >>> scorer.joint_log_scores(np.array([[0.0], [2.0]])).round(3)
    array([[ 1.167, -0.167],
           [ 0.167,  0.833]])
    """
    l2, data = as_number(l2, "l2", low=0), data.some
    together = np.zeros(len(data.y), np.intp)
    moments = data.moments(together, 1)
    shares = data.documents / data.documents.sum()
    Z = Centred.around(moments, data.X, together, data.weight)
    by_term = regression(Z, np.eye(len(shares))[data.y] - shares, l2, solver)
    return LinearScorer(by_term, shares - moments.means[0] @ by_term)


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    return Fit(fit_rows(statistics.documents, options["l2"]).in_single_precision, includes_prior=False)


L2 = Option("l2", Number(low=0), 0.1, "strength of the L2 penalty", TRIED_L2)

MODEL = Model(
    name="least-squares",
    help="ridge regression on class indicators",
    fit=_fit,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS}),
    options={"l2": L2},
)
