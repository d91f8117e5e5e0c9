"""Cross-validation on a cluster: the counts of the partitions stay on the workers; statistics of folds are added up.

    statistics(training documents of fold f) = sum over the other folds of statistics(fold)                      (1)

The driver knows labels, digests and groups of all documents, about 200 bytes each, deals them into folds, and gets the
probabilities of the held-out documents. Everything else equals ``comparison/cross_validation.py``, to the byte.
"""

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.classifier.choice import choose_by, narrowed, sampled_rows
from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import fit_recipe
from textnb.classifier.text_classifier import TextClassifier
from textnb.comparison.comparison import Comparison, comparison_of
from textnb.comparison.cross_validation import (
    CrossValidated,
    Recipes,
    TokenizedDocuments,
    Trial,
    expand_classes,
    list_trials,
    statistics_key,
    tokenization_key,
    without_sample,
)
from textnb.counts import Counted, Learnt, TermsOf, Vocabulary
from textnb.counts.counting import joined
from textnb.counts.learnt import Sample
from textnb.distributed.counting import parts_folder, stored_paths
from textnb.distributed.partitions import as_source
from textnb.distributed.runs import SPLIT_EVERY, Progress, Run
from textnb.distributed.workers import Shared, TaskResult, counted_part, rows_of
from textnb.errors import InputError
from textnb.evaluation.splits import OUTSIDE, repeated_folds
from textnb.extension import cached_property, sparse
from textnb.models.registry import AUTO
from textnb.numerics import Codes, Floats

if TYPE_CHECKING:
    from distributed import Client

Fold = tuple[int, int]
"""Number of a repeat and of a fold in it."""


def cross_validate(  # noqa: PLR0913  # all but the first three by name
    client: "Client",
    recipes: Mapping[str, TextClassifier | ClassifierRecipe],
    documents: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # the name of the column
    reader: str | None = None,
    parts: str | Path | None = None,
    split_every: int = SPLIT_EVERY,
    progress: Progress | None = None,
) -> Comparison:
    """Cross-validate recipes on a cluster; all but the times equals ``textnb.comparison.compare`` on one machine.

    The counts of all documents stay in the memory of the workers, together, or in the files of ``parts``.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    recipes : mapping of str to TextClassifier or ClassifierRecipe
        What to compare, by name.
    documents, text, label, id, reader, parts, split_every, progress
        As in ``fit``.
    folds, repeats, seed : int
        How to split the documents.

    Returns
    -------
    Comparison
        Measures with intervals, and paired tests against the best recipe.
    """
    asked = {name: each.asked if isinstance(each, TextClassifier) else each for name, each in recipes.items()}
    source = as_source(documents, text=text, label=label, id=id, reader=reader)
    run = Run(client, source, split_every, progress)
    counted = CountedOnCluster(run, asked, parts_folder(parts))
    fold_of = repeated_folds(counted.documents.labels, counted.documents.groups, folds, repeats, seed)
    return comparison_of(
        cross_validated_on(counted, asked, counted.documents, fold_of), counted.documents, fold_of, seed
    )


class CountedOnCluster:
    """Documents counted on the workers, once for each way of tokenizing, and what the driver knows of them."""

    def __init__(self, run: Run, recipes: Recipes, parts: Path | None) -> None:
        if not recipes:
            raise InputError("there are no recipes to compare")
        self.run = run
        self.counts: dict[str, list[Any]] = {}
        known: dict[str, Counted] = {}
        self._entries: dict[str, Codes] = {}
        for recipe in recipes.values():
            key = tokenization_key(recipe.terms_of)
            if key in self.counts:
                continue
            paths, terms_of = stored_paths(run, recipe.terms_of, parts), run.shared(recipe.terms_of)
            self.counts[key] = run.start(run.leaves(counted_part, terms_of, each=paths))
            found = [each.value for each in run.results(run.after(known_of, self.counts[key]))]
            known[key] = joined([part for part, _ in found])
            self._entries[key] = np.concatenate([entries for _, entries in found])
            self.starts = np.cumsum([0, *(len(part) for part, _ in found)])
        self.documents = TokenizedDocuments.of(recipes.values(), lambda terms_of: known[tokenization_key(terms_of)])

    def counts_of(self, recipe: ClassifierRecipe) -> list[Any]:
        """Return the futures of the counted partitions, as a recipe tokenizes them."""
        return self.counts[tokenization_key(recipe.terms_of)]

    def entries_of(self, recipe: ClassifierRecipe) -> Codes:
        """Return the number of counts of each document, (D,)."""
        return self._entries[tokenization_key(recipe.terms_of)]

    def divided(self, values: Any) -> list[Any]:
        """Divide an array (..., D) of all documents into those of the partitions."""
        return np.split(values, self.starts[1:-1], axis=-1)

    @cached_property
    def digests(self) -> list[bytes]:
        """Digest of each document with its label."""
        return self.documents.digests


def known_of(part: TaskResult) -> TaskResult:
    """Return counted documents without their counts, and the number of counts of each."""
    counted: Counted = part.value
    bare = sparse.csr_array((len(counted), 0), dtype=np.int32)
    about = Counted(bare, Vocabulary(), counted.labels, counted.digests, counted.ids, counted.groups)
    return part._replace(value=(about, np.diff(counted.X.indptr)))


def cross_validated_on(
    counted: CountedOnCluster, recipes: Recipes, documents: TokenizedDocuments, fold_of: Codes
) -> list[CrossValidated]:
    """Test each recipe on every fold, as ``cross_validated``.

    documents: those that take part, of all classes or some. fold_of: their folds, (R, D).
    """
    takes_part = np.isin(np.array(counted.documents.labels, object), list(documents.classes))
    folds = np.full((len(fold_of), len(takes_part)), OUTSIDE, np.int32)
    folds[:, takes_part] = fold_of
    work = _Work(counted, documents, folds, counted.divided(folds))
    started = {trial: work.start(trial, recipes[trial.recipe]) for trial in list_trials(recipes, fold_of)}
    counted.run.wait([future for answers in started.values() for future in answers])
    shape, seconds = (*fold_of.shape, len(documents.classes)), (len(fold_of), int(fold_of.max()) + 1)
    found = {
        name: CrossValidated(name, each, np.full(shape, np.nan), np.zeros(seconds), np.zeros(seconds), each.calibrate)
        for name, each in recipes.items()
    }
    for (name, repeat, fold), futures in started.items():
        answers: list[FoldPart] = counted.run.gathered(futures)
        one = found[name]
        one.log_probabilities[repeat, fold_of[repeat] == fold] = np.concatenate(
            [each.log_probabilities for each in answers]
        )
        one.fit_seconds[repeat, fold] = answers[0].fit_seconds
        one.predict_seconds[repeat, fold] = sum(each.predict_seconds for each in answers)
        found[name] = replace(one, is_calibrated=one.is_calibrated and answers[0].is_calibrated)
    return list(found.values())


class FoldPart(NamedTuple):
    """Answers to the documents of a partition in a fold, (n, C), and how long fit and answers took."""

    log_probabilities: Floats
    fit_seconds: float
    predict_seconds: float
    is_calibrated: bool


class TimedFit(NamedTuple):
    """A fitted model, and how long its statistics and its fit took."""

    fitted: Fitted
    seconds: float


class _Work:
    """Starts the tasks of trials; statistics that recipes share are computed once."""

    def __init__(
        self, counted: CountedOnCluster, documents: TokenizedDocuments, folds: Any, folds_of_parts: list[Any]
    ) -> None:
        self.counted, self.run, self.folds, self.folds_of_parts = counted, counted.run, folds, folds_of_parts
        self.classes = documents.classes
        self._statistics: dict[Hashable, Any] = {}

    def start(self, trial: Trial, recipe: ClassifierRecipe) -> list[Any]:
        """Start a trial; return the futures of the answers, one per partition."""
        where = trial.repeat, trial.fold
        fitted = self._chosen_fit(where, recipe) if recipe.model == AUTO else self._fit(where, recipe)
        parts = zip(self.counted.counts_of(recipe), self.folds_of_parts, strict=True)
        return self.run.start(
            [
                self.run.task(answered_fold, part, fitted, own[trial.repeat] == trial.fold, self.classes)
                for part, own in parts
            ]
        )

    def _fit(self, where: Fold, recipe: ClassifierRecipe) -> Any:
        shared, run = self.run.shared(recipe), self.run
        parts = self.counted.counts_of(recipe)
        key = statistics_key(recipe)
        if key not in self._statistics:
            leaves = run.each(fold_statistics, parts, self.folds_of_parts, shared)
            (self._statistics[key],) = run.start([run.tree(leaves, added_folds)])
        sample = documents = None
        if recipe.keeps.sample:
            documents = Counter(self._labels(self._is_training(where)))
            is_training = self.counted.divided(self._is_training(where))
            sample = run.tree(run.each(calibrating, parts, is_training, shared, dict(documents)), summed)
        return run.task(fitted_fold, self._statistics[key], sample, documents, shared, where)

    def _chosen_fit(self, where: Fold, recipe: ClassifierRecipe) -> Any:
        """Fit of the recipe that is chosen by the training documents alone."""
        run, parts = self.run, self.counted.counts_of(recipe)
        training = np.flatnonzero(self._is_training(where))
        entries = self.counted.entries_of(recipe)
        rows = sampled_rows([self.counted.digests[i] for i in training], int(entries[training].sum()))
        is_chosen = np.zeros(len(entries), bool)
        is_chosen[training[rows]] = True
        pieces = [np.flatnonzero(own) for own in self.counted.divided(is_chosen)]
        shared, counting = run.shared(recipe), run.shared(recipe.terms_of)
        chosen = run.task(chosen_recipe, shared, run.each(rows_of, parts, pieces))
        leaves = run.each(learnt_rows, parts, self.counted.divided(self._is_training(where)), chosen, counting)
        return run.task(fitted_to, chosen, run.tree(leaves, Learnt.total))

    def _is_training(self, where: Fold) -> Any:
        folds = self.folds[where[0]]
        return (folds != where[1]) & (folds != OUTSIDE)

    def _labels(self, chosen: Any) -> list[str]:
        return [self.counted.documents.labels[i] for i in np.flatnonzero(chosen)]


def fold_statistics(part: TaskResult, folds: Codes, recipe: Shared) -> dict[Fold, Learnt]:
    """Return the statistics of the documents of a partition in each fold of each repeat (R, D)."""
    asked: ClassifierRecipe = recipe.value
    return {
        (repeat, fold): Learnt.of(part.value.rows(np.flatnonzero(row == fold)), asked.weights, without_sample(asked))
        for repeat, row in enumerate(folds)
        for fold in np.unique(row[row != OUTSIDE]).tolist()
    }


def added_folds(parts: list[dict[Fold, Learnt]]) -> dict[Fold, Learnt]:
    """Return the sum of the statistics of each fold."""
    folds = sorted({fold for part in parts for fold in part})
    return {fold: Learnt.total([part[fold] for part in parts if fold in part]) for fold in folds}


def calibrating(part: TaskResult, is_training: Any, recipe: Shared, documents: Mapping[str, int]) -> Sample:
    """Return the training documents of a partition that a calibration uses."""
    return Sample.calibrating_part(part.value.rows(np.flatnonzero(is_training)), recipe.value.keeps.sample, documents)


def summed(parts: list[Sample]) -> Sample:
    """Return the sum of samples."""
    return reduce(add, parts)


def fitted_fold(
    statistics: Mapping[Fold, Learnt],
    sample: Sample | None,
    documents: Mapping[str, int] | None,
    recipe: Shared,
    where: Fold,
) -> TimedFit:
    """Fit a recipe to the documents of the other folds, eq. (1)."""
    started = time.perf_counter()
    repeat, fold = where
    learnt = Learnt.total([part for (r, f), part in statistics.items() if r == repeat and f != fold])
    if sample is not None and documents is not None:
        learnt = learnt.with_sample(sample.thinned(documents))
    return TimedFit(fit_recipe(recipe.value, learnt), time.perf_counter() - started)


def chosen_recipe(asked: Shared, parts: list[Counted]) -> ClassifierRecipe:
    """Return the recipe that `auto` becomes by these documents."""
    return choose_by(asked.value, joined(parts).trimmed)


def learnt_rows(part: TaskResult, is_chosen: Any, recipe: ClassifierRecipe, counting: Shared) -> Learnt:
    """Return what a recipe learns of some documents of a partition."""
    terms_of: TermsOf = counting.value
    return recipe.learnt([narrowed(part.value.rows(np.flatnonzero(is_chosen)), terms_of, recipe)])


def fitted_to(recipe: ClassifierRecipe, learnt: Learnt) -> TimedFit:
    """Fit a recipe to what was learnt."""
    started = time.perf_counter()
    return TimedFit(fit_recipe(recipe, learnt), time.perf_counter() - started)


def answered_fold(part: TaskResult, timed: TimedFit, is_tested: Any, classes: tuple[str, ...]) -> FoldPart:
    """Answer the documents of a partition that are in the fold."""
    started = time.perf_counter()
    known = timed.fitted.log_proba_counted(part.value.rows(np.flatnonzero(is_tested)))
    rows = expand_classes(known, timed.fitted.classes, classes)
    is_calibrated = timed.fitted.calibration is not None
    return FoldPart(rows, timed.seconds, time.perf_counter() - started, is_calibrated)
