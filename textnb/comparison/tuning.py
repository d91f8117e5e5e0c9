"""Tuning of the options of a recipe: by evidence where the model has one, else by nested cross-validation.

The evidence of each candidate is one number of all documents (``criteria.py``); nothing is held out, since evidence is
the probability of data not seen before. Otherwise each candidate is cross-validated, and the one of the smallest log
loss or the highest accuracy is chosen. The metric of the choice is too good, because it was chosen for it. So the
choice is made again within the documents outside each outer fold, by inner folds that hold no document of the outer
one, and tested on the outer fold. The estimate is that of these answers together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from textnb.classifier.recipe import WEIGHTINGS_OF, ClassifierRecipe, default_alpha
from textnb.comparison.criteria import has_criterion, score_recipes
from textnb.comparison.cross_validation import CrossValidated, Recipes, TokenizedDocuments, Watch, cross_validated
from textnb.comparison.recipes import parts_of, recipe_of
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import ParameterError
from textnb.evaluation import metrics
from textnb.evaluation.intervals import MEASURES
from textnb.evaluation.splits import nested_folds
from textnb.models.model import Need
from textnb.models.registry import model
from textnb.numerics import Estimate, Floats, most_probable

MAX_CANDIDATES = 200

TUNED_BY = ("log_loss", "accuracy")


@dataclass(frozen=True, eq=False)
class Tuned:
    """Result of tuning.

    Attributes
    ----------
    name, recipe
        The chosen candidate.
    by : str
        Criterion of the choice: evidence, log_loss or accuracy.
    values : dict of str to float
        Criterion of each candidate, by name.
    estimate : dict of str to Estimate, or None
        Metrics of the choice on documents that had no part in it; None if it was made by evidence.
    """

    name: str
    recipe: ClassifierRecipe
    by: str
    values: dict[str, float]
    estimate: dict[str, Estimate] | None

    @property
    def json(self) -> dict[str, Any]:
        """Result as plain JSON values."""
        estimate = None if self.estimate is None else {name: self.estimate[name]._asdict() for name in MEASURES}
        return {
            "name": self.name,
            "recipe": self.recipe.json,
            "by": self.by,
            "candidates": self.values,
            "estimate": estimate,
        }


def candidates(base: ClassifierRecipe, grid: Mapping[str, Sequence[Any]] | None = None) -> dict[str, ClassifierRecipe]:
    """Make recipes that differ from ``base`` in the values of a grid.

    Parameters
    ----------
    base : ClassifierRecipe
        The recipe to vary.
    grid : mapping of str to sequence, optional
        Values to try for each option. The default is a grid that suits the model.

    Returns
    -------
    dict of str to ClassifierRecipe
        The candidates by names that give their options.

    Examples
    --------
    >>> from textnb import TextClassifier
    >>> list(candidates(TextClassifier("complement").recipe, {"alpha": [0.1, 1], "weight_norm": [True]}))
    ['alpha=0.1 weight_norm=True', 'alpha=1 weight_norm=True']
    """
    varied = _usual_grid(base) if grid is None else grid
    size = math.prod(len(values) for values in varied.values())
    if not 1 <= size <= MAX_CANDIDATES:
        template = "the grid has {size} candidates, but 1 to {limit} are allowed; vary {remedy} values"
        raise ParameterError(template, size=size, limit=MAX_CANDIDATES, remedy="more" if size < 1 else "fewer")
    given = parts_of(base)
    if base.alpha == default_alpha(model(base.model), base.weights):  # another weighting may have another default
        given.pop("alpha", None)
    if {"terms", "ngram"} & varied.keys():
        given = {key: value for key, value in given.items() if key not in ("terms", "ngram")}
    found = {}
    for values in product(*varied.values()):
        parts = dict(zip(varied, values, strict=True))
        name = " ".join(f"{key}={value}" for key, value in parts.items())
        found[name] = recipe_of({**given, **parts}, base, name)
    return found


def tune(
    recipes: Recipes,
    documents: TokenizedDocuments,
    *,
    by: str | None = None,
    folds: int = 5,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> Tuned:
    """Choose the best of several candidates, the first of equals.

    Parameters
    ----------
    by : {"evidence", "log_loss", "accuracy"}, optional
        Criterion. The default is the evidence if all candidates have one, else the log loss.
    recipes, documents, folds, seed, jobs, watch
        As in ``compare``.

    Examples
    --------
    >>> from textnb import Document, TextClassifier
    >>> from textnb.comparison import TokenizedDocuments, candidates
    >>> corpus = [Document(f"{label} {i}", label) for i in range(4) for label in ("ball", "egg")]
    >>> recipes = candidates(TextClassifier("multinomial").recipe, {"alpha": [0.001, 1.0]})
    >>> found = tune(recipes, TokenizedDocuments.from_documents(recipes.values(), corpus))
    >>> found.name, found.by
    ('alpha=1.0', 'evidence')
    """
    by = by or usual_criterion(recipes, documents)
    if by == "evidence":
        values = {one.name: one.value for one in score_recipes(recipes, documents, "evidence")}
        best = max(recipes, key=lambda name: values[name])
        return Tuned(best, recipes[best], by, {name: values[name] for name in recipes}, None)
    if by not in TUNED_BY:
        raise ParameterError("unknown criterion {by!r}; use evidence, log_loss or accuracy", by=by)
    fold_of = nested_folds(documents.labels, documents.groups, folds, seed)
    validated = cross_validated(recipes, documents, fold_of, jobs, watch)
    table = np.array([[_goodness(one, row, documents, by) for row in range(1 + folds)] for one in validated])
    chosen = validated[int(table[:, 0].argmax())]
    values = {one.name: abs(float(goodness)) for one, goodness in zip(validated, table[:, 0], strict=True)}
    return Tuned(chosen.name, chosen.recipe, by, values, _estimate(validated, table, fold_of[0], documents))


def _usual_grid(base: ClassifierRecipe) -> Mapping[str, Sequence[Any]]:
    grid = model(base.model).tuning_grid
    if not grid:
        raise ParameterError("model {name!r} has no default tuning grid; name the options to vary", name=base.model)
    if "alpha" not in grid:
        return grid
    weights, alphas = base.weights, grid["alpha"]
    if weights.normalised:
        numbers = [alpha for alpha in alphas if not isinstance(alpha, str)]
        return {**grid, "alpha": (default_alpha(model(base.model), weights), *numbers)}
    return {**grid, "alpha": tuple(each for each in alphas if weights.name in WEIGHTINGS_OF.get(each, WEIGHTINGS))}


def usual_criterion(recipes: Recipes, documents: TokenizedDocuments) -> str:
    """Default criterion: evidence if all candidates have one that can be computed for so many documents."""
    if not all(has_criterion(recipe, "evidence") for recipe in recipes.values()):
        return "log_loss"
    if all(Need.ROWS not in model(recipe.model).needs for recipe in recipes.values()):
        return "evidence"
    from textnb.models.logistic.laplace import has_evidence

    return "evidence" if has_evidence(len(documents.y), len(documents.classes)) else "log_loss"


def _goodness(one: CrossValidated, row: int, documents: TokenizedDocuments, by: str) -> float:
    """Criterion of the documents that take part in a row of the folds; larger is better."""
    log_p = one.log_probabilities[row]
    inside = np.flatnonzero(~np.isnan(log_p[:, 0]))
    y, log_p = documents.y[inside], log_p[inside]
    if by == "accuracy":
        return float((most_probable(log_p) == y).mean())
    return -float(metrics.log_losses(y, log_p).mean())


def _estimate(
    validated: Sequence[CrossValidated], table: Floats, outer: Any, documents: TokenizedDocuments
) -> dict[str, Estimate]:
    """Metrics of the answers for each outer fold by the candidate that was best within the other folds."""
    answers = np.empty_like(validated[0].log_probabilities[0])
    for fold in range(table.shape[1] - 1):
        chosen = validated[int(table[:, 1 + fold].argmax())]
        answers[outer == fold] = chosen.log_probabilities[0, outer == fold]
    return documents.estimate(answers[np.newaxis])
