"""Complement naive Bayes as an estimator, with each step of Rennie et al. (2003) as a switch."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR
from textnb.counts.weighting import normalised
from textnb.errors import InputError
from textnb.estimators.classifier import CountClassifier
from textnb.models import complement, multinomial
from textnb.models.labelled import Labelled
from textnb.models.prior import Prior
from textnb.models.smoothing import OF_DOCUMENTS, smoothing

_UNIT = 2.0**-36  # weights are kept as whole numbers of this, so that their sums are exact and have no order


class ComplementNB(CountClassifier):
    """Complement naive Bayes over count matrices, X (D, V), dense or sparse.

        theta_kj = (total_j - tau_kj + alpha_j) / (sum_j of that)     what all other classes are like
        score_k  = log p(k) - sum_j x_j log theta_kj

    Each step of Rennie, Shih, Teevan and Karger, "Tackling the poor assumptions of naive Bayes text classifiers" (2003)
    can be switched on by itself; all of them together are their TWCNB:
    tf: tau sums log(1 + x) in place of x. idf: times log(D / df_j), where df_j of D documents contain the term.
    length_norm: each document's weights divided by the root of the sum of their squares. complement: False takes the
    class itself, as in multinomial naive Bayes. weight_norm: each class's log theta divided by the sum of their
    magnitudes, times the mean of these sums. As in the paper these transform what is learnt; a document to be
    classified is counted as it is.

    alpha: a number or one a term (V,), positive, or ``evidence``, ``evidence-class``, ``evidence-unigram``, as in
    MultinomialNB. prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class. After fit also
    ``alpha_`` and ``smoothing_``; the weights are ``scorer_.weights`` (C, V). With idf and length_norm together
    partial_fit keeps the rows.

    Other than scikit-learn's: the prior counts (scikit-learn has none, as with ``prior="uniform"``); ``weight_norm``
    keeps the scale of the scores; the switches; classes may come up in any call of partial_fit.

    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1], [0, 0, 2]], ["cat", "dog", "cat", "owl"]
    >>> ComplementNB(prior="uniform").fit(X, y).predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    >>> twcnb = ComplementNB(tf=True, idf=True, length_norm=True, weight_norm=True, prior="uniform").fit(X, y)
    >>> twcnb.predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    def __init__(  # the paper's steps are its parameters
        self,
        alpha: ArrayLike | str = 1.0,
        *,
        tf: bool = False,
        idf: bool = False,
        length_norm: bool = False,
        complement: bool = True,
        weight_norm: bool = False,
        prior: Prior = "empirical",
    ) -> None:
        self.alpha, self.tf, self.idf, self.length_norm = alpha, tf, idf, length_norm
        self.complement, self.weight_norm, self.prior = complement, weight_norm, prior

    def _statistics(self, rows: CSR, y: Any, sample_weight: ArrayLike | None) -> Any:
        if self.idf and self.length_norm:
            return Labelled.of_checked(rows, y, None, sample_weight)
        if not self.tf and not self.length_norm:
            return ClassCounts.of(rows, y, sample_weight=sample_weight, containing=self.idf)
        stored = _stored(self._weights(rows, None))
        return ClassCounts.of(stored, y, sample_weight=sample_weight, containing=self.idf, unit=_UNIT)

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        counts = self._counts(statistics)
        if isinstance(self.alpha, str) and self.alpha in OF_DOCUMENTS:
            raise InputError(f"ComplementNB has not the alpha {self.alpha!r}, which looks at single documents")
        found = smoothing(self.alpha, counts)
        options: dict[str, Any] = {"prior": self.prior, "complement": self.complement, "normalise": self.weight_norm}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(complement.fit, counts, found.alpha, **options)
        else:
            scorer = complement.fit(counts, found.alpha, **options)
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    def _counts(self, statistics: Any) -> ClassCounts:
        """The statistics of the weights."""
        if isinstance(statistics, Labelled):
            given = (statistics.labels, None, statistics.classes)
            plain = ClassCounts.of(statistics.X, *given, sample_weight=statistics.weight)
            stored = _stored(self._weights(statistics.X, _idf(plain)))
            return ClassCounts.of(stored, *given, sample_weight=statistics.weight, containing=False, unit=_UNIT)
        return _scaled(statistics, _idf(statistics)) if self.idf else statistics

    def _weights(self, X: CSR, idf: Any) -> CSR:
        W = X.astype(np.float64)
        if self.tf:
            W.data = np.log1p(W.data)
        if idf is not None:
            W.data *= idf[W.indices]
        return normalised(W) if self.length_norm else W

    def _text_recipe(self) -> dict[str, Any]:
        if not self.complement:
            raise InputError("for texts, ComplementNB(complement=False) is MultinomialNB: use that")
        weightings = {(False, False): "raw", (True, False): "log", (True, True): "tfidf"}
        if (self.tf, self.idf) not in weightings:
            raise InputError("for texts, idf goes with tf: ComplementNB(tf=True, idf=True)")
        weighting = weightings[self.tf, self.idf] + ("-l2" if self.length_norm else "")
        given = {"model": "complement", "alpha": self.alpha, "prior": self.prior, "weighting": weighting}
        return {**given, "options": {"weight_norm": self.weight_norm}}


def _stored(W: CSR) -> CSR:
    return sparse.csr_array((np.rint(W.data / _UNIT).astype(np.int64), W.indices, W.indptr), shape=W.shape)


def _idf(counts: ClassCounts) -> Any:
    """log(D / df_j); 0 for a term that no document has."""
    containing = np.asarray(counts.containing.sum(axis=0), np.float64)
    return np.log(counts.documents.sum() / np.where(containing > 0, containing, counts.documents.sum()))


def _scaled(counts: ClassCounts, idf: Any) -> ClassCounts:
    terms = counts.terms.astype(np.float64)
    terms.data *= counts.unit * idf[terms.indices]
    return ClassCounts(None, counts.classes, counts.documents, terms, None)
