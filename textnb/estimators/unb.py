"""U-NB, naive Bayes with a generalised product, as estimators: of tables of categories, and of count matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency
from textnb.counts.matrix import CSR, Matrix
from textnb.estimators.learner import Alpha, CategoryRows, Classifier, CountRows, Incremental, smoothing_of_counts
from textnb.models.bregman import text_unb, unb
from textnb.models.bregman.families import family_of
from textnb.models.prior import Prior
from textnb.numerics import Codes, Floats


class UNB(CategoryRows, Classifier):
    """Empirical U-NB (Fujimoto and Murata) over tables of strings or numbers, X (D, F).

        p(x, k) = p(k) u(sum_j xi(p(x_j|k)) - c_k)       p(v|k) as in CategoricalNB, c_k such that p(x|k) has mass 1

    A value that training has not seen is ignored: its column is summed out of p(x|k). Missing values are refused. The
    universal-set naive Bayes of the same abbreviation is another model.

    Parameters
    ----------
    family : {"kl", "ex1", "ex2", "ex3", "ex4"}
        ``kl`` is the ordinary product whatever pi; ``ex1`` needs pi > 0 and is the ordinary product at 1; ``ex2`` needs
        pi other than 0; ``ex3`` a pi below every p(v|k); ``ex4`` pi > 0. Formulas: ``textnb.models.bregman.families``.
    pi : float
        Parameter of the family; fit refuses a pi with which a product would leave the family's domain.
    alpha, prior
        As in ``CategoricalNB``.
    attributes : sequence of int, optional
        Columns, from 0, that are multiplied in this way; the others are multiplied as in naive Bayes. None is all.
    norm : {"u", "m"}
        ``u`` is as above; ``m`` divides u(sum_j xi) by its sum.

    Attributes
    ----------
    normaliser_ : str
        How c_k was found: ``enumerated`` over all cells, at most 1e6 different ones; ``approximated`` on a lattice if
        there are more, log p to 1e-9, or to 1e-9 of itself; ``exact`` if the product is the ordinary one and c_k is 0.

    Examples
    --------
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

    def joint_log_proba(self, X: Matrix) -> Floats:
        """Return log p(x, k) of the rows of X (D, F), (D, C)."""
        return self.predict_joint_log_proba(X)

    def _fitted(self, tables: Contingency) -> dict[str, Any]:
        family = family_of(self.family, self.pi)
        scorer = unb.fit(tables, family, self.alpha, self.attributes, self.norm, self.prior)
        return {"scorer_": scorer, "normaliser_": scorer.normaliser}


class TextUNB(CountRows, Incremental, Classifier):
    """U-NB (Fujimoto and Murata) over the tokens of documents, X (D, V), dense or sparse; family Ex.1.

        log p(x|k) = -(sum_j x_j (-log p(j|k))^pi + c)^(1/pi)        p(j|k) as in MultinomialNB

    Parameters
    ----------
    pi : float
        Positive; 1 is multinomial naive Bayes.
    alpha, prior
        As in ``ComplementNB``.
    norm : {"none", "u", "m"}
        ``none`` has c = 0; with ``u`` c is such that all sequences of the document's length sum to 1, per class and
        length; ``m`` has c = 0 and divides by the sum. log p(x|k) is within .001, or within a millionth of itself, of
        the normalised value. If that cannot be proved, fit refuses (it tries lengths of 2, 4, 8 ..., to twice the mean
        length), or predict for a document of another length. If the counts of a document have a sum that is not whole,
        there are no such sequences; its normaliser is interpolated between those of the two whole lengths.
    complement : bool
        p(j|k) is that of all other classes, and the score is minus log p(x|k).

    Attributes
    ----------
    alpha_, smoothing_
        As in ``MultinomialNB``.
    seen_ : array of int
        Columns that the model uses: all, or with an alpha by name those that occur.
    scorer_ : TokenUScorer
        log p(j|k) of these columns is ``scorer_.log_p`` (V, C).
    normaliser_ : str
        How the normalisers have been found so far, the least exact way of ``exact`` (no sum is needed), ``enumerated``
        (over all sequences), ``bounded`` (from both sides) and ``interpolated``.

    Examples
    --------
    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], ["cat", "dog", "cat"]
    >>> model = TextUNB(pi=1.5, norm="u").fit(X, y)
    >>> model.predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.joint_log_proba([[1, 0, 0], [0, 3, 0]]).round(3), model.normaliser_
    (array([[-1.099, -2.485],
           [-5.371, -3.635]]), 'enumerated')
    """

    alpha_: Any  # a number, or one per term
    smoothing_: Any

    _text_model = "unb"
    seen_: Codes
    scorer_: text_unb.TokenUScorer

    def __init__(
        self,
        pi: float = 1.0,
        alpha: Alpha = 1.0,
        *,
        norm: str = "none",
        complement: bool = False,
        prior: Prior = "empirical",
    ) -> None:
        self.pi, self.alpha, self.norm, self.complement, self.prior = pi, alpha, norm, complement, prior

    @property
    def normaliser_(self) -> str:
        """How the normalisers have been found so far."""
        return self.scorer_.normaliser

    def joint_log_proba(self, X: Matrix) -> Floats:
        """Return log p(x, k) of the rows of X (D, V) as sequences of tokens, (D, C).

        With ``norm="none"`` it is not normalised; with ``complement`` it is log p(k) - log p(x|k).
        """
        rows = self._asked(X)
        return np.asarray(self.scorer_.joint_log_scores(rows) + self.scorer_.common(rows)[:, np.newaxis])

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        found = smoothing_of_counts(self.alpha, counts)
        options: dict[str, Any] = {"pi": self.pi, "norm": self.norm, "complement": self.complement}
        seen = np.arange(counts.n_terms)
        if isinstance(self.alpha, str):  # terms that never occur are ignored
            seen = np.flatnonzero(np.asarray(counts.terms.sum(axis=0)) > 0)
        alpha = found.alpha[seen] if np.ndim(found.alpha) else found.alpha
        scorer = text_unb.fit(counts.selected(seen), alpha, self.prior, **options)
        scorer.check_lengths(counts)
        return {"alpha_": found.alpha, "smoothing_": found, "seen_": seen, "scorer_": scorer}

    def _as_scored(self, rows: CSR) -> CSR:
        return rows if len(self.seen_) == rows.shape[1] else rows[:, self.seen_]
