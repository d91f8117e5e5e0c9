"""What estimators share whose scores are linear in the rows, or in what they make of them.

Least squares as an estimator.

Fisher's discriminant as an estimator.

The Gaussian discriminant as an estimator.
"""

from typing import Any

import numpy as np

from textnb.errors import InputError, NotFittedError
from textnb.estimators.gaussian import RealRows
from textnb.estimators.learner import Classifier, Discriminant, IncrementalClassifier
from textnb.estimators.scikit_learn import counterpart
from textnb.models.linear import discriminants, least_squares
from textnb.models.linear.covariance import SharedCovariance
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
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


class LeastSquares(RealRows, Discriminant):
    """Ridge regression onto the classes as columns of zeros and ones, X (D, V), dense or sparse.

        E = sum_i w_i |W x_i + b - t_i|^2 / 2 + l2 |W|^2 / 2        t_ik = 1 where document i is of class k, else 0

    l2: not negative; 0 is ordinary least squares, of least |W| where several W are best. The bias is not penalised.
    The scores of a row sum to 1, and are no probabilities: there is ``decision_function``, and no ``predict_proba``.
    After fit W is ``scorer_.weights`` (C, V) and b ``scorer_.bias`` (C,). partial_fit keeps the rows.

    Memory: at most 1 GB beside copies of X; ``textnb.models.linear.systems`` says how.

    Other than scikit-learn's RidgeClassifier: targets of 0 and 1 where that has -1 and 1, so for more than two classes
    its scores are 2 score - 1; for two, ``decision_function`` is the same.

    >>> model = LeastSquares(l2=0.1).fit([[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"])
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.decision_function([[-1.5, 0.2], [2.0, 0.2]]).round(2)
    array([-0.81,  0.84])
    """

    def __init__(self, l2: float = 1.0) -> None:
        self.l2 = l2

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        return {"scorer_": least_squares.fit_rows(rows, self.l2)}

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "least-squares", "options": {"l2": self.l2}}


class FisherDiscriminant(RealRows, Discriminant):
    """Fisher's linear discriminant, X (D, V), dense or sparse: two classes, and more.

        w ~ S_W^-1 (m_2 - m_1)                  for two classes; for more, the leading eigenvectors of S_W^-1 S_B

    A row belongs to the class whose mean is nearest along these directions; for two classes the threshold is half way
    between the projected means. There is no prior, and no ``predict_proba``.

    shrinkage: ``auto`` (Ledoit and Wolf), or the share s, from 0 to 1, of t I in S_W = (1 - s) S + s t I, with t the
    mean variance within classes. With 0 classes that differ where none of them varies are refused. components: how
    many directions; None for all, at most C - 1.

    After fit ``directions_`` (V, d), scaled to a variance of 1 within classes, and ``shrinkage_``. partial_fit keeps
    the rows. Memory: at most 1 GB beside copies of X; ``textnb.models.linear.systems`` says how.

    >>> X, y = [[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"]
    >>> model = FisherDiscriminant(shrinkage=0.1).fit(X, y)
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.directions_.round(2).tolist()
    [[1.33], [1.49]]
    """

    directions_: Floats
    shrinkage_: float

    def __init__(self, shrinkage: float | str = "auto", components: int | None = None) -> None:
        self.shrinkage, self.components = shrinkage, components

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        covariance = SharedCovariance.of_rows(rows, self.shrinkage)
        directions = discriminants.directions(covariance, self.components)
        scorer = discriminants.fit_directions(covariance, directions)
        return {"scorer_": scorer, "directions_": directions, "shrinkage_": covariance.shrinkage}

    def _text_recipe(self) -> dict[str, Any]:
        if self.components is not None:
            raise InputError("for texts Fisher's discriminant takes all directions: leave components as it is")
        return {"model": "fisher", "options": {"shrinkage": self.shrinkage}}


class GaussianDiscriminant(RealRows, IncrementalClassifier):
    """Normal distributions about the class means, with one covariance for all classes; X (D, V), dense or sparse.

        p(k|x) ~ p(k) N(x; mu_k, S),   linear in x:  log p(k|x) = w_k x + b_k + ...,  w_k = S^-1 mu_k + ...

    shrinkage: ``auto`` (Ledoit and Wolf), or the share s, from 0 to 1, of t I in (1 - s) S + s t I, with t the mean
    variance within classes. 0 is maximum likelihood; classes that differ where none of them varies are then refused.
    prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class.

    After fit ``shrinkage_``; the weights are ``scorer_.weights`` (C, V) and ``scorer_.bias`` (C,). partial_fit keeps
    the rows. Memory: at most 1 GB beside copies of X; ``textnb.models.linear.systems`` says how.

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
        scorer = discriminants.fit_covariance(covariance, self.prior)
        return {"scorer_": scorer, "shrinkage_": covariance.shrinkage}

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "gaussian-discriminant", "prior": self.prior, "options": {"shrinkage": self.shrinkage}}
