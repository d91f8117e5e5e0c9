"""Facts about a fitted classifier: what it is made of, what fitting found, and the typical terms of each class.

Three measures order the terms of a class k; r is all other classes together.

**contribution**: what the term adds to the class's score over the mean of the other classes, in the class's mean
document tau_k / D_k. For a linear scorer

    value_j = (tau_kj / D_k) (weights_kj - mean over k' of weights_k'j)                               (1)

For a scorer of presence, tau_kj is the number of documents of the class that contain the term.

**log-odds**: z-score of the log odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008).
alpha_j = y_j, the counts of all documents, so that the prior weighs as much as they do; A = n = sum y_j.

    delta_j = log (y_kj + alpha_j)/(n_k + A - y_kj - alpha_j) - log (y_rj + alpha_j)/(n_r + A - y_rj - alpha_j)
    value_j = delta_j / sqrt(1/(y_kj + alpha_j) + 1/(y_rj + alpha_j))                                 (2)

**chi-squared**: Pearson's statistic of the table of documents with and without the term (a, b in class k; c, d
elsewhere), negative if the class has the term less often than the others.

    value_j = sign(ad - bc) D (ad - bc)^2 / ((a + b)(c + d)(a + c)(b + d))                            (3)

(2) and (3) depend on the counts alone. y are weighted counts: tokens if the weighting is raw.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import State
from textnb.counts.class_counts import ClassCounts
from textnb.errors import InputError, ParameterError
from textnb.extension import sparse
from textnb.models.scorer import Scorer, difference
from textnb.numerics import Floats, log_of

_LAST_STEPS = 4
"""Steps of the evidence shown at the end of a search."""


FOUND = ("dropped", "choice", "smoothing", "fit", "calibration", "left out", "documents kept", "dates", "classes")
"""Facts that ``fact_lines`` and a table of classes show in words."""


def classifier_facts(recipe: ClassifierRecipe, state: State) -> dict[str, Any]:
    """Size of what has been learnt, the recipe, and what fitting found, as plain JSON values."""
    summary, fitted = state.summary, state.fitted
    return {
        "documents": int(sum(summary.documents)),
        "terms": summary.n_terms,
        **({"dropped": dropped_facts(summary.dropped)} if summary.dropped else {}),
        "terms used": 0 if fitted is None else len(fitted.vocabulary),
        "model": recipe.model,
        "alpha": recipe.alpha,
        "prior": recipe.prior,
        "weighting": recipe.weighting,
        **recipe.options,
        "tokenizer": recipe.tokenizer.recipe,
        "engine here": recipe.tokenizer.runs_on,
        "analyzer": recipe.analyzer.recipe,
        **({"choice": list(recipe.choice)} if recipe.choice else {}),
        **({} if fitted is None else _found_facts(state, fitted)),
        **({"dates": _dates(summary.dated)} if summary.dated else {}),
        **({"stripped": True} if state.stripped else {}),
        **({"pending corrections": state.n_pending} if state.n_pending else {}),
        "classes": dict(zip(state.classes, summary.documents, strict=True)),
    }


def dropped_facts(dropped: Sequence[int]) -> dict[str, int]:
    """Return the numbers of ``Dropped`` by name."""
    terms, pairs, most = dropped
    return {"terms": terms, "counts": pairs, "documents per term": most}


def _dates(dated: list[int]) -> dict[str, Any]:
    first, last, number = dated
    return {"first": str(date.fromordinal(first)), "last": str(date.fromordinal(last)), "documents": number}


def _found_facts(state: State, fitted: Fitted) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if fitted.fit.class_smoothing:
        together, *of_class = fitted.fit.class_smoothing
        facts["smoothing"] = {"all documents": together, "classes": dict(zip(fitted.classes, of_class, strict=True))}
    elif fitted.fit.smoothing is not None:
        facts["smoothing"] = fitted.fit.smoothing.facts
    if fitted.fit.found or fitted.fit.facts:
        since = {"since": state.changes_since_fit} if state.changes_since_fit else {}
        facts["fit"] = {**fitted.fit.found, **fitted.fit.facts, **since}
    calibration = fitted.calibration
    facts["calibration"] = {"state": state.calibration_state}
    if calibration is not None:
        biases = dict(zip(fitted.classes, calibration.bias.tolist(), strict=True))
        facts["calibration"] |= {**calibration.json, "bias": biases}
    quality = None if state.calibrated is None else state.calibrated.quality
    facts["left out"] = None if quality is None else quality.json
    facts["documents kept"] = 0 if state.stripped else state.summary.n_kept
    return facts


def fact_lines(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What fitting found, in words: (name, value) of each line, made from ``classifier_facts``."""
    lines = [("auto chose" if i == 0 else "instead of", choice_in_words(each)) for i, each in _tried(facts)]
    lines += [(name, _in_words(each)) for name, each in _named(facts.get("smoothing"))]
    fit = dict(facts.get("fit", {}))
    since = fit.pop("since", 0)
    lines += [(_fit_name(name, facts), f"{value:.6g}") for name, value in fit.items()]
    if since:
        lines.append(("changed since", f"{since:,} document{'s'[since == 1 :]} learnt or forgotten after the fit"))
    if "dropped" in facts:
        lines.append(("dropped terms", dropped_in_words(facts["dropped"])))
    calibration = facts["calibration"]
    shown = "not calibrated" if calibration["state"] == "none" else calibration["state"]
    if "shortening" in calibration:
        shown += ", by the formula of textnb 0.1 until it learns more or is trained again"
    elif "scale" in calibration:
        shown += f": scores times {calibration['scale']:.3g} for a document of {calibration['mean_terms']:.4g} terms"
    lines += [("probabilities", shown), ("documents kept", _kept_in_words(facts))]
    if "dates" in facts:
        lines.append(("dates", "{first} to {last}, of {documents:,} kept documents".format(**facts["dates"])))
    return lines


def dropped_in_words(dropped: Mapping[str, int]) -> str:
    """Return what ``dropped_facts`` says as a sentence."""
    terms, pairs, most = dropped.values()
    return f"{terms:,}, counted in {pairs:,} documents in all; of each term at most {most:,} documents were not counted"


def _kept_in_words(facts: Mapping[str, Any]) -> str:
    kept, documents = facts["documents kept"], facts["documents"]
    if not 0 < kept < documents:
        return f"{kept:,}"
    return f"{kept:,} of {documents:,}: forgetting is exact for counts, not for the calibration"


def _tried(facts: Mapping[str, Any]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    return enumerate(facts.get("choice", ()))


def choice_in_words(tried: Mapping[str, Any]) -> str:
    """Describe a candidate of the model ``auto``.

    >>> tried = {"model": "complement", "terms": "words", "alpha": 1.0, "log_loss": 0.4, "worse_by": 0.1, "error": 0.02}
    >>> choice_in_words(tried)
    'complement on words, alpha 1; log loss 0.400, worse by 0.100 ± 0.020'
    """
    alpha = tried["alpha"] if isinstance(tried["alpha"], str) else f"{tried['alpha']:g}"
    shown = f"{tried['model']} on {tried['terms']}, alpha {alpha}; log loss {tried['log_loss']:.3f}"
    if not tried["error"]:
        return shown
    by = tried["worse_by"]
    return f"{shown}, {'worse' if by >= 0 else 'better'} by {abs(by):.3f} ± {tried['error']:.3f}"


def quality_lines(quality: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Accuracy and log loss of left-out documents in words: (name, value) of each; made from ``left out`` of the facts.

    >>> quality_lines({"documents": 9, "accuracy": [0.5, 0.25, 0.75], "log_loss": [1.0, 0.0, None]})
    [('left-out accuracy', '0.500 (0.250 to 0.750)'), ('left-out log loss', '1.000 (0.000 to inf)')]
    """
    if quality is None:
        return []
    names = {"accuracy": "left-out accuracy", "log_loss": "left-out log loss"}
    ends = {name: [math.inf if end is None else end for end in quality[name]] for name in names}
    return [(shown, "{:.3f} ({:.3f} to {:.3f})".format(*ends[name])) for name, shown in names.items()]


def _fit_name(name: str, facts: Mapping[str, Any]) -> str:
    """Name of a value that fitting found; an option has the value that was asked for beside it."""
    if name == "loss":  # nb-logistic has an option of that name
        return "loss at the optimum"
    return f"{name} used" if name in facts else name.replace("_", " ")


def _named(smoothing: dict[str, Any] | None) -> list[tuple[str, dict[str, Any]]]:
    if smoothing is None:
        return []
    if "classes" not in smoothing:
        return [("alpha found" if {"outcome", "log loss"} & smoothing.keys() else "alpha", smoothing)]
    together = [("alpha found, all documents", smoothing["all documents"])]
    return [*together, *((f"alpha found, class {name}", each) for name, each in smoothing["classes"].items())]


def _in_words(facts: dict[str, Any]) -> str:
    if not facts:
        return "none: all documents are empty"
    alpha = facts["alpha"]
    if isinstance(alpha, dict):
        low, _, middle, _, high = alpha["quartiles"]
        shown = f"per term: sum {alpha['sum']:.4g}, smallest {low:.3g}, median {middle:.3g}, largest {high:.3g}"
    else:
        shown = f"{alpha:.6g}"
    if "log loss" in facts:
        return f"{shown}; log loss of left-out documents {facts['log loss']:.4g}"
    if "outcome" not in facts:
        return shown
    trace = facts["trace"]
    steps = [f"{value:.6g}" for value in (*trace[:1], *trace[1:][-_LAST_STEPS:])]
    way = f"; log evidence {steps[0]} ... {', '.join(steps[1:])}" if len(steps) > 1 else ""
    old = "; as textnb 0.1 found it until it learns more or is trained again" if "rule" in facts else ""
    return f"{shown}; {facts['outcome']} after {facts['iterations']} evaluations{way}{old}"


class TermScore(NamedTuple):
    """A term of a class, its value, and its documents and weighted counts in the class and elsewhere."""

    term: str
    value: float
    documents: int
    documents_elsewhere: int
    weight: float
    weight_elsewhere: float


def typical_words(state: State, fitted: Fitted, label: int, by: str, top: int) -> list[TermScore]:
    """Terms of the largest values in the class of a number, by eq. (1), (2) or (3), the largest first.

    Only terms that documents of the class contain take part.
    """
    if by not in WORD_MEASURES:
        raise ParameterError("unknown measure {by!r}; use one of {known}", by=by, known=", ".join(WORD_MEASURES))
    counts = state.learnt.counts
    assert counts.vocabulary is not None
    stored = counts.selected(counts.vocabulary.columns_of(fitted.vocabulary))
    if by == CONTRIBUTION:
        values = contributions(fitted.scorer, fitted.counts, label)
    else:
        values = _COUNT_MEASURES[by](stored, label)
    return term_scores(values, stored, label, top)


def term_scores(values: Floats, counts: ClassCounts, label: int, top: int) -> list[TermScore]:
    """Terms of the largest values (V,) among those that documents of a class contain, the largest first."""
    has = counts.containing[[label]].indices
    columns = has[np.argsort(-values[has], kind="stable")[:top]]
    terms = [str(j) if counts.vocabulary is None else counts.vocabulary.term(j) for j in columns.tolist()]
    containing, weights = (table[:, columns].toarray() for table in (counts.containing, counts.terms))
    documents, weight = _here_and_elsewhere(containing, label), _here_and_elsewhere(weights, label, counts.unit)
    numbers = (part.tolist() for part in (values[columns], *documents, *weight))
    return [TermScore(*cells) for cells in zip(terms, *numbers, strict=True)]


def _here_and_elsewhere(table: NDArray[Any], label: int, unit: float | int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row of a class, and the sum of the other rows."""
    return table[label] * unit, (table.sum(axis=0) - table[label]) * unit


def contributions(scorer: Scorer, counts: ClassCounts, label: int) -> Floats:
    """Contribution of each term to a class, eq. (1), (V,); counts are those that the scorer was fitted on.

    A value is infinite if one other class could not have produced the term.
    """
    others = _others(counts, label)
    table, unit = (counts.containing, 1.0) if scorer.presence else (counts.terms, counts.unit)
    row = table[[label]]
    mean = row.data * unit / max(counts.documents[label], 1)
    document = sparse.csr_array((mean, row.indices, row.indptr), shape=row.shape)
    values = np.zeros(counts.n_terms)
    for other in others:
        values[row.indices] += scorer.differences(document, label, other).values / len(others)
    if scorer.presence:  # the scorer asks only whether a term occurs: it does in this proportion of the documents
        values[row.indices] *= mean
    return values


def log_odds(counts: ClassCounts, label: int) -> Floats:
    """Log-odds z-score of each term for a class, eq. (2), (V,); 0 for a term that no document contains.

    >>> log_odds(ClassCounts.of([[2, 1], [0, 1]], ["x", "y"]), 0).round(3)
    array([ 0.8  , -0.849])
    """
    _others(counts, label)
    alpha = np.asarray(counts.terms.sum(axis=0), np.float64) * counts.unit
    mine = counts.terms[[label]].toarray()[0] * counts.unit + alpha
    rest = 2 * alpha - (mine - alpha)
    total = difference(log_of(rest.sum() - rest), log_of(mine.sum() - mine))  # of the other terms; there may be none
    seen = alpha > 0
    mine, rest = np.where(seen, mine, 1.0), np.where(seen, rest, 1.0)
    return np.where(seen, (np.log(mine / rest) + total) / np.sqrt(1 / mine + 1 / rest), 0.0)


def chi_squared(counts: ClassCounts, label: int) -> Floats:
    """Signed chi-squared of each term for a class, eq. (3), (V,); 0 for a term that all or no documents contain.

    >>> chi_squared(ClassCounts.of([[2, 1], [0, 1]], ["x", "y"]), 0)
    array([2., 0.])
    """
    _others(counts, label)
    a = counts.containing[[label]].toarray()[0].astype(np.float64)
    c = np.asarray(counts.containing.sum(axis=0), np.float64) - a
    mine, all_documents = float(counts.documents[label]), float(counts.documents.sum())
    b, d = mine - a, all_documents - mine - c
    balance, product = a * d - b * c, mine * (all_documents - mine) * (a + c) * (b + d)
    squares = np.divide(balance**2, product, out=np.zeros_like(balance), where=product > 0)
    return np.asarray(np.sign(balance) * all_documents * squares)


CONTRIBUTION = "contribution"
_COUNT_MEASURES: dict[str, Callable[[ClassCounts, int], Floats]] = {"log-odds": log_odds, "chi-squared": chi_squared}
WORD_MEASURES = (CONTRIBUTION, *_COUNT_MEASURES)


def _others(counts: ClassCounts, label: int) -> list[int]:
    if counts.n_classes < 2:
        raise InputError("no term is typical of {name!r}: it is the only class", name=counts.classes[label])
    return [k for k in range(counts.n_classes) if k != label]
