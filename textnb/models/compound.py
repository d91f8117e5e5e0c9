"""Dirichlet compound (Polya) classifier: a document draws its term probabilities from the Dirichlet of its class.

    score_k = log p(k) + sum_j log (alpha_kj)_x_j - log (A_k)_n,   A_k = sum_j alpha_kj,  n = sum_j x_j         (1)

with (a)_n the rising power. The second occurrence of a term is more probable than the first, as in real texts. The
vector alpha_k maximises the evidence of the documents of class k (``dirichlet.py``), beta that of all documents. A term
that the class never had would be impossible, so alpha_k has a floor:

    alpha_kj = max(alpha_kj, beta_j / 10)                                                                       (2)

If the evidence of a class has no maximum (one document; no term repeated more than by chance; or every document repeats
one term), its alpha is its unigram times the sum of beta. A class of empty documents has beta.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np

from textnb.counts.histograms import ClassHistograms
from textnb.counts.matrix import CSR, are_whole
from textnb.counts.vocabulary import Columns
from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.models.changes import Changes
from textnb.models.dirichlet import CONVERGED, Solution, best_alpha
from textnb.models.draws import Draws
from textnb.models.model import Fit, Model, Need, Options, Statistics
from textnb.models.prior import Prior, log_prior
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.models.smoothing import Smoothing
from textnb.numerics import Codes, Floats, log_rising

_FLOOR = 0.1  # factor of beta in eq. (2)


def fit(histograms: ClassHistograms, prior: Prior = "empirical") -> "CompoundScorer":
    """Scorer of eq. (1), from the histograms of the documents of each class.

    >>> scorer = fit(ClassHistograms.of([[9, 1], [0, 7], [4, 4], [5, 2]], ["x", "x", "y", "y"]))
    >>> scorer.alpha.sum(axis=1).round(2), [solution.outcome for solution in scorer.solutions]
    (array([0.51, 1.69]), ['converged', 'converged', 'unbounded'])
    """
    total = histograms.total
    if total.unit != 1:
        raise InputError("the compound model needs whole counts: use the weighting 'raw'")
    draws = [Draws.of_documents(part) for part in (total, *histograms.parts)]
    return _fit(draws, log_prior(prior, histograms.classes, histograms.documents))


def fit_rows(X: CSR, y: Codes, classes: Sequence[Any], weight: Floats, prior: Prior = "empirical") -> "CompoundScorer":
    """Scorer of eq. (1), from documents X (D, V) with classes by number y (D,) and weights (D,), whole or not."""
    whole = are_whole(X.data) and are_whole(weight)

    def draws(rows: Codes) -> Draws:
        if whole:
            return Draws.of_rows(X[np.repeat(rows, weight[rows].astype(np.int64))])
        return Draws.of_reals(X[rows], weight[rows])

    parts = [draws(np.flatnonzero(y == k)) for k in range(len(classes))]
    documents = np.bincount(y, weight, len(classes))
    return _fit([draws(np.arange(len(y))), *parts], log_prior(prior, classes, documents))


def _fit(draws: list[Draws], bias: Floats) -> "CompoundScorer":
    """Scorer from the draws of all documents, followed by those of each class."""
    shared = best_alpha(draws[0]) if len(draws[0].totals) else None
    beta = np.ones(draws[0].n_terms) if shared is None else shared.alpha
    found = [_of_class(part, beta) for part in draws[1:]]
    alpha = np.maximum([values for values, _ in found], _FLOOR * beta)
    return CompoundScorer(alpha, bias, (shared, *(solution for _, solution in found)))


@dataclass(frozen=True, eq=False)
class CompoundScorer(Scorer):
    """Scorer with ``alpha`` (C, V); ``solutions`` of all documents, then of each class, None where all are empty.

    Terms that no training document contained have alpha = 0 in every class and are ignored.
    """

    alpha: Floats
    bias: Floats
    solutions: tuple[Solution | None, ...] = ()

    takes_rows = True
    kind = "compound"
    axes = MappingProxyType({"alpha": "CV", "bias": "C", "totals": "C"})

    def on(self, columns: Columns) -> "CompoundScorer":
        """Scorer of documents that are reduced to some columns, with the same alphas."""
        return self if len(columns) == self.alpha.shape[1] else replace(self, alpha=self.alpha[:, columns])

    def joint_log_scores(self, X: CSR) -> Floats:
        """Eq. (1), (D, C)."""
        check_columns(X, self.alpha.shape[1])
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        known = self._known(X)
        row, there, values = row[known], X.indices[known], X.data[known]
        lengths = np.bincount(row, values, X.shape[0])
        scores = np.empty((X.shape[0], len(self.bias)))
        for k, (alpha, total) in enumerate(zip(self.alpha, self.totals, strict=True)):
            terms = np.bincount(row, log_rising(alpha[there], values), X.shape[0])
            scores[:, k] = terms - log_rising(total, lengths) + self.bias[k]
        return scores

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Differences of the logarithms of the rising powers of each term; that of the length is in the bias."""
        known, values = self._known(X), X.data.astype(float)
        pair = self.alpha[[label, against]]
        rises = log_rising(np.where(known, pair[:, X.indices], 1.0), np.where(known, values, 0.0))
        lengths = log_rising(self.totals[[label, against]], values[known].sum())
        prior = float(difference(self.bias[label], self.bias[against]))
        return Differences(prior - float(lengths[0] - lengths[1]), rises[0] - rises[1])

    @cached_property
    def totals(self) -> Floats:
        """A_k, (C,); 1 without terms, where every document has length 0."""
        return self.alpha.sum(axis=1) if self.alpha.any() else np.ones(len(self.alpha))

    def arrays(self) -> dict[str, Any]:
        """Alphas, their sums and the bias; how they were found is not needed."""
        return {name: getattr(self, name) for name in self.axes}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays."""
        scorer = cls(arrays["alpha"], arrays["bias"])
        scorer.__dict__["totals"] = arrays["totals"]
        return scorer

    def _known(self, X: CSR) -> Floats:
        return np.asarray((self.alpha[0, X.indices] > 0) & (X.data > 0))


def _of_class(draws: Draws, beta: Floats) -> tuple[Floats, Solution | None]:
    if not len(draws.totals):
        return beta, None
    solution = best_alpha(draws)
    return solution.alpha * (1.0 if solution.outcome == CONVERGED else beta.sum()), solution


def _fit_statistics(statistics: Statistics, _: Any, prior: Prior, __: Options) -> Fit:
    scorer = fit(statistics.of_documents, prior)
    alphas = tuple({} if found is None else Smoothing(found.alpha, found).facts for found in scorer.solutions)
    return Fit(scorer.on(statistics.columns), class_smoothing=alphas)


def _follow(fit: Fit, _: Changes, bias: Floats, __: Options) -> CompoundScorer:
    """Scorer with the prior of the new numbers of documents.

    The alphas of eq. (2) have no formula: they stay, and the answers have a part of what refitting gives (measured by
    scripts/experiments/journal_following.py).
    """
    before = cast("CompoundScorer", fit.scorer)
    scorer = replace(before, bias=bias)
    scorer.__dict__["totals"] = before.totals
    return scorer


MODEL = Model(
    name="compound",
    help="Dirichlet compound (Polya) classifier: a repeated term counts less than a new one",
    fit=_fit_statistics,
    follow=_follow,
    weightings=("raw", "binary"),
    needs=frozenset({Need.COUNTS, Need.HISTOGRAMS}),
    tried_weightings=("raw", "binary"),
)
