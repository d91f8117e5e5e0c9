"""What speaks for a recipe without any cross-validation: the evidence of its training documents, or BIC.

The evidence is the probability of the documents with the model's parameters integrated out; the recipe that has more of
it foretold them better. Two evidences can be compared only if they are of the same data: models of different things
(terms, presence, classes) are refused, and so are recipes that cut, select or weight the terms they foretell in
different ways.

    multinomial   theta_k ~ Dirichlet(alpha), all terms of class k drawn from theta_k:
                  sum_k log (alpha)_tau_k / (A)_N_k                                                              (1)
    bernoulli     p_kj ~ Beta(alpha, alpha), each document of class k has term j with p_kj
                  sum_kj log (alpha)_c_kj + log (alpha)_(D_k - c_kj) - log (2 alpha)_D_k                         (2)
    logistic      the classes, given the terms: Laplace's evidence, and BIC (``logistic_evidence.py``)

A model enters a criterion by a line in the table below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison.cross_validation import Recipes, Tokenised
from textnb.counts import Learnt
from textnb.errors import InputError, listed
from textnb.models import bernoulli
from textnb.models.dirichlet import log_evidence


@dataclass(frozen=True)
class Scored:
    """A recipe and its criterion, larger is better; ``behind`` is how much less it has than the best."""

    name: str
    recipe: ClassifierRecipe
    value: float
    behind: float

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"name": self.name, "recipe": self.recipe.json, "value": self.value, "behind": self.behind}


def _multinomial(fitted: Fitted, _: Learnt) -> float:
    """Eq. (1)."""
    counts, smoothing = fitted.counts, fitted.fit.smoothing
    assert smoothing is not None
    return log_evidence(counts.terms * counts.unit, smoothing.alpha)


def _bernoulli(fitted: Fitted, _: Learnt) -> float:
    """Eq. (2)."""
    assert fitted.fit.smoothing is not None
    return bernoulli.log_evidence(fitted.counts, fitted.fit.smoothing.alpha)


def _logistic(part: str, fitted: Fitted, learnt: Learnt) -> float:
    """A part of the Evidence of the weighted documents."""
    from textnb.models.logistic.evidence import evidence

    rows = fitted.rows(learnt)
    assert rows is not None
    return _computed(getattr(evidence(rows.X, rows.y, l2=fitted.recipe.options["l2"]), part), fitted)


def _bayes_logistic(part: str, fitted: Fitted, _: Learnt) -> float:
    """The same, which the fit has come by."""
    return _computed(fitted.fit.facts.get(part), fitted)


def _computed(value: float | None, fitted: Fitted) -> float:
    if value is None:
        raise InputError(
            "the evidence of model {name!r} is not computed for {number:,} documents; use cross-validation or bic",
            name=fitted.recipe.model,
            number=int(fitted.counts.documents.sum()),
        )
    return float(value)


class Criterion(NamedTuple):
    """What it is the probability of, its value, the larger the better, and whether terms are what is foretold."""

    of: str
    value: Callable[[Fitted, Learnt], float]
    of_terms: bool = True


def _of_classes(part: str) -> dict[str, Criterion]:
    """A criterion of the models that foretell classes."""
    values = {"logistic": partial(_logistic, part), "bayes-logistic": partial(_bayes_logistic, part)}
    return {name: Criterion("classes, given the terms", value, of_terms=False) for name, value in values.items()}


CRITERIA: dict[str, dict[str, Criterion]] = {
    "evidence": {
        "multinomial": Criterion("terms, given the classes", _multinomial),
        "bernoulli": Criterion("presence of terms, given the classes", _bernoulli),
        **_of_classes("log_evidence"),
    },
    "bic": _of_classes("bic"),
}
"""The criteria by name, and for each the models that have it."""


def has_criterion(recipe: ClassifierRecipe, criterion: str) -> bool:
    """Whether the model has it, with a proper prior on its parameters and each document counted once."""
    is_proper = recipe.alpha != 0 and recipe.options.get("l2") != 0
    return recipe.model in CRITERIA[criterion] and is_proper and not recipe.options.get("balanced")


def scored(recipes: Recipes, documents: Tokenised, criterion: str) -> list[Scored]:
    """The recipes by a criterion of all documents, the best first."""
    if criterion not in CRITERIA:
        raise InputError(f"criterion {criterion!r} is not known; known: cv, {listed(CRITERIA)}")
    for name, recipe in recipes.items():
        if not has_criterion(recipe, criterion):
            having = listed(CRITERIA[criterion]) or "none"
            told = f"the model {recipe.model} with {_told(recipe)} has no {criterion}"
            raise InputError(f"{name}: {told}; models with one: {having}; compare by cross-validation")
    _check_same_data(recipes, criterion)
    values = {name: _value(recipe, documents, criterion) for name, recipe in recipes.items()}
    best = max(values.values())
    order = sorted(values, key=lambda name: -values[name])
    return [Scored(name, recipes[name], values[name], best - values[name]) for name in order]


def _value(recipe: ClassifierRecipe, documents: Tokenised, criterion: str) -> float:
    learnt = Learnt.of(documents.of_recipe(recipe).trimmed, recipe.weights, recipe.keeps._replace(sample=0))
    return float(CRITERIA[criterion][recipe.model].value(Fitted.of(recipe, learnt), learnt))


def _told(recipe: ClassifierRecipe) -> str:
    return ", ".join(f"{name} {value}" for name, value in {"alpha": recipe.alpha, **recipe.options}.items())


def _check_same_data(recipes: Recipes, criterion: str) -> None:
    """Refuse recipes whose criteria are of different data."""
    (first, mine), *others = ((name, _data_of(recipe, criterion)) for name, recipe in recipes.items())
    for name, theirs in others:
        for part, value in mine.items():
            if value != theirs[part]:
                raise InputError(
                    f"{first} and {name} differ in {part} ({value} and {theirs[part]}), so the {criterion} of the one "
                    "says nothing of the other; compare them by cross-validation"
                )


def _data_of(recipe: ClassifierRecipe, criterion: str) -> dict[str, Any]:
    foretold = CRITERIA[criterion][recipe.model]
    if not foretold.of_terms:
        return {"what they foretell": foretold.of}
    return {
        "what they foretell": foretold.of,
        "weighting": recipe.weighting,
        "tokenizer": recipe.tokenizer.recipe,
        "analyzer": repr(recipe.analyzer.recipe),
    }
