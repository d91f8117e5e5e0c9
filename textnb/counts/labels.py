"""Labels and weights of documents: class names to class numbers, checked once where data enters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, listed
from textnb.numerics import Codes, Floats

Labels = ArrayLike
"""One label per document, (D,), all of one sortable kind."""
Weights = ArrayLike
"""One weight per document, (D,), finite and not negative."""

DIFFERENT_AXES = "{a!r} and {b!r} differ in classes or columns; map them onto the same classes with on_classes"
"""Message about statistics that cannot be added or subtracted."""

RELATIVE_ROUNDING = 1e-9
"""A difference of weighted sums that is at most this part of the sum counts as 0."""


def class_codes(y: Labels, classes: Sequence[Any] | None = None) -> tuple[tuple[Any, ...], Codes]:
    """Classes, sorted unless given, and the class number of each label, (D,).

    >>> class_codes(["b", "a", "b"])
    (('a', 'b'), array([1, 0, 1]))
    """
    labels = y if isinstance(y, np.ndarray) else _as_objects(y)
    if labels.ndim != 1:
        raise InputError("labels must have one dimension, not {ndim}", ndim=labels.ndim)
    if classes is not None and len(set(classes)) != len(classes):
        raise InputError("the classes given are not distinct: {classes}", classes=listed(map(repr, classes)))
    if labels.dtype.kind in "OUS":
        found = labels.tolist()
        names = _sorted(set(found)) if classes is None else tuple(classes)
        return names, places(names, found)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError("a label is missing (NaN)")
    present, codes = _distinct(labels)
    names = tuple(present.tolist())
    if classes is None:
        return names, codes
    return tuple(classes), places(classes, names)[codes]


def _distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Sorted distinct labels and the place of each label among them; without sorting if they are small integers."""
    if labels.dtype.kind in "iu" and len(labels):
        low, high = labels.min(), labels.max()
        if int(high) - int(low) < len(labels):
            offsets = (labels - low).astype(np.intp)
            seen = np.bincount(offsets) > 0
            return np.flatnonzero(seen).astype(labels.dtype) + low, (np.cumsum(seen) - 1)[offsets]
    return np.unique(labels, return_inverse=True)


def labelled_rows(
    n_rows: int, y: Labels, classes: Sequence[Any] | None = None, sample_weight: Weights | None = None
) -> tuple[tuple[Any, ...], Codes, Floats | None]:
    """Classes, the class number of each row, (D,), and the checked weights, (D,), or None if none are given."""
    names, codes = class_codes(y, classes)
    if len(codes) != n_rows:
        raise InputError("X has {rows} rows, y has {labels} labels", rows=n_rows, labels=len(codes))
    return names, codes, None if sample_weight is None else as_weight(sample_weight, n_rows)


def as_weight(sample_weight: Weights, n_documents: int) -> Floats:
    """Weights of the documents, (D,), checked."""
    try:
        weight = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("sample_weight must be numbers: {error}", error=error) from None
    if weight.shape != (n_documents,):
        template = "sample_weight must hold {n} weights, one per document, not shape {shape}"
        raise InputError(template, n=n_documents, shape=weight.shape)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("sample_weight must be finite and not negative")
    return weight


def check_number_of_weights(sample_weight: Floats, is_right: bool) -> None:
    """Refuse weights that are not as many as the texts."""
    if not is_right:
        raise InputError("sample_weight must hold one weight per text; it holds {n}", n=len(sample_weight))


def places(classes: Sequence[Any], names: Sequence[Any], unknown: int | None = None) -> Codes:
    """Position of each name among the classes; for another name it is ``unknown``, or an error if that is None.

    >>> places(("a", "b", "c"), ["c", "a"]), places(("a", "b"), ["b", "z"], unknown=-1)
    (array([2, 0]), array([ 1, -1]))
    """
    numbers = {name: k for k, name in enumerate(classes)}
    if unknown is not None:
        return np.array([numbers.get(name, unknown) for name in names], np.intp)
    try:
        return np.array([numbers[name] for name in names], np.intp)
    except KeyError as error:
        _refuse_unknown(error.args[0])


def check_among(names: Iterable[Any], classes: Iterable[Any]) -> None:
    """Refuse names that are not among the classes."""
    known = set(classes)
    for name in names:
        if name not in known:
            _refuse_unknown(name)


def _refuse_unknown(name: Any) -> Never:
    raise InputError("the label {name!r} is not among the classes given", name=name) from None


def without_rounding(rest: NDArray[Any], whole: NDArray[Any]) -> NDArray[Any]:
    """``rest`` of a subtraction from ``whole``, with 0 where it is no more than the rounding of float input."""
    return rest if rest.dtype.kind != "f" else np.where(abs(rest) <= RELATIVE_ROUNDING * whole, 0.0, rest)


def _as_objects(y: Any) -> NDArray[np.object_]:
    """Labels unchanged in an array of objects: numpy's own strings end at a NUL."""
    nested = not isinstance(y, str) and any(issubclass(kind, (list, tuple, np.ndarray)) for kind in set(map(type, y)))
    depth = 0 if isinstance(y, str) else 2 if nested else 1
    if depth != 1:
        raise InputError("labels must have one dimension, not {ndim}", ndim=depth)
    labels = np.empty(len(y), object)
    labels[:] = y
    return labels


def _sorted(names: set[Any]) -> tuple[Any, ...]:
    if any(name is None or (isinstance(name, float) and math.isnan(name)) for name in names):
        raise InputError("a label is missing (None or NaN)")
    try:
        return tuple(sorted(names))
    except TypeError:
        raise InputError("labels must be of one kind: {labels}", labels=listed(map(repr, names))) from None
