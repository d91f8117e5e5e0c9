"""Fitted models as plain arrays and back, for those that are not made again in no time from counts."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from textnb.bundle import Arrays
from textnb.errors import ModelFileError
from textnb.models.model import Fit
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats
from textnb.packing import array_of

_KINDS: dict[str, type[LinearScorer]] = {"linear": LinearScorer}
"""The scorers that a file can hold, by name. Their fields are arrays, tables (terms, classes) among them."""

_DIMENSIONS = {"by_term": 2, "bias": 1, "scale": 1}


def packed_fit(fit: Fit) -> tuple[dict[str, Any], Arrays]:
    """What the header says of a fit, and its arrays; nothing of a fit that is made again on loading."""
    for kind, scorer in _KINDS.items():
        if type(fit.scorer) is scorer:
            facts = {"found": dict(fit.found), "facts": dict(fit.facts), "has_probabilities": fit.has_probabilities}
            arrays = {f"scorer.{each.name}": getattr(fit.scorer, each.name) for each in fields(scorer)}
            return {"scorer": kind, **facts}, arrays
    return {}, {}


def unpacked_fit(facts: Mapping[str, Any], arrays: Arrays, n_classes: int) -> Fit:
    """The fit again."""
    kind, found, told, has_probabilities = (facts[key] for key in ("scorer", "found", "facts", "has_probabilities"))
    if kind not in _KINDS or not isinstance(found, dict) or not isinstance(told, dict):
        raise ModelFileError(f"the header does not describe a fitted model, but {str(kind)[:40]!r}")
    scorer = _KINDS[kind]
    parts = {each.name: _part(arrays, each.name, n_classes) for each in fields(scorer)}
    return Fit(scorer(**parts), found=found, facts=told, has_probabilities=bool(has_probabilities))


def _part(arrays: Arrays, name: str, n_classes: int) -> Floats:
    array = array_of(arrays, f"scorer.{name}", _DIMENSIONS[name], "f")
    if np.isnan(array).any() or np.isposinf(array).any():
        raise ModelFileError(f"the array 'scorer.{name}' holds what is not a number")
    if name != "scale" and array.shape[-1] != n_classes:
        raise ModelFileError(f"the array 'scorer.{name}' is not that of {n_classes} classes")
    return array
