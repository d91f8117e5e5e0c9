"""The ensemble: complement naive Bayes and two squared hinges, joined by weights that left-out documents support.

With s_m the score of member m (``members.py``), each by a fit that has not seen the document:

    a_m    = factor of s_m alone, at a spread of 1     (``joining.py``, eq. (3), M = 1)                             (1)
    w_m    = 1/|G| for the members of a group G, else 0                                                             (2)
    z_k    = t sum_m w_m a_m s_mk + log n_k/n + d_k    t, d: ``joining.py``, eq. (3), M = 1                         (3)

G is one of the seven groups of members: the largest whose left-out log loss is not above the least by more than
MAX_ERRORS standard errors of the difference, document by document; of equal size the one with the smaller loss. So all
members count alike unless left-out documents clearly say otherwise: complement naive Bayes is worth most where text is
scarce, the hinges where it is plentiful. Free weights did worse than equal ones on short texts; on long news articles
equal ones lost a point to the best member.

- Factors and groups are compared on at most MOST_ROWS documents, or on so many as have MOST_SCORES scores; they are
  evenly taken. t and d are those of all. A member that does not count scores only those documents.
- No document can be left out: all members, with factors of 1.
- Two strengths of the penalty are tried (``members.py``): on hotel requests a longer search answered no better.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, canonical
from textnb.counts.rows import Rows, narrowed
from textnb.errors import InputError
from textnb.extension import sparse
from textnb.models.ensemble.joining import joint
from textnb.models.ensemble.members import (
    FoldCounts,
    HingeSettings,
    LeftOutScores,
    MemberFit,
    fit_complement,
    fit_hinge,
    idf,
    in_single_precision,
    places_by_frequency,
    present,
    present_everywhere,
    ratio,
    rooted,
    scaled,
)
from textnb.models.model import Fit, Model, Need, Number, Option, Options, Statistics, by_name
from textnb.models.prior import Prior
from textnb.models.rows import Labelled, dealt_folds
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.numerics import Codes, Floats, log_softmax

MEMBERS = ("complement", "tfidf", "presence")
CV = "cv"
N_FOLDS = 3
STRENGTHS = (1.0, 0.316)
"""Strengths of the penalty to try; on development data weaker ones than these answered no better."""
MAX_ERRORS = 2.0
LEAST_TERMS = 500.0
"""Terms of a single document helped with up to 140 terms per document, and did harm to articles with 650 and 730."""
MOST_ROWS, MOST_SCORES = 2000, 50_000
_TOL = 1e-6  # the calibration fits scale and bias again


@dataclass(frozen=True, eq=False)
class EnsembleScorer(Scorer):
    """Scores z of eq. (3): weights (V, C) of each member with its factor, scales (V,) and the bias (C,).

    The weights and the scale of a member that does not count have no rows. Weights are stored in single precision and
    summed in double precision.
    """

    complement: Floats
    tfidf: Floats
    tfidf_scale: Floats
    by_presence: Floats
    presence_scale: Floats
    bias: Floats

    takes_rows = True
    kind = "ensemble"
    axes = MappingProxyType(
        {
            "complement": "vC",
            "tfidf": "vC",
            "tfidf_scale": "v",
            "by_presence": "vC",
            "presence_scale": "v",
            "bias": "C",
        }
    )

    def joint_log_scores(self, X: CSR) -> Floats:
        """Scores of eq. (3), (D, C)."""
        scores = np.tile(self.bias, (X.shape[0], 1))
        for rows, by_term in self._parts(X):
            used, columns = narrowed(rows)
            scores += used @ by_term[columns].astype(np.float64)
        return scores

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Contribution of each stored entry of one row to score(label) - score(against), in all members."""
        values = np.zeros(X.nnz)
        for rows, by_term in self._parts(X):
            own, other = (by_term[rows.indices, k].astype(np.float64) for k in (label, against))
            values += rows.data * (own - other)
        return Differences(float(difference(self.bias[label], self.bias[against])), values)

    def _parts(self, X: CSR) -> list[tuple[CSR, Floats]]:
        """Rows u (D, V) and weights (V, C) of the members that count."""
        X = canonical(X if isinstance(X, Rows) else sparse.csr_array(X))
        members: list[tuple[Floats, Callable[[], CSR]]] = [
            (self.complement, lambda: rooted(X)),
            (self.tfidf, lambda: scaled(X, self.tfidf_scale)),
            (self.by_presence, lambda: scaled(present(X), self.presence_scale)),
        ]
        used = [(by_term, rows) for by_term, rows in members if len(by_term)]
        for by_term, _ in used:
            check_columns(X, len(by_term))
        return [(rows(), by_term) for by_term, rows in used]

    def arrays(self) -> dict[str, Floats]:
        """Weights, scales and bias."""
        return dict(vars(self))

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays; refuses a scale of other terms than its weights."""
        for weights, scale in (("tfidf", "tfidf_scale"), ("by_presence", "presence_scale")):
            if len(arrays[weights]) != len(arrays[scale]):
                raise InputError("the arrays {a!r} and {b!r} differ in their number of terms", a=weights, b=scale)
        return cls(**{name: arrays[name] for name in cls.axes})


class Chosen(NamedTuple):
    """Weights w (M,) of eq. (2), factors t w a (M,), bias (C,) and left-out scores z (D, C) of eq. (3)."""

    weights: Floats
    factors: Floats
    bias: Floats
    left_out_scores: Floats


def chosen(left_out: Sequence[LeftOutScores], y: Codes, n_classes: int) -> Chosen:
    """Weights by the left-out scores of the members and classes by number y (D,).

    >>> good, useless = np.array([[3.0, 0.0], [0.0, 3.0]] * 20), np.array([[3.0, 0.0], [3.0, 0.0]] * 20)
    >>> chosen([good.__getitem__, useless.__getitem__], np.arange(40) % 2, 2).weights
    array([1., 0.])
    """
    some = slice(None, None, -(-len(y) // max(MOST_ROWS, MOST_SCORES // n_classes)))
    scores = _known([member(some) for member in left_out])
    factors = np.array([_factor(each, y[some]) for each in scores])
    weights = _weights(scores, factors, y[some])
    used = np.flatnonzero(weights).tolist()
    scores = scores[used] if some.step == 1 else _known([left_out[m](slice(None)) for m in used])
    mean = _summed(scores, (weights * factors)[used])
    whole = joint(mean, y, tol=_TOL)
    return Chosen(weights, whole.factors[0] * weights * factors, whole.bias, whole.scores(mean))


def _known(scores: Sequence[Floats]) -> Floats:
    """Scores of the members, (M, D, C), -inf for a class that one of them does not know."""
    return np.where(np.isfinite(scores).all(axis=0), scores, -np.inf)


def _factor(scores: Floats, y: Codes) -> float:
    """Factor a of eq. (1) of the scores (D, C) of one member."""
    spread = _spread(scores)
    return float(joint(scores[np.newaxis] / spread, y, tol=_TOL).factors[0]) / spread


def _weights(scores: Floats, factors: Floats, y: Codes) -> Floats:
    """Weights w of eq. (2), (M,), by left-out scores (M, D, C)."""
    members = range(len(scores))
    groups = [np.isin(members, group) for size in members for group in combinations(members, size + 1)]
    means = [_summed(scores, group / group.sum() * factors) for group in groups]
    losses = [_losses(joint(mean, y, tol=_TOL).scores(mean), y) for mean in means]
    group = groups[supported([group.sum() for group in groups], np.array(losses))]
    return np.asarray(group / group.sum())


def _summed(scores: Floats, factors: Floats) -> Floats:
    """Sum of scores (M, D, C) times factors (M,), as the scores of one member, (1, D, C)."""
    return np.where(np.isfinite(scores[0]), np.tensordot(factors, _finite(scores), 1), -np.inf)[np.newaxis]


def supported(sizes: Sequence[int], losses: Floats) -> int:
    """Number of the group that counts, from the sizes of the groups and the losses (G, D) of left-out documents."""
    n_documents = losses.shape[1]
    if not n_documents:
        return int(np.argmax(sizes))
    means = losses.mean(axis=1)
    beyond = losses - losses[np.argmin(means)]
    errors = beyond.std(axis=1) / np.sqrt(n_documents)
    allowed = np.flatnonzero(beyond.mean(axis=1) <= MAX_ERRORS * errors)
    return min(allowed.tolist(), key=lambda group: (-sizes[group], means[group]))


def _losses(z: Floats, y: Codes) -> Floats:
    """Log loss of each document whose class is possible."""
    log_p = log_softmax(z[np.isfinite(z[np.arange(len(y)), y])])
    return -log_p[np.arange(len(log_p)), y[np.isfinite(z[np.arange(len(y)), y])]]


def _spread(scores: Floats) -> float:
    """Standard deviation of the scores (D, C) of the possible classes about the mean of their document; 1 if it is 0.

    >>> _spread(np.array([[7.0, 3.0, -np.inf]]))
    2.0
    """
    possible = np.isfinite(scores)
    means = _finite(scores).sum(axis=1, keepdims=True) / np.maximum(possible.sum(axis=1, keepdims=True), 1)
    deviations = (_finite(scores) - means)[possible]
    return float(np.sqrt(np.mean(deviations**2))) or 1.0 if len(deviations) else 1.0


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, 0.0)


class EnsembleFit(NamedTuple):
    """Scorer of eq. (3), the fits of the members, and how they were joined."""

    scorer: EnsembleScorer
    members: tuple[MemberFit, ...]
    chosen: Chosen


def solution(
    counts: ClassCounts, rows: Callable[[], Labelled], *, strengths: Sequence[float] = STRENGTHS, min_df: float = 1
) -> EnsembleFit:
    """Fit to weights log(1 + tf) of documents and their statistics.

    rows: makes the weights; it is called twice, so that memory holds one copy of them for all members.
    """
    n_classes, (X, y) = counts.n_classes, _canonical(rows())
    folds, place = dealt_folds(X, y, N_FOLDS), places_by_frequency(X)
    X = in_single_precision(X, place)
    by_fold = FoldCounts.of(X, y, n_classes, folds)
    hinges = (
        fit_hinge(X, y, folds, by_fold, HingeSettings(idf, strengths, min_df)).on(place),
        fit_hinge(present_everywhere(X), y, folds, by_fold, HingeSettings(ratio, strengths, min_df)).on(place),
    )
    del X, by_fold  # before the weights are made again
    members = (fit_complement(counts, *_canonical(rows())), *hinges)
    found = chosen([member.left_out for member in members], y, n_classes)
    return EnsembleFit(_scorer(members, found), members, found)


def _canonical(rows: Labelled) -> tuple[CSR, Codes]:
    return canonical(sparse.csr_array(rows.X)), rows.y


def _scorer(members: Sequence[MemberFit], found: Chosen) -> EnsembleScorer:
    bias, weights, scales = found.bias, [], []
    for member, factor in zip(members, found.factors.tolist(), strict=True):
        linear, used = member.linear(), slice(None if factor > 0 else 0)
        own, by_term = linear.bias, linear.by_term[used]
        weights.append(np.multiply(by_term, factor, out=np.empty_like(by_term, np.float32), casting="same_kind"))
        scales.append(np.empty(0) if member.scale is None else member.scale[used])
        bias = np.where(np.isfinite(own), bias + factor * _finite(own), -np.inf)
    complement, tfidf, by_presence = weights
    return EnsembleScorer(complement, tfidf, scales[1], by_presence, scales[2], bias)


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    strengths = STRENGTHS if options["l2"] == CV else (float(options["l2"]),)
    min_df = max(statistics.min_df, 1)
    found = solution(statistics.counts, lambda: statistics.documents.some, strengths=strengths, min_df=min_df)
    weights = {f"{name}_weight": float(w) for name, w in zip(MEMBERS, found.chosen.weights, strict=True)}
    penalties = {f"{name}_l2": m.l2 for name, m in zip(MEMBERS, found.members, strict=True) if m.l2 is not None}
    facts = {"fitted_on": len(found.chosen.left_out_scores), **weights, **penalties}
    return Fit(found.scorer, facts=facts, left_out_scores=found.chosen.left_out_scores)


MODEL = Model(
    name="ensemble",
    help="complement naive Bayes and two linear models, joined by left-out documents; slower to train",
    fit=_fit,
    weightings=("log",),
    needs=frozenset({Need.ROWS}),
    single_rows=True,
    options=by_name(
        Option(
            "l2",
            Number(above=0, names=(CV,)),
            CV,
            "strength of the L2 penalty, by cross-validation (cv) or a number",
            (0.3, 1.0, 3.0),
        )
    ),
    analyzer={"ngram": (1, 2), "min_df": "auto", "features": ("first-line", "short-chars")},
    least_terms=LEAST_TERMS,
    growth=lambda _: 0.0,
    bounded_scores=True,
)
