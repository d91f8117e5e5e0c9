"""U-NB, naive Bayes with a generalised product, as an estimator of tables of categories.

U-NB over count matrices as an estimator.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency
from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.estimators.learner import CategoryClassifier, CountClassifier
from textnb.models.bregman import text_unb, unb
from textnb.models.bregman.families import family_of
from textnb.models.prior import Prior
from textnb.models.smoothing import OF_DOCUMENTS, smoothing
from textnb.numerics import Floats


class UNB(CategoryClassifier):
    """Empirical U-NB over tables of strings or numbers, X (D, F), after Fujimoto and Murata's generalised independence.

        p(v|k)  = (N_kjv + alpha) / (N_k + alpha M_j)    N_kjv: documents of class k with value v in column j,
                                                         N_k: documents of class k, M_j: values of column j
        p(x, k) = p(k) u(sum_j xi(p(x_j|k)) - c_k)       c_k such that p(x|k) has mass 1

    (The universal-set naive Bayes that goes by the same abbreviation is another model.) family: ``kl`` (the ordinary
    product, whatever pi), ``ex1`` (pi > 0, the ordinary product at 1), ``ex2`` (pi not 0), ``ex3`` (pi below every
    p(v|k)) or ``ex4`` (pi > 0); ``textnb.models.bregman.families`` has their formulas. A pi with which a product would
    leave the family's domain is refused by fit. alpha: a number, not negative; 0 is maximum likelihood. attributes: the
    numbers of the columns, from 0, that are multiplied in this way; the others are multiplied as in naive Bayes. None
    is all of them. norm: ``u`` as above; ``m`` divides u(sum_j xi) by its sum. prior: ``empirical`` (shares of
    documents, the paper's), ``uniform``, or given, one a class.

    A value that training has not seen is ignored: its column is summed out of p(x|k). Missing values (None, NaN) are
    refused, with their row and column.

    After fit ``normaliser_`` says how c_k was found: ``enumerated`` over all cells, at most 1e6; ``approximated`` on a
    lattice where they are more, to 1e-8 of log mass; ``exact`` where the product is the ordinary one, and c_k is 0.

    >>> X = [["sunny", "hot"], ["rain", "cool"], ["sunny", "cool"], ["rain", "hot"]]
    >>> model = UNB(pi=0.5).fit(X, ["out", "in", "out", "in"])
    >>> model.predict_proba([["sunny", "hot"], ["snow", "hot"]]).round(3)
    array([[0.167, 0.833],
           [0.5  , 0.5  ]])
    >>> model.joint_log_proba([["sunny", "hot"]]).round(3), model.normaliser_
    (array([[-3.179, -1.568]]), 'enumerated')
    """

    normaliser_: str

    def __init__(
        self,
        family: str = "ex1",
        pi: float = 1.0,
        alpha: float = 1.0,
        attributes: Sequence[int] | None = None,
        norm: str = "u",
        prior: Prior = "empirical",
    ) -> None:
        self.family, self.pi, self.alpha = family, pi, alpha
        self.attributes, self.norm, self.prior = attributes, norm, prior

    def joint_log_proba(self, X: Any) -> Floats:
        """log p(x, k), (D, C)."""
        return self.predict_joint_log_proba(X)

    def _fitted(self, tables: Contingency) -> dict[str, Any]:
        family = family_of(self.family, self.pi)
        scorer = unb.fit(tables, family, self.alpha, self.attributes, self.norm, self.prior)
        return {"scorer_": scorer, "normaliser_": scorer.normaliser}


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
