"""Multinomial naive Bayes as an estimator.

Complement naive Bayes as an estimator, with each step of Rennie et al. (2003) as a switch.

Bernoulli naive Bayes as an estimator.

Categorical naive Bayes as an estimator.

The Dirichlet compound classifier as an estimator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency
from textnb.counts.histograms import ClassHistograms
from textnb.counts.matrix import CSR
from textnb.counts.weighting import normalised
from textnb.errors import InputError
from textnb.estimators.learner import CategoryClassifier, CountClassifier
from textnb.models import bernoulli, categorical, complement, compound, multinomial
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.smoothing import OF_DOCUMENTS, Smoothing, smoothing


class MultinomialNB(CountClassifier):
    """Multinomial naive Bayes over count matrices, X (D, V), dense or sparse.

        p(j|k) = (tau_kj + alpha_j) / (N_k + A)     tau_kj: count of term j in class k, N_k = sum_j tau_kj,
                                                    A = sum_j alpha_j
        p(k|x) ~ p(k) prod_j p(j|k)^x_j

    alpha: a number or one a term (V,), none negative; 0 is maximum likelihood. Or found from the counts
    (``textnb.models.smoothing``): ``evidence`` (one number for the classes' pooled counts), ``evidence-class`` (one a
    term), ``evidence-unigram`` (in proportion to the terms' shares), ``evidence-document`` (each document a draw, as a
    vector) and ``leave-one-out`` (each document by the others of its class); the last two need whole counts. With
    these a term that was never seen has no part in any class. estimate: ``mean`` is the posterior
    mean above; ``map`` is the posterior's mode, with alpha_j - 1 in place of alpha_j, refused where there is none.
    prior: ``empirical`` (shares of documents), ``uniform``, or given, one a class.

    After fit also ``alpha_``, a number or one a term, and ``smoothing_``, how it was found; log p(j|k) is
    ``scorer_.weights`` (C, V).

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

    def __init__(self, alpha: ArrayLike | str = 1.0, estimate: str = "mean", prior: Prior = "empirical") -> None:
        self.alpha, self.estimate, self.prior = alpha, estimate, prior

    def _statistics(self, rows: CSR, y: Any, sample_weight: ArrayLike | None) -> Any:
        if not self._looks_at_documents:
            return super()._statistics(rows, y, sample_weight)
        counts = ClassCounts.of(rows, y, sample_weight=sample_weight, containing=False)
        return CountsAndHistograms(counts, ClassHistograms.of(rows, y, sample_weight=sample_weight))

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        both = isinstance(statistics, CountsAndHistograms)
        counts, histograms = (statistics.counts, statistics.histograms) if both else (statistics, None)
        if self._looks_at_documents and not both:
            raise InputError(f"alpha {self.alpha!r} looks at single documents, which were not kept before: fit anew")
        found = smoothing(self.alpha, counts, histograms)
        options: dict[str, Any] = {"prior": self.prior, "estimate": self.estimate}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(multinomial.fit, counts, found.alpha, **options)
        else:
            scorer = multinomial.fit(counts, found.alpha, **options)
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    @property
    def _looks_at_documents(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha in OF_DOCUMENTS

    def _text_recipe(self) -> dict[str, Any]:
        given = {"model": "multinomial", "alpha": self.alpha, "prior": self.prior}
        return {**given, "options": {"estimate": self.estimate}}


@dataclass(frozen=True)
class CountsAndHistograms:
    """Statistics for alphas that look at single documents."""

    counts: ClassCounts
    histograms: ClassHistograms

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, C of them."""
        return self.counts.classes

    @property
    def documents(self) -> NDArray[Any]:
        """The weight of the documents of each class, (C,)."""
        return self.counts.documents

    def on_classes(self, classes: Sequence[Any]) -> "CountsAndHistograms":
        """The same among more classes."""
        return CountsAndHistograms(self.counts.on_classes(classes), self.histograms.on_classes(classes))

    def __add__(self, other: "CountsAndHistograms") -> "CountsAndHistograms":
        return CountsAndHistograms(self.counts + other.counts, self.histograms + other.histograms)


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
