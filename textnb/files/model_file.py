"""Model files: the recipe, what answering needs, and what only learning needs.

    header                  recipe, classes, calibration, a summary of what was learnt, facts about the fit
    sections for answering  the terms in use, packed; the scorer with all that is computed from it once; idf; priors;
                            answers to left-out documents, from which the cut-offs of a precision follow
    sections for learning   the learnt value: statistics, digests, kept documents, histograms (``arrays.py``)

Opening fits nothing and touches no section for learning, whatever the model: ``ModelContent.learnt`` is read when it is
asked for, after the sha256 of every section has been checked. Equal models are equal bytes. A stripped model has no
sections for learning.

``label_kind`` in the header is the kind of the labels whose names are the classes, one of LABEL_KINDS. The header
reserves ``left_out_quantiles`` and ``category_tables`` (null so far).
Files of formats 1 and 2 have no terms in use and, for models that are quick to fit, no scorer: they are fitted again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts import Learnt, Vocabulary
from textnb.counts.packed_vocabulary import PARTS, PackedVocabulary, pack_terms
from textnb.counts.pruning import NOTHING_DROPPED, Dropped
from textnb.counts.weighting import weighting
from textnb.decisions import JudgedAnswers
from textnb.errors import InputError, ModelFileError
from textnb.evaluation.intervals import Quality
from textnb.extension import return_memory
from textnb.files.arrays import (
    PLAIN_MOST,
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
from textnb.files.bundle import Arrays, Bundle, content_of, open_bundle, write_bundle
from textnb.files.deferred import Deferred
from textnb.models.calibration import Calibration, calibration_of
from textnb.models.model import Fit
from textnb.models.registry import scorer_class
from textnb.models.smoothing import Smoothing
from textnb.numerics import MAX_NUMBER, Floats

KIND = "model"
LABEL_KINDS = ("text", "boolean", "integer", "real")
_RULE = 2
"""Rule of ``dirichlet.py`` for alphas without a maximum."""
_FIRST_MAPPED = 3
"""First format with sections for answering, and with all documents kept up to a number."""
_SCORER, _TERMS, _DIGESTS = "scorer.", "terms_used.", "digests"
_ANSWERS, _PROBABILITIES = "left_out.answers", "left_out.probabilities"
_PRIORS = ("log_prior", "base", "shift")
_OF_CLASSES = ("totals", "factors")
_STRIPPED = "{path} was stripped: it only answers and cannot learn, forget or merge; use the model it was made from"


class Calibrated(NamedTuple):
    """A calibration, None if it could not be fitted, and the fingerprint of the learnt value it was fitted for.

    held_out: number of documents that were not learnt and that it was fitted to; 0 if learnt ones were left out for it.
    quality: accuracy and log loss of the answers to the left-out documents; None in files of textnb 0.1. judged: these
    answers, by which a precision is promised; None if there are none, and in older files.
    """

    calibration: Calibration | None
    of: str
    held_out: int = 0
    quality: Quality | None = None
    judged: Deferred[JudgedAnswers] | None = None


class StoredFit(NamedTuple):
    """A fit and what else answers are computed from: terms in use, idf (V,), and priors as in ``Fitted``, (C,) each."""

    vocabulary: Vocabulary
    idf: Floats | None
    fit: Fit
    log_prior: Floats
    base: Floats
    shift: Floats


class Summary(NamedTuple):
    """Size of what was learnt: documents of each class, all terms, kept documents, and its fingerprint.

    dated: first and last day (``Document.day``) of the kept documents with a date, and their number; None without any.
    dropped: what a term budget has dropped, the numbers of ``Dropped``; None if nothing.
    """

    documents: list[int | float]
    n_terms: int
    n_kept: int
    fingerprint: str
    dated: list[int] | None = None
    dropped: list[int] | None = None


class ModelContent(NamedTuple):
    """Content of a model file.

    stored: None if nothing was learnt, and in files of formats 1 and 2. fit, smoothing (alpha that left-out documents
    chose), is_old (alpha was estimated as textnb 0.1 did): only in those. summary: None in those. sha256: identifies
    the file that was read; empty for those. digests: sorted digests of what was learnt, mapped; only read. label_kind:
    one of LABEL_KINDS.
    """

    recipe: Mapping[str, Any]
    classes: tuple[str, ...]
    learnt: Deferred[Learnt]
    calibrated: Calibrated | None = None
    stored: StoredFit | None = None
    summary: Summary | None = None
    stripped: bool = False
    fit: Fit | None = None
    smoothing: Smoothing | None = None
    is_old: bool = False
    sha256: str = ""
    digests: NDArray[Any] | None = None
    label_kind: str = "text"


def write_model(
    path: str | Path | BytesIO, content: ModelContent, announce: Callable[[str], None] | None = None
) -> None:
    """Write a model file, completely or not at all; a stripped one has nothing that only learning needs.

    announce: see ``write_bundle``.
    """
    return_memory()  # what the fit has left
    summary = _summary(content)
    if content.stripped:
        summary = summary._replace(dated=None)
    header: dict[str, Any] = {
        "recipe": dict(content.recipe),
        "classes": list(content.classes),
        "summary": {name: value for name, value in summary._asdict().items() if value is not None},
        "stripped": content.stripped,
        "label_kind": content.label_kind,
        "left_out_quantiles": None,
        "category_tables": None,
    }
    if content.calibrated is not None:
        header["calibration"] = _calibration_facts(content.calibrated)
    answering: dict[str, NDArray[Any]] = {}
    if content.stored is not None:
        header["fit"], answering = packed_stored(content.stored)
    if content.calibrated is not None and content.calibrated.judged is not None:
        answering |= _packed_judged(content.calibrated.judged.value)
    learning: dict[str, NDArray[Any]] = {}
    if not content.stripped:
        header["kept"], learning = packed_learning(content.learnt.value)
        answering[_DIGESTS] = learning.pop(_DIGESTS)  # does not compress, and one is looked up when a mail is learnt
    write_bundle(path, KIND, header, answering, learning, announce)


def read_model(path: str | Path, *, in_memory: bool = False, data: bytes | None = None) -> ModelContent:
    """Open a model file and check its structure.

    in_memory: copy what answering needs instead of mapping it. data: the bytes of the file, see ``open_bundle``.
    """
    bundle = open_bundle(path, KIND, in_memory=in_memory, data=data)
    header = bundle.header
    recipe, classes = header.get("recipe"), header.get("classes", [])
    if not isinstance(recipe, dict) or not _are_classes(classes):
        raise ModelFileError("{path}: its header has no recipe or no sorted classes", path=path)
    with content_of(path):
        if header["format"] < _FIRST_MAPPED:
            return _old_content(header, bundle.learning)
        _check_reserved(header)
        stored = unpacked_stored(header["fit"], bundle.answering, len(classes)) if "fit" in header else None
        if (stored is None) != (not classes):
            raise ModelFileError("the header has classes and no fit, or a fit and no classes")
        stripped, summary = header.get("stripped"), _as_summary(header["summary"], len(classes))
        learnt = Deferred(lambda: _learnt(path, bundle))
        calibrated = _calibrated(header)
        if calibrated is not None and _ANSWERS in bundle.answering:
            calibrated = calibrated._replace(judged=_judged(path, bundle.answering, len(classes)))
        content = ModelContent(recipe, tuple(classes), learnt, calibrated, stored, summary, bool(stripped))
        kind = header.get("label_kind", LABEL_KINDS[0])
        return content._replace(sha256=bundle.sha256, digests=bundle.answering.get(_DIGESTS), label_kind=kind)


def verify_model(path: str | Path) -> None:
    """Check all of a model file: the sha256 of every section, and that the content fits together."""
    bundle = open_bundle(path, KIND)
    bundle.verify()
    content = read_model(path)
    with content_of(path):
        if content.stored is not None:
            _check_numbers(bundle.answering)
            _check_terms(content.stored.vocabulary)
        if content.calibrated is not None and content.calibrated.judged is not None:
            content.calibrated.judged.value  # noqa: B018  # unpacking checks it
    if not content.stripped:
        content.learnt.value  # noqa: B018  # unpacking checks it


def packed_stored(stored: StoredFit) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header entries and arrays of what answers are computed from."""
    facts, arrays = packed_fit(stored.fit)
    arrays |= {_TERMS + name: array for name, array in pack_terms(stored.vocabulary).items()}
    arrays |= {name: np.asarray(getattr(stored, name), np.float64) for name in _PRIORS}
    return facts, arrays if stored.idf is None else {**arrays, "idf": stored.idf}


def unpacked_stored(facts: Mapping[str, Any], arrays: Arrays, n_classes: int) -> StoredFit:
    """Restore what ``packed_stored`` packed; types and sizes are checked."""
    vocabulary = PackedVocabulary.of_arrays({name: arrays[_TERMS + name] for name in PARTS})
    idf = array_of(arrays, "idf", 1, "f") if "idf" in arrays else None
    if idf is not None and len(idf) != len(vocabulary):
        raise ModelFileError("the array 'idf' does not have {n} terms", n=len(vocabulary))
    priors = [array_of(arrays, name, 1, "f") for name in _PRIORS]
    if {len(each) for each in priors} != {n_classes}:
        raise ModelFileError("the priors are not those of {number} classes", number=n_classes)
    return StoredFit(vocabulary, idf, unpacked_fit(facts, arrays, n_classes, len(vocabulary)), *priors)


def packed_fit(fit: Fit) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header entries and arrays of a fit."""
    scorer = fit.scorer
    facts: dict[str, Any] = {
        "scorer": scorer.kind,
        "settings": scorer.settings(),
        "found": dict(fit.found),
        "facts": dict(fit.facts),
        "class_smoothing": [dict(each) for each in fit.class_smoothing],
        "includes_prior": fit.includes_prior,
        "since": fit.since,
    }
    arrays = {_SCORER + name: np.ascontiguousarray(array) for name, array in scorer.arrays().items()}
    if fit.smoothing is not None:
        facts["smoothing"] = {**fit.smoothing.json, "rule": 1 if fit.smoothing.is_old else _RULE}
        if np.ndim(fit.smoothing.alpha):
            arrays["smoothing.alpha"] = fit.smoothing.alpha
        else:
            facts["smoothing"]["alpha"] = float(fit.smoothing.alpha)
    for name in _OF_CLASSES:
        if getattr(fit, name) is not None:
            facts[name] = list(getattr(fit, name))
    if fit.containing is not None:
        arrays["containing_used"] = fit.containing
    return facts, arrays


def unpacked_fit(facts: Mapping[str, Any], arrays: Arrays, n_classes: int, n_terms: int | None = None) -> Fit:
    """Fit that ``packed_fit`` packed, or textnb 0.1; refuses what does not fit together.

    n_terms: number of terms that the arrays must have; None to accept any.
    """
    name, found, fit_facts = (facts[key] for key in ("scorer", "found", "facts"))
    scorer = scorer_class(name)
    if scorer is None or not _are_numbers_by_name(found) or not _are_numbers_by_name(fit_facts):
        raise ModelFileError("the header does not describe a fitted model, but {name!r}", name=str(name)[:40])
    parts = {each[len(_SCORER) :]: arrays[each] for each in arrays if each.startswith(_SCORER)}
    for part, axes in scorer.axes.items():
        _check_axes(parts, part, axes, n_classes, n_terms)
    since = facts.get("since", 0)
    if type(since) is not int or since < 0:
        raise ModelFileError("'since' in the header must be a whole number, not {since!r}", since=str(since)[:40])
    return Fit(
        scorer.of(parts, facts.get("settings", {})),
        _stored_smoothing(facts.get("smoothing"), arrays, n_terms),
        _class_smoothing(facts.get("class_smoothing", []), n_classes),
        found,
        fit_facts,
        bool(facts["includes_prior"] if "includes_prior" in facts else facts["holds_shares"]),
        since=since,
        totals=_of_classes("totals", facts, n_classes),
        factors=_of_classes("factors", facts, n_classes),
        containing=_containing(arrays, n_terms, n_classes),
    )


def _class_smoothing(given: Any, n_classes: int) -> tuple[dict[str, Any], ...]:
    """Facts about the alphas of all documents and of each class (``Fit.class_smoothing``), or nothing."""
    are_facts = isinstance(given, list) and len(given) in (0, n_classes + 1) and all(map(_is_smoothing_fact, given))
    if not are_facts:
        raise ModelFileError("the header does not describe the alphas of {number} classes", number=n_classes)
    return tuple(given)


def _is_smoothing_fact(facts: Any) -> bool:
    """True if these can be ``Smoothing.facts``, or those of empty documents."""
    if not isinstance(facts, dict) or not facts:
        return facts == {}
    alpha, outcome, trace = (facts.get(name) for name in ("alpha", "outcome", "trace"))
    numbers = [facts[name] for name in ("log loss", "iterations", "log evidence") if name in facts]
    if isinstance(alpha, dict):
        quartiles = alpha.get("quartiles")
        numbers += [alpha.get("sum"), *(quartiles if isinstance(quartiles, list) and len(quartiles) == 5 else [None])]
    else:
        numbers.append(alpha)
    is_search = outcome is None or (isinstance(outcome, str) and isinstance(trace, list) and "iterations" in facts)
    return is_search and all(map(_is_number, [*numbers, *(trace or [])]))


def _are_numbers_by_name(facts: Any) -> bool:
    return isinstance(facts, dict) and all(map(_is_number, facts.values()))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _of_classes(name: str, facts: Mapping[str, Any], n_classes: int) -> list[float] | None:
    if facts.get(name) is None:
        return None
    found = [float(number) for number in facts[name]]
    if len(found) != n_classes or not all(0 <= number <= MAX_NUMBER for number in found):
        template = "{name!r} in the header are not numbers of {number} classes"
        raise ModelFileError(template, name=name, number=n_classes)
    return found


def _containing(arrays: Arrays, n_terms: int | None, n_classes: int) -> NDArray[Any] | None:
    if n_terms is None or "containing_used" not in arrays:
        return None
    found = array_of(arrays, "containing_used", 2, "i")
    if found.shape != (n_terms, n_classes):
        raise ModelFileError("the array 'containing_used' does not have {number} terms", number=n_terms)
    return found


def _check_axes(parts: Mapping[str, NDArray[Any]], name: str, axes: str, n_classes: int, n_terms: int | None) -> None:
    """Refuse an array that does not have these axes (see ``Scorer.axes``)."""
    array = parts.get(name)
    if array is None or array.ndim != len(axes) or array.dtype.kind not in ("i" if axes == "n" else "f"):
        raise ModelFileError("the array 'scorer.{name}' is missing or of another kind", name=name)
    for axis, length in zip(axes, array.shape, strict=True):
        if axis == "C" and length != n_classes:
            template = "the array 'scorer.{name}' does not have {number} classes"
            raise ModelFileError(template, name=name, number=n_classes)
        if axis in "vV" and n_terms is not None and length != n_terms and not (axis == "v" and length == 0):
            raise ModelFileError("the array 'scorer.{name}' does not have {number} terms", name=name, number=n_terms)


def _check_numbers(arrays: Arrays) -> None:
    """Refuse NaN and numbers that would overflow among those of the answers; -inf is the logarithm of 0."""
    for name in arrays:
        array = arrays[name]
        if array.dtype.kind != "f":
            continue
        most = min(MAX_NUMBER, float(np.finfo(array.dtype).max))
        if not ((np.abs(array) <= most) | np.isneginf(array)).all():
            template = "the array {name!r} holds NaN or inf, or numbers beyond {most:g}"
            raise ModelFileError(template, name=name, most=most)


def _check_terms(vocabulary: Vocabulary) -> None:
    """Refuse packed terms that are not those of a vocabulary, or a table that is not theirs."""
    expected = pack_terms(Vocabulary.of_sorted(vocabulary.terms))
    found = pack_terms(vocabulary)
    if any(not np.array_equal(found[name], expected[name]) for name in PARTS):
        raise ModelFileError("the terms in use do not fit together")


def _stored_smoothing(facts: Any, arrays: Arrays, n_terms: int | None) -> Smoothing | None:
    if facts is None:
        return None
    if "alpha" in facts:
        alpha: Any = float(facts["alpha"])
        sound = 0 <= alpha < np.inf
    else:
        alpha = array_of(arrays, "smoothing.alpha", 1, "f")
        sound = len(alpha) == n_terms
    if not sound:
        raise ModelFileError("the smoothing in the file is not one of {n} terms", n=n_terms)
    return Smoothing.from_json(facts, alpha, is_old=facts.get("rule") != _RULE)


def _check_reserved(header: Mapping[str, Any]) -> None:
    """Refuse kinds of labels and tables that only a later textnb knows."""
    if header.get("label_kind", "text") not in LABEL_KINDS or header.get("category_tables") is not None:
        raise ModelFileError("its labels or tables are of a kind that this textnb does not know; upgrade it")


def _summary(content: ModelContent) -> Summary:
    if content.summary is not None:
        return content.summary
    return summary_of(content.learnt.value)


def summary_of(learnt: Learnt) -> Summary:
    """Size of a learnt value."""
    counts = learnt.counts
    kept, dropped = learnt.kept, list(learnt.dropped) if learnt.dropped.terms else None
    if kept is None:
        return Summary(counts.documents.tolist(), counts.n_terms, 0, learnt.fingerprint, None, dropped)
    days = kept.days[kept.days > 0]
    dated = [int(days.min()), int(days.max()), len(days)] if len(days) else None
    return Summary(counts.documents.tolist(), counts.n_terms, len(kept), learnt.fingerprint, dated, dropped)


def _as_summary(facts: Mapping[str, Any], n_classes: int) -> Summary:
    found = Summary(**facts)
    numbers, days = (*found.documents, found.n_terms, found.n_kept), found.dated or [1, 1, 0]
    is_sound = len(found.documents) == n_classes and all(type(n) in (int, float) and 0 <= n < 2**63 for n in numbers)
    is_dated = [*map(type, days)] == [int] * 3 and 0 < days[0] <= days[1] <= date.max.toordinal()
    if not is_sound or not is_dated or not _are_dropped(found.dropped):
        raise ModelFileError("the header does not say how much was learnt")
    return found._replace(fingerprint=str(found.fingerprint))


def _are_dropped(numbers: Any) -> bool:
    """True if numbers can be those of ``Dropped``, or there are none."""
    return numbers is None or (
        isinstance(numbers, list)
        and [*map(type, numbers)] == [int] * len(NOTHING_DROPPED)
        and all(0 < number < 2**63 for number in numbers)
    )


def _learnt(path: str | Path, bundle: Bundle) -> Learnt:
    """Learnt value of a file, after its sections have been checked."""
    if bundle.header.get("stripped"):
        raise InputError(_STRIPPED, path=path)
    bundle.verify()
    with content_of(path):
        digests = {_DIGESTS: bundle.answering[_DIGESTS]} if _DIGESTS in bundle.answering else {}
        return unpacked_learning(bundle.header, {**bundle.learning, **digests})


def unpacked_learning(header: Mapping[str, Any], arrays: Arrays) -> Learnt:
    """Learnt value from the header and the arrays of ``packed_learning``."""
    learnt = unpacked_learnt(arrays, header["classes"], weighting(header["recipe"]["weighting"]).unit)
    return _with_kept(learnt, header.get("kept", {}), arrays)  # absent in format 1


def packed_learning(learnt: Learnt) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header entries, which are stored as ``kept``, and arrays of a learnt value."""
    facts, arrays = _kept(learnt)
    return facts, {**packed_learnt(learnt), **arrays}


def _old_content(header: Mapping[str, Any], arrays: Arrays) -> ModelContent:
    """Content of a file of format 1 or 2."""
    classes, kept = header["classes"], header.get("kept", {})
    learnt = unpacked_learning(header, arrays)
    fit = unpacked_fit(kept["fit"], arrays, len(classes)) if kept.get("fit") else None
    if fit is not None:
        _check_numbers({name: arrays[name] for name in arrays if name.startswith(_SCORER)})
    rule, recipe = kept.get("smoothing", {}), header["recipe"]
    if recipe.get("sample") == PLAIN_MOST:
        recipe = {name: value for name, value in recipe.items() if name != "sample"}  # the present default
    return ModelContent(
        recipe,
        tuple(classes),
        Deferred.of(learnt),
        _calibrated(header),
        fit=fit,
        smoothing=_old_smoothing(rule) if "alpha" in rule else None,
        is_old="rule" not in rule,
    )


def _kept(learnt: Learnt) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header entries and arrays of what is kept with the statistics."""
    facts: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    if learnt.histograms is not None:
        facts["histograms"] = True
        arrays |= packed_histograms(learnt.histograms)
    if learnt.examples is not None:
        facts["examples"] = True
        arrays |= packed_examples("examples", learnt.examples, learnt)
    if learnt.sample is not None:
        facts["sample"], more = packed_sample(learnt.sample, learnt)
        arrays |= more
    if learnt.dropped.terms:
        facts["dropped"] = list(learnt.dropped)
    return facts, arrays


def _with_kept(learnt: Learnt, kept: Mapping[str, Any], arrays: Arrays) -> Learnt:
    if not _are_dropped(kept.get("dropped")):
        raise ModelFileError("the header does not say what was dropped")
    return replace(
        learnt,
        histograms=unpacked_histograms(arrays, learnt.counts) if kept.get("histograms") else None,
        examples=unpacked_examples(arrays, "examples", learnt) if kept.get("examples") else None,
        sample=unpacked_sample(kept["sample"], arrays, learnt) if kept.get("sample") else None,
        dropped=Dropped(*kept.get("dropped") or NOTHING_DROPPED),
    )


def _old_smoothing(facts: Mapping[str, Any]) -> Smoothing:
    alpha, log_loss = float(facts["alpha"]), facts.get("log loss")
    if not 0 < alpha < np.inf or not (log_loss is None or 0 <= float(log_loss) < np.inf):
        raise ModelFileError("the header has alpha {alpha!r} and log loss {loss!r}", alpha=alpha, loss=log_loss)
    return Smoothing(alpha, log_loss=None if log_loss is None else float(log_loss))


def _calibration_facts(calibrated: Calibrated) -> dict[str, Any]:
    found = {} if calibrated.calibration is None else calibrated.calibration.json
    held_out = {"held_out": calibrated.held_out} if calibrated.held_out else {}
    quality = {} if calibrated.quality is None else {"left_out": calibrated.quality.json}
    return {**found, "of": calibrated.of, **held_out, **quality}


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


def _packed_judged(judged: JudgedAnswers) -> dict[str, NDArray[Any]]:
    """Arrays of answers: the number of the class, doubled, and 1 more if it is correct; and the probabilities."""
    answers = 2 * judged.predicted.astype(np.int32) + judged.correct
    return {_ANSWERS: answers.astype(np.int32), _PROBABILITIES: judged.probability}


def _judged(path: str | Path, arrays: Arrays, n_classes: int) -> Deferred[JudgedAnswers]:
    """Answers that ``_packed_judged`` packed; their numbers are checked when they are asked for."""
    answers, probabilities = array_of(arrays, _ANSWERS, 1, "i"), array_of(arrays, _PROBABILITIES, 1, "f")
    if len(answers) != len(probabilities):
        raise ModelFileError("the answers to left-out documents and their probabilities differ in number")

    def made() -> JudgedAnswers:
        are_sound = ((answers >= 0) & (answers < 2 * n_classes) & (probabilities >= 0) & (probabilities <= 1)).all()
        if not are_sound:
            raise ModelFileError("{path} is damaged: its answers to left-out documents are none", path=path)
        return JudgedAnswers(answers // 2, probabilities, answers % 2 == 1)

    return Deferred(made)


def _are_classes(classes: Any) -> bool:
    return (
        isinstance(classes, list)
        and all(isinstance(name, str) for name in classes)
        and all(a < b for a, b in pairwise(classes))
    )
