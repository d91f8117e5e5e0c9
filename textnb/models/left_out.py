"""Left-out scores: learnt documents, each scored by the statistics of all the others.

Leaving out document i of class y changes the counts to tau_yj - x_ij, N_y - n_i and D_y - 1. A term that no other
document contains is then unknown: it is removed from the document and from the vocabulary. Alpha and weighting stay
those of all documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, canonical
from textnb.errors import InputError
from textnb.models.prior import Prior, log_prior
from textnb.numerics import Codes, Floats

_MAX_BLOCK = 1 << 22  # numbers held at once


class Block(NamedTuple):
    """Documents ``first`` to ``last`` of a LeftOut; document, term and weight of each of their entries."""

    first: int
    last: int
    row: Codes
    term: Codes
    weight: Floats


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Documents X (D, V), weighted as in ``counts``, whose classes by number are y (D,); all are part of ``counts``."""

    counts: ClassCounts
    X: CSR
    y: Codes

    def __post_init__(self) -> None:
        if self.X.shape != (len(self.y), self.counts.n_terms):
            wanted = (len(self.y), self.counts.n_terms)
            raise InputError("X has shape {shape}, not {wanted}", shape=self.X.shape, wanted=wanted)
        object.__setattr__(self, "X", canonical(self.X))

    @cached_property
    def known(self) -> CSR:
        """X without the terms that no other document contains."""
        return self._entries(~self._alone)

    @cached_property
    def row(self) -> Codes:
        """Document of each entry of ``known``."""
        return np.repeat(np.arange(len(self.y)), np.diff(self.known.indptr))

    @cached_property
    def lengths(self) -> Floats:
        """Sum n_i of the weights of all terms, (D,)."""
        return np.asarray(self.X.sum(axis=1)) * self.counts.unit

    @cached_property
    def known_lengths(self) -> Floats:
        """Sum of the weights of the terms of ``known``, (D,)."""
        return np.asarray(self.known.sum(axis=1)) * self.counts.unit

    @cached_property
    def own(self) -> NDArray[np.bool_]:
        """True for the class of each document, (D, C)."""
        return np.asarray(self.y[:, np.newaxis] == np.arange(self.counts.n_classes))

    def blocks(self) -> Iterator[Block]:
        """Yield the entries of ``known`` in blocks of documents whose entries times classes fit in memory."""
        ends = self.known.indptr.astype(np.int64) * max(self.counts.n_classes, 1)
        cuts = np.unique([0, *np.searchsorted(ends, np.arange(0, ends[-1], _MAX_BLOCK)), len(self.y)])
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            entries = slice(self.known.indptr[first], self.known.indptr[last])
            row, term = self.row[entries] - first, self.known.indices[entries]
            yield Block(first, last, row, term, self.known.data[entries] * self.counts.unit)

    def lost(self, values: Floats) -> Floats:
        """Sum of ``values``, (1,) or (V,), over the terms of each document that no other document contains, (D,)."""
        alone = self._entries(self._alone)
        alone.data = np.ones(alone.nnz)
        return np.asarray(alone @ np.broadcast_to(values, (self.counts.n_terms,)))

    def log_prior(self, prior: Prior) -> Floats:
        """Log prior of the classes without the document, (D, C)."""
        documents, rows = self.counts.documents, {}
        for k in np.unique(self.y):
            fewer = documents - (np.arange(len(documents)) == k)
            rows[k] = log_prior(prior, self.counts.classes, fewer)
        return np.array([rows[k] for k in self.y]).reshape(len(self.y), len(documents))

    @cached_property
    def _alone(self) -> NDArray[np.bool_]:
        containing = np.asarray(self.counts.containing.sum(axis=0))
        return np.asarray(containing[self.X.indices] <= 1)

    def _entries(self, kept: NDArray[np.bool_]) -> CSR:
        ends = np.concatenate([[0], np.cumsum(kept)])[self.X.indptr]
        return sparse.csr_array((self.X.data[kept], self.X.indices[kept], ends), shape=self.X.shape)


def class_table(counts: ClassCounts, complement: bool) -> Floats:
    """Weighted counts of the terms in each class, or with ``complement`` in all other classes, (V, C)."""
    table = counts.terms.toarray().T * counts.unit
    if complement:
        table = np.maximum(table.sum(axis=1, keepdims=True) - table, 0.0)  # rounding may leave less than 0
    return np.asarray(table)


class LogTotals(NamedTuple):
    """Class table (V, C), which sums contain a document (D, C), and log(N + A) without the document (D, C)."""

    table: Floats
    leaves: NDArray[np.bool_]
    log_totals: Floats

    @classmethod
    def of(cls, rows: LeftOut, alpha: Floats, complement: bool) -> "LogTotals":
        """Sums of the classes, or with ``complement`` of all other classes, for alpha (V,)."""
        table = class_table(rows.counts, complement)
        leaves = ~rows.own if complement else rows.own
        rest = alpha.sum() - rows.lost(alpha)
        totals = table.sum(axis=0) - leaves * rows.lengths[:, np.newaxis] + rest[:, np.newaxis]
        return cls(table, leaves, np.log(np.where(totals > 0, totals, 1.0)))


def left_out_log_p(rows: LeftOut, alpha: Floats, complement: bool) -> Iterator[tuple[Block, Floats]]:
    """Yield log p(term | class without the document) of each entry, (entries, C), by blocks of documents.

    alpha: one per term (V,), positive. complement: True for the probabilities of all other classes.
    """
    table, leaves, log_totals = LogTotals.of(rows, alpha, complement)
    for block in rows.blocks():
        document = block.row + block.first
        without = np.maximum(table[block.term] - block.weight[:, np.newaxis] * leaves[document], 0.0)
        yield block, np.log(without + alpha[block.term, np.newaxis]) - log_totals[document]
