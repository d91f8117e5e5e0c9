"""Model files: a recipe, the learnt value, its calibration and, for models that are slow to fit, the fit.

Other models are fitted again on loading. Equal models are equal bytes.
"""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textnb.counts import Learnt, Vocabulary
from textnb.counts.weighting import weighting
from textnb.errors import ModelFileError
from textnb.evaluation.intervals import Quality
from textnb.files.arrays import (
    array_of,
    packed_examples,
    packed_histograms,
    packed_learnt,
    packed_sample,
    unpacked_examples,
    unpacked_histograms,
    unpacked_learnt,
    unpacked_sample,
)
from textnb.files.bundle import Arrays, content_of, read_bundle, write_bundle
from textnb.models.calibration import Calibration, calibration_of
from textnb.models.model import Fit
from textnb.models.registry import scorer_class
from textnb.models.smoothing import Smoothing
from textnb.numerics import Floats

KIND = "model"
_RULE = 2
"""Rule of ``dirichlet.py`` for alphas without a maximum."""


def packed_fit(fit: Fit) -> tuple[dict[str, Any], Arrays]:
    """Header entries and arrays of a fit; none for a scorer that loading fits again."""
    scorer = fit.scorer
    if not scorer.kind:
        return {}, {}
    facts: dict[str, Any] = {"found": dict(fit.found), "facts": dict(fit.facts), "holds_shares": fit.includes_prior}
    facts |= {"since": fit.since} if fit.since else {}
    arrays = {f"scorer.{name}": np.ascontiguousarray(array) for name, array in scorer.arrays().items()}
    return {"scorer": scorer.kind, **facts}, arrays


def unpacked_fit(facts: Mapping[str, Any], arrays: Arrays, n_classes: int) -> Fit:
    """Fit that ``packed_fit`` packed; refuses what does not fit together."""
    name, found, fit_facts, includes_prior = (facts[key] for key in ("scorer", "found", "facts", "holds_shares"))
    scorer = scorer_class(name)
    if scorer is None or not isinstance(found, dict) or not isinstance(fit_facts, dict):
        raise ModelFileError("the header does not describe a fitted model, but {name!r}", name=str(name)[:40])
    parts = {part: _part(arrays, part, number, n_classes) for part, number in scorer.dimensions.items()}
    since = facts.get("since", 0)
    if type(since) is not int or since < 0:
        raise ModelFileError("'since' in the header must be a whole number, not {since!r}", since=str(since)[:40])
    return Fit(scorer.of(parts), found=found, facts=fit_facts, includes_prior=bool(includes_prior), since=since)


def _part(arrays: Arrays, name: str, n_dimensions: int, n_classes: int) -> Floats:
    array = array_of(arrays, f"scorer.{name}", n_dimensions, "f")
    if np.isnan(array).any() or np.isposinf(array).any():
        raise ModelFileError("the array 'scorer.{name}' holds NaN or inf", name=name)
    if not name.endswith("scale") and array.shape[-1] != n_classes:
        raise ModelFileError("the array 'scorer.{name}' does not have {number} classes", name=name, number=n_classes)
    return array


class Calibrated(NamedTuple):
    """A calibration, None if it could not be fitted, and the fingerprint of the learnt value it was fitted for.

    held_out: number of documents that were not learnt and that it was fitted to; 0 if learnt ones were left out for it.
    quality: accuracy and log loss of the answers to the left-out documents; None in files of textnb 0.1.
    """

    calibration: Calibration | None
    of: str
    held_out: int = 0
    quality: Quality | None = None


class ModelContent(NamedTuple):
    """Content of a model file: the recipe as JSON, the learnt value, its calibration and the fit.

    fit: None for a model that is fitted again on loading. smoothing: alpha that left-out documents chose, which is slow
    to find. is_old: True if alpha was estimated as textnb 0.1 did.
    """

    recipe: Mapping[str, Any]
    learnt: Learnt
    calibrated: Calibrated | None = None
    fit: Fit | None = None
    smoothing: Smoothing | None = None
    is_old: bool = False


def write_model(path: str | Path, content: ModelContent) -> None:
    """Write a model file, completely or not at all."""
    recipe, learnt, calibrated, fit, smoothing, is_old = content
    counts = learnt.counts
    assert counts.vocabulary is not None
    summary = {
        "documents": len(learnt.digests),
        "documents_by_class": dict(zip(counts.classes, counts.documents.tolist(), strict=True)),
        "terms": counts.n_terms,
        "vocabulary": counts.vocabulary.fingerprint,
    }
    header: dict[str, Any] = {"recipe": dict(recipe), "classes": list(counts.classes), "summary": summary}
    if calibrated is not None:
        found = {} if calibrated.calibration is None else calibrated.calibration.json
        held_out = {"held_out": calibrated.held_out} if calibrated.held_out else {}
        quality = {} if calibrated.quality is None else {"left_out": calibrated.quality.json}
        header["calibration"] = {**found, "of": calibrated.of, **held_out, **quality}
    kept, arrays = _kept(learnt, counts.vocabulary)
    if fit is not None:
        kept["fit"], more = packed_fit(fit)
        arrays |= more
    if not is_old:  # files of textnb 0.1 have no such entry
        kept["smoothing"] = {"rule": _RULE} if smoothing is None else {"rule": _RULE, **smoothing.facts}
    write_bundle(path, KIND, {**header, "kept": kept}, {**packed_learnt(learnt), **arrays})


def read_model(path: str | Path) -> ModelContent:
    """Read and check a model file."""
    header, arrays = read_bundle(path, KIND)
    recipe, classes = header.get("recipe"), header.get("classes", [])
    if not isinstance(recipe, dict) or not _are_classes(classes):
        raise ModelFileError("{path}: its header has no recipe or no sorted classes", path=path)
    with content_of(path):
        learnt = unpacked_learnt(arrays, classes, weighting(recipe["weighting"]).unit)
        kept = header.get("kept", {})  # absent in format 1
        fit = unpacked_fit(kept["fit"], arrays, len(classes)) if kept.get("fit") else None
        rule = kept.get("smoothing", {})
        found = _smoothing(rule) if "alpha" in rule else None
        is_old = "rule" not in rule
        return ModelContent(recipe, _with_kept(learnt, kept, arrays), _calibrated(header), fit, found, is_old)


def _kept(learnt: Learnt, vocabulary: Vocabulary) -> tuple[dict[str, Any], Arrays]:
    """Header entries and arrays of what is kept with the statistics."""
    facts: dict[str, Any] = {}
    arrays: Arrays = {}
    if learnt.histograms is not None:
        facts["histograms"] = True
        arrays |= packed_histograms(learnt.histograms)
    if learnt.examples is not None:
        facts["examples"] = True
        arrays |= packed_examples("examples", learnt.examples, vocabulary, learnt.counts.classes)
    if learnt.sample is not None:
        facts["sample"], more = packed_sample(learnt.sample, vocabulary, learnt.counts.classes)
        arrays |= more
    return facts, arrays


def _with_kept(learnt: Learnt, kept: Mapping[str, Any], arrays: Arrays) -> Learnt:
    counts, digests = learnt.counts, learnt.digests
    assert counts.vocabulary is not None
    axes = counts.vocabulary, counts.classes
    return Learnt(
        counts,
        digests,
        unpacked_histograms(arrays, counts) if kept.get("histograms") else None,
        unpacked_examples(arrays, "examples", *axes, digests) if kept.get("examples") else None,
        unpacked_sample(kept["sample"], arrays, *axes, digests) if kept.get("sample") else None,
    )


def _smoothing(facts: Mapping[str, Any]) -> Smoothing:
    alpha, log_loss = float(facts["alpha"]), facts.get("log loss")
    if not 0 < alpha < np.inf or not (log_loss is None or 0 <= float(log_loss) < np.inf):
        raise ModelFileError("the header has alpha {alpha!r} and log loss {loss!r}", alpha=alpha, loss=log_loss)
    return Smoothing(alpha, log_loss=None if log_loss is None else float(log_loss))


def _calibrated(header: Mapping[str, Any]) -> Calibrated | None:
    facts = header.get("calibration")
    if facts is None:
        return None
    calibration = calibration_of(facts, len(header["classes"])) if "scale" in facts else None
    held_out = facts.get("held_out", 0)
    if type(held_out) is not int or held_out < 0 or (held_out and calibration is None):
        raise ModelFileError("its calibration is of {held_out!r} held-out documents", held_out=held_out)
    quality = Quality.from_json(facts["left_out"]) if "left_out" in facts else None
    return Calibrated(calibration, str(facts["of"]), held_out, quality)


def _are_classes(classes: Any) -> bool:
    return (
        isinstance(classes, list)
        and all(isinstance(name, str) for name in classes)
        and all(a < b for a, b in pairwise(classes))
    )
