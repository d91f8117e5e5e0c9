"""Labelled rows, for models that need the documents themselves, and the folds of cross-validation.

Rows are assigned to folds by their content: equal rows stay together, whatever their classes, and the order of rows
does not matter. Each row has a pseudo-random number that depends on its terms. The distinct rows of a class are sorted
by this number and dealt to the folds in turn, starting at a fold that depends on the rows of the class. Rows that occur
in several classes are dealt as one more class. So every fold has its part of every class, up to such rows, and a
repeated or weighted row is left out together with its copies. The names of classes do not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.labels import labelled_rows, places
from textnb.counts.matrix import CSR, canonical
from textnb.counts.moments import ClassMoments, as_reals
from textnb.counts.rows import row_blocks
from textnb.errors import InputError
from textnb.extension import sparse
from textnb.numerics import Codes, Floats, splitmix64


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows X (D, V), dense or CSR, with class numbers y (D,) and positive weights (D,); ``+`` appends rows."""

    classes: tuple[Any, ...]
    X: Any
    y: Codes
    weight: Floats

    @classmethod
    def of(
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "Labelled":
        """Labelled rows of X, finite numbers, with labels y (D,); rows of weight 0 are left out.

        >>> Labelled.of([[1.0], [2.0]], ["b", "a"], sample_weight=[1, 0]).documents
        array([0., 1.])
        """
        return cls.of_checked(as_reals(X), y, classes, sample_weight)

    @classmethod
    def of_checked(
        cls, X: Any, y: ArrayLike, classes: Sequence[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> "Labelled":
        """Labelled rows of a matrix that has been checked (see ``of``)."""
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        weight = np.ones(len(codes)) if weight is None else weight
        if not weight.all():
            kept = np.flatnonzero(weight > 0)
            X, codes, weight = X[kept], codes[kept], weight[kept]
        return cls(names, X, codes, weight)

    @property
    def some(self) -> "Labelled":
        """Rows, refused if there are none."""
        if not len(self.y):
            raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
        return self

    @property
    def documents(self) -> Floats:
        """Sum of the weights of each class, (C,)."""
        return np.bincount(self.y, self.weight, len(self.classes)).astype(float)

    @property
    def labels(self) -> list[Any]:
        """Class name of each row."""
        return [self.classes[k] for k in self.y]

    def moments(self, groups: Codes, n_groups: int) -> ClassMoments:
        """Means and squared deviations of the columns by groups of rows, given by number (D,)."""
        return ClassMoments.of(self.X, groups, range(n_groups), sample_weight=self.weight)

    def on_classes(self, classes: Sequence[Any]) -> "Labelled":
        """Rows with the class numbers of a larger set of classes."""
        return Labelled(tuple(classes), self.X, places(classes, self.classes)[self.y], self.weight)

    def __add__(self, other: "Labelled") -> "Labelled":
        parts = [self.X, other.X]
        X = sparse.vstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.vstack(parts)
        y, weight = np.concatenate([self.y, other.y]), np.concatenate([self.weight, other.weight])
        return Labelled(self.classes, X, y, weight)


def dealt_folds(X: CSR, y: Codes, n_folds: int) -> Codes:
    """Fold of each row, (D,), from 0 without gaps, for counts X (D, V) and class numbers y (D,).

    There are fewer than n_folds if there are few distinct rows.

    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1, 0], [0, 1], [1, 1], [2, 0]])
    >>> folds = dealt_folds(X, np.zeros(4, int), 3)
    >>> bool(folds[0] == folds[3]), sorted(folds[:3].tolist())
    (True, [0, 1, 2])
    """
    numbers, place = np.unique(_row_numbers(X), return_inverse=True)
    first, last = np.full(len(numbers), np.iinfo(np.intp).max), np.full(len(numbers), -1)
    np.minimum.at(first, place, y)
    np.maximum.at(last, place, y)
    of_class = np.where(first == last, first, -1)  # -1: in several classes
    folds = np.zeros(len(numbers), np.intp)
    for k in np.unique(of_class):
        rows = np.flatnonzero(of_class == k)
        start = int(np.bitwise_xor.reduce(numbers[rows]) % np.uint64(n_folds))
        folds[rows] = (np.arange(len(rows)) + start) % n_folds
    return np.asarray(np.unique(folds[place], return_inverse=True)[1], np.intp)


def as_folds(folds: ArrayLike, n_rows: int) -> Codes:
    """Folds given by the caller, checked and numbered from 0 without gaps, (D,)."""
    given = np.asarray(folds)
    if given.shape != (n_rows,) or given.dtype.kind not in "iu":
        template = "folds must be {n} whole numbers, one per row, not {dtype} of shape {shape}"
        raise InputError(template, n=n_rows, dtype=given.dtype, shape=given.shape)
    return np.asarray(np.unique(given, return_inverse=True)[1], np.intp)


def _row_numbers(X: CSR) -> NDArray[np.uint64]:
    X = canonical(X)
    of_terms = splitmix64(np.arange(1, X.shape[1] + 1, dtype=np.uint64))
    sums = np.zeros(X.shape[0], np.uint64)
    for rows, entries in row_blocks(X.indptr):
        before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(of_terms[X.indices[entries]])])  # modulo 2^64, exact
        sums[rows] = np.diff(before[X.indptr[rows.start : rows.stop + 1] - entries.start])
    return splitmix64(sums)
