"""Categorical naive Bayes as an estimator."""

from typing import Any

from textnb.counts.contingency import Contingency
from textnb.estimators.classifier import CategoryClassifier
from textnb.models import categorical
from textnb.models.prior import Prior


class CategoricalNB(CategoryClassifier):
    """Categorical naive Bayes over tables of strings or numbers, X (D, F): arrays, lists of lists, data frames.

        p(v|k) = (N_kjv + alpha) / (N_k + alpha M_j)    N_kjv: documents of class k with value v in column j,
                                                        N_k: documents of class k, M_j: values of column j
        p(k|x) ~ p(k) prod_j p(x_j|k)

    alpha: a number, not negative; 0 is maximum likelihood. prior: ``empirical`` (shares of documents), ``uniform``, or
    given, one a class. A value that training has not seen is ignored: its factor is 1 for every class. Missing values
    (None, NaN) are refused, with their row and column.

    After fit ``statistics_.values`` holds the values of each column; log p(v|k) is ``scorer_.weights``, (C, sum of
    M_j), in their order.

    Other than scikit-learn's: strings as well as numbers, negative ones too; M_j counts the values seen, where
    scikit-learn counts every whole number up to the largest; unseen values are no error; values and classes may come
    up in any call of partial_fit.

    >>> X = [["sunny", "hot"], ["rain", "cool"], ["sunny", "cool"], ["rain", "hot"]]
    >>> model = CategoricalNB().fit(X, ["out", "in", "out", "in"])
    >>> model.predict_proba([["sunny", "hot"], ["snow", "hot"]]).round(3)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """

    def __init__(self, alpha: float = 1.0, prior: Prior = "empirical") -> None:
        self.alpha, self.prior = alpha, prior

    def _fitted(self, tables: Contingency) -> dict[str, Any]:
        return {"scorer_": categorical.fit(tables, self.alpha, self.prior)}
