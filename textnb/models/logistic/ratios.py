"""Naive Bayes log-count ratios (Wang and Manning 2012), and rows scaled by them.

With b_ij = 1 where x_ij > 0, rows of weight w_i and class y_i, V terms in use, a > 0:

    n_kj = sum of w_i b_ij over the rows of class k                                          (C, V)     (1)
    p_kj = (n_kj + a) / (sum_j n_kj + a V)                      share of term j in class k              (2)
    q_kj = (sum_l n_lj - n_kj + a) / (sum of the same over j)   and in all other classes                (3)
    r_kj = log p_kj - log q_kj                                  0 where there is no other class         (4)
    s_j  = max_k |r_kj|                                         one scale for all classes    (V,)       (5)
    z_ij = b_ij s_j / |b_i * s|                                 rows of length 1             (D, V)     (6)

Terms in use are in rows of total weight min_df or more; all others have the scale 0, as has a term with equal
frequencies everywhere. A row without a term in use is 0. Classes without rows are left out of (4) and (5).

``Presence`` holds b by columns. Rows and terms are picked from it for every fold; the copy that (6) makes of what was
picked is the one that a loss works on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.labels import RELATIVE_ROUNDING
from textnb.counts.matrix import CSR, canonical
from textnb.numerics import Codes, Floats

_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Presence:
    """Presence b (D, V) by columns: the rows that contain term j are ``rows[starts[j]:starts[j + 1]]``.

    >>> b = Presence.of(sparse.csr_array([[2, 0, 1], [1, 0, 0]]))
    >>> b.rows.tolist(), b.starts.tolist()
    ([0, 1, 0], [0, 2, 2, 3])
    """

    rows: NDArray[Any]
    starts: NDArray[Any]
    n_rows: int

    @classmethod
    def of(cls, X: CSR) -> "Presence":
        """Presence in counts X (D, V)."""
        X = canonical(X)
        columns = sparse.csr_array((np.empty(X.nnz, np.int8), X.indices, X.indptr), shape=X.shape).tocsc()
        return cls(columns.indices, columns.indptr, X.shape[0])

    @property
    def n_terms(self) -> int:
        """Number of terms, V."""
        return len(self.starts) - 1

    def of_rows(self, chosen: NDArray[np.bool_]) -> "Presence":
        """Rows selected by a mask (D,)."""
        kept = chosen[self.rows]
        before = np.concatenate([[0], np.cumsum(kept)]).astype(self.starts.dtype)
        number = (np.cumsum(chosen) - 1).astype(self.rows.dtype)
        return Presence(number[self.rows[kept]], before[self.starts], int(np.count_nonzero(chosen)))

    def of_terms(self, columns: Codes) -> "Presence":
        """Columns selected by number."""
        lengths = np.diff(self.starts)
        chosen = np.zeros(self.n_terms, bool)
        chosen[columns] = True
        starts = np.concatenate([[0], np.cumsum(lengths[columns])]).astype(self.starts.dtype)
        return Presence(self.rows[np.repeat(chosen, lengths)], starts, self.n_rows)

    def containing(self, weight: Floats) -> Floats:
        """Weight of the rows that contain each term, (V,)."""
        terms = np.repeat(np.arange(self.n_terms), np.diff(self.starts))
        return np.bincount(terms, weight[self.rows], self.n_terms).astype(float)

    def scaled(self, scale: Floats) -> Any:
        """Scaled rows z of eq. (6), csc (D, V)."""
        data = np.repeat(scale, np.diff(self.starts))
        lengths = np.sqrt(np.bincount(self.rows, data * data, self.n_rows))
        data /= np.where(lengths > 0, lengths, 1.0)[self.rows]
        return sparse.csc_array((data, self.rows, self.starts), shape=(self.n_rows, self.n_terms))


def frequent(containing: Floats, min_df: float) -> Codes:
    """Numbers of the terms that are in rows of weight min_df or more, from the weight for each term (V,)."""
    return np.flatnonzero(containing >= max(min_df * (1 - RELATIVE_ROUNDING), np.finfo(float).tiny))


def used_terms(presence: Presence, y: Codes, weight: Floats, n_classes: int, min_df: float) -> tuple[Codes, Floats]:
    """Numbers of the terms in rows of weight min_df or more (v,), and n of eq. (1) for these, (v, C)."""
    columns: list[Codes] = [np.empty(0, np.intp)]
    counts: list[Floats] = [np.empty((0, n_classes))]
    step = max(1, _CELLS // n_classes)
    for first in range(0, presence.n_terms, step):
        starts = presence.starts[first : first + step + 1]
        rows = presence.rows[starts[0] : starts[-1]]
        n_terms = len(starts) - 1
        cells = np.repeat(np.arange(0, n_terms * n_classes, n_classes), np.diff(starts)) + y[rows]
        n: Floats = np.bincount(cells, weight[rows], n_terms * n_classes).reshape(n_terms, n_classes).astype(float)
        used = frequent(n.sum(axis=1), min_df)
        columns.append(first + used)
        counts.append(n[used])
    return np.concatenate(columns), np.concatenate(counts)


def log_count_ratios(counts: Floats, a: float = 1.0) -> Floats:
    """Log-count ratios r of eq. (4), (v, C), from n (v, C).

    >>> log_count_ratios(np.array([[3.0, 0.0], [1.0, 1.0]])).round(3).tolist()
    [[0.693, -0.693], [-0.693, 0.693]]
    """
    n_terms, n_classes = counts.shape
    if n_classes < 2 or not n_terms:
        return np.zeros(counts.shape)
    others = counts.sum(axis=1, keepdims=True) - counts
    log_p = np.log(counts + a) - np.log(counts.sum(axis=0) + a * n_terms)
    log_q = np.log(others + a) - np.log(others.sum(axis=0) + a * n_terms)
    return np.asarray(log_p - log_q)


def largest_ratio(counts: Floats, a: float = 1.0) -> Floats:
    """Scale s of eq. (5), (v,), from n (v, C)."""
    return np.asarray(np.abs(log_count_ratios(counts, a)).max(axis=1, initial=0.0))
