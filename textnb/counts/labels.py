"""Sums of the rows of a matrix, class by class."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, listed

ROUNDING = 1e-9


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
