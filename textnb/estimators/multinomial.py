"""Multinomial naive Bayes as an estimator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike, NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.class_histograms import ClassHistograms
from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.estimators.classifier import CountClassifier
from textnb.models import multinomial
from textnb.models.prior import Prior
from textnb.models.smoothing import OF_DOCUMENTS, smoothing


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
