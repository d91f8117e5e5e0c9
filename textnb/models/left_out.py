"""Documents of the statistics, each to be scored as if it alone had not been learnt.

Document i of class y takes its own counts with it: tau_yj - x_ij, N_y - n_i, D_y - 1. A term that no other document has
would not be known at all: it is left out of the document and of the vocabulary. The rest (alpha, weighting) stays what
all documents have made it.
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

_BLOCK = 1 << 22  # numbers held at once


class Block(NamedTuple):
    """Documents ``first`` to ``last`` of a LeftOut, and of each of their entries: document, term, weight."""

    first: int
    last: int
    row: Codes
    term: Codes
    weight: Floats


@dataclass(frozen=True, eq=False)
class LeftOut:
    """X (D, V): weights as the statistics store them; y (D,): classes by number. Each row is part of ``counts``."""

    counts: ClassCounts
    X: CSR
    y: Codes

    def __post_init__(self) -> None:
        if self.X.shape != (len(self.y), self.counts.n_terms):
            raise InputError(
                "X has shape {X_shape}, not {value}", X_shape=self.X.shape, value=(len(self.y), self.counts.n_terms)
            )
        object.__setattr__(self, "X", canonical(self.X))

    @cached_property
    def known(self) -> CSR:
        """X without the terms that no other document has."""
        return self._entries(~self._alone)

    @cached_property
    def row(self) -> Codes:
        """The document of each entry of ``known``."""
        return np.repeat(np.arange(len(self.y)), np.diff(self.known.indptr))

    @cached_property
    def lengths(self) -> Floats:
        """n_i, all terms, in weights."""
        return np.asarray(self.X.sum(axis=1)) * self.counts.unit

    @cached_property
    def known_lengths(self) -> Floats:
        """The same without the terms that no other document has."""
        return np.asarray(self.known.sum(axis=1)) * self.counts.unit

    @cached_property
    def own(self) -> NDArray[np.bool_]:
        """(D, C): whether it is the document's own class."""
        return np.asarray(self.y[:, np.newaxis] == np.arange(self.counts.n_classes))

    def blocks(self) -> Iterator[Block]:
        """The entries of ``known`` in runs of documents, of which entries times classes are not too many."""
        ends = self.known.indptr.astype(np.int64) * max(self.counts.n_classes, 1)
        cuts = np.unique([0, *np.searchsorted(ends, np.arange(0, ends[-1], _BLOCK)), len(self.y)])
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            entries = slice(self.known.indptr[first], self.known.indptr[last])
            row, term = self.row[entries] - first, self.known.indices[entries]
            yield Block(first, last, row, term, self.known.data[entries] * self.counts.unit)

    def lost(self, values: Floats) -> Floats:
        """(D,): the sum of a value a term (1,) or (V,) over the terms that no other document has."""
        alone = self._entries(self._alone)
        alone.data = np.ones(alone.nnz)
        return np.asarray(alone @ np.broadcast_to(values, (self.counts.n_terms,)))

    def log_prior(self, prior: Prior) -> Floats:
        """(D, C): the log prior of the classes without the document."""
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


class LogTotals(NamedTuple):
    """The table of counts (V, C) of the classes, or of all the others, and what each document leaves of their sums."""

    table: Floats
    leaves: NDArray[np.bool_]
    log_totals: Floats

    @classmethod
    def of(cls, rows: LeftOut, alpha: Floats, complement: bool) -> "LogTotals":
        """alpha (V,). leaves (D, C): whether the document was part of that sum. log_totals (D, C): log(N + A)."""
        table = rows.counts.terms.toarray().T * rows.counts.unit
        if complement:
            table = np.maximum(table.sum(axis=1, keepdims=True) - table, 0.0)  # what rounding leaves is nothing
        leaves = ~rows.own if complement else rows.own
        rest = alpha.sum() - rows.lost(alpha)
        totals = table.sum(axis=0) - leaves * rows.lengths[:, np.newaxis] + rest[:, np.newaxis]
        return cls(table, leaves, np.log(np.where(totals > 0, totals, 1.0)))


def left_out_log_p(rows: LeftOut, alpha: Floats, complement: bool) -> Iterator[tuple[Block, Floats]]:
    """log p(term | class, without the document) of each entry, (entries, C), a block of documents at a time.

    alpha: one a term (V,), positive. complement: of all other classes in place of the class.
    """
    table, leaves, log_totals = LogTotals.of(rows, alpha, complement)
    for block in rows.blocks():
        document = block.row + block.first
        without = np.maximum(table[block.term] - block.weight[:, np.newaxis] * leaves[document], 0.0)
        yield block, np.log(without + alpha[block.term, np.newaxis]) - log_totals[document]
