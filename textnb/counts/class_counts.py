"""Statistics of naive Bayes per class, a commutative monoid with a partial inverse.

    documents_k   = number of documents of class k                                  (C,)
    terms_kj      = sum over documents i of class k of X_ij                         (C, V), sparse
    containing_kj = number of documents i of class k with X_ij > 0                  (C, V), sparse

All three add over documents: ``+`` merges, ``-`` forgets, zero starts. Whole input gives int64, exact; float input
gives float64, exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import RELATIVE_ROUNDING, Labels, Weights, labelled_rows, places, without_rounding
from textnb.counts.matrix import CSR, Matrix, as_counts, check_vocabulary, presence, with_columns
from textnb.counts.row_loops import class_table
from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError, NotLearntError
from textnb.extension import sparse
from textnb.numerics import Codes, Floats

_MAX_CELLS_PER_ENTRY = 8  # of the dense table of class_sums
_MAX_CELLS = 1 << 25  # 256 MiB
_BLOCK_CELLS = 1 << 22  # 32 MiB


class ClassCounts:
    """Number of documents, term counts and document frequencies per class. Immutable.

    ``+`` merges and ``-`` forgets, on equal axes; ``on`` maps onto wider axes. ``-`` refuses to go below zero.

    Parameters
    ----------
    vocabulary : Vocabulary or None
        The terms; None if columns have numbers and no names.
    classes : tuple
        The C classes.
    documents : array (C,)
        Number, or weight, of the documents of each class.
    terms : csr_array (C, V)
        Stored counts of each term in each class; a dense table is made sparse when it is first asked for.
    containing : csr_array (C, V) or None
        Number of documents of each class that contain each term; None if it was left out.
    unit : float
        Weight of a stored count of 1.

    Examples
    --------
    >>> counts = ClassCounts.of([[1, 2], [0, 1], [3, 0]], ["x", "y", "x"])
    >>> counts.classes, counts.documents.tolist(), counts.terms.toarray().tolist()
    (('x', 'y'), [2, 1], [[4, 2], [0, 1]])
    """

    def __init__(
        self,
        vocabulary: Vocabulary | None,
        classes: tuple[Any, ...],
        documents: NDArray[Any],
        terms: CSR,
        containing: CSR | None,
        unit: float = 1.0,
    ) -> None:
        self.vocabulary, self.classes, self.documents, self._terms = vocabulary, classes, documents, terms
        self.unit = unit
        self._containing = containing

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
        containing: bool = True,
    ) -> ClassCounts:
        """Count documents X (D, V) with labels y (D,).

        Parameters
        ----------
        y : array-like (D,)
            Labels of one sortable kind.
        classes : sequence, optional
            All classes, in their order; by default those of y, sorted.
        sample_weight : array-like (D,), optional
            Weights of the documents, not negative.
        containing : bool
            False leaves out document frequencies, which only term selection and some models need, and halves the time.
        """
        X = as_counts(X)
        check_vocabulary(X, vocabulary)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        counts = cls.of_checked(X, codes, names, weight, containing=containing)
        return cls(vocabulary, names, counts.documents, counts._terms, counts._containing, unit)

    @classmethod
    def of_checked(
        cls, X: CSR, codes: Codes, classes: tuple[Any, ...], weight: Floats | None, *, containing: bool = False
    ) -> ClassCounts:
        """Count documents X (D, V), a checked count matrix, with class numbers (D,) and checked weights (D,)."""
        documents = np.bincount(codes, weights=weight, minlength=len(classes))
        if containing and X.dtype.kind == "i" and X.has_canonical_format and (X.data == 1).all():
            contained = class_sums(X, codes, len(classes), weight)
            return cls(None, classes, documents, contained, contained)
        terms = _sums(X, codes, len(classes), weight)
        contained = class_sums(presence(X), codes, len(classes), weight) if containing else None
        return cls(None, classes, documents, terms, contained)

    @classmethod
    def zero(cls, vocabulary: Vocabulary, classes: Sequence[Any], unit: float = 1.0) -> ClassCounts:
        """Statistics of no documents on these axes."""
        empty = sparse.csr_array((len(classes), len(vocabulary)), dtype=np.int64)
        return cls(vocabulary, tuple(classes), np.zeros(len(classes), np.int64), empty, empty, unit)

    @property
    def terms(self) -> CSR:
        """Stored counts of each term in each class, (C, V)."""
        self._terms = _as_sparse(self._terms)
        return self._terms

    @property
    def dense_terms(self) -> NDArray[Any] | None:
        """``terms`` as the dense table that counting has left, if it is still there."""
        return None if sparse.issparse(self._terms) else self._terms

    @property
    def containing(self) -> CSR:
        """Number of documents of each class that contain each term, (C, V)."""
        if self._containing is None:
            raise InputError("these statistics were made without `containing`; make them with containing=True")
        return self._containing

    @property
    def n_classes(self) -> int:
        """Number of classes, C."""
        return len(self.classes)

    @property
    def n_terms(self) -> int:
        """Number of terms, V."""
        return int(self._terms.shape[1])

    def on(self, vocabulary: Vocabulary | None, classes: Sequence[Any], columns: Codes | None = None) -> ClassCounts:
        """Return these counts on wider axes; without a vocabulary the columns stay as they are.

        ``columns``: columns of the terms in the wider vocabulary, if they are known.
        """
        if vocabulary is self.vocabulary and tuple(classes) == self.classes:
            return self
        columns = self._columns_on(vocabulary) if columns is None else columns
        rows = places(classes, self.classes)
        documents = np.zeros(len(classes), self.documents.dtype)
        documents[rows] = self.documents
        shape = (len(classes), self.n_terms if vocabulary is None else len(vocabulary))
        terms, containing = self._both(lambda table: _moved(table, rows, columns, shape))
        return ClassCounts(vocabulary, tuple(classes), documents, terms, containing, self.unit)

    def _both(self, change: Callable[[CSR], CSR]) -> tuple[CSR, CSR | None]:
        """Return ``terms`` and ``containing``, changed; they stay one table if they are one."""
        terms = change(self.terms)
        if self._containing is None or self._containing is self._terms:
            return terms, terms if self._containing is self._terms else None
        return terms, change(self._containing)

    def on_classes(self, classes: Sequence[Any]) -> ClassCounts:
        """Return these counts among more classes."""
        return self.on(self.vocabulary, classes)

    def selected(self, columns: Codes, vocabulary: Vocabulary | None = None) -> ClassCounts:
        """Return the counts of some columns, given in ascending order; ``vocabulary``: theirs, if it is known."""
        if len(columns) == self.n_terms:
            return self
        if vocabulary is None and self.vocabulary is not None:
            vocabulary = self.vocabulary.selected(columns)
        terms, containing = self._both(lambda table: with_columns(table, columns))
        return ClassCounts(vocabulary, self.classes, self.documents, terms, containing, self.unit)

    def trimmed(self) -> ClassCounts:
        """Return these counts without terms that no document contains and classes without documents."""
        kept = np.flatnonzero(self.documents)
        columns = np.flatnonzero(self.containing.sum(axis=0))
        if len(kept) == self.n_classes and len(columns) == self.n_terms:
            return self
        full = self.selected(columns)
        return ClassCounts(
            full.vocabulary,
            tuple(self.classes[k] for k in kept),
            self.documents[kept],
            full.terms[kept],
            full.containing[kept],
            self.unit,
        )

    def __add__(self, other: object) -> ClassCounts:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        self._check_axes(other)
        documents, terms = self.documents + other.documents, _narrowed(self.terms + other.terms)
        is_one = self._containing is self._terms and other._containing is other._terms
        containing = terms if is_one else None
        if self._containing is not None and not is_one:
            containing = _narrowed(self._containing + other.containing)
        return ClassCounts(self.vocabulary, self.classes, documents, terms, containing, self.unit)

    def __sub__(self, other: object) -> ClassCounts:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        self._check_axes(other)
        documents = without_rounding(self.documents - other.documents, self.documents)
        if (documents < 0).any():
            short = self.classes[int(np.flatnonzero(documents < 0)[0])]
            raise NotLearntError("class {name!r} has fewer documents than are to be forgotten", name=short)
        terms = self._less(self.terms, other.terms)
        containing = None if self._containing is None else self._less(self._containing, other.containing)
        return ClassCounts(self.vocabulary, self.classes, documents, terms, containing, self.unit)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClassCounts)
            and self._axes == other._axes
            and np.array_equal(self.documents, other.documents)
            and _equal(self.terms, other.terms)
            and (self._containing is None) == (other._containing is None)
            and (self._containing is None or _equal(self._containing, other._containing))
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays

    def __repr__(self) -> str:
        return f"<ClassCounts of {self.documents.sum()} documents, {self.n_classes} classes, {self.n_terms} terms>"

    @property
    def _axes(self) -> tuple[object, ...]:
        return self.vocabulary, self.classes, self.n_terms, self.unit

    def _columns_on(self, vocabulary: Vocabulary | None) -> Codes:
        if vocabulary is None and self.vocabulary is None:
            return np.arange(self.n_terms)
        if vocabulary is None or self.vocabulary is None:
            raise InputError("counts without a vocabulary cannot be mapped onto one, nor the other way round")
        return vocabulary.columns_of(self.vocabulary)

    def _check_axes(self, other: ClassCounts) -> None:
        if self._axes != other._axes:
            template = "{a!r} and {b!r} differ in terms, classes or units; map them onto the same axes with on()"
            raise InputError(template, a=self, b=other)

    def _less(self, table: CSR, part: CSR) -> CSR:
        rest = table - part
        if rest.dtype.kind == "f":
            rest = rest.multiply(abs(rest) > RELATIVE_ROUNDING * table)  # drops what rounding leaves
            rest.eliminate_zeros()
        if rest.nnz and rest.data.min() < 0:
            k, j = (int(axis[0]) for axis in (rest < 0).nonzero())
            term = j if self.vocabulary is None else self.vocabulary.term(j)
            template = "class {name!r} has seen {term!r} less often than is to be forgotten"
            raise NotLearntError(template, name=self.classes[k], term=term)
        return rest


def _moved(table: CSR, rows: Codes, columns: Codes, shape: tuple[int, int]) -> CSR:
    """Table with its rows and columns at other places of a wider table."""
    if table.has_canonical_format and (np.diff(rows) > 0).all() and (np.diff(columns) > 0).all():
        index = np.int32 if max(*shape, table.nnz) <= np.iinfo(np.int32).max else np.int64
        ends = np.zeros(shape[0] + 1, index)
        ends[1:][rows] = np.diff(table.indptr)
        entries = table.data, columns.astype(index)[table.indices], np.cumsum(ends, dtype=index)
        moved = sparse.csr_array(entries, shape=shape)
        moved.has_canonical_format = True
        return moved
    table = table.tocoo()
    return sparse.csr_array((table.data, (rows[table.row], columns[table.col])), shape=shape)


def _narrowed(table: CSR) -> CSR:
    """Table with indices of 32 bits if they fit: sums and moved tables have wider ones."""
    if table.indices.dtype == np.int32 or max(table.nnz, *table.shape) > np.iinfo(np.int32).max:
        return table
    return sparse.csr_array((table.data, table.indices.astype(np.int32), table.indptr.astype(np.int32)), table.shape)


def _equal(a: CSR, b: CSR) -> bool:
    return bool(a.shape == b.shape and (a != b).nnz == 0)


def class_sums(X: CSR, codes: Codes, n_classes: int, weight: Floats | None = None) -> CSR:
    """Sums of the rows of each class, (C, V) sparse, each row times its weight."""
    step = max(1, _BLOCK_CELLS // max(X.shape[1], 1))
    if weight is not None or step >= n_classes or n_classes * X.shape[1] >= _MAX_CELLS_PER_ENTRY * X.nnz:
        return _as_sparse(_sums(X, codes, n_classes, weight))
    tables = []
    for first in range(0, n_classes, step):  # so that no dense table of all classes is made
        here = np.flatnonzero((codes >= first) & (codes < first + step))
        tables.append(_as_sparse(class_table(X[here], codes[here] - first, min(step, n_classes - first))))
    return sparse.vstack(tables, format="csr")


def _sums(X: CSR, codes: Codes, n_classes: int, weight: Floats | None) -> Any:
    """Sums of the rows of each class, (C, V), each row times its weight: a dense table, or sparse.

    One pass adds every entry to its cell (class, term) of a dense table. If that table would be large, or have many
    more cells than X has entries, the sums are the product with an indicator matrix, sparse.
    """
    if n_classes * X.shape[1] >= min(_MAX_CELLS_PER_ENTRY * X.nnz, _MAX_CELLS):
        X = X if weight is None else weighted_rows(X, weight)
        dtype = np.float64 if X.dtype.kind == "f" else np.int64
        rows = (np.ones(len(codes), dtype), (codes, np.arange(len(codes))))
        sums = sparse.csr_array(rows, shape=(n_classes, len(codes))) @ X.astype(dtype)
        sums.sort_indices()
        return sums
    table = class_table(X, codes, n_classes, weight)
    if weight is not None and not np.isfinite(table).all():
        weighted_rows(X, weight)  # names the entry
    return table


def _as_sparse(table: Any) -> CSR:
    """Sparse form of a table."""
    if sparse.issparse(table):
        return table
    columns = [np.flatnonzero(row != 0) for row in table]  # on booleans, several times faster
    data = np.concatenate([np.empty(0, table.dtype), *(row[kept] for row, kept in zip(table, columns, strict=True))])
    indptr = np.concatenate([[0], np.cumsum([len(kept) for kept in columns])])
    index = np.int32 if max(*table.shape, len(data)) <= np.iinfo(np.int32).max else np.int64
    indices = np.concatenate([np.empty(0, index), *(kept.astype(index) for kept in columns)])
    return sparse.csr_array((data, indices, indptr.astype(index)), shape=table.shape)


def weighted_rows(X: CSR, weight: Floats) -> CSR:
    """X with each row multiplied by its weight."""
    return as_counts(
        sparse.csr_array((X.data * np.repeat(weight, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    )
