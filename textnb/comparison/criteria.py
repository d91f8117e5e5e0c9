"""Criteria that compare recipes without cross-validation: the evidence of the training documents, or BIC.

The evidence is the probability of the documents with the parameters of the model integrated out; the recipe with more
evidence predicted them better. Evidences are comparable only if they are of the same data. Models that predict
different things (terms, presence of terms, classes) are refused, and so are recipes that tokenize, select or weight the
predicted terms differently.

    multinomial   theta_k ~ Dirichlet(alpha), all terms of class k drawn from theta_k:
                  sum_k log (alpha)_tau_k / (A)_N_k                                                              (1)
    bernoulli     p_kj ~ Beta(alpha, alpha), each document of class k contains term j with probability p_kj
                  sum_kj log (alpha)_c_kj + log (alpha)_(D_k - c_kj) - log (2 alpha)_D_k                         (2)
    logistic      the classes given the terms: Laplace's evidence, and BIC (``models/logistic/evidence.py``)

CRITERIA has a line for each model that has a criterion.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison.cross_validation import Recipes, TokenizedDocuments
from textnb.counts import Learnt
from textnb.errors import InputError, ParameterError, listed
from textnb.models import bernoulli
from textnb.models.dirichlet import log_evidence
from textnb.numerics import alternatives

_DIFFERENT_DATA = (
    "{first} and {second} differ in {part} ({value} and {other}), so their {criterion} cannot be compared; "
    "use cross-validation"
)


@dataclass(frozen=True)
class Scored:
    """Criterion of a recipe, larger is better; ``behind`` is its distance from the best recipe."""

    name: str
    recipe: ClassifierRecipe
    value: float
    behind: float

    @property
    def json(self) -> dict[str, Any]:
        """Result as plain JSON values."""
        return {"name": self.name, "recipe": self.recipe.json, "value": self.value, "behind": self.behind}


def _multinomial(fitted: Fitted, _: Learnt) -> float:
    """Evidence of eq. (1)."""
    counts, smoothing = fitted.counts, fitted.fit.smoothing
    assert smoothing is not None
    return log_evidence(counts.terms * counts.unit, smoothing.alpha)


def _bernoulli(fitted: Fitted, _: Learnt) -> float:
    """Evidence of eq. (2)."""
    assert fitted.fit.smoothing is not None
    return bernoulli.log_evidence(fitted.counts, fitted.fit.smoothing.alpha)


def _logistic(part: str, fitted: Fitted, learnt: Learnt) -> float:
    """Evidence or BIC of the weighted documents."""
    from textnb.models.logistic.evidence import evidence

    rows = fitted.rows(learnt)
    assert rows is not None
    l2 = {**fitted.recipe.options, **fitted.fit.found}["l2"]
    return _computed(getattr(evidence(rows.X, rows.y, l2=l2), part), fitted)


def _bayes_logistic(part: str, fitted: Fitted, _: Learnt) -> float:
    """Evidence or BIC that the fit has computed."""
    return _computed(fitted.fit.facts.get(part), fitted)


def _computed(value: float | None, fitted: Fitted) -> float:
    """Value, refused if the model computes none for so many documents."""
    if value is None:
        template = "the evidence of model {name!r} is not computed for {n:,} documents; use cross-validation or bic"
        raise InputError(template, name=fitted.recipe.model, n=int(fitted.counts.documents.sum()))
    return float(value)


class Criterion(NamedTuple):
    """What a model predicts, its criterion (larger is better), and whether terms are what it predicts."""

    predicts: str
    value: Callable[[Fitted, Learnt], float]
    of_terms: bool = True


def _class_criteria(part: str) -> dict[str, Criterion]:
    """Criterion of each model that predicts classes."""
    values = {"logistic": partial(_logistic, part), "bayes-logistic": partial(_bayes_logistic, part)}
    return {name: Criterion("classes, given the terms", value, of_terms=False) for name, value in values.items()}


CRITERIA: dict[str, dict[str, Criterion]] = {
    "evidence": {
        "multinomial": Criterion("terms, given the classes", _multinomial),
        "bernoulli": Criterion("presence of terms, given the classes", _bernoulli),
        **_class_criteria("log_evidence"),
    },
    "bic": _class_criteria("bic"),
}
"""Criteria by name, and for each criterion the models that have it."""


def has_criterion(recipe: ClassifierRecipe, criterion: str) -> bool:
    """Whether a recipe has a criterion: its model does, its prior is proper, and each document counts once.

    The evidence of terms needs counts, so recipes that divide them by the length of a document have none.
    """
    if recipe.model not in CRITERIA[criterion] or recipe.options.get("balanced"):
        return False
    is_proper = recipe.alpha != 0 and recipe.options.get("l2") != 0
    return is_proper and not (CRITERIA[criterion][recipe.model].of_terms and recipe.weights.normalised)


def score_recipes(recipes: Recipes, documents: TokenizedDocuments, criterion: str) -> list[Scored]:
    """Score recipes by a criterion of all documents, the best first."""
    if criterion not in CRITERIA:
        template = "unknown criterion {criterion!r}; use {known}"
        raise ParameterError(template, criterion=criterion, known=alternatives(["cv", *CRITERIA]))
    for name, recipe in recipes.items():
        if not has_criterion(recipe, criterion):
            template = (
                "{name}: model {model!r} with {options} has no {criterion}; use cross-validation, or one of {known}"
            )
            named = {"options": _options_in_words(recipe), "known": listed(CRITERIA[criterion])}
            raise InputError(template, name=name, model=recipe.model, criterion=criterion, **named)
    _check_same_data(recipes, criterion)
    values = {name: _value(recipe, documents, criterion) for name, recipe in recipes.items()}
    best = max(values.values())
    order = sorted(values, key=lambda name: -values[name])
    return [Scored(name, recipes[name], values[name], best - values[name]) for name in order]


def _value(recipe: ClassifierRecipe, documents: TokenizedDocuments, criterion: str) -> float:
    learnt = Learnt.of(documents.of_recipe(recipe).trimmed, recipe.weights, recipe.keeps._replace(sample=0))
    return float(CRITERIA[criterion][recipe.model].value(Fitted.of(recipe, learnt), learnt))


def _options_in_words(recipe: ClassifierRecipe) -> str:
    return ", ".join(f"{name}={value}" for name, value in {"alpha": recipe.alpha, **recipe.options}.items())


def _check_same_data(recipes: Recipes, criterion: str) -> None:
    """Refuse recipes whose criteria are probabilities of different data."""
    (first, mine), *others = ((name, _data_of(recipe, criterion)) for name, recipe in recipes.items())
    for name, theirs in others:
        for part, value in mine.items():
            if value != theirs[part]:
                differ = {"first": first, "second": name, "part": part, "value": value, "other": theirs[part]}
                raise InputError(_DIFFERENT_DATA, criterion=criterion, **differ)


def _data_of(recipe: ClassifierRecipe, criterion: str) -> dict[str, Any]:
    chosen = CRITERIA[criterion][recipe.model]
    if not chosen.of_terms:
        return {"what they predict": chosen.predicts}
    return {
        "what they predict": chosen.predicts,
        "weighting": recipe.weighting,
        "tokenizer": recipe.tokenizer.recipe,
        "analyzer": repr(recipe.analyzer.recipe),
    }
