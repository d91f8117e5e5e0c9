"""What estimators share whose scores are linear in the rows, or in what they make of them."""

from typing import Any

import numpy as np

from textnb.errors import NotFittedError
from textnb.estimators.classifier import Classifier
from textnb.estimators.scikit_learn import counterpart
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats


class LinearClassifier(Classifier):
    """A classifier with weights W (C, V) and a bias b (C,), one row for every class."""

    def decision_function(self, X: Any) -> Floats:
        """The scores, (D, C); of two classes that of the second less that of the first, (D,)."""
        rows = self._asked(X)
        scores = self.scorer_.joint_log_scores(rows)
        return np.asarray(scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores)

    @property
    def coef_(self) -> Floats:
        """W (C, V)."""
        return self._linear.weights

    @property
    def intercept_(self) -> Floats:
        """b (C,)."""
        return self._linear.bias

    @property
    def _linear(self) -> LinearScorer:
        """The fitted linear scorer: the model's own, or the one within it."""
        scorer = self._fitted_scorer
        linear: LinearScorer = getattr(scorer, "linear", scorer)
        return linear

    @property
    def _fitted_scorer(self) -> Any:
        if "scorer_" not in vars(self):
            raise counterpart(NotFittedError)(f"this {type(self).__name__} has not been fitted; call fit first")
        return self.scorer_
