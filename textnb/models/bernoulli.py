"""Bernoulli naive Bayes: a document is the set of its terms, and absent terms count.

    p_kj    = (c_kj + alpha_j) / (D_k + 2 alpha_j),   c_kj of the D_k documents of class k contain term j       (1)
    score_k = log p(k) + sum over present j of log p_kj + sum over absent j of log(1 - p_kj)                    (2)

alpha = 0 is maximum likelihood: a term that no document of the class contains is impossible in it, and a term that all
of them contain cannot be absent. The sum over absent terms is computed once for all terms and corrected for the terms
of a document.

The evidence is that of p_kj ~ Beta(alpha, alpha), with p_kj integrated out:
    sum_kj log (alpha)_c_kj + log (alpha)_(D_k - c_kj) - log (2 alpha)_D_k                                      (3)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import DocumentHistogram
from textnb.counts.matrix import CSR, are_whole, presence
from textnb.counts.row_loops import row_scores
from textnb.counts.rows import narrowed
from textnb.extension import cached_property, sparse
from textnb.models.changes import Changes
from textnb.models.dirichlet import best_alpha
from textnb.models.draws import Draws
from textnb.models.left_out import LeftOut
from textnb.models.model import TRIED_ALPHAS, Fit, Model, Options, Statistics
from textnb.models.multinomial import check_size
from textnb.models.prior import Prior, as_alpha, log_prior
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.models.smoothing import Smoothing
from textnb.numerics import Floats, log_of, log_rising


def fit(counts: ClassCounts, alpha: ArrayLike = 1.0, prior: Prior = "empirical") -> "PresenceScorer":
    """Scorer of eq. (2). alpha: a number, or one per term (V,); none negative.

    >>> scorer = fit(ClassCounts.of([[2, 0], [1, 1], [0, 1]], ["x", "x", "y"]))
    >>> np.exp(scorer.present.T).round(3)
    array([[0.75 , 0.5  ],
           [0.333, 0.667]])
    """
    check_size(counts)
    bias = log_prior(prior, counts.classes, counts.documents)
    return _scorer(counts.containing.toarray().T, counts.documents, as_alpha(alpha, counts.n_terms), bias)


def _scorer(containing: Floats, documents: Floats, alpha: Floats, bias: Floats) -> "PresenceScorer":
    """Scorer from c (V, C), D (C,), alpha (1,) or (V,), and the log prior."""
    alpha = alpha[:, np.newaxis]
    log_total = log_of(documents + 2 * alpha)
    log_total = np.where(np.isneginf(log_total), 0.0, log_total)
    return PresenceScorer(
        log_of(containing + alpha) - log_total, log_of(documents - containing + alpha) - log_total, bias
    )


@dataclass(frozen=True, eq=False)
class PresenceScorer(Scorer):
    """Scorer with ``present`` and ``absent`` (V, C), the logarithms of p and 1 - p; any count above 0 is presence."""

    present: Floats
    absent: Floats
    bias: Floats

    presence = True
    takes_rows = True
    kind = "presence"
    axes = MappingProxyType({"present": "VC", "absent": "VC", "bias": "C", "absent_sums": "C", "n_certain": "C"})

    def joint_log_scores(self, X: CSR) -> Floats:
        """Eq. (2), (D, C); the cost grows with the number of present terms."""
        check_columns(X, len(self.present))
        X, columns = narrowed(presence(X))
        weights, never, certain = self._whole if isinstance(columns, slice) else self._tables(columns)
        scores = row_scores(X, weights, self.absent_sums + self.bias)
        if never.any() or self.n_certain.any():
            scores[(X @ never > 0) | (X @ certain < self.n_certain)] = -np.inf
        return np.asarray(scores)

    @cached_property
    def _whole(self) -> tuple[Floats, Floats, Floats]:
        return self._tables(slice(None))

    def _tables(self, columns: Any) -> tuple[Floats, Floats, Floats]:
        """Weights of present terms, with 0 for every -inf; terms that cannot be present or absent, as 0 and 1."""
        present, absent = np.asarray(self.present[columns]), np.asarray(self.absent[columns])
        never, certain = np.isneginf(present), np.isneginf(absent)
        weights = np.where(never, 0.0, present) - np.where(certain, 0.0, absent)
        return weights, never.astype(float), certain.astype(float)

    @cached_property
    def absent_sums(self) -> Floats:
        """Score of a document without terms, the prior and certain terms left out, (C,)."""
        return np.asarray(np.where(np.isneginf(self.absent), 0.0, self.absent).sum(axis=0))

    @cached_property
    def n_certain(self) -> Floats:
        """Number of terms that cannot be absent, (C,)."""
        return np.asarray(np.isneginf(self.absent).sum(axis=0), np.float64)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """log p_label,j - log p_against,j of each present term, and the sum over absent terms."""
        there = X.indices[X.data > 0]
        values = np.where(X.data > 0, difference(self.present[X.indices, label], self.present[X.indices, against]), 0.0)
        absent = np.delete(difference(self.absent[:, label], self.absent[:, against]), there)
        with np.errstate(invalid="ignore"):
            return Differences(float(difference(self.bias[label], self.bias[against])), values, float(absent.sum()))

    def arrays(self) -> dict[str, Any]:
        """Logarithms, bias and sums."""
        return {name: getattr(self, name) for name in self.axes}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays."""
        scorer = cls(arrays["present"], arrays["absent"], arrays["bias"])
        scorer.__dict__.update({name: arrays[name] for name in ("absent_sums", "n_certain")})
        return scorer


def evidence(counts: ClassCounts) -> Smoothing:
    """Smoothing with the single alpha that maximises eq. (3); 1 without terms.

    >>> found = evidence(ClassCounts.of([[1, 0, 0], [1, 1, 0], [0, 0, 1]], ["x", "x", "y"]))
    >>> round(found.alpha, 3), found.solution.outcome
    (1.0, 'converged')
    """
    if not counts.n_terms:
        return Smoothing(1.0)
    solution = best_alpha(_cells(counts), "scalar")
    return Smoothing(solution.alpha, solution)


def log_evidence(counts: ClassCounts, alpha: float) -> float:
    """Log evidence of eq. (3) for one alpha > 0.

    >>> counts = ClassCounts.of([[1], [0]], ["x", "x"])
    >>> round(float(np.exp(log_evidence(counts, 1.0))), 6)  # 1/2 * 1/3
    0.166667
    """
    documents, there = counts.documents.astype(np.float64), counts.containing.tocoo()
    number = there.data.astype(np.float64)
    cells = log_rising(alpha, number) + log_rising(alpha, documents[there.row] - number)
    empty = counts.n_terms - np.diff(counts.containing.indptr)
    return float(
        cells.sum() + empty @ log_rising(alpha, documents) - counts.n_terms * log_rising(2 * alpha, documents).sum()
    )


def _cells(counts: ClassCounts) -> Draws:
    """Draws of c_kj documents with and D_k - c_kj documents without a term, one per class and term."""
    if not are_whole(counts.documents):
        table = counts.containing.toarray()
        pairs = np.stack([table, np.maximum(counts.documents[:, np.newaxis] - table, 0.0)], axis=-1).reshape(-1, 2)
        return Draws.of_reals(sparse.csr_array(pairs), np.ones(len(pairs)))
    documents, containing = counts.documents.astype(np.int64), counts.containing.tocoo()
    n_cells = counts.n_terms - np.diff(counts.containing.indptr)  # terms in no document, by class
    present = np.bincount(containing.data.astype(np.int64))
    absent = np.bincount(documents[containing.row] - containing.data.astype(np.int64))
    absent = np.bincount(np.append(documents, np.arange(len(absent))), np.append(n_cells, absent))
    width = max(len(present), len(absent)) - 1
    times = np.array([np.pad(number, (0, width + 1 - len(number)))[1:] for number in (present, absent)])
    lengths = np.bincount(documents, np.full(len(documents), counts.n_terms))
    tables = (sparse.csr_array(table.astype(np.int64)) for table in (times, lengths[np.newaxis, :]))
    return Draws.of_documents(DocumentHistogram(None, *tables))


def left_out(rows: LeftOut, alpha: ArrayLike) -> Floats:
    """Left-out log likelihood of each document under each class, (D, C); alpha: a number or one per term."""
    counts = rows.counts
    whole = fit(counts, alpha, "uniform")
    alpha = as_alpha(alpha, counts.n_terms)
    documents = counts.documents
    scores = presence(rows.known) @ (whole.present - whole.absent) + whole.absent.sum(axis=0)
    lacking = np.array([rows.lost(log_of((n + alpha) / (n + 2 * alpha))) for n in documents]).T  # of unknown terms
    scores -= lacking.reshape(scores.shape)
    containing = counts.containing.toarray().T
    document, of_class, copies = rows.pairs
    for k, m in {*zip(of_class.tolist(), copies.tolist(), strict=True)}:
        here = document[(of_class == k) & (copies == m)]
        log_total = log_of(documents[k] - m + 2 * alpha)
        present = log_of(np.maximum(containing[:, k] - m, 0) + alpha) - log_total
        absent = log_of(np.maximum(documents[k] - m - containing[:, k], 0) + alpha) - log_total
        own = presence(rows.known[here]) @ (present - absent)
        scores[here, k] = own + absent.sum() - rows.lost(absent)[here]
    return np.asarray(scores)


def _fit(statistics: Statistics, alpha: Any, prior: Prior, _: Options) -> Fit:
    counts = statistics.counts
    found = evidence(counts) if alpha == "evidence" else statistics.smoothing(alpha)
    return Fit(fit(counts, found.alpha, prior), found)


def _follow(fit: Fit, changes: Changes, bias: Floats, _: Options) -> PresenceScorer | None:
    """Scorer of all terms again: one more document changes the probability that a term is absent, for every term."""
    if fit.smoothing is None:
        return None
    present, n_terms = cast("PresenceScorer", fit.scorer).present, len(cast("PresenceScorer", fit.scorer).present)
    alpha = as_alpha(fit.smoothing.alpha, n_terms)
    smoothed = np.exp(np.asarray(present, np.float64)) * (changes.before + 2 * alpha[:, np.newaxis])
    containing = np.rint(smoothed - alpha[:, np.newaxis])  # the whole numbers that the scorer was made from
    containing += changes.added_to_all(changes.containing, n_terms)
    return _scorer(np.clip(containing, 0.0, changes.documents), changes.documents, alpha, bias)


MODEL = Model(
    name="bernoulli",
    help="Bernoulli naive Bayes: a document is the set of its terms, and absent terms count",
    fit=_fit,
    left_out=lambda rows, alpha, _: left_out(rows, alpha),
    follow=_follow,
    weightings=("binary",),
    accepts_number=True,
    scores_absence=True,
    tried_alphas=("evidence", *TRIED_ALPHAS),
)
