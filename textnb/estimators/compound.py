"""The Dirichlet compound classifier as an estimator."""

from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.matrix import CSR
from textnb.estimators.classifier import CountClassifier
from textnb.models import compound
from textnb.models.labelled import Labelled
from textnb.models.prior import Prior


class DirichletCompoundNB(CountClassifier):
    """The Dirichlet compound (Polya) classifier over count matrices, X (D, V), dense or sparse.

        p(x|k) ~ prod_j (alpha_kj)_x_j / (A_k)_n       (a)_n = a (a+1) ... (a+n-1), A_k = sum_j alpha_kj, n = sum_j x_j

    Each class has the vector alpha_k under which its documents are likeliest, with a floor from the one of all
    documents together; there is nothing to choose. A repeated term says less than a new one. Counts that are not whole
    are taken as such, with Gamma functions for the products.

    prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class. After fit ``alpha_`` (C, V), and
    ``solutions_``: how the search for each vector ended, of all documents first. partial_fit keeps the rows.

    >>> X, y = [[5, 0, 1], [4, 1, 0], [0, 3, 0], [1, 4, 0]], ["cat", "cat", "dog", "dog"]
    >>> DirichletCompoundNB().fit(X, y).predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    """

    def __init__(self, prior: Prior = "empirical") -> None:
        self.prior = prior

    def _statistics(self, rows: CSR, y: Any, sample_weight: ArrayLike | None) -> Labelled:
        return Labelled.of_checked(rows, y, None, sample_weight)

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        scorer = compound.fit_rows(rows.X, rows.y, rows.classes, rows.weight, self.prior)
        return {"alpha_": scorer.alpha, "solutions_": scorer.solutions, "scorer_": scorer}

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "compound", "prior": self.prior}
