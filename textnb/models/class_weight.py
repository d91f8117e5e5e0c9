"""Weights of classes, for models that weigh their rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, listed
from textnb.numerics import Floats, is_number

ClassWeight = str | Mapping[Any, float] | None


def class_weighted(weight: Floats, y: NDArray[np.intp], classes: Sequence[Any], class_weight: ClassWeight) -> Floats:
    """The weights (D,) times those of their classes: ``balanced`` gives all classes one sum; others are 1.

    >>> class_weighted(np.ones(4), np.array([0, 0, 0, 1]), ("a", "b"), "balanced")
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InputError(f"class_weight {class_weight!r} is not known; known: balanced, or one number a class")
        sums = np.bincount(y, weight, len(classes))
        share = sums.sum() / max(1, np.count_nonzero(sums))
        return np.asarray(weight * np.divide(share, sums, out=np.ones(len(sums)), where=sums > 0)[y])
    return np.asarray(weight * _given(class_weight, classes)[y])


def is_balanced(class_weight: ClassWeight) -> bool:
    """Whether classes are balanced; for models of texts, which know no weights by class."""
    if class_weight not in (None, "balanced"):
        raise InputError("for texts class_weight is None or 'balanced'")
    return class_weight == "balanced"


def _given(class_weight: Any, classes: Sequence[Any]) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise InputError(f"class_weight must be 'balanced' or numbers by class, not {class_weight!r}")
    unknown = set(class_weight) - set(classes)
    if unknown:
        raise InputError(f"class_weight names {listed(unknown)}; the classes are {listed(classes)}")
    wrong = {k: v for k, v in class_weight.items() if not is_number(v) or not 0 < v < np.inf}
    if wrong:
        raise InputError(f"a class_weight must be a positive number, not {wrong}")
    return np.array([class_weight.get(name, 1.0) for name in classes], np.float64)
