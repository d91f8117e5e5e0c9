"""Bernoulli naive Bayes as an estimator."""

from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.errors import InputError
from textnb.estimators.classifier import CountClassifier
from textnb.models import bernoulli
from textnb.models.prior import Prior
from textnb.models.smoothing import Smoothing, smoothing


class BernoulliNB(CountClassifier):
    """Bernoulli naive Bayes over what is present and what is absent, X (D, V), dense or sparse; any count is presence.

        p_kj = (c_kj + alpha_j) / (D_k + 2 alpha_j)      c_kj of the D_k documents of class k contain term j
        p(k|x) ~ p(k) prod over present j of p_kj, times prod over absent j of 1 - p_kj

    alpha: a number or one a term (V,), none negative; 0 is maximum likelihood; ``evidence`` is the one number that
    makes the documents likeliest with p_kj integrated out. prior: ``empirical`` (shares of documents), ``uniform``, or
    given, one a class. After fit also ``alpha_`` and ``smoothing_``, how it was found; log p_kj is ``scorer_.present``
    (V, C), log(1 - p_kj) ``scorer_.absent``.

    Other than scikit-learn's: alpha = 0 is exact; no ``binarize``: what is above 0 is present; ``prior`` (for
    ``fit_prior`` and ``class_prior``); classes may come up in any call of partial_fit.

    >>> model = BernoulliNB().fit([[1, 1, 0], [2, 0, 0], [0, 1, 1]], ["cat", "cat", "dog"])
    >>> model.predict([[5, 0, 0], [0, 0, 1]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.9382, 0.0618]])
    """

    _containing = True

    def __init__(self, alpha: ArrayLike | str = 1.0, prior: Prior = "empirical") -> None:
        self.alpha, self.prior = alpha, prior

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        found = self._smoothing(counts)
        scorer = bernoulli.fit(counts, found.alpha, self.prior)
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    def _smoothing(self, counts: ClassCounts) -> Smoothing:
        if not isinstance(self.alpha, str):
            return smoothing(self.alpha, counts)
        if self.alpha != "evidence":
            raise InputError(f"alpha of BernoulliNB must be a number, one a term, or 'evidence', not {self.alpha!r}")
        return bernoulli.evidence(counts)

    def _text_recipe(self) -> dict[str, Any]:
        return {"model": "bernoulli", "alpha": self.alpha, "prior": self.prior}
