"""Bayesian logistic regression as an estimator."""

import warnings
from typing import Any

from textnb.errors import ConvergenceWarning
from textnb.estimators.inputs import outside
from textnb.estimators.linear import LinearClassifier
from textnb.estimators.real_rows import RealRows
from textnb.estimators.scikit_learn import counterpart
from textnb.models import bayes_logistic
from textnb.models.class_weight import ClassWeight, class_weighted, is_balanced
from textnb.models.labelled import Labelled


class BayesianLogistic(RealRows, LinearClassifier):
    """Bayesian logistic regression over numbers of either sign, X (D, V), dense or sparse.

        p(k|x) = exp(kappa(x) a_k) / sum_l exp(kappa(x) a_l),   a_k = W_k x + b_k
        kappa(x) = 1 / sqrt(1 + pi s^2(x) / 8)

    W and b are those of ``LogisticRegression``; s^2(x) is how uncertain the differences of scores are by Laplace's
    approximation. So a row unlike all that were learnt from gets a modest answer. The likeliest class stays the same.

    l2: the precision of the prior, above 0, or ``evidence``, which finds the one that makes the labels most probable,
    on at most 600 rows. tol and max_iter are those of ``LogisticRegression``, and so is class_weight.

    After fit: ``l2_``; ``log_evidence_`` (Laplace) and ``bic_``, both the larger the better; ``coef_`` (C, V) and
    ``intercept_`` (C,) before moderation; ``n_iter_``; ``converged_``. With V > D the rows are kept. Exact up to some
    4,000 rows of 9 classes, or some 12,000 weights; beyond that an estimate (``textnb.models.laplace``).

    It is meant for measurements, and for comparing models by their evidence. Texts get answers that are far too modest:
    for them ``LogisticRegression`` is the better calibrated.

    >>> X, y = [[0.2, -1.0], [0.1, -0.5], [-0.3, 1.0], [0.0, 2.0]], ["down", "down", "up", "up"]
    >>> model = BayesianLogistic(l2=1.0).fit(X, y)
    >>> model.predict_proba([[0.0, 1.0], [0.0, 10.0]]).round(3)
    array([[0.338, 0.662],
           [0.093, 0.907]])
    >>> round(model.log_evidence_, 3)
    -4.111
    """

    def __init__(
        self,
        l2: float | str = "evidence",
        *,
        tol: float = 1e-5,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
    ) -> None:
        self.l2, self.tol, self.max_iter, self.class_weight = l2, tol, max_iter, class_weight

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = bayes_logistic.solution(
            rows.X, rows.y, weight, len(rows.classes), self.l2, tol=self.tol, max_iter=self.max_iter
        )
        if found.fit.trouble:
            warnings.warn(found.fit.trouble, counterpart(ConvergenceWarning), stacklevel=outside())
        return {
            "scorer_": found.scorer,
            "l2_": found.l2,
            "log_evidence_": found.evidence.log_evidence,
            "bic_": found.evidence.bic,
            "n_iter_": found.fit.iterations,
            "converged_": found.fit.converged,
        }

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "bayes-logistic", "options": {"l2": self.l2, "balanced": is_balanced(self.class_weight)}}
