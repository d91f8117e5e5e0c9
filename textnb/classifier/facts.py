"""What a fit has found out by itself: smoothing and calibration, for `info` and `train -v`.

The terms that speak for a class, by three measures; k is the class, r all the others together.

**contribution**: what the term adds to the class's score over the mean of the other classes, in the class's mean
document tau_k / D_k, as the model itself would explain it. For a linear scorer

    value_j = (tau_kj / D_k) (weights_kj - mean over k' of weights_k'j)                               (1)

and for one of presence the same, with the share of the class's documents that have the term.

**log-odds**: the z-score of the logarithm of the odds ratio, with an informative Dirichlet prior (Monroe, Colaresi and
Quinn 2008): alpha_j = y_j, the counts of all documents, so that the prior weighs as much as they do, A = n = sum y_j,

    delta_j = log (y_kj + alpha_j)/(n_k + A - y_kj - alpha_j) - log (y_rj + alpha_j)/(n_r + A - y_rj - alpha_j)
    value_j = delta_j / sqrt(1/(y_kj + alpha_j) + 1/(y_rj + alpha_j))                                 (2)

**chi-squared**: Pearson's, of the table of documents with and without the term (a, b in class k; c, d elsewhere);
negative where the class has it less often than the others,

    value_j = sign(ad - bc) D (ad - bc)^2 / ((a + b)(c + d)(a + c)(b + d))                            (3)

(2) and (3) are of the counts alone, whatever the model. y are weighted counts: tokens, where the weighting is raw.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from textnb.classifier.text_classifier import TextClassifier
from textnb.counts.class_counts import ClassCounts
from textnb.errors import InputError
from textnb.models.bernoulli import PresenceScorer
from textnb.models.compound import CompoundScorer
from textnb.models.dirichlet import Solution
from textnb.models.scorer import Scorer, difference
from textnb.models.smoothing import Smoothing
from textnb.numerics import Floats, log_of

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
    from textnb.models.logistic.evidence import evidence

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


class TermScore(NamedTuple):
    """A term by its column, its value, and its documents and weighted counts in the class and elsewhere."""

    column: int
    value: float
    documents: int
    documents_elsewhere: int
    weight: float
    weight_elsewhere: float


def typical_terms(scorer: Scorer, counts: ClassCounts, label: int, top: int) -> list[tuple[int, float]]:
    """(column, value) of the terms that add most to a class's score by eq. (1), the weightiest first.

    Infinite as soon as one other class could not have produced the term. Only terms that the class has are asked for.

    >>> from textnb.models.multinomial import fit
    >>> counts = ClassCounts.of([[2, 1], [0, 1]], ["x", "y"])
    >>> [(column, round(value, 3)) for column, value in typical_terms(fit(counts), counts, 0, 1)]
    [(0, 1.176)]
    """
    columns = counts.terms[[label]].indices
    values = contributions(scorer, counts, label)[columns]
    order = np.argsort(-values, kind="stable")[:top]
    return list(zip(columns[order].tolist(), values[order].tolist(), strict=True))


def contributions(scorer: Scorer, counts: ClassCounts, label: int) -> Floats:
    """Eq. (1), (V,); counts are those that the scorer was fitted on."""
    others = _others(counts, label)
    of_presence = isinstance(scorer, PresenceScorer)
    table, unit = (counts.containing, 1.0) if of_presence else (counts.terms, counts.unit)
    row = table[[label]]
    mean = row.data * unit / max(counts.documents[label], 1)
    document = sparse.csr_array((mean, row.indices, row.indptr), shape=row.shape)
    values = np.zeros(counts.n_terms)
    for other in others:
        values[row.indices] += scorer.differences(document, label, other).values / len(others)
    if of_presence:  # to such a scorer a term is there or not; it is there in this share of the documents
        values[row.indices] *= mean
    return values


def log_odds(counts: ClassCounts, label: int) -> Floats:
    """Eq. (2), (V,); a term that no document has gets 0.

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
    """Eq. (3), (V,); a term that no document lacks, or none has, gets 0.

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


Measure = Callable[[ClassCounts, int], Floats]
MEASURES: dict[str, Measure] = {"log-odds": log_odds, "chi-squared": chi_squared}
"""Those that need no scorer."""


def words_of(values: Floats, counts: ClassCounts, label: int, top: int) -> list[TermScore]:
    """The terms of the largest values (V,), the largest first, with their counts; only terms that the class has."""
    has = counts.containing[[label]].indices
    columns = has[np.argsort(-values[has], kind="stable")[:top]]
    containing, weights = (table[:, columns].toarray() for table in (counts.containing, counts.terms))
    documents, elsewhere = containing[label], containing.sum(axis=0) - containing[label]
    weight, weight_elsewhere = weights[label], weights.sum(axis=0) - weights[label]
    table = (columns, values[columns], documents, elsewhere, weight * counts.unit, weight_elsewhere * counts.unit)
    return [TermScore(*cells) for cells in zip(*(part.tolist() for part in table), strict=True)]


def _others(counts: ClassCounts, label: int) -> list[int]:
    if counts.n_classes < 2:
        raise InputError(f"no term speaks for {counts.classes[label]!r} over another class: it is the only one")
    return [k for k in range(counts.n_classes) if k != label]
