"""What a fit has found out by itself: smoothing and calibration, for `info` and `train -v`."""

from typing import Any

from textnb.classifier import TextClassifier
from textnb.models.compound import CompoundScorer
from textnb.models.dirichlet import Solution
from textnb.models.smoothing import Smoothing

_FEW = 4


def found_facts(classifier: TextClassifier) -> dict[str, Any]:
    """Plain JSON values: the alpha and how it was found (of a compound model one a class), and the calibration."""
    fitted = classifier.fitted
    facts: dict[str, Any] = {}
    if isinstance(fitted.scorer, CompoundScorer):
        together, *of_class = map(_solution_facts, fitted.scorer.solutions)
        facts["smoothing"] = {"all documents": together, "classes": dict(zip(fitted.classes, of_class, strict=True))}
    elif fitted.fit.smoothing is not None:
        facts["smoothing"] = fitted.fit.smoothing.facts
    if fitted.fit.found or fitted.fit.facts:
        since = {"since": fitted.fit.since} if fitted.fit.since else {}
        facts["fit"] = {**fitted.fit.found, **fitted.fit.facts, **since}
    calibration = fitted.calibration
    facts["calibration"] = {"state": classifier.calibration_state}
    if calibration is not None:
        biases = dict(zip(fitted.classes, calibration.bias.tolist(), strict=True))
        facts["calibration"] |= {"scale": calibration.scale, "shortening": calibration.shortening, "bias": biases}
    learnt = classifier.learnt
    kept = learnt.examples if learnt.sample is None else learnt.sample.examples
    facts["documents kept"] = 0 if kept is None else len(kept)
    return facts


def evidence_facts(classifier: TextClassifier) -> dict[str, float]:
    """The Laplace evidence and the BIC of a logistic model, where its documents are kept."""
    fitted = classifier.fitted
    rows = fitted.rows(classifier.learnt)
    if classifier.recipe.model != "logistic" or rows is None or not classifier.recipe.options["l2"]:
        return {}
    from textnb.models.logistic_evidence import evidence

    found = evidence(rows.X, rows.y, l2=classifier.recipe.options["l2"])
    return {"log_evidence": found.log_evidence, "bic": found.bic}


def found_lines(classifier: TextClassifier) -> list[tuple[str, str]]:
    """The same in words, a pair a line."""
    facts = found_facts(classifier)
    lines = [(name, _in_words(each)) for name, each in _named(facts.get("smoothing"))]
    fit = classifier.fitted.fit
    lines += [(f"{name} found", f"{value:.6g}") for name, value in fit.found.items()]
    lines += [(name.replace("_", " "), f"{value:.6g}") for name, value in fit.facts.items()]
    if fit.since:
        lines.append(("changed since", f"{fit.since:,} documents learnt or forgotten after the fit"))
    calibration = facts["calibration"]
    shown = "not calibrated" if calibration["state"] == "none" else calibration["state"]
    if "scale" in calibration:
        shown += f": scores times {calibration['scale']:.3g} / (1 + {calibration['shortening']:.3g} n), n known tokens"
    return [*lines, ("probabilities", shown), ("documents kept", f"{facts['documents kept']:,}")]


def _named(smoothing: dict[str, Any] | None) -> list[tuple[str, dict[str, Any]]]:
    if smoothing is None:
        return []
    if "classes" not in smoothing:
        return [("alpha found", smoothing)]
    together = [("alpha found, all documents", smoothing["all documents"])]
    return [*together, *((f"alpha found, class {name}", each) for name, each in smoothing["classes"].items())]


def _solution_facts(solution: Solution | None) -> dict[str, Any]:
    return {} if solution is None else Smoothing(solution.alpha, solution).facts


def _in_words(facts: dict[str, Any]) -> str:
    if not facts:
        return "none: there are only empty documents"
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
