"""How good predictions are: numbers from true classes y (D,), predicted classes and probabilities P (D, C).

accuracy   share of documents whose predicted class is the true one
macro F1   mean over classes of 2 TP / (2 TP + FP + FN), 0 for a class never seen nor predicted rightly
log loss   mean of -log P[i, y_i]
Brier      mean of sum_k (P_ik - [k = y_i])^2
ECE        sum over equal-width bins of max_k P_ik of (share of documents) |accuracy - mean of max_k P_ik|
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from textnb.numerics import Floats

Classes = NDArray[np.intp]


def numbered(labels: Sequence[str], classes: Sequence[str]) -> Classes:
    """The number of the class of each label, (D,); C for a label that is none of the C classes.

    >>> numbered(["spam", "new", "ham"], ["ham", "spam"])
    array([1, 2, 0])
    """
    numbers = {name: k for k, name in enumerate(classes)}
    return np.array([numbers.get(label, len(classes)) for label in labels], np.intp)


def confusion(y: Classes, predicted: Classes, n_classes: int) -> NDArray[np.int64]:
    """Documents by true class (row) and predicted class (column), (C, C)."""
    return np.bincount(y * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)


def accuracy(table: NDArray[np.int64]) -> float:
    """The share on the diagonal of a confusion table; NaN for no documents."""
    return float(np.trace(table) / table.sum()) if table.sum() else math.nan


def precision_recall_f1(table: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Per class, (C,) each; 0 where there is nothing to divide by.

    >>> [values.round(2).tolist() for values in precision_recall_f1(np.array([[2, 1], [0, 1]]))]
    [[1.0, 0.5], [0.67, 1.0], [0.8, 0.67]]
    """
    hits = np.diag(table).astype(np.float64)
    predicted, true = table.sum(axis=0), table.sum(axis=1)
    shares = (
        np.divide(n * hits, by, out=np.zeros_like(hits), where=by > 0)
        for n, by in ((1, predicted), (1, true), (2, predicted + true))
    )
    precision, recall, f1 = shares
    return precision, recall, f1


def macro_f1(table: NDArray[np.int64]) -> float:
    """The mean F1 of the classes that occur, among the true or the predicted."""
    occurring = (table.sum(axis=0) + table.sum(axis=1)) > 0
    return float(precision_recall_f1(table)[2][occurring].mean()) if occurring.any() else math.nan


def log_loss(y: Classes, log_probabilities: Floats) -> float:
    """Infinite as soon as one true class was held impossible."""
    return float(0.0 - log_probabilities[np.arange(len(y)), y].mean())


def brier(y: Classes, probabilities: Floats) -> float:
    """Between 0 and 2."""
    of_truth = probabilities[np.arange(len(y)), y]
    return float((np.einsum("ik,ik->i", probabilities, probabilities) - 2 * of_truth + 1).mean())


def bin_of(sure: Floats, bins: int) -> Classes:
    """The number of the bin of equal width that each probability lies in, (D,); 1 lies in the last.

    >>> bin_of(np.array([0.0, 0.49, 0.5, 1.0]), 2)
    array([0, 0, 1, 1])
    """
    return np.minimum((sure * bins).astype(np.intp), bins - 1)


def calibration_error(y: Classes, probabilities: Floats, bins: int = 15) -> float:
    """The expected calibration error (ECE)."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    gaps = np.bincount(bin_of(sure, bins), weights=right - sure, minlength=bins)
    return float(np.abs(gaps).sum() / len(y))


def wilson_interval(hits: float, total: int, level: float = 0.95) -> tuple[float, float]:
    """The interval for a share by Wilson's score.

    >>> [round(end, 3) for end in wilson_interval(9, 10)]
    [0.596, 0.982]
    """
    if not total:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = hits / total, z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)
