"""Statistics of Gaussian models: weight, means and squared deviations of each class, which merge.

    documents_k = sum over rows i of class k of w_i                                     (C,)
    means_kj    = sum_i w_i x_ij / documents_k                                          (C, F)      (1)
    squares_kj  = sum_i w_i (x_ij - means_kj)^2                                         (C, F)      (2)

Two parts a and b merge without their rows (Chan, Golub and LeVeque 1983), n = n_a + n_b, d = means_b - means_a:

    means = means_a + d n_b / n,    squares = squares_a + squares_b + d^2 n_a n_b / n               (3)

For sparse rows only the entries are visited; the zeros, of weight z_kj, add z_kj means_kj^2 to (2). Every summand of
(2) and (3) is positive, so no digits cancel, however far the data lie from 0. There is no ``-``: the rest of squares
after a subtraction could be rounding alone, or negative. To forget, fit the remaining rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.histograms import ClassHistograms, DocumentHistogram
from textnb.counts.labels import DIFFERENT_AXES, Labels, Weights, labelled_rows, places
from textnb.counts.matrix import CSR, Matrix, canonical
from textnb.errors import InputError
from textnb.extension import sparse
from textnb.numerics import Codes, Floats


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Weight, means and squared deviations per class; ``+`` merges on equal classes and columns. Immutable.

    A class without documents has means and squares of 0.

    >>> moments = ClassMoments.of([[1.0], [3.0], [5.0]], ["x", "x", "y"])
    >>> moments.means.tolist(), moments.squares.tolist()
    ([[2.0], [5.0]], [[2.0], [0.0]])
    """

    classes: tuple[Any, ...]
    documents: NDArray[Any]
    means: Floats
    squares: Floats

    @classmethod
    def of(
        cls,
        X: Matrix,
        y: Labels,
        classes: Sequence[Any] | None = None,
        *,
        sample_weight: Weights | None = None,
    ) -> ClassMoments:
        """Moments of rows X (D, F), dense or sparse, with labels y (D,)."""
        X = as_reals(X)
        names, codes, weight = labelled_rows(X.shape[0], y, classes, sample_weight)
        documents = np.bincount(codes, weight, len(names))
        weights = np.ones(len(codes)) if weight is None else weight
        moments = _of_sparse if sparse.issparse(X) else _of_dense
        return cls(names, documents, *moments(X, codes, weights, documents))

    @classmethod
    def of_histograms(cls, histograms: ClassHistograms) -> ClassMoments:
        """Moments of the documents behind histograms; the sums are exact, so the order of documents does not matter."""
        found = [_of_histogram(part) for part in histograms.parts]
        means, squares = (np.array(column).reshape(len(found), -1) for column in zip(*found, strict=True))
        return cls(histograms.classes, histograms.documents, means, squares)

    def selected(self, columns: Codes) -> ClassMoments:
        """Return the moments of some columns."""
        return ClassMoments(self.classes, self.documents, self.means[:, columns], self.squares[:, columns])

    @classmethod
    def zero(cls, n_features: int, classes: Sequence[Any]) -> ClassMoments:
        """Moments of no documents."""
        shape = (len(classes), n_features)
        return cls(tuple(classes), np.zeros(len(classes), np.int64), np.zeros(shape), np.zeros(shape))

    @property
    def n_features(self) -> int:
        """Number of columns, F."""
        return int(self.means.shape[1])

    @property
    def variances_of_all(self) -> Floats:
        """Variance of each column over the documents of all classes together, (F,)."""
        shares = (self.documents / max(self.documents.sum(), np.finfo(float).tiny))[:, np.newaxis]
        between = self.means - (shares * self.means).sum(axis=0)
        within = np.divide(
            self.squares, self.documents[:, np.newaxis], out=np.zeros_like(self.squares), where=shares > 0
        )
        return np.asarray((shares * (within + between**2)).sum(axis=0))

    def on_classes(self, classes: Sequence[Any]) -> ClassMoments:
        """Return these moments among more classes."""
        rows = places(classes, self.classes)
        wider = ClassMoments.zero(self.n_features, classes)
        documents = wider.documents.astype(self.documents.dtype)
        documents[rows], wider.means[rows], wider.squares[rows] = self.documents, self.means, self.squares
        return ClassMoments(wider.classes, documents, wider.means, wider.squares)

    def __add__(self, other: object) -> ClassMoments:
        if not isinstance(other, ClassMoments):
            return NotImplemented
        if (self.classes, self.n_features) != (other.classes, other.n_features):
            raise InputError(DIFFERENT_AXES, a=self, b=other)
        documents = self.documents + other.documents
        share = np.divide(other.documents, documents, out=np.zeros(len(documents)), where=documents > 0)[:, np.newaxis]
        apart = other.means - self.means
        return ClassMoments(
            self.classes,
            documents,
            self.means + apart * share,
            self.squares + other.squares + apart**2 * share * self.documents[:, np.newaxis],
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClassMoments)
            and self.classes == other.classes
            and np.array_equal(self.documents, other.documents)
            and np.array_equal(self.means, other.means)
            and np.array_equal(self.squares, other.squares)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by value, and as large as its arrays

    def __repr__(self) -> str:
        n_documents = self.documents.sum()
        return f"<ClassMoments of {n_documents} documents, {len(self.classes)} classes, {self.n_features} columns>"


def _of_histogram(part: DocumentHistogram) -> tuple[Floats, Floats]:
    """Means and squares of the documents of one class, (F,) each."""
    times = part.times.tocoo()
    row, number, values, n = times.row, times.data, (times.col + 1) * part.unit, max(part.n_documents, 1)
    means = np.bincount(row, number * values, part.n_terms) / n
    zeros = n - np.bincount(row, number, part.n_terms)
    squares = np.bincount(row, number * (values - means[row]) ** 2, part.n_terms) + zeros * means**2
    return np.asarray(means), np.asarray(squares)


def as_reals(X: Matrix) -> Any:
    """X as finite numbers, float64: a csr_array if X is sparse, otherwise a dense array.

    >>> as_reals([[1, float("nan")]])
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: X must hold finite numbers: row 0, column 1 holds NaN
    """
    if not sparse.issparse(X):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise InputError("X must be a matrix, every row of one length: {error}", error=error) from None
    if X.dtype.kind not in "biuf":
        raise InputError("X must hold numbers, not {dtype}", dtype=X.dtype)
    if X.ndim != 2:
        raise InputError("X must have two dimensions (rows, columns), not {ndim}", ndim=X.ndim)
    if sparse.issparse(X):
        X = canonical(sparse.csr_array(X, dtype=np.float64))
        wrong = np.flatnonzero(~np.isfinite(X.data))
        places_of = ((int(np.searchsorted(X.indptr, w, side="right")) - 1, X.indices[w], X.data[w]) for w in wrong)
    else:
        X = np.ascontiguousarray(X, np.float64)  # sums depend on the memory layout
        places_of = ((i, j, X[i, j]) for i, j in np.argwhere(~np.isfinite(X)))
    for row, column, value in places_of:
        held = "NaN" if np.isnan(value) else "an infinite number"
        raise InputError("X must hold finite numbers: row {i}, column {j} holds {value}", i=row, j=column, value=held)
    return X


def _of_dense(X: Floats, codes: NDArray[Any], weights: Floats, documents: NDArray[Any]) -> tuple[Floats, Floats]:
    """Means and squares, (C, F), in two passes; the second corrects the rounding of the means."""
    means, squares = np.zeros((2, len(documents), X.shape[1]))
    for k in np.flatnonzero(documents > 0):
        rows, w, n = X[codes == k], weights[codes == k], documents[k]
        means[k] = w @ rows / n
        deviations = rows - means[k]
        slip = w @ deviations / n
        means[k] += slip
        squares[k] = np.maximum(w @ deviations**2 - n * slip**2, 0)
    return means, squares


def _of_sparse(X: CSR, codes: NDArray[Any], weights: Floats, documents: NDArray[Any]) -> tuple[Floats, Floats]:
    """Means and squares, (C, F), from the entries and the weight of the zeros."""
    shape, n = (len(documents), X.shape[1]), documents[:, np.newaxis]
    rows = np.repeat(np.arange(len(codes)), np.diff(X.indptr))
    rows, columns, values = (part[weights[rows] > 0] for part in (rows, X.indices, X.data))
    cells = codes[rows] * shape[1] + columns

    def sums(summands: Floats | None = None) -> NDArray[Any]:
        return np.bincount(cells, summands, shape[0] * shape[1]).reshape(shape)

    means = np.divide(sums(weights[rows] * values), n, out=np.zeros(shape), where=n > 0)
    within = sums(weights[rows] * (values - means.reshape(-1)[cells]) ** 2)
    full = sums() == np.bincount(codes, weights > 0, shape[0])[:, np.newaxis]
    zeros = np.where(
        full, 0.0, np.maximum(n - sums(weights[rows]), 0)
    )  # a column without zeros would get some by rounding
    return means, within + zeros * means**2
