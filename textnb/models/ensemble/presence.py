"""Presence ratios: a score from the terms that a document contains, by how many documents of each class contain them.

With n_kj the documents of class k that contain term j, D_k the documents of class k, a > 0:

    w_kj   = log (n_kj + a) / (D_k + 2a) - log (m_kj + a) / (M_k + 2a)   m, M: n, D of all other classes     (1)
    W_kj   = w_kj where |w_kj| >= MIN_RATIO, else 0                                                                  (2)
    N_k(x) = the terms j of x with W_kj != 0                                                                     (3)
    s_k(x) = sum over N_k(x) of W_kj / |N_k(x)|^POWER                                                            (4)

A small a lets rare terms count, (2) leaves out the many weak terms, and the power is between a sum, which is far too
confident for long documents, and a mean. For two classes s_1 = -s_2.

- One class: all scores are 0. A class without documents: -inf. A document without a term in N_k: s_k = 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from textnb.counts.matrix import CSR, canonical
from textnb.counts.rows import Rows, narrowed, with_data
from textnb.extension import sparse
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.numerics import Codes, Floats

ALPHA = 0.01
MIN_RATIO = 1.5
POWER = 0.75


@dataclass(frozen=True, eq=False)
class RatioScorer(Scorer):
    """Scorer bias_k + s_k(x) of eq. (4); ``by_term`` (V, C) is W transposed, times any factor per class.

    >>> scorer = RatioScorer(np.array([[2.0, -2.0], [3.0, -3.0], [0.0, 0.0]]), np.zeros(2))
    >>> scorer.joint_log_scores(sparse.csr_array([[4, 0, 1], [1, 1, 0], [0, 0, 0]])).round(3)
    array([[ 2.   , -2.   ],
           [ 2.973, -2.973],
           [ 0.   ,  0.   ]])
    """

    by_term: Floats
    bias: Floats

    presence = True
    takes_rows = True
    kind = "ratios"
    axes = MappingProxyType({"ratios": "VC", "shares": "C"})

    @property
    def weights(self) -> Floats:
        """Ratios W, (C, V)."""
        return self.by_term.T

    def joint_log_scores(self, X: CSR) -> Floats:
        """Scores of eq. (4) with the bias, (D, C)."""
        check_columns(X, len(self.by_term))
        present, columns = narrowed(_presence(X))
        W = self.by_term[columns]
        return np.asarray(present @ W / _lengths(present @ (W != 0)) + self.bias)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Contribution of each stored entry of one row to score(label) - score(against)."""
        present, columns = narrowed(_presence(X))
        lengths = _lengths(present @ (self.by_term[columns] != 0))[0]
        mine, other = (self.by_term[X.indices, k] / lengths[k] for k in (label, against))
        bias = float(difference(self.bias[label], self.bias[against]))
        return Differences(bias, np.where(X.data > 0, mine - other, 0.0))

    def with_ratios(self, ratios: Floats, before: Codes | None = None) -> "RatioScorer":  # noqa: ARG002  # as of a sum
        """Scorer with other ratios (V, C) and its own bias."""
        return RatioScorer(ratios, self.bias)

    def arrays(self) -> dict[str, Floats]:
        """Ratios and bias, under the names that model files have for them."""
        return {"ratios": self.by_term, "shares": self.bias}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays."""
        return cls(arrays["ratios"], arrays["shares"])


def _lengths(numbers: Floats) -> Floats:
    """Divisors |N_k|^POWER of eq. (4), 1 where N_k is empty."""
    return np.asarray(np.maximum(numbers, 1.0) ** POWER)


def telling_ratios(containing: Floats, documents: Floats) -> Floats:
    """Ratios W of eq. (2) transposed, (V, C), from n (V, C) and D (C,).

    >>> telling_ratios(np.array([[9.0, 0.0], [5.0, 4.0]]), np.array([10.0, 10.0])).round(2)
    array([[ 6.8, -6.8],
           [ 0. ,  0. ]])
    """
    if np.count_nonzero(documents) < 2:
        return np.zeros(containing.shape)
    others, rest = containing.sum(axis=1, keepdims=True) - containing, documents.sum() - documents
    log_p = np.log(containing + ALPHA) - np.log(documents + 2 * ALPHA)
    log_q = np.log(others + ALPHA) - np.log(rest + 2 * ALPHA)
    ratios = log_p - log_q
    return np.where((np.abs(ratios) >= MIN_RATIO) & (documents > 0), ratios, 0.0)


def ratio_scorer(containing: Floats, documents: Floats) -> RatioScorer:
    """Scorer of eq. (4) from n (V, C) and D (C,)."""
    return RatioScorer(telling_ratios(containing, documents), np.where(documents > 0, 0.0, -np.inf))


def left_out_ratios(X: CSR, y: Codes, n_classes: int, folds: Codes) -> Floats:
    """Scores of every row of X (D, V) by the rows outside its fold, (D, C)."""
    total, scores = containing_by_class(X, y, n_classes), np.empty((len(y), n_classes))
    documents = np.bincount(y, minlength=n_classes)
    for fold in np.unique(folds):
        rows = np.flatnonzero(folds == fold)
        part = containing_by_class(X[rows], y[rows], n_classes)
        scorer = ratio_scorer(total - part, documents - np.bincount(y[rows], minlength=n_classes).astype(float))
        scores[rows] = scorer.joint_log_scores(X[rows])
    return scores


def containing_by_class(X: CSR, y: Codes, n_classes: int) -> Floats:
    """Number of rows of each class that contain each term: n of eq. (1) transposed, (V, C)."""
    of_class = sparse.csr_array((np.ones(len(y)), (y, np.arange(len(y)))), shape=(n_classes, len(y)))
    return np.asarray((of_class @ _presence(X)).toarray().T)


def _presence(X: CSR) -> CSR:
    """X with 1 for every positive entry."""
    X = canonical(X if isinstance(X, Rows) else sparse.csr_array(X))
    return with_data(X, (X.data > 0).astype(np.float64))
