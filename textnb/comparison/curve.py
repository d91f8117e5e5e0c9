"""Learning curves: metrics of a recipe by the number of training documents.

The documents outside a fold are ordered so that every beginning of the order has its proportion of every class:
document i of the N_k of class k, shuffled, gets the place i / N_k. The first C documents are one of each class. The
statistics of the first n documents are those of the first n' < n plus what the others add:

    statistics(n) = statistics(n') + statistics(documents n' + 1 to n)                                           (1)

so a whole curve costs about as much counting as its last point. All points are tested on the same folds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier.choice import learn
from textnb.classifier.state import fit_recipe
from textnb.comparison.cross_validation import Recipes, TokenizedDocuments, Trial, expand_classes, list_trials
from textnb.errors import InputError
from textnb.evaluation.splits import repeated_folds
from textnb.models.registry import AUTO
from textnb.numerics import Codes, Estimate, Floats
from textnb.parallel import map_ordered

MEASURES = ("accuracy", "log_loss")
_MAX_POINTS = 8


class CurvePoint(NamedTuple):
    """Metrics of a recipe trained on so many documents."""

    documents: int
    accuracy: Estimate
    log_loss: Estimate


@dataclass(frozen=True)
class Curve:
    """Learning curve of one recipe; the points are in ascending order of documents."""

    name: str
    points: tuple[CurvePoint, ...]

    @property
    def json(self) -> dict[str, Any]:
        """Curve as plain JSON values."""
        points = [
            {"documents": point.documents, **{name: getattr(point, name)._asdict() for name in MEASURES}}
            for point in self.points
        ]
        return {"name": self.name, "points": points}


class CurveAnswers(NamedTuple):
    """Log probabilities (S, n, C) of the documents of a fold, after training on each of S sizes."""

    trial: Trial
    log_probabilities: Floats


Watch = Callable[[Iterator[CurveAnswers]], Iterator[CurveAnswers]]


def learning_curve(  # noqa: PLR0913  # all but the first two by name
    recipes: Recipes,
    documents: TokenizedDocuments,
    *,
    sizes: Sequence[int] | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> list[Curve]:
    """Compute the learning curve of each recipe, with 95 % intervals; copies of a document do not narrow them.

    Parameters
    ----------
    sizes : sequence of int, optional
        Numbers of training documents. The default is all documents outside a fold, half of them, a quarter, and so on.
    recipes, documents, folds, repeats, seed, jobs, watch
        As in ``compare``.

    Returns
    -------
    list of Curve
        In the order of the recipes.

    Examples
    --------
    >>> from textnb import Document, TextClassifier
    >>> from textnb.comparison import TokenizedDocuments
    >>> corpus = [Document(f"{label} {label} {i}", label) for i in range(4) for label in ("ball", "egg")]
    >>> recipes = {"it": TextClassifier(calibrate=False).recipe}
    >>> documents = TokenizedDocuments.from_documents(recipes.values(), corpus)
    >>> (curve,) = learning_curve(recipes, documents, folds=2)
    >>> [(point.documents, point.accuracy.value) for point in curve.points]
    [(2, 1.0), (4, 1.0)]
    """
    fold_of = repeated_folds(documents.labels, documents.groups, folds, repeats, seed)
    most = len(documents.labels) - max(int(np.bincount(row).max()) for row in fold_of)
    chosen = _halves(most, len(documents.classes)) if sizes is None else _as_sizes(sizes, most, len(documents.classes))
    shape = (len(chosen), *fold_of.shape, len(documents.classes))
    found = {name: np.empty(shape) for name in recipes}
    runner = CurveRunner(recipes, documents, fold_of, chosen, seed)
    for answers in watch(map_ordered(runner, list_trials(recipes, fold_of), jobs)):
        name, repeat, fold = answers.trial
        found[name][:, repeat, fold_of[repeat] == fold] = answers.log_probabilities
    return [
        Curve(name, tuple(_point(n, at_size, documents) for n, at_size in zip(chosen, by_size, strict=True)))
        for name, by_size in found.items()
    ]


def nested_order(y: Codes, digests: Sequence[bytes], seed: Sequence[int]) -> Codes:
    """Order of the documents, (n,), in which every beginning has its proportion of every class.

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


class CurveRunner:
    """Trains on growing beginnings of the documents outside a fold, and answers for the fold after each."""

    def __init__(
        self, recipes: Recipes, documents: TokenizedDocuments, folds: Codes, sizes: Sequence[int], seed: int
    ) -> None:
        self.recipes, self.documents, self.folds, self.sizes, self.seed = recipes, documents, folds, sizes, seed

    def __call__(self, trial: Trial) -> CurveAnswers:
        """Train on each size and answer for the fold."""
        recipe, documents = self.recipes[trial.recipe], self.documents
        counted, folds = documents.of_recipe(recipe), self.folds[trial.repeat]
        outside = np.flatnonzero(folds != trial.fold)
        digests = [documents.digests[i] for i in outside.tolist()]
        order = outside[nested_order(documents.y[outside], digests, (self.seed, trial.repeat, trial.fold))]
        test = counted.rows(np.flatnonzero(folds == trial.fold))
        learnt, answers = recipe.learnt([]), []
        for before, size in pairwise([0, *self.sizes]):
            if recipe.model == AUTO:  # every size makes its own choice
                fitted = fit_recipe(*learn(recipe, [counted.rows(order[:size]).trimmed]))
            else:
                learnt += recipe.learnt([counted.rows(order[before:size]).trimmed])
                fitted = fit_recipe(recipe, learnt)
            answers.append(expand_classes(fitted.log_proba_counted(test), fitted.classes, documents.classes))
        return CurveAnswers(trial, np.array(answers))


def _point(size: int, answers: Floats, documents: TokenizedDocuments) -> CurvePoint:
    found = documents.estimate(answers)
    return CurvePoint(size, *(found[name] for name in MEASURES))


def _halves(most: int, least: int) -> list[int]:
    """Sizes most, most / 2, most / 4, ..., as long as there is one document per class."""
    return sorted(most >> power for power in range(_MAX_POINTS) if most >> power >= least)


def _as_sizes(sizes: Sequence[int], most: int, least: int) -> list[int]:
    for size in sizes:
        values = {"least": least, "most": most, "size": size}
        if type(size) is int and size > most:
            template = "size {size:,} is too large: outside a fold there are {most:,} documents; use at most {most:,}"
            raise InputError(template, **values)
        if type(size) is not int or size < least:
            raise InputError("sizes must be from {least} (one per class) to {most:,}, not {size!r}", **values)
    return sorted(set(sizes))
