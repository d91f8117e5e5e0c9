"""Fitted models as plain arrays and back, for those that are not made again in no time from counts."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from textnb.bundle import Arrays
from textnb.errors import ModelFileError
from textnb.models.model import Fit
from textnb.models.presence_ratios import RatioScorer
from textnb.models.scaled_scorer import ScaledScorer
from textnb.models.scorer import LinearScorer, Scorer
from textnb.models.summed_scorer import SummedScorer
from textnb.numerics import Floats
from textnb.packing import array_of

_DIMENSIONS = {"by_term": 2, "bias": 1, "scale": 1, "ratios": 2, "shares": 1}


class _Kind(NamedTuple):
    """A scorer that a file can hold: its class, the names of its arrays, the arrays of one, and one of arrays."""

    scorer: type
    names: tuple[str, ...]
    arrays: Callable[[Any], tuple[Floats, ...]]
    built: Callable[..., Scorer]


_KINDS = {
    "linear": _Kind(LinearScorer, ("by_term", "bias"), lambda s: (s.by_term, s.bias), LinearScorer),
    "scaled": _Kind(
        ScaledScorer,
        ("scale", "by_term", "bias"),
        lambda s: (s.scale, s.linear.by_term, s.linear.bias),
        lambda scale, *linear: ScaledScorer(scale, LinearScorer(*linear)),
    ),
    "ratios": _Kind(RatioScorer, ("ratios", "shares"), lambda s: (s.by_term, s.bias), RatioScorer),
    "summed": _Kind(
        SummedScorer,
        ("ratios", "shares", "scale", "by_term", "bias"),
        lambda s: (s.first.by_term, s.first.bias, s.second.scale, s.second.linear.by_term, s.second.linear.bias),
        lambda ratios, shares, scale, *linear: SummedScorer(
            RatioScorer(ratios, shares), ScaledScorer(scale, LinearScorer(*linear))
        ),
    ),
}


def packed_fit(fit: Fit) -> tuple[dict[str, Any], Arrays]:
    """What the header says of a fit, and its arrays; nothing of a fit that is made again on loading."""
    for name, kind in _KINDS.items():
        if type(fit.scorer) is kind.scorer:
            facts: dict[str, Any] = {"found": dict(fit.found), "facts": dict(fit.facts)}
            facts |= {"holds_shares": fit.holds_shares, **({"since": fit.since} if fit.since else {})}
            parts = zip(kind.names, kind.arrays(fit.scorer), strict=True)
            return {"scorer": name, **facts}, {f"scorer.{part}": np.ascontiguousarray(array) for part, array in parts}
    return {}, {}


def unpacked_fit(facts: Mapping[str, Any], arrays: Arrays, n_classes: int) -> Fit:
    """The fit again."""
    name, found, told, holds_shares = (facts[key] for key in ("scorer", "found", "facts", "holds_shares"))
    if name not in _KINDS or not isinstance(found, dict) or not isinstance(told, dict):
        raise ModelFileError(f"the header does not describe a fitted model, but {str(name)[:40]!r}")
    parts = [_part(arrays, part, n_classes) for part in _KINDS[name].names]
    scorer, since = _KINDS[name].built(*parts), _since(facts)
    return Fit(scorer, found=found, facts=told, holds_shares=bool(holds_shares), since=since)


def _since(facts: Mapping[str, Any]) -> int:
    since = facts.get("since", 0)
    if type(since) is not int or since < 0:
        raise ModelFileError(f"the header does not say since how many documents, but {str(since)[:40]!r}")
    return since


def _part(arrays: Arrays, name: str, n_classes: int) -> Floats:
    array = array_of(arrays, f"scorer.{name}", _DIMENSIONS[name], "f")
    if np.isnan(array).any() or np.isposinf(array).any():
        raise ModelFileError(f"the array 'scorer.{name}' holds what is not a number")
    if name != "scale" and array.shape[-1] != n_classes:
        raise ModelFileError(f"the array 'scorer.{name}' is not that of {n_classes} classes")
    return array
