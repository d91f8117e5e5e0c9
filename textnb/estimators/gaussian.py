"""Gaussian naive Bayes as an estimator.

What learners of measurements share that need the rows themselves.
"""

from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.moments import ClassMoments, as_reals
from textnb.errors import InputError
from textnb.estimators.learner import IncrementalClassifier, Learner
from textnb.models import gaussian
from textnb.models.prior import Prior
from textnb.models.rows import Labelled


class GaussianNB(IncrementalClassifier):
    """Gaussian naive Bayes over measurements, X (D, F), dense or sparse.

        p(k|x) ~ p(k) prod_j N(x_j; mu_kj, s2_kj)

    variance: ``feature`` has one s2 for each class and feature; ``class`` one for each class, the mean of (x - mu)^2
    over its documents and features. floor: this times the largest variance of a feature over all documents is added
    to every s2 (this times 1 where all are constant); 0 refuses constant features. prior: ``empirical`` (shares of
    documents), ``uniform``, or given, one a class.

    After fit the means and variances are ``scorer_.means`` and ``scorer_.variances`` (C, F).

    Other than scikit-learn's: ``variance``; sparse X; floor (``var_smoothing``) is taken from all rows seen so far, by
    their weights, so that parts of partial_fit give what the whole gives; classes may come up in any call.

    >>> model = GaussianNB().fit([[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['low', 'high'], dtype='<U4')
    >>> model.scorer_.means.round(3)
    array([[ 2.  ,  0.2 ],
           [-1.5 ,  0.15]])
    """

    def __init__(self, variance: str = "feature", floor: float = 1e-9, prior: Prior = "empirical") -> None:
        self.variance, self.floor, self.prior = variance, floor, prior

    def _as_rows(self, matrix: Any) -> Any:
        return as_reals(matrix)

    def _statistics(self, rows: Any, y: Any, sample_weight: ArrayLike | None) -> ClassMoments:
        return ClassMoments.of(rows, y, sample_weight=sample_weight)

    def _fitted(self, moments: ClassMoments) -> dict[str, Any]:
        return {"scorer_": gaussian.fit(moments, self.variance, self.floor, self.prior)}

    def _text_recipe(self) -> dict[str, Any]:
        if self.floor != 1e-9:
            raise InputError("for texts the floor of the Gaussian model is its own; leave it as it is")
        return {"model": "gaussian", "prior": self.prior, "options": {"variance": self.variance}}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RealRows(Learner):
    """A learner of X (D, V), dense or sparse, of either sign."""

    def _as_rows(self, matrix: Any) -> Any:
        return as_reals(matrix)

    def _statistics(self, rows: Any, y: Any, sample_weight: ArrayLike | None) -> Labelled:
        return Labelled.of_checked(rows, y, None, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
