"""What a fit has found out by itself: smoothing and calibration, for `info` and `train -v`."""

from typing import Any

from textnb.classifier import TextClassifier
from textnb.models.compound import CompoundScorer
from textnb.models.smoothing import Smoothing

_FEW = 4


def found_facts(classifier: TextClassifier) -> dict[str, Any]:
    """Plain JSON values: the alpha and how it was found, and the calibration."""
    fitted = classifier.fitted
    facts: dict[str, Any] = {}
    if isinstance(fitted.scorer, CompoundScorer):
        names = ("all documents", *fitted.classes)
        found = zip(names, fitted.scorer.solutions, strict=False)
        facts["smoothing"] = {name: Smoothing(solution.alpha, solution).facts for name, solution in found}
    elif fitted.smoothing is not None:
        facts["smoothing"] = fitted.smoothing.facts
    calibration = fitted.calibration
    facts["calibration"] = {"state": classifier.calibration_state}
    if calibration is not None:
        biases = dict(zip(fitted.classes, calibration.bias.tolist(), strict=True))
        facts["calibration"] |= {"scale": calibration.scale, "shortening": calibration.shortening, "bias": biases}
    sample = classifier.learnt.sample
    facts["sample"] = 0 if sample is None else len(sample.examples)
    return facts


def found_lines(classifier: TextClassifier) -> list[tuple[str, str]]:
    """The same in words, a pair a line."""
    facts = found_facts(classifier)
    smoothing = facts.get("smoothing", {})
    several = {"": smoothing} if "alpha" in smoothing else smoothing
    lines = [(f"alpha found, {name}".removesuffix(", "), _in_words(each)) for name, each in several.items()]
    calibration = facts["calibration"]
    shown = calibration["state"]
    if "scale" in calibration:
        shown += f": scores times {calibration['scale']:.3g} / (1 + {calibration['shortening']:.3g} n), n known tokens"
    return [*lines, ("probabilities", shown), ("documents kept to calibrate", f"{facts['sample']:,}")]


def _in_words(facts: dict[str, Any]) -> str:
    alpha = facts["alpha"]
    if isinstance(alpha, dict):
        low, _, middle, _, high = alpha["quartiles"]
        shown = f"one a term: sum {alpha['sum']:.4g}, least {low:.3g}, median {middle:.3g}, largest {high:.3g}"
    else:
        shown = f"{alpha:.6g}"
    if "outcome" not in facts:
        return shown
    trace = facts["trace"]
    steps = [f"{value:.6g}" for value in (*trace[:1], *trace[1:][-_FEW:])]
    way = f"; log evidence {steps[0]} ... {', '.join(steps[1:])}" if len(steps) > 1 else ""
    return f"{shown}; {facts['outcome']} after {facts['iterations']} looks{way}"
