"""Multinomial logistic regression as an estimator.

Bayesian logistic regression as an estimator.

A linear model of terms weighed by naive Bayes log-count ratios, as an estimator.
"""

import warnings
from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.matrix import CSR
from textnb.errors import ConvergenceWarning, InputError
from textnb.estimators.gaussian import RealRows
from textnb.estimators.linear import LinearClassifier
from textnb.estimators.scikit_learn import as_count_rows, counterpart, outside
from textnb.models.logistic import bayes_logistic, logistic, nb_logistic
from textnb.models.prior import ClassWeight, class_weighted, is_balanced
from textnb.models.rows import Labelled
from textnb.models.scorer import ScaledScorer
from textnb.numerics import Floats


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
        settings = logistic.LogisticSettings(self.l2, self.solver, self.tol, self.max_iter)
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
    4,000 rows of 9 classes, or some 12,000 weights; beyond that an estimate (``textnb.models.logistic.laplace``).

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


_OF_PROBABILITIES = ("predict_proba", "predict_log_proba", "predict_joint_log_proba")


class NBLogistic(LinearClassifier):
    """A linear model on naive Bayes features (Wang and Manning 2012) over count matrices, X (D, V), dense or sparse.

        z_i  = (b_i * s) / |b_i * s|          b_ij = 1 where x_ij > 0, s_j = max_k |r_kj|
        r_kj = log of the share of term j in class k, over its share in all other classes; counts of rows, plus a
        loss = sum_i w_i loss(y_i, W z_i + b) + l2/2 |W|^2

    l2: the strength of the penalty, or ``cv``: by cross-validation on the rows, in four folds that are dealt by what
    the rows contain, on a path from strong to weak; terms and ratios are learnt anew in every fold. Or ``evidence``: by
    the probability of the labels, as in BayesianLogistic; quicker, and for the logistic loss only. loss: ``logistic``,
    or ``squared-hinge``, a linear support vector machine, which has scores and no probabilities. a: what is added to
    the counts. min_df: terms of fewer rows are left out; ``auto`` is 2, or 1 where that would leave a row fewer than 10
    terms on average. prune: the share of terms to keep, those with the largest weights, on which it is fitted again.
    class_weight weighs rows in the loss, as in LogisticRegression; sample_weight also in the counts. tol: how far all
    weights may be from the minimum, relative to their norm; None is 0.01, and 0.1 for the squared hinge, whose bound is
    wide. max_iter: steps after which it ends with a ConvergenceWarning.

    After fit: ``l2_``; ``min_df_``; ``scale_`` (V,), 0 for terms not in use; ``coef_`` (C, V), of z, and ``intercept_``
    (C,); ``n_iter_``; ``converged_``; ``path_``, what was tried: ``strengths``, ``losses`` held out, ``best``, and the
    ``scores`` (D, C) of the rows held out; None where there was no search.

    >>> X, y = [[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]], ["cat", "cat", "dog", "dog"]
    >>> model = NBLogistic().fit(X, y)
    >>> model.predict([[1, 0, 3], [0, 1, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.scale_.round(3).tolist(), model.path_.strengths[model.path_.best] == model.l2_
    ([1.099, 1.099, 0.0], True)
    """

    def __init__(  # noqa: PLR0913  # each is a choice of its own; all but the first by name
        self,
        l2: float | str = "cv",
        *,
        loss: str = "logistic",
        a: float = 1.0,
        min_df: float | str = "auto",
        prune: float | None = None,
        class_weight: ClassWeight = None,
        tol: float | None = None,
        max_iter: int = 1000,
    ) -> None:
        self.l2, self.loss, self.a, self.min_df, self.prune = l2, loss, a, min_df, prune
        self.class_weight, self.tol, self.max_iter = class_weight, tol, max_iter

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_PROBABILITIES and object.__getattribute__(self, "loss") == "squared-hinge":
            raise AttributeError(f"NBLogistic with the squared hinge has no {name}: it has no probabilities")
        return super().__getattribute__(name)

    @property
    def scale_(self) -> Floats:
        """s (V,)."""
        scorer: ScaledScorer = self._fitted_scorer
        return scorer.scale

    def _as_rows(self, matrix: Any) -> CSR:
        return as_count_rows(matrix, type(self).__name__)

    def _statistics(self, rows: CSR, y: Any, sample_weight: ArrayLike | None) -> Labelled:
        return Labelled.of_checked(rows, y, None, sample_weight)

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        settings = nb_logistic.NBLogisticSettings(
            self.l2, self.loss, self.a, self.min_df, self.prune, self.tol, self.max_iter
        )
        weight = class_weighted(rows.weight, rows.y, rows.classes, self.class_weight)
        found = nb_logistic.solution(rows.X, rows.y, rows.weight, weight, len(rows.classes), settings)
        if found.trouble:
            warnings.warn(found.trouble, counterpart(ConvergenceWarning), stacklevel=outside())
        return {
            "scorer_": found.scorer,
            "l2_": found.l2,
            "min_df_": found.min_df,
            "path_": found.path,
            "n_iter_": found.iterations,
            "converged_": found.converged,
        }

    def _text_recipe(self) -> dict[str, Any]:
        if (self.a, self.min_df) != (1.0, "auto"):
            raise InputError("for texts a is 1, and min_df is the Analyzer's: leave both as they are")
        options = {"l2": self.l2, "loss": self.loss, "prune": 1.0 if self.prune is None else self.prune}
        return {"model": "nb-logistic", "options": {**options, "balanced": is_balanced(self.class_weight)}}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # its yardstick is two clouds of points, which are no counts
        return tags
