"""Estimators as HTML for notebooks: complete by itself, without scripts, in the colours of the page around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textnb.markup import Html, element, joined

_STYLE = Html(
    ".textnb-estimator{display:inline-block;border:1px solid currentColor;border-radius:.4em;padding:.3em .8em;"
    "color:inherit;background:transparent}"
    ".textnb-estimator summary{cursor:pointer}"
    ".textnb-estimator table{border-collapse:collapse;margin:.4em 0;color:inherit;background:transparent}"
    ".textnb-estimator th,.textnb-estimator td{text-align:left;padding:.1em .8em .1em 0;font-weight:normal;"
    "color:inherit;background:transparent;border:0}"
    ".textnb-estimator .changed{font-weight:bold}"
)
_MAX_SHOWN = 10
_MAX_LENGTH = 80


def estimator_html(estimator: Any) -> Html:
    """Markup of an estimator: its name, its parameters (those that are not defaults in bold) and what it has learnt.

    >>> from textnb.estimators import MultinomialNB
    >>> "alpha" in estimator_html(MultinomialNB(alpha=0.5))
    True
    """
    defaults = estimator._defaults()
    rows = [
        element(
            "tr",
            element("th", name, scope="row"),
            element("td", element("code", _shortened(repr(value)))),
            class_=None if repr(value) == repr(defaults[name]) else "changed",
        )
        for name, value in estimator.get_params().items()
    ]
    parameters = element("table", element("tbody", *rows)) if rows else Html("")
    name = element("strong", type(estimator).__name__)
    summary = element("summary", joined([name, " ", _state(estimator)]))
    return element("div", element("style", _STYLE), element("details", summary, parameters), class_="textnb-estimator")


def _state(estimator: Any) -> str:
    """What the estimator was fitted to, in words."""
    if "vocabulary_" in dir(type(estimator)):
        return f"fitted: {len(estimator.vocabulary_):,} terms" if hasattr(estimator, "vocabulary_") else "not fitted"
    if "classes_" not in vars(estimator):
        return "not fitted"
    classes = estimator.classes_.tolist()
    return f"fitted: {estimator.n_features_in_:,} columns, {len(classes):,} classes ({_listed(classes)})"


def _listed(names: Iterable[Any]) -> str:
    shown = [_shortened(str(name)) for name in names]
    return ", ".join([*shown[:_MAX_SHOWN], *(["…"] if len(shown) > _MAX_SHOWN else [])])


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
