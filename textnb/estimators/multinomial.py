"""Multinomial naive Bayes as an estimator."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.estimators.classifier import CountClassifier
from textnb.models import multinomial
from textnb.models.prior import Prior


class MultinomialNB(CountClassifier):
    """Multinomial naive Bayes over count matrices, X (D, V), dense or sparse.

        p(j|k) = (tau_kj + alpha_j) / (N_k + A)     tau_kj: count of term j in class k, N_k = sum_j tau_kj,
                                                    A = sum_j alpha_j
        p(k|x) ~ p(k) prod_j p(j|k)^x_j

    alpha: a number or one a term (V,), none negative; 0 is maximum likelihood. estimate: ``mean`` is the posterior
    mean above; ``map`` is the posterior's mode, with alpha_j - 1 in place of alpha_j, refused where there is none.
    prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class.

    After fit also ``alpha_``, a number or an array as alpha was; log p(j|k) is ``scorer_.weights`` (C, V).

    Other than scikit-learn's: alpha = 0 is exact, and a document that no class allows gets the prior; classes may
    come up in any call of partial_fit; ``estimate`` and ``prior`` (for ``fit_prior`` and ``class_prior``).

    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], ["cat", "dog", "cat"]
    >>> model = MultinomialNB(alpha=1.0).fit(X, y)
    >>> model.predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.8, 0.2]])
    >>> model.partial_fit([[0, 0, 9]], ["owl"]).classes_
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    def __init__(self, alpha: ArrayLike = 1.0, estimate: str = "mean", prior: Prior = "empirical") -> None:
        self.alpha, self.estimate, self.prior = alpha, estimate, prior

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        alpha = self._alpha_for(counts)
        return {"alpha_": alpha, "scorer_": multinomial.fit(counts, alpha, self.prior, self.estimate)}

    def _alpha_for(self, counts: ClassCounts) -> Any:
        """alpha as numbers: a float, or one a term."""
        alpha = multinomial.as_alpha(self.alpha, counts.n_terms)
        return float(alpha[0]) if np.ndim(self.alpha) == 0 else alpha
