"""Fitted model: a scorer made from a recipe and a learnt value, with its calibration; it answers and explains.

    joint_k(x)      = scorer's score of class k for the weighted document x                      (C,)
    likelihood_k(x) = joint_k(x) - base_k                                                        (C,)
    p(k|x)          = softmax_k(joint_k(x) + shift_k)      without a calibration                 (C,)

``base`` is the part of the scores that does not come from the document: the log prior, or the log class frequencies if
the model knows no other prior. ``shift`` replaces class frequencies by the prior.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from textnb.classifier.explanation import ABSENT, Contribution, Explanation
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import ClassCounts, Counted, Examples, Learnt, count_matrix, counted, select_terms
from textnb.counts.counting import ENTRIES
from textnb.counts.labels import places
from textnb.counts.matrix import CSR, mapped
from textnb.counts.rows import as_matrix, row_blocks, row_sums, with_data
from textnb.counts.selection import least_df
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.counts.weighting import Weigher
from textnb.errors import InputError, ModelFileError, listed
from textnb.extension import sparse
from textnb.files.deferred import Deferred
from textnb.files.model_file import StoredFit
from textnb.models.calibration import Calibration, Sizes
from textnb.models.model import Fit, Model, Need, Statistics
from textnb.models.prior import log_prior
from textnb.models.registry import model
from textnb.models.rows import Labelled
from textnb.models.scorer import Differences, Scorer, check_weights, difference, log_posterior
from textnb.models.smoothing import Smoothing
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.text import NOWHERE, LocatedTerm
from textnb.text.analyzer import SELECTION

_NO_NUMBER = (
    "the scores are not numbers: the model file is damaged (check it with textnb info MODEL --verify), or the document "
    "far too long"
)


@dataclass(frozen=True, eq=False)
class Fitted:
    """Probabilities and explanations. Without a calibration the probabilities are the model's own.

    Made by ``of`` (fit now), ``renewed`` (fit of before, counts of now), ``restored`` (from a file), or ``with_fit``
    (from a file of textnb 0.1).
    """

    recipe: ClassifierRecipe
    vocabulary: Vocabulary
    weigher: Weigher
    classes: tuple[str, ...]
    """Class names, sorted."""

    statistics: Deferred[ClassCounts]
    fit: Fit
    log_prior: Floats
    base: Floats
    """Part of the scores that does not come from the document, (C,)."""

    shift: Floats
    """What replaces class frequencies by the prior, (C,)."""

    calibration: Calibration | None = None

    @classmethod
    def of(
        cls, recipe: ClassifierRecipe, learnt: Learnt, smoothing: Smoothing | None = None, *, is_old: bool = False
    ) -> "Fitted":
        """Fit a recipe to a learnt value.

        smoothing: replaces the one that the recipe asks for. is_old: True to estimate alpha as textnb 0.1 did.
        """
        weigher, statistics = _weighted(recipe, learnt)
        statistics = statistics._replace(is_old=is_old)
        alpha = recipe.alpha if smoothing is None else smoothing.alpha
        fit = model(recipe.model).fit(statistics, alpha, recipe.prior, recipe.options)
        if smoothing is not None:
            fit = fit._replace(smoothing=smoothing)
        return cls._made(recipe, weigher, statistics.counts, fit)

    @classmethod
    def with_fit(cls, recipe: ClassifierRecipe, learnt: Learnt, fit: Fit) -> "Fitted":
        """Restore a fit to this learnt value; weights of other terms are refused."""
        weigher, statistics = _weighted(recipe, learnt, with_rows=recipe.weights.normalised)
        _check_terms(fit, statistics.counts.n_terms)
        return cls._made(recipe, weigher, statistics.counts, fit)

    @classmethod
    def restored(
        cls, recipe: ClassifierRecipe, classes: tuple[str, ...], stored: StoredFit, learnt: Deferred[Learnt]
    ) -> "Fitted":
        """Restore what a file holds; nothing is fitted, and the learnt value is not asked for."""
        if recipe.weights.has_idf != (stored.idf is not None):
            raise InputError("weighting {name!r} does not go with the idf of the file", name=recipe.weighting)
        statistics = Deferred(lambda: _weighted(recipe, learnt.value, with_rows=recipe.weights.normalised)[1].counts)
        weigher, priors = Weigher(recipe.weights, stored.idf), (stored.log_prior, stored.base, stored.shift)
        return cls(recipe, stored.vocabulary, weigher, classes, statistics, stored.fit, *priors)

    @property
    def stored(self) -> StoredFit:
        """What a file holds of it."""
        return StoredFit(self.vocabulary, self.weigher.idf, self.fit, self.log_prior, self.base, self.shift)

    @classmethod
    def renewed(cls, recipe: ClassifierRecipe, learnt: Learnt, before: "Fitted", since: int) -> "Fitted":
        """Bring the fit of an earlier learnt value up to this one; ``since`` documents have changed."""
        renew = model(recipe.model).renew
        assert renew is not None
        weigher, statistics = _weighted(recipe, learnt)
        assert statistics.counts.vocabulary is not None
        places = before.vocabulary.places_of(statistics.counts.vocabulary)
        fit = renew(statistics, before.fit._replace(since=since), places)
        return cls._made(recipe, weigher, statistics.counts, fit)

    @classmethod
    def _made(cls, recipe: ClassifierRecipe, weigher: Weigher, counts: ClassCounts, fit: Fit) -> "Fitted":
        assert counts.vocabulary is not None
        check_weights(fit.scorer)
        prior, frequencies = (log_prior(each, counts.classes, counts.documents) for each in (recipe.prior, "empirical"))
        parts = _priors(recipe, fit, prior, frequencies)
        return cls(recipe, counts.vocabulary, weigher, counts.classes, Deferred.of(counts), fit, *parts)

    def with_scorer(self, scorer: Scorer, log_prior: Floats, log_frequencies: Floats) -> "Fitted":
        """Return the fit with another scorer, prior and class frequencies, (C,) each; the rest stays."""
        fit = self.fit._replace(scorer=scorer)
        prior, base, shift = _priors(self.recipe, fit, log_prior, log_frequencies)
        return replace(self, fit=fit, log_prior=prior, base=base, shift=shift)

    def calibrated(self, calibration: Calibration | None) -> "Fitted":
        """Return the same fit with another calibration."""
        return replace(self, calibration=calibration)

    @property
    def scorer(self) -> Scorer:
        """Scorer of the fit."""
        return self.fit.scorer

    @property
    def counts(self) -> ClassCounts:
        """Statistics of the weighted documents, on the terms in use; answering does not need them."""
        return self.statistics.value

    def score_parts(
        self, documents: Iterable[Document] | Iterable[Counted], jobs: int = 1, entries: float = ENTRIES
    ) -> Iterator[tuple[Counted, Floats]]:
        """Yield documents in their order, in parts of at least ``entries`` counts, with log probabilities (D, C)."""
        for part in counted(documents, self.recipe.terms_of, self.vocabulary, jobs=jobs, entries=entries):
            yield part, self.log_posterior(part.counts)

    def log_proba_counted(self, part: Counted) -> Floats:
        """Log probabilities of documents counted on any vocabulary, (D, C)."""
        return self.log_posterior(mapped(part.X, part.vocabulary, self.vocabulary))

    def log_posterior(self, X: CSR) -> Floats:
        """Log probabilities of the classes for counts X on this vocabulary, (D, C); the prior for an empty row."""
        weights = self.weigher(X)
        with np.errstate(over="ignore", invalid="ignore"):  # of a damaged file; the result is checked
            if self.calibration is not None:
                sizes = self.sizes(X, weights)
                found = self.calibration.log_posterior(self.likelihood(weights), self.log_prior, sizes)
            else:
                empty = (row_sums(X) == 0)[:, np.newaxis]
                scores = self.joint(weights) + self.shift
                found = log_posterior(np.where(empty, self.log_prior, scores), self.log_prior)
        return _numbers(found)

    def sizes(self, X: CSR, weights: CSR) -> Sizes:
        """Sizes of documents with these counts and weights, for the calibration."""
        recipe = self.recipe
        growth = 0.0 if recipe.weights.normalised else model(recipe.model).growth(recipe.options)
        return Sizes.of(X, weights, growth)

    @property
    def log_frequencies(self) -> Floats:
        """Log class frequencies of the learnt documents, (C,)."""
        return log_prior("empirical", self.classes, self.counts.documents)

    def joint(self, weights: CSR) -> Floats:
        """Scores of weighted documents, (D, C); refuses weights of a damaged file, whose scores are not numbers."""
        scorer = self.scorer
        return _numbers(scorer.joint_log_scores(weights if scorer.takes_rows else as_matrix(weights)))

    def likelihood(self, weights: CSR) -> Floats:
        """Scores of weighted documents without ``base``, (D, C)."""
        with np.errstate(invalid="ignore"):
            rest = self.joint(weights) - self.base
        return np.where(np.isnan(rest), 0.0, rest)  # a class of prior 0 is impossible, whatever its score

    def explain(self, document: Document | Counted, label: str | None, against: str | None) -> Explanation:
        """Explain the score of ``label`` over ``against`` for a document, or for a part of one counted document."""
        located = _counted_terms(document) if isinstance(document, Counted) else self.recipe.terms_of.located(document)
        explanation = self._explanation(located, label, against)
        return explanation if isinstance(document, Counted) else replace(explanation, text=document.text)

    def _explanation(self, places: list[LocatedTerm], label: str | None, against: str | None) -> Explanation:
        if len(self.classes) < 2:
            raise InputError("nothing to explain: {name!r} is the only class", name=self.classes[0])
        located = [place for place in places if place.term in self.vocabulary]
        occurrences = Counter(place.term for place in located)
        X = count_matrix([[place.term for place in located]], self.vocabulary)[0]
        mine, other = self._pair(self.log_posterior(X)[0], label, against)
        W = self.weigher(X)
        parts = self._differences(X, W, mine, other)
        columns = W.indices.tolist()
        values = {self.vocabulary.term(j): value for j, value in zip(columns, parts.values.tolist(), strict=True)}
        contributions = [Contribution(*place, values[place.term] / occurrences[place.term]) for place in located]
        if parts.absent:
            contributions.append(Contribution(ABSENT, NOWHERE, NOWHERE, parts.absent))
        shift = float(difference(self.shift[mine], self.shift[other]))
        distance = self.scorer.distance(W, mine, other, shift)
        names = self.classes[mine], self.classes[other]
        return Explanation(*names, parts.score, parts.bias, tuple(contributions), distance)

    def rows(self, learnt: Learnt) -> Labelled | None:
        """Weighted documents of a learnt value; None if it keeps none."""
        if learnt.examples is None:
            return None
        return _weighted_rows(self.weigher, self.vocabulary, self.classes, learnt.examples)

    def _differences(self, X: CSR, weights: CSR, mine: int, other: int) -> Differences:
        """Parts of the difference of two classes' scores, after calibration."""
        parts = self.scorer.differences(weights, mine, other)
        prior, base, shift = (
            float(difference(part[mine], part[other])) for part in (self.log_prior, self.base, self.shift)
        )
        if not X.sum():
            return Differences(prior, parts.values * 0)
        if self.calibration is None:
            return parts._replace(bias=parts.bias + shift)
        factors = self.calibration.factors(self.likelihood(weights), self.sizes(X, weights))
        factor, bias = float(factors[0]), self.calibration.bias
        if np.isfinite(prior):
            prior += (parts.bias - base) * factor + float(bias[mine] - bias[other])
        return Differences(prior, parts.values * factor, parts.absent * factor)

    def _pair(self, log_posterior: Floats, label: str | None, against: str | None) -> tuple[int, int]:
        """Numbers of the two classes to compare: those named, else the most probable others."""
        named = [None if name is None else self.number_of(name) for name in (label, against)]
        if named[0] is not None and named[0] == named[1]:
            raise InputError("label and against are both {label!r}; name two classes", label=label)
        rest = iter([int(k) for k in np.argsort(-log_posterior, kind="stable") if k not in named])
        mine, other = (next(rest) if number is None else number for number in named)
        return mine, other

    def number_of(self, name: str) -> int:
        """Return the number of a class; an unknown class is refused."""
        self.check_classes([name])
        return self.classes.index(name)

    def check_classes(self, names: Iterable[str]) -> None:
        """Refuse classes that the model does not have."""
        for name in sorted({*names} - {*self.classes}):
            raise InputError("unknown class {name!r}; the model has {known}", name=name, known=listed(self.classes))


def _priors(recipe: ClassifierRecipe, fit: Fit, prior: Floats, frequencies: Floats) -> tuple[Floats, Floats, Floats]:
    """Log prior, base and shift of a fit, (C,) each."""
    if Need.ROWS not in model(recipe.model).needs:
        return fit.scorer.bias, fit.scorer.bias, np.zeros(len(prior))
    # such a model knows no prior but the class frequencies
    return prior, frequencies if fit.includes_prior else np.zeros(len(prior)), prior - frequencies


def _numbers(scores: Floats) -> Floats:
    """Scores, refused if they hold NaN."""
    if np.isnan(scores).any():
        raise ModelFileError(_NO_NUMBER)
    return scores


def _counted_terms(part: Counted) -> list[LocatedTerm]:
    """Terms of one counted document, repeated as often as they occur; their places in the text are unknown."""
    if len(part) != 1:
        raise InputError("explain takes one document, not a part of {number}", number=len(part))
    columns, times = part.X.indices.tolist(), part.X.data.tolist()
    terms = [part.vocabulary.term(j) for j, n in zip(columns, times, strict=True) for _ in range(int(n))]
    return [LocatedTerm(term, NOWHERE, NOWHERE) for term in terms]


def _check_terms(fit: Fit, n_terms: int) -> None:
    """Refuse a fit that was made on another number of terms."""
    fit.scorer.joint_log_scores(sparse.csr_array((1, n_terms)))


def _weighted(recipe: ClassifierRecipe, learnt: Learnt, *, with_rows: bool = True) -> tuple[Weigher, Statistics]:
    """Weigher of a learnt value, and the statistics of its weighted documents on the terms in use."""
    columns = select_columns(recipe, learnt.counts)
    stored = learnt.counts if len(columns) == learnt.counts.n_terms else learnt.counts.selected(columns)
    assert stored.vocabulary is not None
    weigher = recipe.weights.on(stored)
    weigh = _weigh_rows(model(recipe.model), weigher)
    rows = None
    if with_rows and learnt.examples is not None:
        rows = partial(_weighted_rows, weigh, stored.vocabulary, stored.classes, learnt.examples)
    counts = _weighted_counts(recipe, weigher, stored, rows)
    analyzer = recipe.analyzer
    least = least_df(learnt.counts, analyzer.min_df, model(recipe.model).least_terms)
    return weigher, Statistics(
        counts, learnt.counts, learnt.histograms, columns, rows, least, recipe.weights.normalised
    )


def _weigh_rows(chosen: Model, weigher: Weigher) -> Callable[[CSR], CSR]:
    """Return the function from counts to the rows that a model is fitted to, in as little memory as it allows."""
    if chosen.presence_only:
        return lambda X: with_data(X, np.broadcast_to(np.ones(1, np.int8), X.nnz))  # the ones take no memory
    return (lambda X: _in_single_precision(weigher, X)) if chosen.single_rows else weigher


def _in_single_precision(weigher: Weigher, X: CSR) -> CSR:
    """Return weighted rows in single precision if that changes no entry; X is canonical."""
    data = np.empty(X.nnz, np.float32)
    for rows, entries in row_blocks(X.indptr):  # so that not all weights are in double precision at once
        part = weigher(X[rows]).data
        data[entries] = part
        if not (data[entries] == part).all():
            return weigher(X)
    return with_data(X, data)


def _weighted_rows(
    weigh: Callable[[CSR], CSR], vocabulary: Vocabulary, classes: tuple[str, ...], examples: Examples
) -> Labelled:
    X = weigh(mapped(examples.X, examples.vocabulary, vocabulary))
    return Labelled(classes, X, places(classes, examples.classes)[examples.y], np.ones(len(examples.y)))


def _weighted_counts(
    recipe: ClassifierRecipe, weigher: Weigher, stored: ClassCounts, rows: Callable[[], Labelled] | None
) -> ClassCounts:
    """Statistics of weighted documents: from stored weights, or from the documents if their length is normalised."""
    if not recipe.weights.normalised:
        return weigher.class_counts(stored)
    if rows is None:
        if Need.ROWS not in model(recipe.model).needs:
            raise InputError("weighting {name!r} needs the documents, which were not kept", name=recipe.weighting)
        return weigher.class_counts(stored)  # the scorer is there already
    made = rows()
    weighted = ClassCounts.of(made.X, made.y, stored.vocabulary, range(stored.n_classes), containing=False)
    return ClassCounts(stored.vocabulary, stored.classes, stored.documents, weighted.terms, stored.containing)


def select_columns(recipe: ClassifierRecipe, counts: ClassCounts) -> Columns:
    """Columns of the terms that the model uses; at least one if there are terms."""
    analyzer = recipe.analyzer
    least_terms = model(recipe.model).least_terms
    columns = select_terms(counts, analyzer.min_df, analyzer.max_df, analyzer.max_terms, least_terms)
    if counts.n_terms and not len(columns):
        template = (
            "none of {terms:,} terms is left by min_df={min_df}, max_df={max_df}, max_terms={max_terms}; loosen them"
        )
        raise InputError(template, terms=counts.n_terms, **{name: getattr(analyzer, name) for name in SELECTION})
    return columns
