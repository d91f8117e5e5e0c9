"""Tables of categories: strings or numbers, checked cell by cell."""

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from textnb.errors import InputError, KindError

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
