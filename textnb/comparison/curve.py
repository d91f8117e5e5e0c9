"""Learning curves: how good a recipe is by the number of documents it has learnt from.

The documents outside a fold are put in an order in which every beginning has its share of every class: document i of
class k's N_k, shuffled, has the place i / N_k. The first C are one of each class. What the first n of them teach is
what the first n' < n teach and what the others add:

    learnt(n) = learnt(n') + learnt(documents n' + 1 to n)                                                       (1)

so a whole curve costs about as much counting as its last point. All points are tested on the same folds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier.state import fit_recipe
from textnb.comparison.cross_validation import Recipes, Tokenised, Trial, on_classes, trials
from textnb.errors import InputError
from textnb.evaluation.intervals import GroupSums, estimate_measures
from textnb.evaluation.splits import Numbers, repeated_folds
from textnb.numerics import Estimate, Floats
from textnb.parallel import map_ordered

MEASURES = ("accuracy", "log_loss")
_POINTS = 8


class CurvePoint(NamedTuple):
    """The measures of a recipe that has learnt from so many documents."""

    documents: int
    accuracy: Estimate
    log_loss: Estimate


@dataclass(frozen=True)
class Curve:
    """A recipe's points, in ascending order."""

    name: str
    points: tuple[CurvePoint, ...]

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        points = [
            {"documents": point.documents, **{name: getattr(point, name)._asdict() for name in MEASURES}}
            for point in self.points
        ]
        return {"name": self.name, "points": points}


class Learning(NamedTuple):
    """The log probabilities of a fold's documents after each size, (S, n, C)."""

    trial: Trial
    log_probabilities: Floats


Watch = Callable[[Iterator[Learning]], Iterator[Learning]]


def learning_curve(  # noqa: PLR0913  # all but the first two by name
    recipes: Recipes,
    documents: Tokenised,
    *,
    sizes: Sequence[int] | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> list[Curve]:
    """A curve for each recipe, with intervals as in ``intervals.py``.

    sizes: numbers of training documents; by default all there are outside a fold, half of them, a quarter, and so on.
    """
    fold_of = repeated_folds(documents.labels, documents.groups, folds, repeats, seed)
    most = len(documents.labels) - max(int(np.bincount(row).max()) for row in fold_of)
    chosen = _halves(most, len(documents.classes)) if sizes is None else _checked(sizes, most, len(documents.classes))
    shape = (len(chosen), *fold_of.shape, len(documents.classes))
    found = {name: np.empty(shape) for name in recipes}
    learner = _Learner(recipes, documents, fold_of, chosen, seed)
    for learning in watch(map_ordered(learner, trials(recipes, fold_of), jobs)):
        name, repeat, fold = learning.trial
        found[name][:, repeat, fold_of[repeat] == fold] = learning.log_probabilities
    return [
        Curve(name, tuple(_point(n, at_size, documents, seed) for n, at_size in zip(chosen, answers, strict=True)))
        for name, answers in found.items()
    ]


def nested_order(y: Numbers, digests: Sequence[bytes], seed: Sequence[int]) -> Numbers:
    """An order of the documents, (n,), of which every beginning has its share of every class.

    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> y[nested_order(y, [bytes([i]) for i in range(6)], [0])][:3].tolist()
    [0, 1, 0]
    """
    shuffled = np.array(sorted(range(len(y)), key=digests.__getitem__), np.intp)
    shuffled = shuffled[np.random.default_rng(list(seed)).permutation(len(y))]
    place = np.empty(len(y))
    for k in np.unique(y):
        mine = shuffled[y[shuffled] == k]
        place[mine] = np.arange(len(mine)) / len(mine)
    return shuffled[np.lexsort((y[shuffled], place[shuffled]))]


class _Learner:
    """Learns a beginning after the other, and answers for the fold after each."""

    def __init__(self, recipes: Recipes, documents: Tokenised, folds: Numbers, sizes: Sequence[int], seed: int) -> None:
        self.recipes, self.documents, self.folds, self.sizes, self.seed = recipes, documents, folds, sizes, seed

    def __call__(self, trial: Trial) -> Learning:
        recipe, documents = self.recipes[trial.recipe], self.documents
        counted, folds = documents.of_recipe(recipe), self.folds[trial.repeat]
        outside = np.flatnonzero(folds != trial.fold)
        digests = [documents.digests[i] for i in outside.tolist()]
        order = outside[nested_order(documents.y[outside], digests, (self.seed, trial.repeat, trial.fold))]
        test = counted.rows(np.flatnonzero(folds == trial.fold))
        learnt, answers = recipe.learnt([]), []
        for before, size in pairwise([0, *self.sizes]):
            learnt += recipe.learnt([counted.rows(order[before:size]).trimmed])
            fitted = fit_recipe(recipe, learnt)
            answers.append(on_classes(fitted.log_proba_counted(test), fitted.classes, documents.classes))
        return Learning(trial, np.array(answers))


def _point(size: int, answers: Floats, documents: Tokenised, seed: int) -> CurvePoint:
    found = estimate_measures([GroupSums.of(documents.y, log_p, documents.groups) for log_p in answers], seed)
    return CurvePoint(size, *(found[name] for name in MEASURES))


def _halves(most: int, least: int) -> list[int]:
    """most, its half, its quarter, ..., as long as there is a document a class."""
    return sorted(most >> power for power in range(_POINTS) if most >> power >= least)


def _checked(sizes: Sequence[int], most: int, least: int) -> list[int]:
    for size in sizes:
        if type(size) is not int or not least <= size <= most:
            raise InputError(f"sizes must be from {least}, one a class, to {most}, all outside a fold; not {size!r}")
    return sorted(set(sizes))
