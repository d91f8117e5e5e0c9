"""Linear models that solve one system, as estimators: least squares, Fisher's and the Gaussian discriminant.

Their ``partial_fit`` keeps the rows. Memory: at most 1 GB besides copies of X; see ``textnb.models.linear.systems``.
"""

from __future__ import annotations

from typing import Any

from textnb.errors import InputError
from textnb.estimators.learner import Classifier, Discriminant, Incremental, LinearWeights, RealRows
from textnb.models.linear import discriminants, least_squares
from textnb.models.linear.covariance import SharedCovariance
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.numerics import Floats


class LeastSquares(LinearWeights, RealRows, Incremental, Discriminant):
    """Ridge regression onto class indicators, X (D, V), dense or sparse.

        E = sum_i w_i |W x_i + b - t_i|^2 / 2 + l2 |W|^2 / 2        t_ik = 1 where document i is of class k, else 0

    The scores of a row sum to 1 and are not probabilities: there is ``decision_function`` and no ``predict_proba``.

    Parameters
    ----------
    l2 : float
        Strength of the L2 penalty, not negative; the bias is not penalised. 0 is ordinary least squares, with the
        smallest |W| if several W are best.

    Attributes
    ----------
    coef_, intercept_ : array (C, V), array (C,)
        W and b.

    Notes
    -----
    Difference from scikit-learn's RidgeClassifier: targets are 0 and 1 instead of -1 and 1, so for more than two
    classes its scores are 2 score - 1; for two classes ``decision_function`` is equal.

    Examples
    --------
    >>> model = LeastSquares(l2=0.1).fit([[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"])
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.decision_function([[-1.5, 0.2], [2.0, 0.2]]).round(2)
    array([-0.81,  0.84])
    """

    _text_model = "least-squares"

    def __init__(self, l2: float = 1.0) -> None:
        self.l2 = l2

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        return {"scorer_": least_squares.fit_rows(rows, self.l2)}


class FisherDiscriminant(LinearWeights, RealRows, Incremental, Discriminant):
    """Fisher's linear discriminant for two or more classes, X (D, V), dense or sparse.

        w ~ S_W^-1 (m_2 - m_1)                  for two classes; for more, the leading eigenvectors of S_W^-1 S_B

    A row belongs to the class whose mean is nearest along these directions; for two classes the threshold is half way
    between the projected means. There is no prior and no ``predict_proba``.

    Parameters
    ----------
    shrinkage : float or "auto"
        The proportion s, from 0 to 1, of t I in S_W = (1 - s) S + s t I, with t the mean variance within classes;
        ``auto`` is Ledoit and Wolf's. With 0, classes that differ in a column that is constant within each of them are
        refused.
    components : int, optional
        Number of directions, at most C - 1; None for all.

    Attributes
    ----------
    coef_, intercept_ : array (C, V), array (C,)
        Weights and biases of the scores.
    directions_ : array (V, d)
        The directions, scaled to variance 1 within classes.
    shrinkage_ : float
        The shrinkage used.

    Examples
    --------
    >>> X, y = [[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"]
    >>> model = FisherDiscriminant(shrinkage=0.1).fit(X, y)
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.directions_.round(2).tolist()
    [[1.33], [1.49]]
    """

    _text_model = "fisher"
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
            raise InputError("for texts Fisher's discriminant uses all directions; leave components at None")
        return super()._text_recipe()


class GaussianDiscriminant(LinearWeights, RealRows, Incremental, Classifier):
    """Normal distributions around the class means with one covariance for all classes, X (D, V), dense or sparse.

        p(k|x) ~ p(k) N(x; mu_k, S),   linear in x:  log p(k|x) = w_k x + b_k + ...,  w_k = S^-1 mu_k + ...

    Parameters
    ----------
    shrinkage : float or "auto"
        As in ``FisherDiscriminant``; 0 is maximum likelihood.
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    shrinkage_ : float
        The shrinkage used.
    coef_, intercept_ : array (C, V), array (C,)
        w and b.

    Notes
    -----
    Differences from scikit-learn's LinearDiscriminantAnalysis: sparse X and sample weights; the covariance is weighted
    by documents whatever the prior; ``auto`` looks at all classes together and does not rescale the columns.

    Examples
    --------
    >>> X, y = [[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["no", "no", "yes", "yes"]
    >>> GaussianDiscriminant(shrinkage=0.5).fit(X, y).predict_proba([[-0.5, 0.2], [0.5, 0.2]]).round(3)
    array([[0.996, 0.004],
           [0.13 , 0.87 ]])
    """

    _text_model = "gaussian-discriminant"
    shrinkage_: float

    def __init__(self, shrinkage: float | str = "auto", prior: Prior = "empirical") -> None:
        self.shrinkage, self.prior = shrinkage, prior

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        covariance = SharedCovariance.of_rows(rows, self.shrinkage)
        scorer = discriminants.fit_covariance(covariance, self.prior)
        return {"scorer_": scorer, "shrinkage_": covariance.shrinkage}
