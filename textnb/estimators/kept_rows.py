"""Rows kept as they are, for models that no smaller statistics suffice for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.moments import as_reals
from textnb.counts.sums import labelled_rows, places
from textnb.estimators.classifier import Learner
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class KeptRows:
    """X (D, V), csr or dense, classes by number y (D,) and weights (D,); ``+`` puts one's rows below the other's."""

    classes: tuple[Any, ...]
    X: Any
    y: NDArray[np.intp]
    weight: Floats

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> "KeptRows":
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
        parts = [self.X, other.X]
        X = sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.vstack(parts)
        y, weight = np.concatenate([self.y, other.y]), np.concatenate([self.weight, other.weight])
        return KeptRows(self.classes, X, y, weight)


class RealRows(Learner):
    """A learner of measurements, X (D, V), dense or sparse, that keeps the rows."""

    def _as_rows(self, matrix: Any) -> Any:
        return as_reals(matrix)

    def _statistics(self, rows: Any, y: Any, sample_weight: ArrayLike | None) -> KeptRows:
        return KeptRows.of(rows, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
