"""Tables of categories, strings or numbers, and their contingency tables: counts of values per column and class.

    documents_k   = weight of the documents of class k                                       (C,)
    tables[j]_kv  = weight of those with values[j][v] in column j                            (C, M_j)

The tables add over documents: ``+`` merges, ``-`` forgets, zero starts. A value is in the tables while a document of
positive weight has it, so forgetting equals never having seen. Without weights the tables are int64, exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import DIFFERENT_AXES, Labels, Weights, class_codes, labelled_rows, places, without_rounding
from textnb.counts.matrix import CSR, Matrix
from textnb.errors import InputError, KindError, NotLearntError
from textnb.extension import sparse

_PLAIN_TYPES = frozenset([str, int, bool])


def as_categories(X: Matrix) -> NDArray[Any]:
    """X (D, F) as a checked table of categories: a numeric array, or objects of one kind in each column.

    Every string and every finite number is a value; 1, 1.0 and True are equal, 1 and "1" are not. Missing cells (None,
    NaN) are refused with their row and column; the empty string is a value.

    >>> as_categories([["a", 1], [None, 2]])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: the value in row 1, column 0 is missing (None); fill it or drop the row
    """
    if sparse.issparse(X):
        raise KindError("a sparse matrix holds counts; give categories as a dense table")
    try:
        table = np.asarray(X, object if isinstance(X, (list, tuple)) else None)  # numpy turns mixed lists into strings
    except ValueError as error:
        raise InputError("X must be a table, every row of one length: {error}", error=error) from None
    if table.ndim != 2:
        raise InputError("X must have two dimensions (rows, columns), not {n}, every row of one length", n=table.ndim)
    if table.dtype.kind in "biu":
        return table
    if table.dtype.kind not in "fUO":
        raise KindError("categories must be strings or numbers, not {dtype}", dtype=table.dtype)
    table = table if table.dtype.kind == "f" else table.astype(object)
    if table.dtype.kind == "O" or not np.isfinite(table).all():
        for j, column in enumerate(table.T):
            _check_column(j, column.tolist())
    return table


def kind_of(value: Any) -> str:
    """Kind of a cell: ``string``, ``number``, ``missing value`` or ``other``."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, (Real, np.bool_)):
        return "missing value" if math.isnan(value) else "number"
    return "missing value" if value is None or type(value).__name__ in ("NAType", "NaTType") else "other"


def _check_column(j: int, column: list[Any]) -> None:
    """Refuse a column with missing or infinite values, or with values of more than one kind."""
    types = set(map(type, column))
    if len(types) == 1 and types <= _PLAIN_TYPES:
        return
    first: dict[str, int] = {}
    for i, value in enumerate(column):
        kind = kind_of(value)
        if kind == "missing value":
            template = "the value in row {i}, column {j} is missing ({value}); fill it or drop the row"
            raise InputError(template, i=i, j=j, value="NaN" if isinstance(value, Real) else str(value))
        if kind == "other":
            template = "row {i}, column {j}: a category's argument must be a string or a number, not a {kind}"
            raise KindError(template, i=i, j=j, kind=type(value).__name__)
        if kind == "number" and math.isinf(value):
            raise InputError("the value in row {row}, column {column} is infinite", row=i, column=j)
        first.setdefault(kind, i)
    if len(first) > 1:
        kinds = " and ".join(f"a {kind} in row {i}" for kind, i in first.items())
        raise InputError("column {column} has {kinds}; make them one kind", column=j, kinds=kinds)


Table = NDArray[Any]
Values = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Contingency:
    """A table of classes by values for each column. Immutable.

    ``+`` and ``-`` need equal classes and the same number of columns; ``on_classes`` maps onto more classes.

    >>> tables = Contingency.of([["red", "big"], ["red", "small"], ["blue", "big"]], ["x", "x", "y"])
    >>> tables.values, tables.tables[0].tolist()
    ((('blue', 'red'), ('big', 'small')), [[0, 2], [1, 0]])
    """

    classes: tuple[Any, ...]
    documents: NDArray[Any]
    values: tuple[Values, ...]
    tables: tuple[Table, ...]

    @classmethod
    def of(
        cls, X: Matrix, y: Labels, classes: Sequence[Any] | None = None, *, sample_weight: Weights | None = None
    ) -> Contingency:
        """Tables of rows X (D, F) of strings or numbers with labels y (D,)."""
        X = as_categories(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        columns = []
        for column in X.T:
            values, numbers = class_codes(column)
            cells = np.bincount(codes * len(values) + numbers, weight, len(names) * len(values))
            columns.append((values, cells.reshape(len(names), len(values))))
        return cls._trimmed(names, np.bincount(codes, weight, len(names)), columns)

    @classmethod
    def zero(cls, n_features: int, classes: Sequence[Any]) -> Contingency:
        """Tables of no documents."""
        empty = np.zeros((len(classes), 0), np.int64)
        return cls(tuple(classes), np.zeros(len(classes), np.int64), ((),) * n_features, (empty,) * n_features)

    @classmethod
    def _trimmed(
        cls, classes: tuple[Any, ...], documents: NDArray[Any], columns: Sequence[tuple[Values, Table]]
    ) -> Contingency:
        """Tables without the values that no document has."""
        seen = [(values, table, np.flatnonzero(table.any(axis=0))) for values, table in columns]
        values = tuple(tuple(values[v] for v in kept) for values, _, kept in seen)
        return cls(classes, documents, values, tuple(table[:, kept] for _, table, kept in seen))

    @property
    def n_features(self) -> int:
        """F, the number of columns."""
        return len(self.values)

    def indicators(self, X: Matrix) -> CSR:
        """Rows X (D, F) as a matrix with a column per value of each column, 1 where the row has it.

        A value that is in no table has no column, so the row has no entry for it.

        >>> Contingency.of([["a", 1], ["b", 2]], [0, 1]).indicators([["b", 1], ["c", 2]]).toarray()
        array([[0, 1, 1, 0],
               [0, 0, 0, 1]])
        """
        X = as_categories(X)
        if X.shape[1] != self.n_features:
            raise InputError("X has {given} columns, the tables have {known}", given=X.shape[1], known=self.n_features)
        starts = [0, *accumulate(map(len, self.values))]
        columns = np.full(X.shape, -1)
        for j, values in enumerate(self.values):
            found, numbers = class_codes(X[:, j])
            _check_same_kind(j, values, found)
            known = places(values, found, unknown=-1)[numbers]
            columns[:, j] = np.where(known >= 0, starts[j] + known, -1)
        seen = columns >= 0
        indptr = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
        ones = np.ones(indptr[-1], np.int64)
        return sparse.csr_array((ones, columns[seen], indptr), shape=(len(X), starts[-1]))

    def on_classes(self, classes: Sequence[Any]) -> Contingency:
        """Return these tables among more classes."""
        rows = places(classes, self.classes)

        def wider(table: Table) -> Table:
            placed = np.zeros((len(classes), *table.shape[1:]), table.dtype)
            placed[rows] = table
            return placed

        return Contingency(tuple(classes), wider(self.documents), self.values, tuple(map(wider, self.tables)))

    def __add__(self, other: object) -> Contingency:
        if not isinstance(other, Contingency):
            return NotImplemented
        columns = [(values, mine + theirs) for values, mine, theirs in self._aligned(other)]
        return self._trimmed(self.classes, self.documents + other.documents, columns)

    def __sub__(self, other: object) -> Contingency:
        if not isinstance(other, Contingency):
            return NotImplemented
        documents = without_rounding(self.documents - other.documents, self.documents)
        for k in np.flatnonzero(documents < 0):
            raise NotLearntError("class {name!r} has fewer documents than are to be forgotten", name=self.classes[k])
        columns = []
        for j, (values, mine, theirs) in enumerate(self._aligned(other)):
            rest = without_rounding(mine - theirs, mine)
            for k, v in np.argwhere(rest < 0):
                template = "class {name!r} has seen {value!r} in column {j} less often than is to be forgotten"
                raise NotLearntError(template, name=self.classes[k], value=values[v], j=j)
            columns.append((values, rest))
        return self._trimmed(self.classes, documents, columns)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Contingency)
            and (self.classes, self.values) == (other.classes, other.values)
            and np.array_equal(self.documents, other.documents)
            and all(map(np.array_equal, self.tables, other.tables))
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its tables

    def __repr__(self) -> str:
        n_documents = self.documents.sum()
        return f"<Contingency of {n_documents} documents, {len(self.classes)} classes, {self.n_features} columns>"

    def _aligned(self, other: Contingency) -> Iterator[tuple[Values, Table, Table]]:
        """Values of each column in either of two, and both tables on them."""
        if (self.classes, self.n_features) != (other.classes, other.n_features):
            raise InputError(DIFFERENT_AXES, a=self, b=other)
        for j, (mine, theirs) in enumerate(zip(self.values, other.values, strict=True)):
            _check_same_kind(j, mine, theirs)
            values = tuple(sorted({*mine, *theirs}))
            yield values, _on(values, mine, self.tables[j]), _on(values, theirs, other.tables[j])


def _on(values: Values, own: Values, table: Table) -> Table:
    """Table of some values on more values."""
    wider = np.zeros((len(table), len(values)), table.dtype)
    wider[:, places(values, own)] = table
    return wider


def _check_same_kind(column: int, mine: Values, theirs: Values) -> None:
    if mine and theirs and kind_of(mine[0]) != kind_of(theirs[0]):
        template = "column {column} holds {kind}s such as {value!r}, but {other}s such as {known!r} have been learnt"
        kind, other = kind_of(theirs[0]), kind_of(mine[0])
        raise InputError(template, column=column, kind=kind, value=theirs[0], other=other, known=mine[0])
