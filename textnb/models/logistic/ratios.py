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

``Presence`` holds b by rows, in the memory of the counts. A fold leaves rows out by giving them the weight 0, so that
all folds share it; the numbers that (6) makes are all that each has of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import RELATIVE_ROUNDING
from textnb.counts.matrix import CSR, canonical
from textnb.counts.rows import kept_before, row_blocks
from textnb.counts.unit_rows import UnitRows
from textnb.extension import sparse
from textnb.numerics import Codes, Floats

_CELLS = 1 << 16


@dataclass(frozen=True, eq=False)
class Presence:
    """Presence b (D, V) by rows: the terms of row i are ``columns[starts[i]:starts[i + 1]]``, ascending.

    >>> b = Presence.of(sparse.csr_array([[2, 0, 1], [1, 0, 0]]))
    >>> b.columns.tolist(), b.starts.tolist()
    ([0, 2, 0], [0, 2, 3])
    """

    columns: NDArray[Any]
    starts: NDArray[Any]
    n_terms: int

    @classmethod
    def of(cls, X: CSR) -> "Presence":
        """Presence in counts X (D, V)."""
        X = canonical(X)
        number = np.int32 if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max else np.int64
        return cls(X.indices.astype(number, copy=False), X.indptr.astype(number, copy=False), X.shape[1])

    @property
    def n_rows(self) -> int:
        """Number of rows, D."""
        return len(self.starts) - 1

    def of_terms(self, columns: Codes) -> "Presence":
        """Columns selected by number, ascending."""
        if len(columns) == self.n_terms:
            return self
        numbers = np.full(self.n_terms, -1, self.columns.dtype)
        numbers[columns] = np.arange(len(columns))
        found = numbers[self.columns]
        kept = found >= 0
        return Presence(found[kept], kept_before(kept, self.starts), len(columns))

    def containing(self, weight: Floats) -> Floats:
        """Weight of the rows that contain each term, (V,)."""
        found = np.zeros(self.n_terms)
        for rows, entries in row_blocks(self.starts):
            lengths = np.diff(self.starts[rows.start : rows.stop + 1])
            found += np.bincount(self.columns[entries], np.repeat(weight[rows], lengths), self.n_terms)
        return found

    def by_class(self, y: Codes, weight: Floats, n_classes: int) -> Floats:
        """Counts n of eq. (1), (V, C), for classes by number y (D,); rows of weight 0 are left out."""
        found, lengths = np.empty((self.n_terms, n_classes)), np.diff(self.starts)
        is_whole = bool(np.isin(weight, (0.0, 1.0)).all())
        for k in range(n_classes):
            own = (y == k) & (weight > 0)
            columns = self.columns[np.repeat(own, lengths)]
            of_entry = None if is_whole else np.repeat(weight[own], lengths[own])
            found[:, k] = np.bincount(columns, of_entry, self.n_terms)
        return found

    def norms(self, scale: Floats) -> Floats:
        """Lengths |b_i * s| of eq. (6), (D,); 1 for a row without a term in use."""
        norms = np.empty(self.n_rows)
        for rows, entries in row_blocks(self.starts):
            lengths = np.diff(self.starts[rows.start : rows.stop + 1])
            part, number = scale[self.columns[entries]], np.repeat(np.arange(len(lengths)), lengths)
            norms[rows] = np.sqrt(np.bincount(number, part * part, len(lengths)))
        return np.where(norms > 0, norms, 1.0)

    def unit_rows(self, scale: Floats) -> UnitRows:
        """``scaled`` in single precision, of which no number is held; there are fewer than 2^31 entries."""
        return UnitRows(self.columns, self.starts, None, scale, self.norms(scale))

    def scaled(self, scale: Floats, dtype: Any = np.float64) -> CSR:
        """Scaled rows z of eq. (6), csr (D, V), which share the columns of this; computed in double precision."""
        data, norms = np.empty(len(self.columns), dtype), self.norms(scale)
        for rows, entries in row_blocks(self.starts):
            lengths = np.diff(self.starts[rows.start : rows.stop + 1])
            data[entries] = scale[self.columns[entries]] / np.repeat(norms[rows], lengths)
        return sparse.csr_array((data, self.columns, self.starts), shape=(self.n_rows, self.n_terms))


def frequent(containing: Floats, min_df: float) -> Codes:
    """Numbers of the terms that are in rows of weight min_df or more, from the weight for each term (V,)."""
    return np.flatnonzero(containing >= max(min_df * (1 - RELATIVE_ROUNDING), np.finfo(float).tiny))


def log_count_ratios(counts: Floats, a: float = 1.0) -> Floats:
    """Log-count ratios r of eq. (4), (v, C), from n (v, C).

    >>> log_count_ratios(np.array([[3.0, 0.0], [1.0, 1.0]])).round(3).tolist()
    [[0.693, -0.693], [-0.693, 0.693]]
    """
    return np.concatenate([np.empty((0, counts.shape[1])), *_ratio_blocks(counts, a)])


def largest_ratio(counts: Floats, a: float = 1.0) -> Floats:
    """Scale s of eq. (5), (v,), from n (v, C)."""
    blocks = _ratio_blocks(counts, a)
    return np.concatenate([np.empty(0), *(np.abs(block).max(axis=1, initial=0.0) for block in blocks)])


def _ratio_blocks(counts: Floats, a: float) -> Iterator[Floats]:
    """Yield the log-count ratios of some terms after the other, so that no copy is as large as the counts."""
    n_terms, n_classes = counts.shape
    totals = counts.sum(axis=0)
    of_others = totals.sum() - totals
    step = max(1, _CELLS // max(n_classes, 1))
    for first in range(0, n_terms, step):
        n = counts[first : first + step]
        if n_classes < 2:
            yield np.zeros(n.shape)
            continue
        others = n.sum(axis=1, keepdims=True) - n
        log_p = np.log(n + a) - np.log(totals + a * n_terms)
        yield np.asarray(log_p - (np.log(others + a) - np.log(of_others + a * n_terms)))
