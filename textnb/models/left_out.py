"""Left-out scores: learnt documents, each scored by the statistics of all the others.

A document is left out together with its copies, the documents with equal counts: a copy that stays in the statistics
would give the answer away. With m_ik copies of document i in class k, itself included, leaving it out changes the
counts to tau_kj - m_ik x_ij, N_k - m_ik n_i and D_k - m_ik. A term that no other document contains is then unknown: it
is removed from the document and from the vocabulary. Alpha and weighting stay those of all documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, canonical, with_columns
from textnb.counts.rows import with_entries
from textnb.errors import InputError
from textnb.extension import cached_property, sparse
from textnb.numerics import Codes, Floats, log_of

_MAX_BLOCK = 1 << 18  # numbers held at once, 2 MB: they stay in cache


class Block(NamedTuple):
    """Documents ``first`` to ``last`` of a LeftOut; document, term and weight of each of their entries."""

    first: int
    last: int
    row: Codes
    term: Codes
    weight: Floats

    def summed(self, values: Floats, weight: Floats | None = None) -> Floats:
        """Sums over the entries of each document, (last - first, C), of values (entries, C), by weight (entries,)."""
        at, number = np.searchsorted(self.row, np.arange(self.last - self.first + 1)), len(self.row)
        factors = np.ones(number) if weight is None else weight
        return np.asarray(sparse.csr_array((factors, np.arange(number), at), (len(at) - 1, number)) @ values)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Distinct documents X (D, V), weighted as in ``counts``, and their copies m (D, C); ``counts`` has them all."""

    counts: ClassCounts
    X: CSR
    copies: Floats

    def __post_init__(self) -> None:
        wanted = (len(self.copies), self.counts.n_terms)
        if self.X.shape != wanted:
            raise InputError("X has shape {shape}, not {wanted}", shape=self.X.shape, wanted=wanted)
        object.__setattr__(self, "X", canonical(self.X))

    @classmethod
    def of(cls, counts: ClassCounts, X: CSR, y: Codes) -> "LeftOut":
        """Documents X (D, V) with classes by number y (D,), each without copies."""
        return cls(counts, X, (np.asarray(y)[:, np.newaxis] == np.arange(counts.n_classes)).astype(float))

    def selected(self, columns: Codes) -> "LeftOut":
        """Return the documents reduced to some columns, given in ascending order."""
        return LeftOut(self.counts.selected(columns), with_columns(self.X, columns), self.copies)

    def rows(self, rows: Codes) -> "LeftOut":
        """Return some of the documents, by number."""
        return LeftOut(self.counts, self.X[rows], self.copies[rows])

    @cached_property
    def known(self) -> CSR:
        """X without the terms that no other document contains."""
        return with_entries(self.X, self._is_known)

    @cached_property
    def terms(self) -> Codes:
        """Numbers of the terms of ``known``, ascending."""
        return np.flatnonzero(np.bincount(self.known.indices, minlength=self.counts.n_terms))

    @cached_property
    def lengths(self) -> Floats:
        """Sum n_i of the weights of all terms, (D,)."""
        return np.asarray(self.X.sum(axis=1)) * self.counts.unit

    @cached_property
    def known_lengths(self) -> Floats:
        """Sum of the weights of the terms of ``known``, (D,)."""
        return np.asarray(self.known.sum(axis=1)) * self.counts.unit

    @cached_property
    def pairs(self) -> tuple[Codes, Codes, Floats]:
        """Document, class and number of copies wherever a class has copies of a document, (P,) each."""
        document, of_class = np.nonzero(self.copies)
        return document, of_class, self.copies[document, of_class]

    def blocks(self) -> Iterator[Block]:
        """Yield the entries of ``known`` in blocks of documents whose entries times classes fit in memory."""
        ends = self.known.indptr.astype(np.int64) * max(self.counts.n_classes, 1)
        cuts = np.unique([0, *np.searchsorted(ends, np.arange(0, ends[-1], _MAX_BLOCK)), len(self.copies)])
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            entries = slice(self.known.indptr[first], self.known.indptr[last])
            row = np.repeat(np.arange(last - first), np.diff(self.known.indptr[first : last + 1]))
            yield Block(first, last, row, self.known.indices[entries], self.known.data[entries] * self.counts.unit)

    def lost(self, values: Floats) -> Floats:
        """Sum of ``values``, (1,) or (V,), over the terms of each document that no other document contains, (D,)."""
        alone = with_entries(self.X, ~self._is_known)
        alone.data = np.ones(alone.nnz)
        return np.asarray(alone @ np.broadcast_to(values, (self.counts.n_terms,)))

    @property
    def log_frequencies(self) -> Floats:
        """Log class frequencies without the document and its copies, (D, C)."""
        rest = self.counts.documents - self.copies
        return log_of(rest / np.maximum(rest.sum(axis=1, keepdims=True), 1.0))

    @cached_property
    def _is_known(self) -> NDArray[np.bool_]:
        return in_other_documents(self.counts, self.X, self.copies.sum(axis=1))


def in_other_documents(counts: ClassCounts, X: CSR, copies: Floats) -> NDArray[np.bool_]:
    """True for the entries of X (D, V) whose term is in more documents than the copies (D,) of the row."""
    containing = np.asarray(counts.containing.sum(axis=0))
    return np.asarray(containing[X.indices] > np.repeat(copies, np.diff(X.indptr)))


def class_table(terms: CSR, unit: float, complement: bool) -> Floats:
    """Weighted counts of terms in each class, or with ``complement`` in all other classes, (V, C), from (C, V)."""
    table = terms.toarray().T * unit
    if complement:
        np.subtract(table.sum(axis=1, keepdims=True), table, out=table)
        np.maximum(table, 0.0, out=table)  # rounding may leave less than 0
    return np.asarray(table)


class LogTotals(NamedTuple):
    """Sums of the classes without each document.

    table (v, C): weighted counts of the terms that the documents have. place (V,): row of each such term in it.
    copies (D, C): copies of a document in the sums. log_totals (D, C): log(N + A) without the document.
    """

    table: Floats
    place: Codes
    copies: Floats
    log_totals: Floats

    @classmethod
    def of(cls, rows: LeftOut, alpha: Floats, complement: bool) -> "LogTotals":
        """Sums of the classes, or with ``complement`` of all other classes, for alpha (V,)."""
        columns, counts = rows.terms, rows.counts
        place = np.zeros(counts.n_terms, np.intp)
        place[columns] = np.arange(len(columns))
        sums = np.asarray(counts.terms.sum(axis=1)) * counts.unit
        if complement:
            sums = np.maximum(sums.sum() - sums, 0.0)
        copies = rows.copies.sum(axis=1, keepdims=True) - rows.copies if complement else rows.copies
        rest = alpha.sum() - rows.lost(alpha)
        totals = sums - copies * rows.lengths[:, np.newaxis] + rest[:, np.newaxis]
        table = class_table(with_columns(counts.terms, columns), counts.unit, complement)
        return cls(table, place, copies, np.log(np.where(totals > 0, totals, 1.0)))


def left_out_logs(rows: LeftOut, alpha: Floats, sums: LogTotals) -> Iterator[tuple[Block, Floats]]:
    """Yield log(count without the document + alpha) of each entry in each class, (entries, C), by blocks of documents.

    alpha: one per term (V,), positive. sums: those of ``LogTotals.of``.
    """
    for block in rows.blocks():
        without = sums.table[sums.place[block.term]]
        without += alpha[block.term, np.newaxis]
        without -= block.weight[:, np.newaxis] * sums.copies[block.row + block.first]
        np.maximum(without, alpha[block.term, np.newaxis], out=without)
        yield block, np.log(without, out=without)
