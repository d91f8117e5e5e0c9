"""Multinomial logistic regression as an estimator."""

import warnings
from typing import Any

from textnb.errors import ConvergenceWarning
from textnb.estimators.inputs import outside
from textnb.estimators.linear import LinearClassifier
from textnb.estimators.real_rows import RealRows
from textnb.estimators.scikit_learn import counterpart
from textnb.models import logistic
from textnb.models.class_weight import ClassWeight, class_weighted, is_balanced
from textnb.models.labelled import Labelled


class LogisticRegression(RealRows, LinearClassifier):
    """Multinomial logistic regression over numbers of either sign, X (D, V), dense or sparse.

        p(k|x) = exp(W_k x + b_k) / sum_l exp(W_l x + b_l)
        loss   = - sum_i w_i log p(y_i|x_i) + l2/2 |W|^2

    l2: the strength of the penalty, 0 for none; the bias b is not penalised. solver: ``newton`` (exact where there are
    few weights, else by conjugate gradients), ``lbfgs``, or ``gradient`` (steepest descent, slow). It ends where the
    norm of the gradient is tol times that at the start, or after max_iter steps with a ConvergenceWarning; rounding
    keeps ``lbfgs`` from a tol much below 1e-7. class_weight: ``balanced`` gives all classes one sum of weights; or
    numbers by class, 1 for those not named; they multiply sample_weight.

    After fit: ``coef_`` (C, V) and ``intercept_`` (C,), one row for every class, and of sum 0 over the classes;
    ``n_iter_``; ``converged_``; ``loss_`` and ``gradient_norm_`` at the end.

    Other than scikit-learn's: l2 = 1 / C; two classes have two rows of weights, so that equal answers need l2 = 2 / C;
    no other penalties, no ``fit_intercept``; ``balanced`` minds sample_weight; what has no finite optimum (l2 = 0 and
    rows that can be separated) is told of.

    >>> X, y = [[0.2, -1.0], [0.1, -0.5], [-0.3, 1.0], [0.0, 2.0]], ["down", "down", "up", "up"]
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict([[0.0, -2.0], [0.0, 1.0]])
    array(['down', 'up'], dtype='<U4')
    >>> model.decision_function([[0.0, -2.0], [0.0, 1.0]]).round(3)
    array([-3.256,  0.917])
    """

    def __init__(
        self,
        l2: float = 1.0,
        *,
        solver: str = "newton",
        tol: float = 1e-5,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
    ) -> None:
        self.l2, self.solver, self.tol, self.max_iter, self.class_weight = l2, solver, tol, max_iter, class_weight

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        settings = logistic.Settings(self.l2, self.solver, self.tol, self.max_iter)
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = logistic.solution(rows.X, rows.y, weight, len(rows.classes), settings)
        if found.trouble:
            warnings.warn(found.trouble, counterpart(ConvergenceWarning), stacklevel=outside())
        return {
            "scorer_": found.scorer,
            "n_iter_": found.iterations,
            "converged_": found.converged,
            "loss_": found.value,
            "gradient_norm_": found.gradient_norm,
        }

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "logistic", "options": {"l2": self.l2, "balanced": is_balanced(self.class_weight)}}
