"""Cross-validation by arithmetic on statistics: documents are counted once, and each fold is subtracted.

    statistics(training documents) = statistics(all) - statistics(other documents)                              (1)

The right side needs one pass over all documents and one over each fold, for any number of folds; recipes with the same
statistics share it. Term selection, smoothing and calibration are functions of the left side and are redone in each
fold. The result equals fitting on the training documents, to the bit for whole counts and log weights.
"""

import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from textnb.classifier.choice import learn
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import fit_recipe
from textnb.counts import Counted, Learnt, TermsOf, counted
from textnb.counts.labels import class_codes, places
from textnb.counts.learnt import Keeps, Sample
from textnb.document import Document
from textnb.errors import InputError
from textnb.evaluation.intervals import estimate_measures
from textnb.evaluation.splits import OUTSIDE, document_groups
from textnb.extension import cached_property
from textnb.models.registry import AUTO
from textnb.numerics import Codes, Estimate, Floats
from textnb.parallel import map_ordered
from textnb.text.analyzer import SELECTION

Recipes = Mapping[str, ClassifierRecipe]


@dataclass(frozen=True)
class TokenizedDocuments:
    """Labelled documents, counted once for each way of tokenizing among the recipes of a comparison.

    ``parts`` has the documents, in the same order, by ``tokenization_key``; ``labels`` the label of each.
    """

    parts: Mapping[str, Counted]
    labels: list[str]

    @classmethod
    def of(cls, recipes: Iterable[ClassifierRecipe], count: Callable[[TermsOf], Counted]) -> "TokenizedDocuments":
        """Count the documents; ``count`` is called once for each tokenizer, normalisers and n-grams of the recipes."""
        parts: dict[str, Counted] = {}
        for recipe in recipes:
            if (key := tokenization_key(recipe.terms_of)) not in parts:
                parts[key] = count(recipe.terms_of)
        first = next(iter(parts.values()))
        if any((part.digests, part.labels) != (first.digests, first.labels) for part in parts.values()):
            raise InputError("the corpus changed while it was read; run the command again")
        return cls(parts, first.named_labels)

    @classmethod
    def from_documents(
        cls, recipes: Iterable[ClassifierRecipe], documents: Sequence[Document], jobs: int = 1
    ) -> "TokenizedDocuments":
        """Count documents in memory as each recipe tokenizes them."""
        if not documents:
            raise InputError("there are no documents to compare recipes on")
        return cls.of(recipes, lambda terms_of: next(counted(documents, terms_of, jobs=jobs, entries=math.inf)))

    def of_recipe(self, recipe: ClassifierRecipe) -> Counted:
        """Documents as the recipe tokenizes them."""
        return self.parts[tokenization_key(recipe.terms_of)]

    def rows(self, rows: Codes) -> "TokenizedDocuments":
        """Some of the documents, by number; terms that none of them contains are left out."""
        parts = {key: part.rows(rows).trimmed for key, part in self.parts.items()}
        return TokenizedDocuments(parts, [self.labels[i] for i in rows.tolist()])

    @property
    def ids(self) -> tuple[str, ...]:
        """Id of each document."""
        return self._first.ids

    @property
    def classes(self) -> tuple[str, ...]:
        """Distinct labels, sorted."""
        return self._codes[0]

    @property
    def y(self) -> Codes:
        """Number of the class of each document, (D,)."""
        return self._codes[1]

    @cached_property
    def groups(self) -> Codes:
        """Number of the group of each document, (D,); copies are of one group."""
        return document_groups(self._first.digests, self._first.groups)

    @property
    def digests(self) -> list[bytes]:
        """Digest of each document with its label."""
        return self._first.learnt_digests

    def estimate(self, log_probabilities: Floats) -> dict[str, Estimate]:
        """Metrics with intervals of predictions (R, D, C), one matrix per repeat."""
        return estimate_measures(self.y, log_probabilities, self.groups)

    @cached_property
    def _codes(self) -> tuple[tuple[str, ...], Codes]:
        return class_codes(self.labels)

    @property
    def _first(self) -> Counted:
        return next(iter(self.parts.values()))


def tokenization_key(terms_of: TermsOf) -> str:
    """Text that is equal for equal ways of tokenizing; term selection comes later and is no part of it."""
    of_text = {key: value for key, value in terms_of.analyzer.recipe.items() if key not in SELECTION}
    return repr((terms_of.tokenizer.recipe, of_text))


class Trial(NamedTuple):
    """One recipe, tested on one fold of one repeat."""

    recipe: str
    repeat: int
    fold: int


class FoldAnswers(NamedTuple):
    """Log probabilities (n, C) of the documents of a fold, and what it took to compute them."""

    trial: Trial
    log_probabilities: Floats
    fit_seconds: float
    predict_seconds: float
    is_calibrated: bool


Watch = Callable[[Iterator[FoldAnswers]], Iterator[FoldAnswers]]


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """Answers of a recipe for documents that it was not trained on.

    Attributes
    ----------
    log_probabilities : ndarray of shape (R, D, C)
        Log probabilities in each repeat; NaN for documents outside all folds.
    fit_seconds, predict_seconds : ndarray of shape (R, K)
        Time per fold. Fitting includes the subtraction of eq. (1), even if another recipe shared it.
    is_calibrated : bool
        Whether the probabilities of all folds are calibrated.
    """

    name: str
    recipe: ClassifierRecipe
    log_probabilities: Floats
    fit_seconds: Floats
    predict_seconds: Floats
    is_calibrated: bool


def cross_validated(
    recipes: Recipes, documents: TokenizedDocuments, folds: Codes, jobs: int = 1, watch: Watch = iter
) -> list[CrossValidated]:
    """Test each recipe on every fold after training on the other folds.

    Parameters
    ----------
    folds : ndarray of shape (R, D)
        Fold of each document in each repeat, as ``repeated_folds`` returns them.
    recipes, documents, jobs, watch
        As in ``compare``.

    Returns
    -------
    list of CrossValidated
        In the order of the recipes.

    Examples
    --------
    >>> from textnb import Document, TextClassifier
    >>> from textnb.comparison import TokenizedDocuments
    >>> corpus = [Document(f"{label} {i}", label) for i in range(4) for label in ("ball", "egg")]
    >>> recipes = {"it": TextClassifier(calibrate=False).recipe}
    >>> documents = TokenizedDocuments.from_documents(recipes.values(), corpus)
    >>> (one,) = cross_validated(recipes, documents, np.array([[0, 0, 0, 0, 1, 1, 1, 1]]))
    >>> one.log_probabilities.shape, one.log_probabilities[0].argmax(axis=1)
    ((1, 8, 2), array([0, 1, 0, 1, 0, 1, 0, 1]))
    """
    _check_arguments(recipes, documents, folds)
    shape = (*folds.shape, len(documents.classes))
    seconds = (len(folds), int(folds.max()) + 1)
    found = {
        name: CrossValidated(
            name, recipe, np.full(shape, np.nan), np.zeros(seconds), np.zeros(seconds), recipe.calibrate
        )
        for name, recipe in recipes.items()
    }
    for answers in watch(map_ordered(FoldRunner(recipes, documents, folds), list_trials(recipes, folds), jobs)):
        name, repeat, fold = answers.trial
        one = found[name]
        one.log_probabilities[repeat, folds[repeat] == fold] = answers.log_probabilities
        one.fit_seconds[repeat, fold] = answers.fit_seconds
        one.predict_seconds[repeat, fold] = answers.predict_seconds
        found[name] = replace(one, is_calibrated=one.is_calibrated and answers.is_calibrated)
    return list(found.values())


def _check_arguments(recipes: Recipes, documents: TokenizedDocuments, folds: Codes) -> None:
    if not recipes:
        raise InputError("there are no recipes to compare")
    if folds.ndim != 2 or folds.shape[1] != len(documents.labels):
        template = "folds must have shape (repeats, {documents}), not {shape}"
        raise InputError(template, documents=len(documents.labels), shape=folds.shape)


def list_trials(recipes: Recipes, folds: Codes) -> list[Trial]:
    """Every recipe on every fold; recipes that share statistics follow each other."""
    ordered = sorted(recipes, key=lambda name: repr(statistics_key(recipes[name])))
    return [
        Trial(name, repeat, fold)
        for repeat, row in enumerate(folds)
        for fold in range(int(row.max()) + 1)
        for name in ordered
    ]


class _Split(NamedTuple):
    """Recipe, statistics of the training documents of a fold, and its test documents.

    documents: all documents as they are tokenized. seconds: time for the statistics.
    """

    recipe: ClassifierRecipe
    documents: Counted
    learnt: Learnt
    test: Counted
    seconds: float


class FoldRunner:
    """Fits and tests recipes; keeps the last split, since the next recipe may need the same."""

    def __init__(self, recipes: Recipes, documents: TokenizedDocuments, folds: Codes) -> None:
        self.recipes, self.documents, self.folds = recipes, documents, folds
        self._totals: dict[Hashable, Learnt] = {}
        self._last: tuple[tuple[Hashable, int, int], _Split] | None = None

    def __call__(self, trial: Trial) -> FoldAnswers:
        """Fit on the documents outside the fold and answer for those in it."""
        recipe = self.recipes[trial.recipe]
        split = self._chosen(trial, recipe) if recipe.model == AUTO else self._split(trial, recipe)
        started = time.perf_counter()
        fitted = fit_recipe(split.recipe, split.learnt)
        ready = time.perf_counter()
        known = fitted.log_proba_counted(split.test)
        answered = time.perf_counter()
        log_probabilities = expand_classes(known, fitted.classes, self.documents.classes)
        is_calibrated = fitted.calibration is not None
        return FoldAnswers(trial, log_probabilities, ready - started + split.seconds, answered - ready, is_calibrated)

    def _chosen(self, trial: Trial, recipe: ClassifierRecipe) -> "_Split":
        """Statistics of the recipe that is chosen by the training documents alone."""
        tokenized, folds = self.documents.of_recipe(recipe), self.folds[trial.repeat]
        is_test = folds == trial.fold
        training = tokenized.rows(np.flatnonzero(~is_test & (folds != OUTSIDE))).trimmed
        started = time.perf_counter()
        chosen, learnt = learn(recipe, [training])
        seconds = time.perf_counter() - started
        return _Split(chosen, tokenized, learnt, tokenized.rows(np.flatnonzero(is_test)), seconds)

    def _split(self, trial: Trial, recipe: ClassifierRecipe) -> _Split:
        statistics = statistics_key(recipe)
        key = (statistics, trial.repeat, trial.fold)
        if self._last is None or self._last[0] != key:
            tokenized = self.documents.of_recipe(recipe)
            if statistics not in self._totals:
                self._totals[statistics] = Learnt.of(tokenized, recipe.weights, without_sample(recipe))
            started = time.perf_counter()
            learnt = self._training_statistics(self._totals[statistics], recipe, tokenized, trial)
            seconds = time.perf_counter() - started
            test = self._test_documents(learnt, tokenized, trial)
            self._last = key, _Split(recipe, tokenized, learnt, test, seconds)
        return self._last[1]._replace(recipe=recipe)

    def _training_statistics(self, total: Learnt, recipe: ClassifierRecipe, tokenized: Counted, trial: Trial) -> Learnt:
        """Statistics of eq. (1), and the training documents that a calibration uses."""
        folds = self.folds[trial.repeat]
        is_other = (folds == trial.fold) | (folds == OUTSIDE)
        others = tokenized.rows(np.flatnonzero(is_other))
        learnt = total - Learnt.of(others, recipe.weights, without_sample(recipe))
        if not recipe.keeps.sample:
            return learnt
        return replace(
            learnt, sample=Sample.calibrating(tokenized.rows(np.flatnonzero(~is_other)), recipe.keeps.sample)
        )

    def _test_documents(self, learnt: Learnt, tokenized: Counted, trial: Trial) -> Counted:
        """Documents of the fold on the learnt terms; those of the last split if they are the same."""
        vocabulary = learnt.counts.vocabulary
        assert vocabulary is not None
        if self._last is not None:
            (_, *of_fold), before = self._last
            if of_fold == [*trial[1:]] and before.documents is tokenized and before.test.vocabulary == vocabulary:
                return replace(before.test, vocabulary=vocabulary)
        tokenized.vocabulary.columns  # noqa: B018  # cached here once, so that no fold builds its own dictionary
        return tokenized.rows(np.flatnonzero(self.folds[trial.repeat] == trial.fold)).on(vocabulary)


def statistics_key(recipe: ClassifierRecipe) -> Hashable:
    """Value that is equal for recipes that learn the same statistics from the same documents."""
    return tokenization_key(recipe.terms_of), recipe.weighting, recipe.keeps


def without_sample(recipe: ClassifierRecipe) -> Keeps:
    """What a recipe keeps, less the sample: it depends on the number of documents, so samples cannot be subtracted."""
    return recipe.keeps._replace(sample=0)


def expand_classes(log_probabilities: Floats, known: tuple[str, ...], classes: tuple[str, ...]) -> Floats:
    """Log probabilities of all classes, (D, C), from those of the known ones; the others are impossible."""
    wide = np.full((len(log_probabilities), len(classes)), -np.inf)
    wide[:, places(classes, known)] = log_probabilities
    return wide
