"""Cross-validation by arithmetic: what the training documents of a fold teach is the whole less the rest.

    learnt(training documents) = learnt(all) - learnt(the others)                                               (1)

The right side needs one pass over all documents and one over each fold, whatever the number of folds; recipes of one
weighting share it. Term selection, smoothing and calibration are functions of the left side and are done anew in each
fold. Equal to fitting on the training documents, to the bit where counts are whole or log weights.

The documents of a comparison, counted once for each way of cutting texts among its recipes.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import fit_recipe
from textnb.counts import Counted, Learnt, TermsOf
from textnb.counts.labels import class_codes, places
from textnb.counts.learnt import Keeps, Sample
from textnb.errors import InputError
from textnb.evaluation.splits import OUTSIDE, Numbers, document_groups
from textnb.numerics import Floats
from textnb.parallel import map_ordered
from textnb.text.analyzer import SELECTION


@dataclass(frozen=True)
class Tokenised:
    """The same labelled documents in the same order, by how they were cut into terms."""

    parts: Mapping[str, Counted]

    @classmethod
    def of(cls, recipes: Iterable[ClassifierRecipe], count: Callable[[TermsOf], Counted]) -> "Tokenised":
        """``count`` is called once for each tokenizer, normalisers and n-grams that a recipe has."""
        parts: dict[str, Counted] = {}
        for recipe in recipes:
            if (way := way_of(recipe.terms_of)) not in parts:
                parts[way] = count(recipe.terms_of)
        first = next(iter(parts.values()))
        if any((part.digests, part.labels) != (first.digests, first.labels) for part in parts.values()):
            raise InputError("the corpus has changed while it was read")
        first.named_labels  # noqa: B018  # a missing label is refused here
        return cls(parts)

    def of_recipe(self, recipe: ClassifierRecipe) -> Counted:
        """The documents as the recipe cuts them."""
        return self.parts[way_of(recipe.terms_of)]

    @cached_property
    def labels(self) -> list[str]:
        """Of each document."""
        return self._any.named_labels

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return class_codes(np.array(self.labels, object))[0]

    @cached_property
    def y(self) -> Numbers:
        """The class of each document by number, (D,)."""
        return class_codes(np.array(self.labels, object))[1]

    @cached_property
    def groups(self) -> Numbers:
        """The number of the group of each document, copies being of one, (D,)."""
        return document_groups(self._any.digests, self._any.groups)

    @property
    def digests(self) -> list[bytes]:
        """Of each document under its label."""
        return self._any.learnt_digests

    @property
    def _any(self) -> Counted:
        return next(iter(self.parts.values()))


def way_of(terms_of: TermsOf) -> str:
    """What stands for a way of cutting texts; which terms are selected later is no part of it."""
    of_text = {key: value for key, value in terms_of.analyzer.recipe.items() if key not in SELECTION}
    return repr((terms_of.tokenizer.recipe, of_text))


Recipes = Mapping[str, ClassifierRecipe]


class Trial(NamedTuple):
    """One recipe, and the fold of one repeat to test it on."""

    recipe: str
    repeat: int
    fold: int


class Answers(NamedTuple):
    """The log probabilities (n, C) of the documents of a fold, and what it took to have them."""

    trial: Trial
    log_probabilities: Floats
    fit_seconds: float
    predict_seconds: float
    is_calibrated: bool


Watch = Callable[[Iterator[Answers]], Iterator[Answers]]


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """A recipe and its answers for documents that it had not seen.

    log_probabilities (R, D, C), NaN for documents outside; seconds (R, K). A fold's time to fit has in it the counts'
    arithmetic, even where another recipe has shared it.
    """

    name: str
    recipe: ClassifierRecipe
    log_probabilities: Floats
    fit_seconds: Floats
    predict_seconds: Floats
    is_calibrated: bool


def cross_validated(
    recipes: Recipes, documents: Tokenised, folds: Numbers, jobs: int = 1, watch: Watch = iter
) -> list[CrossValidated]:
    """Each recipe tested on every fold, ``folds`` (R, D), by what the other folds teach; the same for any jobs.

    watch: is given the answers as they come, and passes them on.
    """
    _check(recipes, documents, folds)
    shape = (*folds.shape, len(documents.classes))
    n_folds = int(folds.max()) + 1
    found = {
        name: CrossValidated(
            name,
            recipe,
            np.full(shape, np.nan),
            np.zeros((len(folds), n_folds)),
            np.zeros((len(folds), n_folds)),
            recipe.calibrate,
        )
        for name, recipe in recipes.items()
    }
    for answers in watch(map_ordered(Laboratory(recipes, documents, folds), trials(recipes, folds), jobs)):
        name, repeat, fold = answers.trial
        one = found[name]
        one.log_probabilities[repeat, folds[repeat] == fold] = answers.log_probabilities
        one.fit_seconds[repeat, fold] = answers.fit_seconds
        one.predict_seconds[repeat, fold] = answers.predict_seconds
        found[name] = replace(one, is_calibrated=one.is_calibrated and answers.is_calibrated)
    return list(found.values())


class _Split(NamedTuple):
    """What the training documents of a fold teach, and the seconds it took; the fold's own on the same terms.

    ``documents`` are those of all folds.
    """

    documents: Counted
    learnt: Learnt
    test: Counted
    seconds: float


class Laboratory:
    """Where trials are made; it keeps the last split, since the next recipe may need the same."""

    def __init__(self, recipes: Recipes, documents: Tokenised, folds: Numbers) -> None:
        self.recipes, self.documents, self.folds = recipes, documents, folds
        self._totals: dict[Hashable, Learnt] = {}
        self._last: tuple[tuple[Hashable, int, int], _Split] | None = None

    def __call__(self, trial: Trial) -> Answers:
        """Fit on the documents outside the fold, and answer for those in it."""
        recipe = self.recipes[trial.recipe]
        split = self._split(trial, recipe)
        begun = time.perf_counter()
        fitted = fit_recipe(recipe, split.learnt)
        ready = time.perf_counter()
        known = fitted.log_proba_counted(split.test)
        answered = time.perf_counter()
        log_probabilities = on_classes(known, fitted.classes, self.documents.classes)
        is_calibrated = fitted.calibration is not None
        return Answers(trial, log_probabilities, ready - begun + split.seconds, answered - ready, is_calibrated)

    def _split(self, trial: Trial, recipe: ClassifierRecipe) -> _Split:
        kind = statistics_of(recipe)
        key = (kind, trial.repeat, trial.fold)
        if self._last is None or self._last[0] != key:
            counted = self.documents.of_recipe(recipe)
            if kind not in self._totals:
                self._totals[kind] = Learnt.of(counted, recipe.weights, _without_sample(recipe))
            begun = time.perf_counter()
            learnt = self._rest(self._totals[kind], recipe, counted, trial)
            seconds = time.perf_counter() - begun
            self._last = key, _Split(counted, learnt, self._test(learnt, counted, trial), seconds)
        return self._last[1]

    def _test(self, learnt: Learnt, counted: Counted, trial: Trial) -> Counted:
        """The documents of the fold on the terms that were learnt; those of the last split, if they are the same."""
        vocabulary = learnt.counts.vocabulary
        assert vocabulary is not None
        if self._last is not None:
            (_, *of_fold), before = self._last
            if of_fold == [*trial[1:]] and before.documents is counted and before.test.vocabulary == vocabulary:
                return replace(before.test, vocabulary=vocabulary)
        counted.vocabulary.columns  # noqa: B018  # made once, and then of use for every fold
        return counted.rows(np.flatnonzero(self.folds[trial.repeat] == trial.fold)).on(vocabulary)

    def _rest(self, total: Learnt, recipe: ClassifierRecipe, counted: Counted, trial: Trial) -> Learnt:
        """Eq. (1)."""
        folds = self.folds[trial.repeat]
        is_other = (folds == trial.fold) | (folds == OUTSIDE)
        others = counted.rows(np.flatnonzero(is_other))
        learnt = total - Learnt.of(others, recipe.weights, _without_sample(recipe))
        if not recipe.keeps.sample:
            return learnt
        return replace(learnt, sample=Sample.of(counted.rows(np.flatnonzero(~is_other)), recipe.keeps.sample))


def _without_sample(recipe: ClassifierRecipe) -> Keeps:
    """Which documents are kept as a sample depends on how many there are: there is no subtracting from a larger one."""
    return recipe.keeps._replace(sample=0)


def statistics_of(recipe: ClassifierRecipe) -> Hashable:
    """What recipes that learn the same from the same documents have in common."""
    return way_of(recipe.terms_of), recipe.weighting, recipe.keeps


def on_classes(log_probabilities: Floats, known: tuple[str, ...], classes: tuple[str, ...]) -> Floats:
    """The same columns among more classes; those that were not known are impossible."""
    wide = np.full((len(log_probabilities), len(classes)), -np.inf)
    wide[:, places(classes, known)] = log_probabilities
    return wide


def trials(recipes: Recipes, folds: Numbers) -> list[Trial]:
    """All of them; those that share what is learnt are neighbours."""
    alike = sorted(recipes, key=lambda name: repr(statistics_of(recipes[name])))
    return [
        Trial(name, repeat, fold)
        for repeat, row in enumerate(folds)
        for fold in range(int(row.max()) + 1)
        for name in alike
    ]


def _check(recipes: Recipes, documents: Tokenised, folds: Numbers) -> None:
    if not recipes:
        raise InputError("there are no recipes to compare")
    if folds.ndim != 2 or folds.shape[1] != len(documents.labels):
        raise InputError(f"folds must be of shape (repeats, {len(documents.labels)}), not {folds.shape}")
