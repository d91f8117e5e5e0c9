"""Contingency: how often each value of each column goes with each class, tables that add up.

    documents_k   = weight of the documents of class k                                       (C,)
    tables[j]_kv  = weight of those with values[j][v] in column j                            (C, M_j)

A value is in the tables while some document of positive weight has it, so equal knowledge is equal tables: ``+``
merges, ``-`` forgets, zero is where one starts. Without weights the tables are int64, exact.

Tables of categories: strings or numbers, checked cell by cell.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.labels import class_codes, labelled_rows, places, without_rounding
from textnb.counts.matrix import CSR
from textnb.errors import InputError, KindError, NotLearntError

_PLAIN = frozenset([str, int, bool])


def as_categories(X: Any) -> NDArray[Any]:
    """The one validator of tables of categories, (D, F): a numeric array, or objects of one kind in each column.

    Every string and every finite number is a value; 1, 1.0 and True are the same one, 1 and "1" are not. Missing cells
    (None, NaN) are refused, with their place; the empty string is a value as any other.

    >>> as_categories([["a", 1], [None, 2]])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: the value in row 1, column 0 is missing (None); fill it or drop the row
    """
    if sparse.issparse(X):
        raise InputError("a sparse matrix holds counts; categories are given as a dense table")
    try:
        table = np.asarray(X, object if isinstance(X, (list, tuple)) else None)  # numpy would make a mix all strings
    except ValueError as error:
        raise InputError(f"X must be a table, every row of one length: {error}") from None
    if table.ndim != 2:
        raise InputError(f"X must have two dimensions (rows, columns), not {table.ndim}, and every row one length")
    if table.dtype.kind in "biu":
        return table
    if table.dtype.kind not in "fUO":
        raise KindError(f"categories must be strings or numbers, not {table.dtype}")
    table = table if table.dtype.kind == "f" else table.astype(object)
    if table.dtype.kind == "O" or not np.isfinite(table).all():
        for j, column in enumerate(table.T):
            _check(j, column.tolist())
    return table


def kind_of(value: Any) -> str:
    """``string``, ``number``, ``missing value`` or ``other``."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, (Real, np.bool_)):
        return "missing value" if math.isnan(value) else "number"
    return "missing value" if value is None or type(value).__name__ in ("NAType", "NaTType") else "other"


def _check(j: int, column: list[Any]) -> None:
    types = set(map(type, column))
    if len(types) == 1 and types <= _PLAIN:
        return
    first: dict[str, int] = {}
    for i, value in enumerate(column):
        kind = kind_of(value)
        if kind == "missing value":
            raise InputError(f"the value in row {i}, column {j} is missing ({_shown(value)}); fill it or drop the row")
        if kind == "other":
            name = type(value).__name__
            raise KindError(f"row {i}, column {j}: a category's argument must be a string or a number, not a {name}")
        if kind == "number" and math.isinf(value):
            raise InputError(f"the value in row {i}, column {j} is infinite")
        first.setdefault(kind, i)
    if len(first) > 1:
        places = " and ".join(f"a {kind} in row {i}" for kind, i in first.items())
        raise InputError(f"column {j} has {places}; make them one kind")


def _shown(value: Any) -> str:
    return "NaN" if isinstance(value, Real) else str(value)


Table = NDArray[Any]
Values = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Contingency:
    """A table of values by classes for each column; ``+`` and ``-`` need equal classes and as many columns. Immutable.

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
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, *, sample_weight: ArrayLike | None = None
    ) -> "Contingency":
        """The tables of rows X (D, F) of strings or numbers, with labels y (D,)."""
        X = as_categories(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        columns = []
        for column in X.T:
            values, numbers = class_codes(column)
            cells = np.bincount(codes * len(values) + numbers, weight, len(names) * len(values))
            columns.append((values, cells.reshape(len(names), len(values))))
        return cls._trimmed(names, np.bincount(codes, weight, len(names)), columns)

    @classmethod
    def zero(cls, n_features: int, classes: Sequence[Any]) -> "Contingency":
        """Nothing learnt yet."""
        empty = np.zeros((len(classes), 0), np.int64)
        return cls(tuple(classes), np.zeros(len(classes), np.int64), ((),) * n_features, (empty,) * n_features)

    @classmethod
    def _trimmed(
        cls, classes: tuple[Any, ...], documents: NDArray[Any], columns: Sequence[tuple[Values, Table]]
    ) -> "Contingency":
        """Without the values that no document has."""
        seen = [(values, table, np.flatnonzero(table.any(axis=0))) for values, table in columns]
        values = tuple(tuple(values[v] for v in kept) for values, _, kept in seen)
        return cls(classes, documents, values, tuple(table[:, kept] for _, table, kept in seen))

    @property
    def n_features(self) -> int:
        """F, the number of columns."""
        return len(self.values)

    def indicators(self, X: Any) -> CSR:
        """Rows X (D, F) as a matrix with a column for each value of each column, 1 where a row has it.

        A value that is in no table has no column: its row is without an entry there.

        >>> Contingency.of([["a", 1], ["b", 2]], [0, 1]).indicators([["b", 1], ["c", 2]]).toarray()
        array([[0, 1, 1, 0],
               [0, 0, 0, 1]])
        """
        X = as_categories(X)
        if X.shape[1] != self.n_features:
            raise InputError(f"X has {X.shape[1]} columns, the tables have {self.n_features}")
        starts = [0, *accumulate(map(len, self.values))]
        columns = np.full(X.shape, -1)
        for j, values in enumerate(self.values):
            found, numbers = class_codes(X[:, j])
            _refuse_other_kind(j, values, found)
            places_of = {value: starts[j] + v for v, value in enumerate(values)}
            columns[:, j] = np.array([places_of.get(value, -1) for value in found], np.intp)[numbers]
        known = columns >= 0
        indptr = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        ones = np.ones(indptr[-1], np.int64)
        return sparse.csr_array((ones, columns[known], indptr), shape=(len(X), starts[-1]))

    def on_classes(self, classes: Sequence[Any]) -> "Contingency":
        """The same among more classes."""
        rows = places(classes, self.classes)

        def wider(table: Table) -> Table:
            placed = np.zeros((len(classes), *table.shape[1:]), table.dtype)
            placed[rows] = table
            return placed

        return Contingency(tuple(classes), wider(self.documents), self.values, tuple(map(wider, self.tables)))

    def __add__(self, other: object) -> "Contingency":
        if not isinstance(other, Contingency):
            return NotImplemented
        columns = [(values, mine + theirs) for values, mine, theirs in self._aligned(other)]
        return self._trimmed(self.classes, self.documents + other.documents, columns)

    def __sub__(self, other: object) -> "Contingency":
        if not isinstance(other, Contingency):
            return NotImplemented
        documents = without_rounding(self.documents - other.documents, self.documents)
        for k in np.flatnonzero(documents < 0):
            raise NotLearntError(f"class {self.classes[k]!r} has fewer documents than are to be forgotten")
        columns = []
        for j, (values, mine, theirs) in enumerate(self._aligned(other)):
            rest = without_rounding(mine - theirs, mine)
            for k, v in np.argwhere(rest < 0):
                seen = f"{values[v]!r} in column {j}"
                raise NotLearntError(f"class {self.classes[k]!r} has seen {seen} less often than is to be forgotten")
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

    def _aligned(self, other: "Contingency") -> Iterator[tuple[Values, Table, Table]]:
        """The values of each column in either, and both tables on them."""
        if (self.classes, self.n_features) != (other.classes, other.n_features):
            raise InputError(f"{self!r} and {other!r} have other classes or columns; map them onto one with on_classes")
        for j, (mine, theirs) in enumerate(zip(self.values, other.values, strict=True)):
            _refuse_other_kind(j, mine, theirs)
            values = tuple(sorted({*mine, *theirs}))
            yield values, _on(values, mine, self.tables[j]), _on(values, theirs, other.tables[j])


def _on(values: Values, own: Values, table: Table) -> Table:
    wider = np.zeros((len(table), len(values)), table.dtype)
    wider[:, places(values, own)] = table
    return wider


def _refuse_other_kind(column: int, mine: Values, theirs: Values) -> None:
    if mine and theirs and kind_of(mine[0]) != kind_of(theirs[0]):
        raise InputError(
            f"column {column} holds {kind_of(theirs[0])}s such as {theirs[0]!r}, where {kind_of(mine[0])}s such as "
            f"{mine[0]!r} have been learnt"
        )
