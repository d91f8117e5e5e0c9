"""U-NB over count matrices as an estimator."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.estimators.classifier import CountClassifier
from textnb.models import text_unb
from textnb.models.prior import Prior
from textnb.models.smoothing import OF_DOCUMENTS, smoothing


class TextUNB(CountClassifier):
    """U-NB (Fujimoto and Murata) over the tokens of documents, X (D, V), dense or sparse; family Ex.1.

        log p(x|k) = -(sum_j x_j (-log p(j|k))^pi + c)^(1/pi)        p(j|k) as in MultinomialNB

    pi: above 0; 1 is multinomial naive Bayes. norm: ``none`` has c = 0; ``u`` the c with which all sequences of as many
    tokens sum to 1, a class and length at a time; ``m`` has c = 0 and divides by the sum. complement: p(j|k) is that of
    all other classes, and the score is minus log p(x|k). alpha: a number or one a term (V,), positive; or ``evidence``,
    ``evidence-class``, ``evidence-unigram``, as in MultinomialNB. prior: ``empirical`` (shares of documents),
    ``uniform``, or given, one a class. After fit also ``alpha_``, ``smoothing_`` and ``seen_``, the columns that the
    model looks at: with an alpha by name those that occur. Of these log p(j|k) is ``scorer_.log_p`` (V, C).

    It is no relative of the universal-set naive Bayes that shares its abbreviation.

    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], ["cat", "dog", "cat"]
    >>> TextUNB(pi=1.5).fit(X, y).predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    """

    seen_: NDArray[np.intp]

    def __init__(
        self,
        pi: float = 1.0,
        alpha: ArrayLike | str = 1.0,
        *,
        norm: str = "none",
        complement: bool = False,
        prior: Prior = "empirical",
    ) -> None:
        self.pi, self.alpha, self.norm, self.complement, self.prior = pi, alpha, norm, complement, prior

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        if isinstance(self.alpha, str) and self.alpha in OF_DOCUMENTS:
            raise InputError(f"TextUNB has not the alpha {self.alpha!r}, which looks at single documents")
        found = smoothing(self.alpha, counts)
        options: dict[str, Any] = {"pi": self.pi, "norm": self.norm, "complement": self.complement}
        seen = np.arange(counts.n_terms)
        if isinstance(self.alpha, str):  # a term that was never seen has no part in any class
            seen = np.flatnonzero(np.asarray(counts.terms.sum(axis=0)) > 0)
        alpha = found.alpha[seen] if np.ndim(found.alpha) else found.alpha
        scorer = text_unb.fit(counts.selected(seen), alpha, self.prior, **options)
        return {"alpha_": found.alpha, "smoothing_": found, "seen_": seen, "scorer_": scorer}

    def _scored(self, rows: CSR) -> CSR:
        return rows if len(self.seen_) == rows.shape[1] else rows[:, self.seen_]

    def _text_recipe(self) -> dict[str, Any]:
        options = {"pi": self.pi, "norm": self.norm, "complement": self.complement}
        return {"model": "unb", "alpha": self.alpha, "prior": self.prior, "options": options}
