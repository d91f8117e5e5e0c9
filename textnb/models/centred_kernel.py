"""Scalar products of centred rows, for what is solved in the space of documents.

    k(x, x') = (x - m)'(x' - m)                              m the mean of the rows Z (``centred_rows.py``)   (1)
    K = [k(x_i, x_j)]  (D, D),       k(x) = [k(x, x_i)]  (D,)                                               (2)
    L L' = K,   L (D, r)                                     rows as far from each other as those of Z       (3)

A model with a penalty on |W|^2 sees rows through K alone, so that L serves as well as X where V is large.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from textnb.models.centred_rows import CentredRows
from textnb.numerics import Floats

_BLOCK = 256
_NOTHING = 1e-13


def kernel(Z: CentredRows) -> Floats:
    """K of eq. (2), (D, D).

    >>> kernel(CentredRows.of(np.array([[1.0], [5.0]]), np.ones(2)))
    array([[ 4., -4.],
           [-4.,  4.]])
    """
    if not sparse.issparse(Z.columns):
        return np.asarray(Z.columns @ Z.columns.T)
    K = np.empty((Z.shape[0], Z.shape[0]))
    for rows, block in products(Z.columns.tocsr(), Z):
        K[rows] = block
    return K


def products(X: Any, Z: CentredRows) -> Iterator[tuple[slice, Floats]]:
    """k(x) of eq. (2) for the rows of X (T, V), dense or csr, some at a time: which, and their products (t, D)."""
    for start in range(0, X.shape[0], _BLOCK):
        rows = slice(start, start + _BLOCK)
        yield rows, _products(X[rows], Z)


def _products(X: Any, Z: CentredRows) -> Floats:
    if not sparse.issparse(Z.columns):  # they are centred already
        X = X.toarray() if sparse.issparse(X) else X
        return np.asarray((X - Z.mean) @ Z.columns.T)
    crossed = X @ Z.columns.T
    crossed = np.asarray(crossed.toarray() if sparse.issparse(crossed) else crossed)
    crossed -= Z.columns @ Z.mean
    crossed += (Z.mean @ Z.mean - X @ Z.mean)[:, np.newaxis]
    return np.asarray(crossed)


def squared_norms(X: Any, mean: Floats) -> Floats:
    """k(x, x) of eq. (1) for the rows of X, (T,)."""
    if not sparse.issparse(X):
        return np.asarray(((X - mean) ** 2).sum(axis=1))
    squares = X.multiply(X).sum(axis=1) - 2 * (X @ mean) + mean @ mean
    return np.asarray(np.maximum(squares, 0.0))


def isometric(Z: CentredRows) -> Floats:
    """L of eq. (3), (D, r), r at most D."""
    values, vectors = np.linalg.eigh(kernel(Z))
    kept = values > _NOTHING * max(values.max(initial=0), 0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
