"""Rows kept as they are, for models that no smaller statistics suffice for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.counts.sums import labelled_rows, places
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class KeptRows:
    """X (D, V), classes by number y (D,) and weights (D,); ``+`` puts the rows of one below those of the other."""

    classes: tuple[Any, ...]
    X: CSR
    y: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(cls, X: CSR, y: Any, sample_weight: ArrayLike | None = None) -> "KeptRows":
        """The rows of X with labels y (D,); those of weight 0 are left out."""
        names, codes, weight = labelled_rows(X.shape[0], y, None, sample_weight)
        weight = np.ones(len(codes)) if weight is None else weight
        if (weight > 0).all():
            return cls(names, X, codes, weight)
        kept = np.flatnonzero(weight > 0)
        return cls(names, X[kept], codes[kept], weight[kept])

    @property
    def documents(self) -> Floats:
        """The weight of the rows of each class, (C,)."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(float)

    @property
    def labels(self) -> list[Any]:
        """The class of each row."""
        return [self.classes[k] for k in self.y]

    def on_classes(self, classes: Sequence[Any]) -> "KeptRows":
        """The same among more classes."""
        return KeptRows(tuple(classes), self.X, places(classes, self.classes)[self.y], self.weight)

    def __add__(self, other: "KeptRows") -> "KeptRows":
        X = sparse.vstack([self.X, other.X], format="csr")
        y, weight = np.concatenate([self.y, other.y]), np.concatenate([self.weight, other.weight])
        return KeptRows(self.classes, X, y, weight)
