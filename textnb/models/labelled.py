"""Labelled rows, checked: what a model is fitted to that needs the documents themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.moments import ClassMoments, as_reals
from textnb.counts.sums import labelled_rows
from textnb.errors import InputError
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class Labelled:
    """X (D, V) of finite numbers, dense or csr, classes by number y (D,), positive weights (D,)."""

    classes: tuple[Any, ...]
    X: Any
    y: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "Labelled":
        """The rows of X with labels y (D,), those of weight 0 left out; refused where none is left.

        >>> Labelled.of([[1.0], [2.0]], ["b", "a"], sample_weight=[1, 0]).documents
        array([0., 1.])
        """
        X = as_reals(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        weight = np.ones(len(codes)) if weight is None else weight
        if not weight.all():
            kept = np.flatnonzero(weight > 0)
            X, codes, weight = X[kept], codes[kept], weight[kept]
        if not len(codes):
            raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
        return cls(names, X, codes, weight)

    @property
    def documents(self) -> Floats:
        """The weight of the rows of each class, (C,)."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(float)

    def moments(self, groups: NDArray[np.intp], n_groups: int) -> ClassMoments:
        """Means and squared deviations of the columns in groups of rows, by number (D,)."""
        return ClassMoments.of(self.X, groups, range(n_groups), sample_weight=self.weight)
