"""Gaussian naive Bayes as an estimator."""

from __future__ import annotations

from typing import Any

from textnb.counts.labels import Labels, Weights
from textnb.counts.moments import ClassMoments
from textnb.errors import InputError
from textnb.estimators.learner import Classifier, Incremental, RealRows
from textnb.models import gaussian
from textnb.models.prior import Prior

_DEFAULT_FLOOR = 1e-9


class GaussianNB(RealRows, Incremental, Classifier):
    """Gaussian naive Bayes over measurements X (D, F), dense or sparse.

        p(k|x) ~ p(k) prod_j N(x_j; mu_kj, s2_kj)

    Parameters
    ----------
    variance : {"feature", "class"}
        One s2 per class and feature, or one per class: the mean of (x - mu)^2 over its documents and features.
    floor : float
        This times the largest variance of a feature over all documents is added to every s2 (this itself if all
        features are constant); 0 refuses constant features.
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    scorer_ : GaussianScorer
        Means and variances are ``scorer_.means`` and ``scorer_.variances`` (C, F).

    Notes
    -----
    Differences from scikit-learn: ``variance``; sparse X; the floor (``var_smoothing``) is computed from all rows seen
    so far, by weight, so that ``partial_fit`` in parts gives what ``fit`` gives on the whole.

    Examples
    --------
    >>> model = GaussianNB().fit([[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['low', 'high'], dtype='<U4')
    >>> model.scorer_.means.round(3)
    array([[ 2.  ,  0.2 ],
           [-1.5 ,  0.15]])
    """

    _text_model = "gaussian"

    def __init__(self, variance: str = "feature", floor: float = _DEFAULT_FLOOR, prior: Prior = "empirical") -> None:
        self.variance, self.floor, self.prior = variance, floor, prior

    def _statistics(self, rows: Any, y: Labels, sample_weight: Weights | None) -> ClassMoments:
        return ClassMoments.of(rows, y, sample_weight=sample_weight)

    def _fitted(self, moments: ClassMoments) -> dict[str, Any]:
        return {"scorer_": gaussian.fit(moments, self.variance, self.floor, self.prior)}

    def _text_recipe(self) -> dict[str, Any]:
        if self.floor != _DEFAULT_FLOOR:
            raise InputError("for texts the Gaussian model sets the floor itself; leave floor at its default")
        return super()._text_recipe()
