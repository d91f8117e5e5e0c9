"""Histograms of documents, the sufficient statistic of document-level evidence: of all documents, and per class.

    times_jc   = number of documents i with X_ij = c                               (V, largest count), sparse
    lengths_n  = number of documents i with sum_j X_ij = n                         (1, longest document + 1), sparse

Column c - 1 of ``times`` is count c. A stored count of 1 means a weight of ``unit``, as in ClassCounts (log weights are
multiples of 2^-20). Both tables add over documents, so histograms obey the laws of ClassCounts: ``+`` merges, ``-``
forgets, zero starts. Their size grows with the variety of counts, not with the number of documents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import Labels, Weights, labelled_rows, places
from textnb.counts.matrix import CSR, Matrix, add_at, are_whole, as_counts, canonical, check_vocabulary
from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError, NotLearntError
from textnb.extension import cached_property, sparse
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


class Entries(NamedTuple):
    """Entries of one table for each class, (E,) each, in the order of class, row and column."""

    of_class: Ints
    row: Ints
    column: Ints
    number: Ints

    @classmethod
    def of(cls, tables: Sequence[CSR]) -> Entries:
        """Entries of the tables of the classes; their entries are in order."""
        if not tables:
            none = np.zeros(0, np.int64)
            return cls(none, none, none, none)
        rows = [np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) for table in tables]
        of_class = np.repeat(np.arange(len(tables)), [table.nnz for table in tables])
        row, column, number = (
            np.concatenate(each).astype(np.int64)
            for each in (rows, [table.indices for table in tables], [table.data for table in tables])
        )
        return cls(of_class, row, column, number)

    def merged(self) -> Entries:
        """Entries in order, each place once, and without those that add up to 0."""
        of_class, row, column, number = (values[self._order()] for values in self)
        is_first = np.ones(len(number), bool)
        is_first[1:] = (np.diff(of_class) != 0) | (np.diff(row) != 0) | (np.diff(column) != 0)
        first = np.flatnonzero(is_first)
        sums = np.add.reduceat(number, first) if len(first) else number
        kept = sums != 0
        first = first[kept]
        return Entries(of_class[first], row[first], column[first], sums[kept])

    def _order(self) -> Codes:
        sizes = [int(values.max(initial=0)) + 1 for values in self[:3]]
        if math.prod(sizes) > np.iinfo(np.int64).max:
            return np.lexsort((self.column, self.row, self.of_class))
        keys = (self.of_class * sizes[1] + self.row) * sizes[2] + self.column
        return np.argsort(keys, kind="stable")  # linear for entries that are in order already, or twice

    def joined(self, other: Entries, sign: int) -> Entries:
        """Sum or difference of two tables for each class."""
        numbers = np.concatenate([self.number, sign * other.number])
        of_class, row, column = (np.concatenate(pair) for pair in zip(self[:3], other[:3], strict=True))
        return Entries(of_class, row, column, numbers).merged()

    def placed(self, classes: Codes, rows: Codes | None = None) -> Entries:
        """Entries with other numbers of classes and rows, by the old numbers; -1 leaves a class or row out."""
        of_class, row = classes[self.of_class], self.row if rows is None else rows[self.row]
        kept = np.flatnonzero((of_class >= 0) & (row >= 0))
        found = Entries(of_class[kept], row[kept], self.column[kept], self.number[kept])
        in_order = _ascends(classes) and (rows is None or _ascends(rows))
        return found if in_order else found.merged()

    def tables(self, n_classes: int, n_rows: int) -> list[CSR]:
        """Table of each class, as wide as its last entry needs."""
        found, ends = [], np.searchsorted(self.of_class, np.arange(n_classes + 1))
        for first, last in pairwise(ends.tolist()):
            indptr = np.searchsorted(self.row[first:last], np.arange(n_rows + 1))
            columns = self.column[first:last]
            shape = n_rows, int(columns.max()) + 1 if len(columns) else 0
            found.append(sparse.csr_array((self.number[first:last], columns, indptr), shape=shape))
        return found


Axes = tuple[Vocabulary | None, int, float]
"""Vocabulary, number of terms, and unit."""


class ClassHistograms:
    """A DocumentHistogram per class, in the order of ``classes``; ``+`` and ``-`` need equal axes. Immutable.

    The histograms of many small classes are held as entries, and ``parts`` is made when it is asked for.

    >>> histograms = ClassHistograms.of([[2, 0], [1, 1]], ["x", "y"])
    >>> [part.times.toarray().tolist() for part in histograms.parts], histograms.total.n_documents
    ([[[0, 1], [0, 0]], [[1], [1]]], 2)
    """

    def __init__(self, classes: tuple[Any, ...], parts: tuple[DocumentHistogram, ...]) -> None:
        self.classes = classes
        self.__dict__["parts"] = parts
        self._axes: Axes | None = (parts[0].vocabulary, parts[0].n_terms, parts[0].unit) if parts else None

    @classmethod
    def _of_entries(cls, classes: Sequence[Any], axes: Axes, times: Entries, lengths: Entries) -> ClassHistograms:
        """Histograms of these entries."""
        found = cls.__new__(cls)
        found.classes, found._axes = tuple(classes), axes if len(classes) else None
        found.__dict__.update(times=times, lengths=lengths)
        return found

    @cached_property
    def parts(self) -> tuple[DocumentHistogram, ...]:
        """Histogram of each class."""
        assert self._axes is not None
        vocabulary, n_terms, unit = self._axes
        times, lengths = self.times.tables(len(self.classes), n_terms), self.lengths.tables(len(self.classes), 1)
        tables = zip(times, lengths, strict=True)
        return tuple(DocumentHistogram(vocabulary, *pair, unit) for pair in tables)

    @cached_property
    def times(self) -> Entries:
        """Entries of the tables of terms and counts of all classes."""
        return Entries.of([part.times for part in self.parts])

    @cached_property
    def lengths(self) -> Entries:
        """Entries of the tables of lengths of all classes."""
        return Entries.of([part.lengths for part in self.parts])

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
        if X.nnz < X.shape[1] * len(names):  # few entries per class: sorting them is faster than a table for each class
            check_vocabulary(X, vocabulary)
            return cls._of_entries(names, (vocabulary, X.shape[1], unit), *_entries(X, codes, times))
        rows = (X[np.repeat(np.flatnonzero(codes == k), times[codes == k])] for k in range(len(names)))
        return cls(names, tuple(DocumentHistogram.of(part, vocabulary, unit) for part in rows))

    @property
    def documents(self) -> NDArray[np.int64]:
        """Number of documents of each class, (C,)."""
        found = np.zeros(len(self.classes), np.int64)
        np.add.at(found, self.lengths.of_class, self.lengths.number)
        return found

    def on_classes(self, classes: Sequence[Any]) -> ClassHistograms:
        """Return these histograms among more classes."""
        assert self._axes is not None
        return self._placed(classes, np.array(places(classes, self.classes)), self._axes)

    @property
    def total(self) -> DocumentHistogram:
        """Histogram of the documents of all classes."""
        if not self.classes:
            raise InputError("there are no classes: nothing has been learnt")
        return reduce(add, self.parts)

    def on(
        self, vocabulary: Vocabulary, classes: Sequence[Any], unit: float = 1.0, columns: Codes | None = None
    ) -> ClassHistograms:
        """Return these histograms on wider axes; ``unit`` must be theirs, and new classes get it.

        ``columns``: columns of the terms in the wider vocabulary, if they are known.
        """
        axes, own = (vocabulary, len(vocabulary), unit), self._axes
        if own is None:
            return self._of_entries(classes, axes, Entries.of([]), Entries.of([]))
        if own[2] != unit:
            raise InputError("the histograms have another unit than {unit}", unit=unit)
        if own[0] is None:
            raise InputError("a histogram without a vocabulary cannot be mapped onto one")
        columns = vocabulary.columns_of(own[0]) if columns is None else columns
        return self._placed(classes, np.array(places(classes, self.classes)), axes, columns)

    def selected(self, columns: Codes, classes: Sequence[Any]) -> ClassHistograms:
        """Return the histograms of some columns, in ascending order, and some classes."""
        if self._axes is None:
            return self
        vocabulary, n_terms, unit = self._axes
        rows, numbers = np.full(n_terms, -1), np.full(len(self.classes), -1)
        rows[columns] = np.arange(len(columns))
        numbers[places(self.classes, classes)] = np.arange(len(classes))
        axes = None if vocabulary is None else vocabulary.selected(columns), len(columns), unit
        return self._placed(classes, numbers, axes, rows)

    def _placed(self, classes: Sequence[Any], numbers: Codes, axes: Axes, rows: Codes | None = None) -> ClassHistograms:
        """Return the histograms on other axes, by the new numbers of classes and terms."""
        return self._of_entries(classes, axes, self.times.placed(numbers, rows), self.lengths.placed(numbers))

    def __add__(self, other: ClassHistograms) -> ClassHistograms:
        return self._joined(other, 1)

    def __sub__(self, other: ClassHistograms) -> ClassHistograms:
        rest = self._joined(other, -1)
        for what, table in (("the length", rest.lengths), ("a term's count of", rest.times)):
            below = np.flatnonzero(table.number < 0)
            if len(below):
                number = int(table.column[below[0]]) + (table is rest.times)
                raise NotLearntError("fewer documents have {what} {n} than are to be forgotten", what=what, n=number)
        return rest

    def _joined(self, other: ClassHistograms, sign: int) -> ClassHistograms:
        if self.classes != other.classes:
            template = "the classes differ: {a} and {b}; map them onto the same classes with on()"
            raise InputError(template, a=self.classes, b=other.classes)
        if self._axes != other._axes:
            template = "{a!r} and {b!r} differ in terms or units; map them onto the same vocabulary with on()"
            raise InputError(template, a=self.parts[0], b=other.parts[0])
        if self._axes is None:
            return self
        tables = self.times.joined(other.times, sign), self.lengths.joined(other.lengths, sign)
        return self._of_entries(self.classes, self._axes, *tables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassHistograms):
            return NotImplemented
        return (self.classes, self._axes) == (other.classes, other._axes) and all(
            np.array_equal(a, b)
            for mine, theirs in ((self.times, other.times), (self.lengths, other.lengths))
            for a, b in zip(mine, theirs, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays


def _ascends(numbers: Codes) -> bool:
    return bool((np.diff(numbers[numbers >= 0]) > 0).all())


def _entries(X: CSR, codes: Codes, times: NDArray[np.int64]) -> tuple[Entries, Entries]:
    """Entries of the tables of documents X (D, V) with classes by number, each of them so many times, (D,)."""
    lengths, each = np.asarray(X.sum(axis=1, dtype=np.int64)), np.diff(X.indptr)
    of_terms = Entries(np.repeat(codes, each), X.indices.astype(np.int64), X.data - 1, np.repeat(times, each))
    return of_terms.merged(), Entries(codes, np.zeros_like(codes), lengths, times).merged()
