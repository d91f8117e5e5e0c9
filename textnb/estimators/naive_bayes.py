"""The naive Bayes family over counts as estimators: multinomial, complement, Bernoulli and Dirichlet compound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.labels import Labels, Weights
from textnb.counts.matrix import CSR, canonical
from textnb.counts.moments import as_reals
from textnb.counts.rows import with_entries
from textnb.counts.weighting import EXACT_UNIT, Weigher, Weighting, as_exact, weighting_of
from textnb.errors import InputError, ParameterError
from textnb.estimators.learner import (
    Alpha,
    Classifier,
    CountRows,
    Incremental,
    class_counts,
    smoothing_of_counts,
)
from textnb.estimators.smoothed import SmoothedNB, as_flag
from textnb.models import bernoulli, complement, compound, multinomial
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.scorer import LinearScorer
from textnb.models.smoothing import OF_DOCUMENTS, Smoothing, smoothing
from textnb.numerics import Floats, as_number


def dense_counts(counts: ClassCounts) -> Floats:
    """Term counts of the classes in a dense table, (C, V)."""
    return np.asarray(counts.terms.toarray() * counts.unit, np.float64)


class MultinomialNB(CountRows, SmoothedNB):
    """Multinomial naive Bayes over count matrices X (D, V), dense or sparse.

        p(j|k) = (tau_kj + alpha_j) / (N_k + A)     tau_kj: count of term j in class k, N_k = sum_j tau_kj,
                                                    A = sum_j alpha_j
        p(k|x) ~ p(k) prod_j p(j|k)^x_j

    Parameters
    ----------
    alpha : float, array-like (V,) or str
        Smoothing, not negative; 0 is maximum likelihood. By name it is found from the counts
        (``textnb.models.smoothing``): ``evidence`` (one number), ``evidence-class`` (one per term),
        ``evidence-unigram`` (proportional to the term frequencies), ``evidence-document`` (one per term, each document
        is a draw) or ``leave-one-out`` (one per term, each document under the others of its class). The last two need
        whole counts. With a name, terms that never occur are ignored.
    force_alpha : bool
        False raises an alpha below 1e-10 to 1e-10, with a warning.
    fit_prior : bool
        False takes the uniform prior in place of the class frequencies.
    class_prior : array-like (C,), optional
        Weight of each class, in the order of ``classes_``, in place of its frequency.
    estimate : {"mean", "map"}
        Posterior mean, as above, or posterior mode, with alpha_j - 1 in place of alpha_j; fit refuses a mode that does
        not exist.
    prior : str, mapping or sequence, optional
        ``empirical`` (class frequencies), ``uniform``, or the probability of each class; in place of ``fit_prior`` and
        ``class_prior``.

    Attributes
    ----------
    class_count_, class_log_prior_ : array (C,)
        Weight of the documents of each class, and its log prior.
    feature_count_, feature_log_prob_ : array (C, V)
        tau_kj, and log p(j|k).
    alpha_ : float or array (V,)
        The smoothing used.
    smoothing_ : Smoothing
        How it was found.
    statistics_ : ClassCounts
        What has been learnt; ``+`` merges and ``-`` forgets.
    scorer_ : LinearScorer
        The fitted model.

    Notes
    -----
    The parameters that scikit-learn has too mean the same and have the same defaults, and the same call gives the same
    numbers. Differences: where scikit-learn gives NaN, alpha = 0 is exact, and a document that no class allows gets the
    prior; ``partial_fit`` refuses labels outside the classes, and with ``classes="any"`` new ones may appear.

    Examples
    --------
    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], ["cat", "dog", "cat"]
    >>> model = MultinomialNB(alpha=1.0).fit(X, y)
    >>> model.predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.8, 0.2]])
    >>> np.exp(model.feature_log_prob_).round(3)
    array([[0.5  , 0.125, 0.375],
           [0.25 , 0.5  , 0.25 ]])
    >>> model.partial_fit([[0, 0, 9]], ["owl"], classes="any").classes_
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    alpha_: Any  # a number, or one per term
    smoothing_: Smoothing

    _text_model = "multinomial"
    _reads_float32 = True
    scorer_: LinearScorer

    def __init__(
        self,
        alpha: Alpha = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        estimate: str = "mean",
        prior: Prior | None = None,
    ) -> None:
        self.alpha, self.force_alpha, self.fit_prior, self.class_prior = alpha, force_alpha, fit_prior, class_prior
        self.estimate, self.prior = estimate, prior

    @property
    def feature_count_(self) -> Floats:
        """Count of each term in each class, (C, V)."""
        self._check_fitted()
        return dense_counts(self._counts(self.statistics_))

    @property
    def feature_log_prob_(self) -> Floats:
        """log p(j|k), (C, V)."""
        self._check_fitted()
        return self.scorer_.weights

    def _statistics(self, rows: CSR, y: Labels, sample_weight: Weights | None) -> Any:
        counts = class_counts(rows, y, sample_weight)
        if not self._needs_histograms:
            return counts
        return CountsAndHistograms(counts, ClassHistograms.of(rows, y, sample_weight=sample_weight))

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        counts = self._counts(statistics)
        histograms = None if counts is statistics else statistics.histograms
        if self._needs_histograms and histograms is None:
            template = "alpha={alpha!r} needs single documents, which were not kept before; call fit on all rows"
            raise InputError(template, alpha=self.alpha)
        found = smoothing(self._as_forced(), counts, histograms)
        options: dict[str, Any] = {"prior": "uniform", "estimate": self.estimate}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(multinomial.fit, counts, found.alpha, **options)
        else:
            scorer = multinomial.fit(counts, found.alpha, **options)
        scorer = replace(scorer, bias=self._log_prior(counts))
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    @staticmethod
    def _counts(statistics: Any) -> ClassCounts:
        return statistics.counts if isinstance(statistics, CountsAndHistograms) else statistics

    @property
    def _needs_histograms(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha in OF_DOCUMENTS


@dataclass(frozen=True)
class CountsAndHistograms:
    """Statistics for the alphas that need single documents."""

    counts: ClassCounts
    histograms: ClassHistograms

    @property
    def classes(self) -> tuple[Any, ...]:
        """The C classes."""
        return self.counts.classes

    @property
    def documents(self) -> NDArray[Any]:
        """Weight of the documents of each class, (C,)."""
        return self.counts.documents

    def on_classes(self, classes: Sequence[Any]) -> CountsAndHistograms:
        """Return these statistics among more classes."""
        return CountsAndHistograms(self.counts.on_classes(classes), self.histograms.on_classes(classes))

    def __add__(self, other: CountsAndHistograms) -> CountsAndHistograms:
        return CountsAndHistograms(self.counts + other.counts, self.histograms + other.histograms)


class ComplementNB(CountRows, SmoothedNB):
    """Complement naive Bayes over count matrices X (D, V), dense or sparse.

        theta_kj = (total_j - tau_kj + alpha_j) / (sum_j of that)     what all other classes are like
        score_k  = log p(k) - sum_j x_j log theta_kj

    Each step of Rennie, Shih, Teevan and Karger, "Tackling the poor assumptions of naive Bayes text classifiers" (2003)
    is a parameter; all of them together are their TWCNB. ``tf``, ``idf`` and ``length_norm`` transform x, in training
    and in prediction, as the weightings of ``textnb.counts.weighting`` do; so the answers are those of
    ``TextClassifier(ComplementNB(...), calibrate=False)``. (The paper does not transform documents to be classified.)

    Parameters
    ----------
    alpha : float, array-like (V,) or str
        Smoothing, not negative, and positive if a term occurs in fewer than two classes; or ``evidence``,
        ``evidence-class`` or ``evidence-unigram``, as in ``MultinomialNB``; with ``length_norm`` only numbers.
    force_alpha : bool
        As in ``MultinomialNB``.
    fit_prior, class_prior
        As in scikit-learn they set ``class_log_prior_``, which is not a part of the scores of two or more classes.
    norm : bool
        Divide log theta of each class by its sum, as scikit-learn does.
    tf : bool
        log(1 + x) in place of x.
    idf : bool
        Multiply by log(D / df_j), where df_j of D training documents contain term j.
    length_norm : bool
        Divide the weights of each document by their Euclidean norm.
    complement : bool
        False takes the class itself, as in multinomial naive Bayes.
    weight_norm : bool
        Divide log theta of each class by the sum of its magnitudes, and multiply by the mean of these sums, so that
        scores keep their scale; in place of ``norm``.
    prior : str, mapping or sequence, optional
        A class prior that is a part of the scores, as in ``MultinomialNB``.

    Attributes
    ----------
    class_count_, class_log_prior_ : array (C,)
        As in ``MultinomialNB``.
    feature_count_, feature_log_prob_ : array (C, V)
        tau_kj, and the weights of the scores.
    feature_all_ : array (V,)
        total_j.
    alpha_, smoothing_
        As in ``MultinomialNB``.
    weigher_ : Weigher
        The function from counts to the weights x; ``weigher_.idf`` is (V,), or None without ``idf``.
    scorer_ : LinearScorer
        The fitted model.

    Notes
    -----
    The parameters that scikit-learn has too mean the same and have the same defaults, and the same call gives the same
    numbers; an alpha that gives infinite weights is refused. With ``idf`` and ``length_norm`` together ``partial_fit``
    keeps the rows.

    Examples
    --------
    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1], [0, 0, 2]], ["cat", "dog", "cat", "owl"]
    >>> ComplementNB().fit(X, y).predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    >>> twcnb = ComplementNB(tf=True, idf=True, length_norm=True, weight_norm=True).fit(X, y)
    >>> twcnb.predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    alpha_: Any  # a number, or one per term
    smoothing_: Smoothing

    _text_model = "complement"
    weigher_: Weigher
    scorer_: LinearScorer

    def __init__(  # noqa: PLR0913  # scikit-learn's parameters and the paper's steps; all but the first by name
        self,
        alpha: Alpha = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        norm: bool = False,
        tf: bool = False,
        idf: bool = False,
        length_norm: bool = False,
        complement: bool = True,
        weight_norm: bool = False,
        prior: Prior | None = None,
    ) -> None:
        self.alpha, self.force_alpha, self.fit_prior, self.class_prior = alpha, force_alpha, fit_prior, class_prior
        self.norm, self.tf, self.idf, self.length_norm = norm, tf, idf, length_norm
        self.complement, self.weight_norm, self.prior = complement, weight_norm, prior

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class, (C,), whether or not it is a part of the scores."""
        self._check_fitted()
        return self._log_prior(self.statistics_)

    @property
    def feature_count_(self) -> Floats:
        """Count, or weight, of each term in each class, (C, V)."""
        self._check_fitted()
        return dense_counts(self._weighted(self.statistics_)[1])

    @property
    def feature_all_(self) -> Floats:
        """Count, or weight, of each term in all classes, (V,)."""
        return np.asarray(self.feature_count_.sum(axis=0))

    @property
    def feature_log_prob_(self) -> Floats:
        """Weights of the scores, (C, V)."""
        self._check_fitted()
        return self.scorer_.weights

    @property
    def _weighting(self) -> Weighting:
        return weighting_of(tf=self.tf, idf=self.idf, length_norm=self.length_norm)

    def _statistics(self, rows: CSR, y: Labels, sample_weight: Weights | None) -> Any:
        weighting = self._weighting
        if weighting.has_idf and weighting.normalised:  # the length of a row depends on the idf of all rows
            return Labelled.of_checked(rows, y, None, sample_weight)
        if weighting.normalised:
            stored, unit = as_exact(Weigher(weighting, None)(rows)), EXACT_UNIT
        else:
            stored, unit = weighting.stored(rows), weighting.unit
        return ClassCounts.of(stored, y, sample_weight=sample_weight, containing=weighting.has_idf, unit=unit)

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        if isinstance(self.alpha, str) and self.length_norm:
            raise InputError(
                "alpha={alpha!r} needs counts, not rows divided by their length; use a number", alpha=self.alpha
            )
        weigher, counts = self._weighted(statistics)
        found = smoothing_of_counts(self._as_forced(), counts)
        options: dict[str, Any] = {"prior": "uniform", "complement": self.complement, "normalise": self._normalisation}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(complement.fit, counts, found.alpha, **options)
        else:
            scorer = complement.fit(counts, found.alpha, **options)
        bias = self._log_prior(counts)
        if self.prior is None and len(bias) > 1:
            bias = np.zeros(len(bias))
        scorer = replace(scorer, bias=bias)
        return {"alpha_": found.alpha, "smoothing_": found, "weigher_": weigher, "scorer_": scorer}

    @property
    def _normalisation(self) -> bool | str:
        """Whether and how the weights are normalised, as ``complement.fit`` has it."""
        if as_flag(self.norm, "norm") and self.weight_norm:
            raise ParameterError("norm and weight_norm both normalise the weights; use one of them")
        return complement.TO_ONE if self.norm else self.weight_norm

    def _weighted(self, statistics: Any) -> tuple[Weigher, ClassCounts]:
        """The function from counts to weights, and the statistics of the weights."""
        if not isinstance(statistics, Labelled):
            weigher = self._weighting.on(statistics)
            return weigher, weigher.class_counts(statistics)
        given = (statistics.labels, None, statistics.classes)
        weigher = self._weighting.on(ClassCounts.of(statistics.X, *given, sample_weight=statistics.weight))
        stored = as_exact(weigher(statistics.X))
        weight = statistics.weight
        return weigher, ClassCounts.of(stored, *given, sample_weight=weight, containing=False, unit=EXACT_UNIT)

    def _as_scored(self, rows: CSR) -> CSR:
        return self.weigher_(rows)

    def _text_recipe(self) -> dict[str, Any]:
        if not self.complement:
            raise InputError("for texts, ComplementNB(complement=False) is MultinomialNB; use MultinomialNB")
        if self.idf and not self.tf:
            raise InputError("for texts, idf needs tf; use ComplementNB(tf=True, idf=True)")
        if self.norm:
            raise InputError("for texts, use ComplementNB(weight_norm=True), which keeps the scale of scores, not norm")
        return {**super()._text_recipe(), "weighting": self._weighting.name}

    def _text_prior(self) -> Prior:
        return "uniform" if self.prior is None else super()._text_prior()


class BernoulliNB(CountRows, SmoothedNB):
    """Bernoulli naive Bayes over present and absent terms, X (D, V), dense or sparse.

        p_kj = (c_kj + alpha_j) / (D_k + 2 alpha_j)      c_kj of the D_k documents of class k contain term j
        p(k|x) ~ p(k) prod over present j of p_kj, times prod over absent j of 1 - p_kj

    Parameters
    ----------
    alpha : float, array-like (V,) or "evidence"
        Smoothing, not negative; 0 is maximum likelihood. ``evidence`` is the number under which the documents are most
        probable with p_kj integrated out.
    force_alpha : bool
        As in ``MultinomialNB``.
    binarize : float or None
        A term is present if its number is above this; None refuses numbers other than 0 and 1.
    fit_prior, class_prior, prior
        As in ``MultinomialNB``.

    Attributes
    ----------
    class_count_, class_log_prior_ : array (C,)
        As in ``MultinomialNB``.
    feature_count_, feature_log_prob_ : array (C, V)
        c_kj, and log p_kj.
    alpha_, smoothing_
        As in ``MultinomialNB``.
    scorer_ : PresenceScorer
        log p_kj is ``scorer_.present`` (V, C), log(1 - p_kj) is ``scorer_.absent`` (V, C).

    Notes
    -----
    The parameters that scikit-learn has too mean the same and have the same defaults, and the same call gives the same
    numbers, except where scikit-learn gives NaN.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [2, 0, 0], [0, 1, 1]], ["cat", "cat", "dog"])
    >>> model.predict([[5, 0, 0], [0, 0, 1]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.9382, 0.0618]])
    """

    alpha_: Any  # a number, or one per term
    smoothing_: Smoothing

    _text_model = "bernoulli"
    scorer_: bernoulli.PresenceScorer

    def __init__(
        self,
        alpha: Alpha = 1.0,
        *,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.alpha, self.force_alpha, self.binarize = alpha, force_alpha, binarize
        self.fit_prior, self.class_prior, self.prior = fit_prior, class_prior, prior

    @property
    def feature_count_(self) -> Floats:
        """Weight of the documents of each class that contain each term, (C, V)."""
        self._check_fitted()
        return dense_counts(self.statistics_)

    @property
    def feature_log_prob_(self) -> Floats:
        """log p_kj, (C, V)."""
        self._check_fitted()
        return self.scorer_.present.T

    def _as_rows(self, matrix: Any) -> CSR:
        return as_presence(as_reals(matrix), self.binarize)

    def _statistics(self, rows: CSR, y: Labels, sample_weight: Weights | None) -> ClassCounts:
        counts = class_counts(rows, y, sample_weight)
        return ClassCounts(None, counts.classes, counts.documents, counts.terms, counts.terms)

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        found = self._smoothing(counts)
        scorer = replace(bernoulli.fit(counts, found.alpha, "uniform"), bias=self._log_prior(counts))
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    def _smoothing(self, counts: ClassCounts) -> Smoothing:
        if not isinstance(self.alpha, str):
            return smoothing(self._as_forced(), counts)
        if self.alpha != "evidence":
            template = "BernoulliNB does not accept alpha={alpha!r}; use a number, one per term, or 'evidence'"
            raise InputError(template, alpha=self.alpha)
        self._as_forced()
        return bernoulli.evidence(counts)

    def _text_recipe(self) -> dict[str, Any]:
        if self.binarize != 0:
            raise InputError("for texts a term is present if it occurs; leave binarize at its default")
        return super()._text_recipe()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags


def as_presence(X: Any, threshold: float | None) -> CSR:
    """Matrix with a 1 where X is above the threshold, CSR; without a threshold X must hold only 0 and 1.

    >>> as_presence(np.array([[0.5, -1.0, 3.0]]), 1.0).toarray()
    array([[0, 0, 1]], dtype=int32)
    """
    X = canonical(sparse.csr_array(X))
    if threshold is None:
        if not (X.data == 1).all():
            raise InputError("with binarize=None every number must be 0 or 1; use binarize=0.0")
        present = X
    else:
        above = X.data > as_number(threshold, "binarize", low=0)
        present = X if above.all() else with_entries(X, above)
    return sparse.csr_array((np.ones(present.nnz, np.int32), present.indices, present.indptr), shape=X.shape)


class DirichletCompoundNB(CountRows, Incremental, Classifier):
    """The Dirichlet compound (Polya) classifier over count matrices X (D, V), dense or sparse.

        p(x|k) ~ prod_j (alpha_kj)_x_j / (A_k)_n       (a)_n = a (a+1) ... (a+n-1), A_k = sum_j alpha_kj, n = sum_j x_j

    Each class has the vector alpha_k under which its documents are most probable, with a floor taken from the vector of
    all documents together. A repeated term says less than a new one. For fractional counts the products are ratios of
    Gamma functions.

    Parameters
    ----------
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    alpha_ : array (C, V)
        The vector of each class.
    solutions_ : tuple of Solution
        How the search for each vector ended, that of all documents first.

    Notes
    -----
    ``partial_fit`` keeps the rows.

    Examples
    --------
    >>> X, y = [[5, 0, 1], [4, 1, 0], [0, 3, 0], [1, 4, 0]], ["cat", "cat", "dog", "dog"]
    >>> DirichletCompoundNB().fit(X, y).predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    """

    alpha_: Floats
    solutions_: Any

    _text_model = "compound"
    _keeps_rows = True

    def __init__(self, prior: Prior = "empirical") -> None:
        self.prior = prior

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        scorer = compound.fit_rows(rows.X, rows.y, rows.classes, rows.weight, self.prior)
        return {"alpha_": scorer.alpha, "solutions_": scorer.solutions, "scorer_": scorer}
