"""The Gaussian discriminant as an estimator."""

from typing import Any

from textnb.estimators.classifier import IncrementalClassifier
from textnb.estimators.real_rows import RealRows
from textnb.models import gaussian_discriminant
from textnb.models.labelled import Labelled
from textnb.models.prior import Prior
from textnb.models.shared_covariance import SharedCovariance


class GaussianDiscriminant(RealRows, IncrementalClassifier):
    """Normal distributions about the class means, with one covariance for all classes; X (D, V), dense or sparse.

        p(k|x) ~ p(k) N(x; mu_k, S),   linear in x:  log p(k|x) = w_k x + b_k + ...,  w_k = S^-1 mu_k + ...

    shrinkage: ``auto`` (Ledoit and Wolf), or the share s, from 0 to 1, of t I in (1 - s) S + s t I, with t the mean
    variance within classes. 0 is maximum likelihood; classes that differ where none of them varies are then refused.
    prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class.

    After fit ``shrinkage_``; the weights are ``scorer_.weights`` (C, V) and ``scorer_.bias`` (C,). partial_fit keeps
    the rows. Memory: at most 1 GB beside copies of X; ``textnb.models.scatter_systems`` says how.

    Other than scikit-learn's LinearDiscriminantAnalysis: sparse X and weights of documents; the covariance has the
    weights of the documents whatever the prior; ``auto`` looks at all classes together, and leaves the columns' scales.

    >>> X, y = [[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"]
    >>> GaussianDiscriminant(shrinkage=0.5).fit(X, y).predict_proba([[-0.5, 0.2], [0.5, 0.2]]).round(3)
    array([[0.996, 0.004],
           [0.13 , 0.87 ]])
    """

    shrinkage_: float

    def __init__(self, shrinkage: float | str = "auto", prior: Prior = "empirical") -> None:
        self.shrinkage, self.prior = shrinkage, prior

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        covariance = SharedCovariance.of_rows(rows, self.shrinkage)
        scorer = gaussian_discriminant.fit_covariance(covariance, self.prior)
        return {"scorer_": scorer, "shrinkage_": covariance.shrinkage}

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "gaussian-discriminant", "prior": self.prior, "options": {"shrinkage": self.shrinkage}}
