"""Hyper-parameters of a recipe: by evidence where the model has one, else by nested cross-validation.

By evidence each candidate has one number, of all documents at once (``criteria.py``); nothing is held out, since the
evidence is a probability of what was not yet seen. Else each candidate is cross-validated, and the least log loss, or
the most accuracy, is chosen. That number is too good, for it was chosen: so within the documents outside each outer
fold the choice is made again, by inner folds that never hold a document of the outer one, and what is chosen there is
tested on the outer fold. The estimate is that of these answers together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison.criteria import has_criterion, scored
from textnb.comparison.cross_validation import CrossValidated, Recipes, Tokenised, Watch, cross_validated
from textnb.comparison.recipes import parts_of, recipe_of
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES, GroupSums, estimate_measures
from textnb.evaluation.splits import nested_folds
from textnb.models.registry import model
from textnb.numerics import Estimate, Floats

MOST = 200
"""Candidates that are tried at most."""

TUNED_BY = ("log_loss", "accuracy")


@dataclass(frozen=True, eq=False)
class Tuned:
    """The chosen recipe and its name among the candidates.

    by: evidence, log_loss or accuracy; values: that of each candidate, by name. estimate: measures of the choice on
    documents that had no part in it, None where it was made by evidence.
    """

    name: str
    recipe: ClassifierRecipe
    by: str
    values: dict[str, float]
    estimate: dict[str, Estimate] | None

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        estimate = None if self.estimate is None else {name: self.estimate[name]._asdict() for name in MEASURES}
        return {
            "name": self.name,
            "recipe": self.recipe.json,
            "by": self.by,
            "candidates": self.values,
            "estimate": estimate,
        }


def candidates(base: ClassifierRecipe, grid: Mapping[str, Sequence[Any]] | None = None) -> dict[str, ClassifierRecipe]:
    """The recipes that differ from ``base`` in the parts of the grid, under names that say how.

    Without a grid what suits the model is tried.

    >>> from textnb import TextClassifier
    >>> list(candidates(TextClassifier("complement").recipe, {"alpha": [0.1, 1], "weight_norm": [True]}))
    ['alpha=0.1 weight_norm=True', 'alpha=1 weight_norm=True']
    """
    varied = _usual_grid(base) if grid is None else grid
    size = math.prod(len(values) for values in varied.values())
    if not 1 <= size <= MOST:
        raise InputError(f"{size} candidates are to be tried, and there may be 1 to {MOST}; vary fewer values")
    found = {}
    for values in product(*varied.values()):
        parts = dict(zip(varied, values, strict=True))
        name = " ".join(f"{key}={value}" for key, value in parts.items())
        found[name] = recipe_of({**parts_of(base), **parts}, base, name)
    return found


def tune(
    recipes: Recipes,
    documents: Tokenised,
    *,
    by: str | None = None,
    folds: int = 5,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> Tuned:
    """The best of the candidates, the first of equals.

    by: ``evidence``, ``log_loss`` or ``accuracy``; by default the evidence, if all candidates have one.
    """
    by = by or _usual(recipes)
    if by == "evidence":
        values = {one.name: one.value for one in scored(recipes, documents, "evidence")}
        best = max(recipes, key=lambda name: values[name])
        return Tuned(best, recipes[best], by, {name: values[name] for name in recipes}, None)
    if by not in TUNED_BY:
        raise InputError(f"{by!r} is nothing to tune by; there are: evidence, {', '.join(TUNED_BY)}")
    fold_of = nested_folds(documents.labels, documents.groups, folds, seed)
    validated = cross_validated(recipes, documents, fold_of, jobs, watch)
    table = np.array([[_goodness(one, row, documents, by) for row in range(1 + folds)] for one in validated])
    chosen = validated[int(table[:, 0].argmax())]
    values = {one.name: abs(float(goodness)) for one, goodness in zip(validated, table[:, 0], strict=True)}
    return Tuned(chosen.name, chosen.recipe, by, values, _estimate(validated, table, fold_of[0], documents, seed))


def _usual_grid(base: ClassifierRecipe) -> Mapping[str, Sequence[Any]]:
    grid = model(base.model).tuning_grid
    if not grid:
        raise InputError("model {name!r} has no default tuning grid; say what to vary", name=base.model)
    return grid


def _usual(recipes: Recipes) -> str:
    return "evidence" if all(has_criterion(recipe, "evidence") for recipe in recipes.values()) else "log_loss"


def _goodness(one: CrossValidated, row: int, documents: Tokenised, by: str) -> float:
    """The measure of the documents that take part in a row of the folds, the larger the better."""
    log_p = one.log_probabilities[row]
    inside = np.flatnonzero(~np.isnan(log_p[:, 0]))
    sums = GroupSums.of(documents.y[inside], log_p[inside], np.zeros(len(inside), np.intp))
    value = float(sums.measures(np.ones((1, 1)))[0, MEASURES.index(by)])
    return value if by == "accuracy" else -value


def _estimate(
    validated: Sequence[CrossValidated], table: Floats, outer: Any, documents: Tokenised, seed: int
) -> dict[str, Estimate]:
    """Each outer fold answered by the candidate that was best within the others."""
    answers = np.empty_like(validated[0].log_probabilities[0])
    for fold in range(table.shape[1] - 1):
        chosen = validated[int(table[:, 1 + fold].argmax())]
        answers[outer == fold] = chosen.log_probabilities[0, outer == fold]
    return estimate_measures([GroupSums.of(documents.y, answers, documents.groups)], seed)
