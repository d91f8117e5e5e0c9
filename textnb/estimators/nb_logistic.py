"""A linear model of terms weighed by naive Bayes log-count ratios, as an estimator."""

import warnings
from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.matrix import CSR
from textnb.errors import ConvergenceWarning, InputError
from textnb.estimators.inputs import as_count_rows, outside
from textnb.estimators.linear import LinearClassifier
from textnb.estimators.scikit_learn import counterpart
from textnb.models import nb_logistic
from textnb.models.class_weight import ClassWeight, class_weighted, is_balanced
from textnb.models.labelled import Labelled
from textnb.models.scaled_scorer import ScaledScorer
from textnb.numerics import Floats

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
        settings = nb_logistic.Settings(self.l2, self.loss, self.a, self.min_df, self.prune, self.tol, self.max_iter)
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
