"""Classifier as HTML for notebooks: the recipe from text to class as a diagram, and what fitting found."""

from collections.abc import Mapping
from typing import Any

from textnb.classifier.facts import classifier_facts, fact_lines, quality_lines
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import State
from textnb.display import cut, display, pairs
from textnb.markup import Html, element, joined

_MAX_CLASSES = 20
"""Classes that are shown at once; the others are folded."""


def classifier_html(recipe: ClassifierRecipe, state: State) -> Html:
    """Markup of a classifier: the steps of its recipe, what fitting found, and the documents of each class."""
    facts = classifier_facts(recipe, state)
    is_fitted = state.fitted is not None
    learnt = f"{facts['documents']:,} documents of {len(facts['classes']):,} classes" if is_fitted else "not fitted"
    title = element("p", element("strong", "TextClassifier"), " ", learnt)
    steps = element("ol", *(_step(*step) for step in _steps(recipe, state, facts)), class_="steps")
    if not is_fitted:
        return display(title, steps)
    return display(title, steps, pairs([*fact_lines(facts), *quality_lines(facts["left out"])]), _classes(facts))


def _step(name: str, value: str, note: str = "") -> Html:
    notes = [element("small", note)] if note else []
    return element("li", element("small", name), element("strong", cut(value)), *notes)


def _steps(recipe: ClassifierRecipe, state: State, facts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, value and note of each step from the text to the answer."""
    analyzer, is_fitted = recipe.analyzer, state.fitted is not None
    low, high = analyzer.ngram or (1, 1)
    terms = ", ".join(analyzer.terms) if analyzer.terms else f"n-grams {low}–{high}"
    used = f"{facts['terms used']:,} of {facts['terms']:,} used" if is_fitted else ""
    return [
        *([("normalisers", ", ".join(analyzer.normalisers), "")] if analyzer.normalisers else []),
        ("tokenizer", recipe.tokenizer.name, f"runs on {recipe.tokenizer.runs_on}"),
        ("terms", terms, used),
        *([("features", ", ".join(analyzer.features), "")] if analyzer.features else []),
        ("weighting", str(recipe.weighting), ""),
        ("model", recipe.model, "" if recipe.alpha is None else f"alpha {recipe.alpha}"),
        ("probabilities", _calibration(recipe, state), ""),
    ]


def _calibration(recipe: ClassifierRecipe, state: State) -> str:
    if state.fitted is None:
        return "to be calibrated" if recipe.calibrate else "not calibrated"
    return "not calibrated" if state.calibration_state == "none" else state.calibration_state


def _classes(facts: Mapping[str, Any]) -> Html:
    rows = [(cut(name), f"{documents:,}") for name, documents in facts["classes"].items()]
    first, others = rows[:_MAX_CLASSES], rows[_MAX_CLASSES:]
    if not others:
        return pairs(first)
    return joined(
        [pairs(first), element("details", element("summary", f"{len(others):,} more classes"), pairs(others))]
    )
