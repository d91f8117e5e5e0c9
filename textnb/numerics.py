"""The few numerical primitives that every model shares."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def log_of(values: ArrayLike) -> Floats:
    """The natural logarithm, with log 0 = -inf and no warning about it.

    >>> log_of([1.0, 0.0])
    array([  0., -inf])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(values, dtype=np.float64)))


def log_softmax(scores: Floats) -> Floats:
    """Rows shifted so that their exponentials sum to one: s - log(sum exp s); (D, C) -> (D, C).

    -inf stays -inf. A row must hold at least one finite score.

    >>> np.exp(log_softmax(np.array([[1000.0, 1000.0]])))
    array([[0.5, 0.5]])
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
