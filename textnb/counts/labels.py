"""Sums of the rows of a matrix, class by class."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.matrix import CSR, as_counts
from textnb.errors import InputError, listed

try:  # scipy's own loop for X.T @ v adds into a given array; numpy's add.at does the same, half as fast
    from scipy.sparse._sparsetools import csc_matvec as _csc_matvec
except ImportError:
    _csc_matvec = None

ROUNDING = 1e-9
_BLOCK = 1 << 17
_SPARSE = 8
_MOST_CELLS = 1 << 25  # 256 MiB


def class_codes(y: ArrayLike, classes: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], NDArray[np.intp]]:
    """The classes, sorted where they are not given, and the number of each label's class.

    >>> class_codes(["b", "a", "b"])
    (('a', 'b'), array([1, 0, 1]))
    """
    labels = y if isinstance(y, np.ndarray) else _as_objects(y)
    if labels.ndim != 1:
        raise InputError(f"labels must have one dimension, not {labels.ndim}")
    if classes is not None and len(set(classes)) != len(classes):
        raise InputError(f"the classes given are not distinct: {listed(map(repr, classes))}")
    if labels.dtype.kind in "OUS":
        found = labels.tolist()
        names = _sorted(set(found)) if classes is None else tuple(classes)
        return names, places(names, found)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("a label is missing (NaN)")
    present, codes = np.unique(labels, return_inverse=True)
    names = tuple(present.tolist())
    if classes is None:
        return names, codes
    return tuple(classes), places(classes, names)[codes]


def labelled_rows(
    n_rows: int, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
) -> tuple[tuple[Any, ...], NDArray[np.intp], NDArray[np.float64] | None]:
    """The classes, the class number of each of the rows, and their checked weights, if there are any."""
    names, codes = class_codes(y, classes)
    if len(codes) != n_rows:
        raise InputError(f"X has {n_rows} rows, y has {len(codes)} labels")
    return names, codes, None if sample_weight is None else as_weight(sample_weight, n_rows)


def _as_objects(y: Any) -> NDArray[np.object_]:
    """Labels as they are: numpy's own strings end at a NUL."""
    nested = not isinstance(y, str) and any(issubclass(kind, (list, tuple, np.ndarray)) for kind in set(map(type, y)))
    depth = 0 if isinstance(y, str) else 2 if nested else 1
    if depth != 1:
        raise InputError(f"labels must have one dimension, not {depth}")
    labels = np.empty(len(y), object)
    labels[:] = y
    return labels


def _sorted(names: set[Any]) -> tuple[Any, ...]:
    if any(name is None or (isinstance(name, float) and math.isnan(name)) for name in names):
        raise InputError("a label is missing (None or NaN)")
    try:
        return tuple(sorted(names))
    except TypeError:
        raise InputError(f"labels must be of one kind: {listed(map(repr, names))}") from None


def class_sums(X: CSR, codes: NDArray[np.intp], n_classes: int) -> CSR:
    """The sums of the rows of each class, (C, V) sparse.

    One pass adds every entry to its cell (class, term) of a table. Where that table would be large, or have many more
    cells than X has entries, it is the product with an indicator matrix.
    """
    dtype = np.float64 if X.dtype.kind == "f" else np.int64
    if n_classes * X.shape[1] >= min(_SPARSE * X.nnz, _MOST_CELLS):
        rows = (np.ones(len(codes), dtype), (codes, np.arange(len(codes))))
        sums = sparse.csr_array(rows, shape=(n_classes, len(codes))) @ X.astype(dtype)
        sums.sort_indices()
        return sums
    table = _table(X, codes, n_classes, dtype)
    columns = [np.flatnonzero(row != 0) for row in table]  # several times faster than on the numbers themselves
    data = np.concatenate([np.empty(0, dtype), *(row[kept] for row, kept in zip(table, columns, strict=True))])
    indptr = np.concatenate([[0], np.cumsum([len(kept) for kept in columns])])
    return sparse.csr_array((data, np.concatenate([np.empty(0, np.intp), *columns]), indptr), shape=table.shape)


def _table(X: CSR, codes: NDArray[np.intp], n_classes: int, dtype: type) -> NDArray[Any]:
    """The sums as a dense table (C, V); entries are numbered by cell a block at a time, so that the numbers stay in
    cache."""
    n_documents, n_terms = X.shape
    table = np.zeros(n_classes * n_terms, dtype)
    index = np.int32 if max(len(table), X.nnz) < 2**31 else np.int64
    offsets, ends = (codes * n_terms).astype(index), X.indptr.astype(index, copy=False)
    cuts = np.unique([*np.searchsorted(ends, np.arange(0, X.nnz, _BLOCK)), n_documents])
    for first, last in pairwise(cuts):
        begin, end = ends[first], ends[last]
        cells = np.repeat(offsets[first:last], np.diff(ends[first : last + 1]))
        cells += X.indices[begin:end]
        add_at(table, cells, X.data[begin:end].astype(dtype, copy=False))
    return table.reshape(n_classes, n_terms)


def add_at(table: NDArray[Any], cells: NDArray[Any], values: NDArray[Any]) -> None:
    """``table[cells] += values``, with repetition; table and values of one type."""
    if _csc_matvec is None:
        np.add.at(table, cells, values)
    else:
        within = np.array([0, len(cells)], cells.dtype)
        _csc_matvec(len(table), 1, within, cells, values, np.ones(1, table.dtype), table)


def presence(X: CSR) -> CSR:
    """1 where a document contains a term."""
    X = canonical(X)
    return sparse.csr_array((np.ones(X.nnz, np.int32), X.indices, X.indptr), shape=X.shape)


def canonical(X: CSR) -> CSR:
    """X with each entry stored once, in order, and no zero stored; X itself, where it is so already."""
    if not X.has_canonical_format or (X.nnz and not X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def weighted_rows(X: CSR, weight: NDArray[np.float64]) -> CSR:
    """Each row times its weight; rows of weight 0 vanish."""
    return as_counts(
        sparse.csr_array((X.data * np.repeat(weight, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    )


def as_weight(sample_weight: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    """Checked weights, one a document."""
    try:
        weight = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must be numbers: {error}") from None
    if weight.shape != (n_documents,):
        raise InputError(f"sample_weight must hold {n_documents} weights, not shape {weight.shape}")
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("sample_weight must be finite and not negative")
    return weight


def places(classes: Sequence[Any], names: Sequence[Any]) -> NDArray[np.intp]:
    """The number of each name among the classes given, or an error that names it."""
    numbers = {name: k for k, name in enumerate(classes)}
    try:
        return np.array([numbers[name] for name in names], np.intp)
    except KeyError as unknown:
        raise InputError(f"the label {unknown.args[0]!r} is not among the classes given") from None


def without_rounding(rest: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    """What is left of a whole: nothing, where that is no more than the rounding of float input."""
    return rest if rest.dtype.kind != "f" else np.where(abs(rest) <= ROUNDING * whole, 0.0, rest)
