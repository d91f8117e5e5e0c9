"""Least squares as an estimator."""

from typing import Any

from textnb.estimators.classifier import Discriminant
from textnb.estimators.real_rows import RealRows
from textnb.models import least_squares
from textnb.models.labelled import Labelled


class LeastSquares(RealRows, Discriminant):
    """Ridge regression onto the classes as columns of zeros and ones, X (D, V), dense or sparse.

        E = sum_i w_i |W x_i + b - t_i|^2 / 2 + l2 |W|^2 / 2        t_ik = 1 where document i is of class k, else 0

    l2: not negative; 0 is ordinary least squares, of least |W| where several W are best. The bias is not penalised.
    The scores of a row sum to 1, and are no probabilities: there is ``decision_function``, and no ``predict_proba``.
    After fit W is ``scorer_.weights`` (C, V) and b ``scorer_.bias`` (C,). partial_fit keeps the rows.

    Memory: at most 1 GB beside copies of X; ``textnb.models.scatter_systems`` says how.

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
