"""Labelled rows: what is learnt from where no smaller statistics suffice, and the documents themselves are needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.moments import ClassMoments, as_reals
from textnb.counts.sums import labelled_rows, places
from textnb.errors import InputError
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class Labelled:
    """X (D, V), dense or csr, classes by number y (D,), positive weights (D,); ``+`` puts rows below rows."""

    classes: tuple[Any, ...]
    X: Any
    y: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "Labelled":
        """The rows of X, finite numbers, with labels y (D,); those of weight 0 are left out.

        >>> Labelled.of([[1.0], [2.0]], ["b", "a"], sample_weight=[1, 0]).documents
        array([0., 1.])
        """
        return cls.of_checked(as_reals(X), y, classes, sample_weight)

    @classmethod
    def of_checked(
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "Labelled":
        """The same of rows that have been checked."""
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        weight = np.ones(len(codes)) if weight is None else weight
        if not weight.all():
            kept = np.flatnonzero(weight > 0)
            X, codes, weight = X[kept], codes[kept], weight[kept]
        return cls(names, X, codes, weight)

    @property
    def some(self) -> "Labelled":
        """The rows, of which there must be some."""
        if not len(self.y):
            raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
        return self

    @property
    def documents(self) -> Floats:
        """The weight of the rows of each class, (C,)."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(float)

    @property
    def labels(self) -> list[Any]:
        """The class of each row."""
        return [self.classes[k] for k in self.y]

    def moments(self, groups: NDArray[np.intp], n_groups: int) -> ClassMoments:
        """Means and squared deviations of the columns in groups of rows, by number (D,)."""
        return ClassMoments.of(self.X, groups, range(n_groups), sample_weight=self.weight)

    def on_classes(self, classes: Sequence[Any]) -> "Labelled":
        """The same among more classes."""
        return Labelled(tuple(classes), self.X, places(classes, self.classes)[self.y], self.weight)

    def __add__(self, other: "Labelled") -> "Labelled":
        parts = [self.X, other.X]
        X = sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.vstack(parts)
        y, weight = np.concatenate([self.y, other.y]), np.concatenate([self.weight, other.weight])
        return Labelled(self.classes, X, y, weight)
