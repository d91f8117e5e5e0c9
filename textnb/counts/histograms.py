"""Histograms of documents, the sufficient statistic of document-level evidence: of all documents, and per class.

    times_jc   = number of documents i with X_ij = c                               (V, largest count), sparse
    lengths_n  = number of documents i with sum_j X_ij = n                         (1, longest document + 1), sparse

Column c - 1 of ``times`` is count c. A stored count of 1 means a weight of ``unit``, as in ClassCounts (log weights are
multiples of 2^-20). Both tables add over documents, so histograms obey the laws of ClassCounts: ``+`` merges, ``-``
forgets, zero starts. Their size grows with the variety of counts, not with the number of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import Labels, Weights, labelled_rows, places
from textnb.counts.matrix import CSR, Matrix, add_at, are_whole, as_counts, canonical, check_vocabulary
from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError, NotLearntError
from textnb.extension import sparse
from textnb.numerics import Codes, Ints

_ENTRIES_PER_BLOCK = 1 << 16
_LARGEST_TABULATED = 8  # counts up to here are tallied in a table, the rare larger ones by sorting


class DocumentHistogram:
    """Number of documents for each term and count, and for each length. Immutable.

    ``+`` merges and ``-`` forgets, on equal vocabularies and units; ``on`` maps onto a wider vocabulary. ``-`` refuses
    to go below zero.

    Parameters
    ----------
    vocabulary, unit
        As in ``ClassCounts``.
    times : csr_array (V, largest count)
        Number of documents that contain term j exactly c times, in column c - 1.
    lengths : csr_array (1, longest document + 1)
        Number of documents of each length.

    Examples
    --------
    >>> histogram = DocumentHistogram.of([[2, 0], [2, 1], [0, 0]])
    >>> histogram.times.toarray().tolist(), histogram.lengths.toarray().tolist()
    ([[0, 2], [1, 0]], [[1, 0, 1, 1]])
    >>> histogram.n_documents
    3
    """

    def __init__(self, vocabulary: Vocabulary | None, times: CSR, lengths: CSR, unit: float = 1.0) -> None:
        self.vocabulary, self.times, self.lengths, self.unit = vocabulary, times, lengths, unit

    @classmethod
    def of(cls, X: Matrix, vocabulary: Vocabulary | None = None, unit: float = 1.0) -> DocumentHistogram:
        """Count documents X (D, V), dense or sparse, whose counts must be whole numbers."""
        X = as_whole(X)
        check_vocabulary(X, vocabulary)
        sizes, number = np.unique(np.asarray(X.sum(axis=1, dtype=np.int64)), return_counts=True)
        shape = (1, int(sizes[-1]) + 1 if len(sizes) else 0)
        lengths = sparse.csr_array((number, (np.zeros_like(sizes), sizes)), shape=shape, dtype=np.int64)
        return cls(vocabulary, _times(X), lengths, unit)

    @classmethod
    def zero(cls, vocabulary: Vocabulary | None = None, n_terms: int = 0, unit: float = 1.0) -> DocumentHistogram:
        """Histogram of no documents."""
        n = n_terms if vocabulary is None else len(vocabulary)
        empty, no_lengths = (sparse.csr_array((rows, 0), dtype=np.int64) for rows in (n, 1))
        return cls(vocabulary, empty, no_lengths, unit)

    @property
    def n_terms(self) -> int:
        """Number of terms, V."""
        return int(self.times.shape[0])

    @property
    def n_documents(self) -> int:
        """Number of documents, empty ones included."""
        return int(self.lengths.sum())

    def on(self, vocabulary: Vocabulary, columns: Codes | None = None) -> DocumentHistogram:
        """Return this histogram on a wider vocabulary; ``columns``: its terms' columns there, if they are known."""
        if self.vocabulary is None:
            raise InputError("a histogram without a vocabulary cannot be mapped onto one")
        rows, times = vocabulary.columns_of(self.vocabulary) if columns is None else columns, self.times.tocoo()
        shape = (len(vocabulary), times.shape[1])
        moved = sparse.csr_array((times.data, (rows[times.row], times.col)), shape=shape)
        return DocumentHistogram(vocabulary, moved, self.lengths, self.unit)

    def selected(self, columns: Codes, vocabulary: Vocabulary | None = None) -> DocumentHistogram:
        """Return the histogram of some columns, in ascending order; ``vocabulary``: their terms, if they are known.

        The lengths do not change: the documents are the same.
        """
        if vocabulary is None and self.vocabulary is not None:
            vocabulary = self.vocabulary.selected(columns)
        return DocumentHistogram(vocabulary, self.times[columns], self.lengths, self.unit)

    def __add__(self, other: object) -> DocumentHistogram:
        if not isinstance(other, DocumentHistogram):
            return NotImplemented
        self._check_axes(other)
        return self._changed(_sum(self.times, other.times), _sum(self.lengths, other.lengths))

    def __sub__(self, other: object) -> DocumentHistogram:
        if not isinstance(other, DocumentHistogram):
            return NotImplemented
        self._check_axes(other)
        rest = self._changed(_sum(self.times, -other.times), _sum(self.lengths, -other.lengths))
        for what, table in (("the length", rest.lengths), ("a term's count of", rest.times)):
            if table.nnz and table.data.min() < 0:
                number = int((table < 0).nonzero()[1][0]) + (table is rest.times)
                raise NotLearntError("fewer documents have {what} {n} than are to be forgotten", what=what, n=number)
        return rest

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DocumentHistogram)
            and self._axes == other._axes
            and not _sum(self.times, -other.times).nnz
            and not _sum(self.lengths, -other.lengths).nnz
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays

    def __repr__(self) -> str:
        return f"<DocumentHistogram of {self.n_documents} documents, {self.n_terms} terms>"

    def _changed(self, times: CSR, lengths: CSR) -> DocumentHistogram:
        return DocumentHistogram(self.vocabulary, times, lengths, self.unit)

    @property
    def _axes(self) -> tuple[object, ...]:
        return self.vocabulary, self.n_terms, self.unit

    def _check_axes(self, other: DocumentHistogram) -> None:
        if self._axes != other._axes:
            template = "{a!r} and {b!r} differ in terms or units; map them onto the same vocabulary with on()"
            raise InputError(template, a=self, b=other)


def as_whole(X: Matrix) -> CSR:
    """X as counts that are whole numbers, each entry stored once; fractions are refused."""
    X = canonical(as_counts(X))
    if X.dtype.kind != "f":
        return X
    if not are_whole(X.data):
        fraction = X.data[X.data % 1 != 0][0]
        raise InputError("the counts of documents must be whole numbers here, and one is {value}", value=fraction)
    return X.astype(np.int64)


def _times(X: CSR) -> CSR:
    """Number of entries of each column with each value, (V, largest count)."""
    n_terms, most = X.shape[1], int(X.data.max()) if X.nnz else 0
    rows, counts, numbers = _few(X, min(most, _LARGEST_TABULATED))
    if most > _LARGEST_TABULATED:
        large = np.flatnonzero(X.data > _LARGEST_TABULATED)
        keys = np.sort(X.indices[large].astype(np.int64) * most + (X.data[large] - 1))
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        rows, counts = np.append(rows, keys[first] // most), np.append(counts, keys[first] % most)
        numbers = np.append(numbers, np.diff(first, append=len(keys)))
    return sparse.csr_array((numbers, (rows, counts)), shape=(n_terms, most), dtype=np.int64)


def _few(X: CSR, few: int) -> tuple[Ints, Ints, Ints]:
    """Column, count - 1 and number of entries, for counts up to ``few``."""
    width = few + 1  # the last place of each column takes the larger counts
    kind = np.int32 if max(X.shape[1] * width, X.nnz) < 2**31 else np.int64
    table, ones = np.zeros(X.shape[1] * width, kind), np.ones(min(X.nnz, _ENTRIES_PER_BLOCK), kind)
    for start in range(0, X.nnz, _ENTRIES_PER_BLOCK):  # blocks stay in cache
        cells = X.indices[start : start + _ENTRIES_PER_BLOCK].astype(kind)
        cells *= width
        cells += np.minimum(X.data[start : start + _ENTRIES_PER_BLOCK], width).astype(kind, copy=False)
        cells -= 1
        add_at(table, cells, ones[: len(cells)])
    table = table.reshape(-1, width)[:, :few].reshape(-1)
    filled = np.flatnonzero(table != 0)  # on booleans, several times faster
    return filled // max(few, 1), filled % max(few, 1), table[filled]


def _sum(a: CSR, b: CSR) -> CSR:
    """Sum of two tables of different widths, as wide as its last entry needs."""
    width = max(a.shape[1], b.shape[1])
    total = _widened(a, width) + _widened(b, width)
    total.eliminate_zeros()
    used = int(total.indices.max()) + 1 if total.nnz else 0
    return _widened(total, used)


def _widened(table: CSR, width: int) -> CSR:
    return sparse.csr_array((table.data, table.indices, table.indptr), shape=(table.shape[0], width))


@dataclass(frozen=True)
class ClassHistograms:
    """A DocumentHistogram per class, in the order of ``classes``; ``+`` and ``-`` need equal axes. Immutable.

    >>> histograms = ClassHistograms.of([[2, 0], [1, 1]], ["x", "y"])
    >>> [part.times.toarray().tolist() for part in histograms.parts], histograms.total.n_documents
    ([[[0, 1], [0, 0]], [[1], [1]]], 2)
    """

    classes: tuple[Any, ...]
    parts: tuple[DocumentHistogram, ...]

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: Labels,
        vocabulary: Vocabulary | None = None,
        classes: Sequence[Any] | None = None,
        *,
        sample_weight: Weights | None = None,
        unit: float = 1.0,
    ) -> ClassHistograms:
        """Histograms of documents X (D, V), whole numbers, with labels y (D,); weights are repetitions."""
        X = as_whole(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        times = np.ones(len(codes), np.int64)
        if weight is not None:
            if not are_whole(weight):
                raise InputError("sample_weight must be whole numbers here: histograms count single documents")
            times = weight.astype(np.int64)
        rows = (X[np.repeat(np.flatnonzero(codes == k), times[codes == k])] for k in range(len(names)))
        return cls(names, tuple(DocumentHistogram.of(part, vocabulary, unit) for part in rows))

    @property
    def documents(self) -> NDArray[np.int64]:
        """Number of documents of each class, (C,)."""
        return np.array([part.n_documents for part in self.parts], np.int64)

    def on_classes(self, classes: Sequence[Any]) -> ClassHistograms:
        """Return these histograms among more classes."""
        part = self.parts[0]
        wide = [DocumentHistogram.zero(part.vocabulary, part.n_terms, part.unit)] * len(classes)
        for k, mine in zip(places(classes, self.classes), self.parts, strict=True):
            wide[k] = mine
        return ClassHistograms(tuple(classes), tuple(wide))

    @property
    def total(self) -> DocumentHistogram:
        """Histogram of the documents of all classes."""
        if not self.parts:
            raise InputError("there are no classes: nothing has been learnt")
        return reduce(add, self.parts)

    def on(self, vocabulary: Vocabulary, classes: Sequence[Any], unit: float = 1.0) -> ClassHistograms:
        """Return these histograms on wider axes; ``unit`` must be theirs, and new classes get it."""
        if any(part.unit != unit for part in self.parts):
            raise InputError("the histograms have another unit than {unit}", unit=unit)
        wide = [DocumentHistogram.zero(vocabulary, unit=unit)] * len(classes)
        columns = vocabulary.columns_of(self.parts[0].vocabulary or vocabulary) if self.parts else None
        for k, part in zip(places(classes, self.classes), self.parts, strict=True):
            wide[k] = part.on(vocabulary, columns)
        return ClassHistograms(tuple(classes), tuple(wide))

    def selected(self, columns: Codes, classes: Sequence[Any]) -> ClassHistograms:
        """Return the histograms of some columns and some classes."""
        kept = [self.parts[k] for k in places(self.classes, classes)]
        terms = kept[0].vocabulary if kept else None
        vocabulary = None if terms is None else terms.selected(columns)
        return ClassHistograms(tuple(classes), tuple(part.selected(columns, vocabulary) for part in kept))

    def __add__(self, other: ClassHistograms) -> ClassHistograms:
        self._check_classes(other)
        return ClassHistograms(self.classes, tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: ClassHistograms) -> ClassHistograms:
        self._check_classes(other)
        return ClassHistograms(self.classes, tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    def _check_classes(self, other: ClassHistograms) -> None:
        if self.classes != other.classes:
            template = "the classes differ: {a} and {b}; map them onto the same classes with on()"
            raise InputError(template, a=self.classes, b=other.classes)
