"""Calibration of posteriors: naive Bayes counts every word as independent evidence and is far too confident.

With s_ik the log likelihood (or other score) of document i under class k, d_i the number of distinct terms of the
document that the model knows, n_i how much its scores grow with their weights, pi_k the prior and

    u_i  = (max_k s_ik - mean_k s_ik) / n_i                  how far the best class stands out, per unit of weight
    f_i  = a (d_i / n_i) (max(d_i, d_min) / d_0 + 0.1)^-g (u_i / u_0 + 0.01)^-h                             (1)
    z_ik = log pi_k + f_i s_ik + b_k,    p(k | i) = exp z_ik / sum_k' exp z_ik'                             (2)

n_i = d_i (v_i / d_i)^q, with v_i the sum of the weights, for scores that grow with the q-th power of a repetition: q is
1 for naive Bayes, 1 / pi for Text U-NB, and 0 for weights that do not grow with a document (-l2). So d_i / n_i makes a
repeated text as confident as the text itself. (The compound model takes a repetition for evidence of its own, against
classes whose documents repeat little: its answers may change.) Documents with
more distinct terms, and those in which one class stands out more, are more confident, but less so than their scores
say: g and h are at least 0 and at most 0.95, so confidence grows with d_i and u_i without bound. d_0 and u_0 are the
means of d_i and u_i. d_min is 0, but for models that score the absence of terms it is the 5 % quantile of d_i: a
shorter document, of which nearly all terms are absent, must not be more confident than those.

Scores that do not grow with a document (bounded scores) have g = h: then d_i cancels in (1), but for the constants, and
only how far the best class stands out counts.

a, g, h and the b_k minimise, over documents scored by statistics without them,

    sum_i -w_i log p(y_i | i) + (log^2 a + g^2 + h^2 + sum_k b_k^2) / 20                                    (3)

with the class frequencies as pi. Another prior takes their place afterwards, in (2), so that it has its full effect.
The penalty pulls towards the model's own scores. w_i is the number of documents that i represents. A class without
scored documents is left out and keeps b_k = 0. A document without known terms gets the prior and is not part of (3).

With more than MAX_CLASSES_WITH_BIAS classes all b_k are 0: so many biases take long and gain little. Then all classes
take part, and ``most_documents`` documents are enough for a, g and h.

Smoothed targets replace log p(y_i | i) in (3) by sum_k t_ik log p(k | i), with N_k the weight of class k:

    t_ik = 1 - 1 / (N_k + 2) for the class of document i, the rest in equal parts for the others (Platt)     (4)

textnb 0.1 used f_i = a / (1 + t_i / n_0), with t_i the number of known tokens, and biases that were fitted with the
given prior in (2). ``OldCalibration`` answers by that formula for the model files that hold one.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.counts.rows import row_sums
from textnb.errors import InputError
from textnb.numerics import Codes, Floats, log_softmax

_PENALTY = 0.1  # twice the weight of the penalty in eq. (3)
_LEAST_TERMS = 0.1  # added to d_i / d_0, so that a single term does not get an extreme factor
_LEAST_ADVANTAGE = 0.01  # added to u_i / u_0
_MAX_POWER = 0.95
_SHORT = 0.05  # proportion of documents with fewer than d_min terms, for models that score absence
_MAX_LOG_SCALE = 20.0
_MIN_CLASSES = 2
MAX_CLASSES_WITH_BIAS = 500
_MAX_CELLS, _MIN_DOCUMENTS = 1 << 21, 500
CLOSE, ROUGH = 1e7 * float(np.finfo(float).eps), 1e-6
"""Relative gain of eq. (3) at which the search for its minimum ends; ROUGH is enough to compare models."""
_POSITIVE = (np.nextafter(0.0, 1.0), np.finfo(float).max)
_RANGES = {
    "scale": _POSITIVE,
    "least_terms": (0.0, np.finfo(float).max),
    "mean_terms": _POSITIVE,
    "terms_power": (0.0, _MAX_POWER),
    "mean_advantage": _POSITIVE,
    "advantage_power": (0.0, _MAX_POWER),
    "shortening": (0.0, np.finfo(float).max),
}


class Sizes(NamedTuple):
    """Sizes of documents, (D,) each: known tokens t, distinct known terms d, and n of eq. (1) (``weight``)."""

    tokens: Floats
    terms: Floats
    weight: Floats

    @classmethod
    def of(cls, X: CSR, weights: CSR, growth: float) -> "Sizes":
        """Sizes of documents with counts X and weights, (D, V) each; growth: the power q of eq. (1).

        >>> from scipy import sparse
        >>> Sizes.of(sparse.csr_array([[3, 0, 1]]), sparse.csr_array([[2.0, 0.0, 0.5]]), 1.0)
        Sizes(tokens=array([4.]), terms=array([2.]), weight=array([2.5]))
        """
        terms = row_sums(weights, weights.data > 0)
        per_term = row_sums(weights) / np.maximum(terms, 1.0)
        return cls(row_sums(X), terms, terms * per_term**growth)

    def rows(self, kept: NDArray[Any]) -> "Sizes":
        """Selected rows."""
        return Sizes(*(size[kept] for size in self))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Documents scored by statistics that had not seen them.

    scores (D, C) without the prior, log_prior (D, C) of the class frequencies, sizes, y (D,), weights (D,).
    """

    scores: Floats
    log_prior: Floats
    sizes: Sizes
    y: Codes
    weights: Floats

    def rows(self, kept: NDArray[Any]) -> "HeldOut":
        """Selected rows."""
        sizes = self.sizes.rows(kept)
        return HeldOut(self.scores[kept], self.log_prior[kept], sizes, self.y[kept], self.weights[kept])


def joined(parts: Sequence[HeldOut]) -> HeldOut:
    """Documents of all parts; there is at least one part."""
    sizes = Sizes(*(np.concatenate(each) for each in zip(*(part.sizes for part in parts), strict=True)))
    scores, log_prior, y, weights = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("scores", "log_prior", "y", "weights")
    )
    return HeldOut(scores, log_prior, sizes, y, weights)


class Calibration(ABC):
    """Factors of the scores and a bias b (C,), eq. (2)."""

    bias: Floats
    is_current: ClassVar[bool] = True
    """False for a form that is only read, never fitted."""
    counted: ClassVar[str] = "terms"
    """Size that is 0 for a document that says nothing."""

    @abstractmethod
    def factors(self, scores: Floats, sizes: Sizes) -> Floats:
        """Factors f (D,) of the scores (D, C) of documents."""

    @property
    @abstractmethod
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""

    def log_posterior(self, scores: Floats, log_prior: Floats, sizes: Sizes) -> Floats:
        """Log posterior of eq. (2), (D, C), from scores without prior; an impossible document gets the prior."""
        scaled = scores * self.factors(scores, sizes)[:, np.newaxis] + self.bias + log_prior
        nothing = (getattr(sizes, self.counted) == 0) | np.isneginf(scores.max(axis=1))
        return log_softmax(np.where(nothing[:, np.newaxis], log_prior, scaled))


@dataclass(frozen=True, eq=False)
class TermCalibration(Calibration):
    """Parameters of eq. (1): a (``scale``), d_min, d_0, g, u_0, h; and b (C,) (``bias``)."""

    scale: float
    least_terms: float
    mean_terms: float
    terms_power: float
    mean_advantage: float
    advantage_power: float
    bias: Floats

    def factors(self, scores: Floats, sizes: Sizes) -> Floats:
        """Factors f of eq. (1), (D,)."""
        per_weight, terms, advantage = _ratios(scores, sizes, self.least_terms, self.mean_terms, self.mean_advantage)
        return np.asarray(self.scale * per_weight * terms**-self.terms_power * advantage**-self.advantage_power)

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "bias": self.bias.tolist()}


@dataclass(frozen=True, eq=False)
class OldCalibration(Calibration):
    """Parameters of the formula of textnb 0.1: a (``scale``), 1/n_0 (``shortening``) and b (C,) (``bias``)."""

    scale: float
    shortening: float
    bias: Floats

    is_current = False
    counted = "tokens"

    def factors(self, scores: Floats, sizes: Sizes) -> Floats:  # noqa: ARG002  # as of every calibration
        """Factors a / (1 + t / n_0), (D,)."""
        return np.asarray(self.scale / (1 + self.shortening * sizes.tokens))

    @property
    def json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "bias": self.bias.tolist()}


def calibration_of(json: Any, n_classes: int) -> Calibration:
    """Calibration from its ``json``; refuses numbers that no fit could give."""
    kind: Any = OldCalibration if "shortening" in json else TermCalibration
    given = {field.name: _number(json[field.name]) for field in fields(kind) if field.name != "bias"}
    bias = np.array(json["bias"], np.float64)
    in_range = all(_RANGES[name][0] <= number <= _RANGES[name][1] for name, number in given.items())
    if not in_range or bias.shape != (n_classes,) or not np.isfinite(bias).all():
        raise InputError("the calibration needs a finite bias per class and numbers in the ranges that a fit can give")
    found: Calibration = kind(**given, bias=bias)
    return found


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise TypeError("not a number")
    return float(value)


def _ratios(
    scores: Floats, sizes: Sizes, least_terms: float, mean_terms: float, mean_advantage: float
) -> tuple[Floats, Floats, Floats]:
    """Quotients of eq. (1), (D,) each: d / n (1 without terms), max(d, d_min) / d_0 + 0.1, and u / u_0 + 0.01."""
    weight = np.where(sizes.terms > 0, sizes.weight, 1.0)
    per_weight = np.where(sizes.terms > 0, sizes.terms, 1.0) / weight
    advantage = _advantage(scores) / weight
    terms = np.maximum(sizes.terms, least_terms) / mean_terms
    return per_weight, terms + _LEAST_TERMS, advantage / mean_advantage + _LEAST_ADVANTAGE


def _advantage(scores: Floats) -> Floats:
    """Largest score less the mean of the possible ones, (D,); 0 without a possible class."""
    possible = np.isfinite(scores)
    number = np.maximum(possible.sum(axis=1), 1)
    finite = np.where(possible, scores, 0.0)
    best = np.where(possible.any(axis=1), scores.max(axis=1), 0.0)
    return np.asarray(np.maximum(best - finite.sum(axis=1) / number, 0.0))


def fit_calibration(
    held_out: HeldOut,
    *,
    smoothed_targets: bool = False,
    bounded_scores: bool = False,
    scores_absence: bool = False,
    tol: float = CLOSE,
) -> TermCalibration:
    """Fit a calibration by the minimum of eq. (3); InputError if there is nothing to learn from.

    smoothed_targets: use Platt's smoothed targets (4) and g = h = 0. bounded_scores: the scores do not grow with a
    document, and g = h.
    scores_absence: terms that a document lacks are part of its scores. tol: the search ends at a smaller relative gain.

    >>> scores = np.array([[0.0, -90.0], [-50.0, 0.0], [-3.0, -1.0], [-60.0, 0.0]])
    >>> even, sizes = np.log(np.full((4, 2), 0.5)), Sizes(*np.full((3, 4), 50.0))
    >>> found = fit_calibration(HeldOut(scores, even, sizes, np.array([0, 1, 0, 1]), np.ones(4)))
    >>> bool(found.factors(scores, sizes)[0] < 0.5)
    True
    """
    from scipy.optimize import minimize  # slow to import; prediction does not need it

    held_out = held_out.rows(held_out.sizes.terms > 0)
    scored, n_classes = np.unique(held_out.y), held_out.scores.shape[1]
    if len(scored) < _MIN_CLASSES:
        raise InputError("fewer than two classes have two documents or more, with words of other documents in them")
    has_bias = n_classes <= MAX_CLASSES_WITH_BIAS
    taking_part = scored if has_bias else np.arange(n_classes)
    y, weights = np.searchsorted(taking_part, held_out.y), held_out.weights
    scores, log_prior = held_out.scores[:, taking_part], held_out.log_prior[:, taking_part]
    rows = np.arange(len(y))
    if not np.isfinite(scores[rows, y] + log_prior[rows, y]).all():
        raise InputError("the model considers some unseen documents impossible")
    least_terms = float(np.quantile(held_out.sizes.terms, _SHORT)) if scores_absence else 0.0
    means = _means(held_out)
    per_weight, *ratios = _ratios(held_out.scores, held_out.sizes, least_terms, *means)
    logs = np.log(ratios)  # (2, D); (1, D) if g = h
    logs = logs.sum(axis=0, keepdims=True) if bounded_scores else logs
    possible = np.isfinite(scores)
    scores, log_prior = np.where(possible, scores, 0.0), np.where(possible, log_prior, -np.inf)
    targets = platt_targets(y, weights, possible) if smoothed_targets else None

    def loss(parameters: Floats) -> tuple[float, Floats]:
        log_scale, powers, bias = np.split(parameters, [1, 1 + len(logs)])
        factors = per_weight * np.exp(log_scale - powers @ logs)
        log_p = log_softmax(log_prior + scores * factors[:, np.newaxis] + (bias if has_bias else 0.0))
        wrong = np.exp(log_p)
        if targets is None:
            wrong[rows, y] -= 1
            products = log_p[rows, y]
        else:
            wrong -= targets
            products = (targets * np.where(targets > 0, log_p, 0.0)).sum(axis=1)
        by_factor = np.einsum("ik,ik->i", wrong, scores) * factors * weights
        slopes = np.concatenate([[by_factor.sum()], -logs @ by_factor, (weights @ wrong)[: len(bias)]])
        value = -(weights * products).sum() + _PENALTY / 2 * (parameters @ parameters)
        return float(value), slopes + _PENALTY * parameters

    powers = (0.0, 0.0 if smoothed_targets else _MAX_POWER)
    bounds = [(-_MAX_LOG_SCALE, _MAX_LOG_SCALE), *(powers for _ in logs), *((None, None) for _ in scored if has_bias)]
    options = {"ftol": tol}
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    bias = np.zeros(n_classes)
    if has_bias:
        bias[scored] = found[1 + len(logs) :]
    scale, g, h = float(np.exp(found[0])), float(found[1]), float(found[len(logs)])
    return TermCalibration(scale, least_terms, means[0], g, means[1], h, bias)


def most_documents(n_classes: int) -> int | None:
    """Number of documents that a calibration of so many classes needs at most; None if it can use any number.

    >>> most_documents(500), most_documents(1500), most_documents(100_000)
    (None, 1398, 500)
    """
    return None if n_classes <= MAX_CLASSES_WITH_BIAS else max(_MAX_CELLS // n_classes, _MIN_DOCUMENTS)


def _means(held_out: HeldOut) -> tuple[float, float]:
    """Means d_0 and u_0 of documents with known terms; u_0 is 1 if no class stands out anywhere."""
    sizes, weights = held_out.sizes, held_out.weights
    advantage = float(np.average(_advantage(held_out.scores) / sizes.weight, weights=weights))
    return float(np.average(sizes.terms, weights=weights)), advantage if advantage > 0 else 1.0


def platt_targets(y: Codes, weights: Floats, known: NDArray[np.bool_]) -> Floats:
    """Platt's smoothed targets of eq. (4), (D, C), for classes y (D,); known (D, C): which classes take part.

    >>> platt_targets(np.array([0, 0, 1]), np.ones(3), np.ones((3, 2), bool)).round(3).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.333, 0.667]]
    """
    n_classes = known.shape[1]
    short = 1 / (np.bincount(y, weights, n_classes)[y] + 2)
    own = np.arange(n_classes) == y[:, np.newaxis]
    others = known & ~own
    share = others * (short / np.maximum(others.sum(axis=1), 1))[:, np.newaxis]
    return np.asarray(np.where(own, 1 - share.sum(axis=1, keepdims=True), share))
