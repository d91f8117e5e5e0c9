"""The naive Bayes family as estimators: multinomial, complement, Bernoulli, categorical and Dirichlet compound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.contingency import Contingency
from textnb.counts.histograms import ClassHistograms
from textnb.counts.labels import Labels, Weights
from textnb.counts.matrix import CSR
from textnb.counts.weighting import EXACT_UNIT, Weigher, Weighting, as_exact, weighting_of
from textnb.errors import InputError
from textnb.estimators.learner import Alpha, CategoryRows, Classifier, CountRows, Incremental, smoothing_of_counts
from textnb.models import bernoulli, categorical, complement, compound, multinomial
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.smoothing import OF_DOCUMENTS, Smoothing, smoothing


class MultinomialNB(CountRows, Incremental, Classifier):
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
    estimate : {"mean", "map"}
        Posterior mean, as above, or posterior mode, with alpha_j - 1 in place of alpha_j; fit refuses a mode that does
        not exist.
    prior : str, mapping or sequence
        ``empirical`` (class frequencies), ``uniform``, or the probability of each class.

    Attributes
    ----------
    alpha_ : float or array (V,)
        The smoothing used.
    smoothing_ : Smoothing
        How it was found.
    scorer_ : LinearScorer
        log p(j|k) is ``scorer_.weights`` (C, V).

    Notes
    -----
    Differences from scikit-learn: alpha = 0 is exact, and a document that no class allows gets the prior; a class may
    appear in any call of ``partial_fit``; ``estimate``; ``prior`` replaces ``fit_prior`` and ``class_prior``.

    Examples
    --------
    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1]], ["cat", "dog", "cat"]
    >>> model = MultinomialNB(alpha=1.0).fit(X, y)
    >>> model.predict([[1, 0, 0], [0, 3, 0]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.8, 0.2]])
    >>> model.partial_fit([[0, 0, 9]], ["owl"]).classes_
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    _text_model = "multinomial"

    def __init__(self, alpha: Alpha = 1.0, estimate: str = "mean", prior: Prior = "empirical") -> None:
        self.alpha, self.estimate, self.prior = alpha, estimate, prior

    def _statistics(self, rows: CSR, y: Labels, sample_weight: Weights | None) -> Any:
        counts = ClassCounts.of(rows, y, sample_weight=sample_weight, containing=False)
        if not self._needs_histograms:
            return counts
        return CountsAndHistograms(counts, ClassHistograms.of(rows, y, sample_weight=sample_weight))

    def _fitted(self, statistics: Any) -> dict[str, Any]:
        both = isinstance(statistics, CountsAndHistograms)
        counts, histograms = (statistics.counts, statistics.histograms) if both else (statistics, None)
        if self._needs_histograms and not both:
            template = "alpha={alpha!r} needs single documents, which were not kept before; call fit on all rows"
            raise InputError(template, alpha=self.alpha)
        found = smoothing(self.alpha, counts, histograms)
        options: dict[str, Any] = {"prior": self.prior, "estimate": self.estimate}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(multinomial.fit, counts, found.alpha, **options)
        else:
            scorer = multinomial.fit(counts, found.alpha, **options)
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

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


class ComplementNB(CountRows, Incremental, Classifier):
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
        Smoothing, positive; or ``evidence``, ``evidence-class`` or ``evidence-unigram``, as in ``MultinomialNB``; with
        ``length_norm`` only numbers.
    tf : bool
        log(1 + x) in place of x.
    idf : bool
        Multiply by log(D / df_j), where df_j of D training documents contain term j.
    length_norm : bool
        Divide the weights of each document by their Euclidean norm.
    complement : bool
        False takes the class itself, as in multinomial naive Bayes.
    weight_norm : bool
        Divide log theta of each class by the sum of its magnitudes, and multiply by the mean of these sums.
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    alpha_, smoothing_
        As in ``MultinomialNB``.
    weigher_ : Weigher
        The function from counts to the weights x; ``weigher_.idf`` is (V,), or None without ``idf``.
    scorer_ : LinearScorer
        The weights are ``scorer_.weights`` (C, V).

    Notes
    -----
    With ``idf`` and ``length_norm`` together ``partial_fit`` keeps the rows.

    Differences from scikit-learn: the prior counts (scikit-learn has none, as with ``prior="uniform"``);
    ``weight_norm`` keeps the scale of the scores; the parameters for the paper's other steps.

    Examples
    --------
    >>> X, y = [[2, 0, 1], [0, 1, 0], [1, 0, 1], [0, 0, 2]], ["cat", "dog", "cat", "owl"]
    >>> ComplementNB(prior="uniform").fit(X, y).predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    >>> twcnb = ComplementNB(tf=True, idf=True, length_norm=True, weight_norm=True, prior="uniform").fit(X, y)
    >>> twcnb.predict([[1, 0, 0], [0, 3, 0], [0, 0, 1]])
    array(['cat', 'dog', 'owl'], dtype='<U3')
    """

    _text_model = "complement"
    weigher_: Weigher

    def __init__(
        self,
        alpha: Alpha = 1.0,
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
        found = smoothing_of_counts(self.alpha, counts)
        options: dict[str, Any] = {"prior": self.prior, "complement": self.complement, "normalise": self.weight_norm}
        if isinstance(self.alpha, str):
            scorer = multinomial.fit_seen(complement.fit, counts, found.alpha, **options)
        else:
            scorer = complement.fit(counts, found.alpha, **options)
        return {"alpha_": found.alpha, "smoothing_": found, "weigher_": weigher, "scorer_": scorer}

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
        return {**super()._text_recipe(), "weighting": self._weighting.name}


class BernoulliNB(CountRows, Incremental, Classifier):
    """Bernoulli naive Bayes over present and absent terms, X (D, V), dense or sparse; any positive count is presence.

        p_kj = (c_kj + alpha_j) / (D_k + 2 alpha_j)      c_kj of the D_k documents of class k contain term j
        p(k|x) ~ p(k) prod over present j of p_kj, times prod over absent j of 1 - p_kj

    Parameters
    ----------
    alpha : float, array-like (V,) or "evidence"
        Smoothing, not negative; 0 is maximum likelihood. ``evidence`` is the number under which the documents are most
        probable with p_kj integrated out.
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    alpha_, smoothing_
        As in ``MultinomialNB``.
    scorer_ : PresenceScorer
        log p_kj is ``scorer_.present`` (V, C), log(1 - p_kj) is ``scorer_.absent`` (V, C).

    Examples
    --------
    >>> model = BernoulliNB().fit([[1, 1, 0], [2, 0, 0], [0, 1, 1]], ["cat", "cat", "dog"])
    >>> model.predict([[5, 0, 0], [0, 0, 1]])
    array(['cat', 'dog'], dtype='<U3')
    >>> model.predict_proba([[1, 0, 0]]).round(4)
    array([[0.9382, 0.0618]])
    """

    _text_model = "bernoulli"
    _containing = True

    def __init__(self, alpha: Alpha = 1.0, prior: Prior = "empirical") -> None:
        self.alpha, self.prior = alpha, prior

    def _fitted(self, counts: ClassCounts) -> dict[str, Any]:
        found = self._smoothing(counts)
        scorer = bernoulli.fit(counts, found.alpha, self.prior)
        return {"alpha_": found.alpha, "smoothing_": found, "scorer_": scorer}

    def _smoothing(self, counts: ClassCounts) -> Smoothing:
        if not isinstance(self.alpha, str):
            return smoothing(self.alpha, counts)
        if self.alpha != "evidence":
            template = "BernoulliNB does not accept alpha={alpha!r}; use a number, one per term, or 'evidence'"
            raise InputError(template, alpha=self.alpha)
        return bernoulli.evidence(counts)


class CategoricalNB(CategoryRows, Classifier):
    """Categorical naive Bayes over tables of strings or numbers, X (D, F).

        p(v|k) = (N_kjv + alpha) / (N_k + alpha M_j)    N_kjv: documents of class k with value v in column j,
                                                        N_k: documents of class k, M_j: values of column j
        p(k|x) ~ p(k) prod_j p(x_j|k)

    A value that training has not seen is ignored: its factor is 1 for every class. Missing values (None, NaN) are
    refused, with their row and column.

    Parameters
    ----------
    alpha : float
        Smoothing, not negative; 0 is maximum likelihood.
    prior : str, mapping or sequence
        As in ``MultinomialNB``.

    Attributes
    ----------
    statistics_ : Contingency
        The values of each column are ``statistics_.values``.
    scorer_ : LinearScorer
        log p(v|k) is ``scorer_.weights`` (C, sum of M_j), in the order of the values.

    Notes
    -----
    Differences from scikit-learn: strings as well as numbers, negative ones too; M_j counts the values seen, where
    scikit-learn counts every whole number up to the largest; unseen values are not an error.

    Examples
    --------
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

    _text_model = "compound"
    _keeps_rows = True

    def __init__(self, prior: Prior = "empirical") -> None:
        self.prior = prior

    def _fitted(self, rows: Labelled) -> dict[str, Any]:
        scorer = compound.fit_rows(rows.X, rows.y, rows.classes, rows.weight, self.prior)
        return {"alpha_": scorer.alpha, "solutions_": scorer.solutions, "scorer_": scorer}
