"""Parameters of a text classifier: kept as they were given, and turned into a recipe when one is needed.

scikit-learn's tools copy an estimator by its parameters and set them one after the other, so a constructor may neither
change nor check them. They are checked by ``recipe_of``, before the first text is read.
"""

from collections.abc import Mapping
from typing import Any

from textnb.classifier.recipe import ClassifierRecipe
from textnb.errors import InputError
from textnb.models.registry import AUTO
from textnb.models.registry import model as model_of
from textnb.text import Analyzer, as_tokenizer

OF_RECIPES = ("model", "alpha", "tokenizer", "analyzer", "weighting", "prior", "calibrate", "sample", "term_budget")
"""Parameters that every model has; all others are options of models."""

_GIVEN_BY_ESTIMATORS = {"alpha": None, "prior": "empirical", "weighting": None}
"""Parameters that an estimator may set in place of the classifier, with their defaults."""


def recipe_of(params: Mapping[str, Any]) -> ClassifierRecipe:
    """Check parameters and make the recipe that they describe."""
    chosen = {name: params[name] for name in ("model", "alpha", "prior", "weighting")}
    options = {name: value for name, value in params.items() if name not in OF_RECIPES and value is not None}
    if isinstance(params["model"], str):
        chosen |= {"model": str(params["model"]), "options": options}
    else:
        chosen = _chosen_by(params["model"], chosen, options)
    analyzer = params["analyzer"]
    return ClassifierRecipe(
        tokenizer=as_tokenizer(params["tokenizer"]),
        analyzer=analyzer if analyzer is not None else Analyzer(**model_of(chosen["model"]).analyzer),
        calibrate=params["calibrate"],
        sample=params["sample"],
        term_budget=params["term_budget"],
        choose_terms=analyzer is None and chosen["model"] == AUTO,
        **chosen,
    )


def params_of(recipe: ClassifierRecipe) -> dict[str, Any]:
    """Return the parameters that describe a recipe."""
    given = {name: getattr(recipe, name) for name in OF_RECIPES}
    return {**given, **recipe.options, "analyzer": None if recipe.choose_terms else recipe.analyzer}


def _chosen_by(estimator: Any, chosen: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Parts of the recipe with those of an estimator, which must not be given twice."""
    if isinstance(estimator, type) or not getattr(estimator, "_text_model", ""):
        template = "model must be a name or an estimator of textnb.estimators for counts, not {given!r}"
        raise InputError(template, given=estimator)
    answered = {name: value for name, value in estimator._text_recipe().items() if value is not None}
    twice = [name for name, default in _GIVEN_BY_ESTIMATORS.items() if name in answered and chosen[name] != default]
    for name in (*twice, *options):
        raise InputError("{name} is given twice; leave it to {estimator!r}", name=name, estimator=estimator)
    return {**chosen, **answered}
