"""Metrics of predictions: the one definition of each, used for single evaluations and for resamples alike.

y (D,) are the numbers of the true classes, P (D, C) the probabilities, r_i = max_k P_ik the confidence of document i.

(1)  accuracy    mean of [predicted_i = y_i]
(2)  log loss    mean of -log P[i, y_i]
(3)  Brier       mean of sum_k (P_ik - [k = y_i])^2, from 0 to 2
(4)  macro F1    mean of 2 TP / (2 TP + FP + FN) over the classes that occur among the true or the predicted
(5)  ECE         sum_b |gap_b| / D,   gap_b = sum of [predicted_i = y_i] - r_i over the documents of bin b

Bins have equal width: bin b of B holds the documents with b <= B r_i < b + 1, the last bin also those with r_i = 1.

Intervals treat a group of documents (copies of one text, or documents that share a group name) as one observation.
With m_g documents in group g, D documents are as much evidence as

(6)  D_eff = D^2 / sum_g m_g^2    (Kish 1965)

independent ones: D if there are no copies, D / c if each document occurs c times, and about 1 if one text fills the
corpus. Formula (6) takes the documents of a group to be all right or all wrong. This holds for copies with one label;
where it does not, intervals are wider than need be.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.labels import places
from textnb.errors import InputError
from textnb.numerics import Codes, Floats


def class_numbers(labels: Sequence[str], classes: Sequence[str]) -> Codes:
    """Number of the class of each label, (D,); C for a label that is not among the C classes.

    >>> class_numbers(["spam", "new", "ham"], ["ham", "spam"])
    array([1, 2, 0])
    """
    return places(classes, labels, unknown=len(classes))


def log_losses(y: Codes, log_probabilities: Floats) -> Floats:
    """Loss of each document in eq. (2), (D,); infinite where the true class has probability 0."""
    return np.asarray(0.0 - log_probabilities[np.arange(len(y)), y])


def brier_losses(y: Codes, probabilities: Floats) -> Floats:
    """Loss of each document in eq. (3), (D,)."""
    of_truth = probabilities[np.arange(len(y)), y]
    return np.asarray(np.einsum("ik,ik->i", probabilities, probabilities) - 2 * of_truth + 1)


def confusion(y: Codes, predicted: Codes, n_classes: int) -> NDArray[np.int64]:
    """Confusion matrix (C, C): documents by true class (row) and predicted class (column)."""
    return np.bincount(y * n_classes + predicted, minlength=n_classes**2).reshape(n_classes, n_classes)


def precision_recall_f1(table: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of each class of a confusion matrix, (C,) each; 0 where there is nothing to divide by.

    >>> [values.round(2).tolist() for values in precision_recall_f1(np.array([[2, 1], [0, 1]]))]
    [[1.0, 0.5], [0.67, 1.0], [0.8, 0.67]]
    """
    hits, true, predicted = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    return _ratio(hits, predicted), _ratio(hits, true), f1(hits, true, predicted)


def f1(hits: ArrayLike, true: ArrayLike, predicted: ArrayLike) -> Floats:
    """F1 of each class, (..., C), from the documents that are its own and predicted as such, its own, and predicted."""
    return _ratio(2 * np.asarray(hits), np.add(true, predicted))


def macro_f1(hits: ArrayLike, true: ArrayLike, predicted: ArrayLike) -> Floats:
    """Mean of ``f1`` over the classes that occur, eq. (4), (...)."""
    return np.asarray(f1(hits, true, predicted).sum(axis=-1) / (np.add(true, predicted) > 0).sum(axis=-1))


def as_groups(groups: Codes | None, n_documents: int) -> Codes:
    """Group of each document, (D,), numbered from 0; by default each document is its own group."""
    if groups is None:
        return np.arange(n_documents)
    if len(groups) != n_documents:
        raise InputError("there are {n} documents, but {groups} groups", n=n_documents, groups=len(groups))
    return groups


def squared_sizes(groups: Codes, cells: Codes, n_cells: int) -> Floats:
    """Sum of m_g^2 of eq. (6) over the documents of each cell, (n_cells,).

    >>> squared_sizes(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 0]), 3).tolist()
    [5.0, 1.0, 0.0]
    """
    pairs, sizes = np.unique(groups * n_cells + cells, return_counts=True)
    return np.bincount(pairs % n_cells, sizes.astype(np.float64) ** 2, n_cells).astype(np.float64)


def accuracy_interval(hits: float, n_documents: float, squared: float) -> tuple[float, float]:
    """Wilson's interval of an accuracy, with D_eff of eq. (6) in place of D; ``squared`` is the sum of m_g^2.

    >>> accuracy_interval(9, 10, 10) == wilson_interval(9, 10), accuracy_interval(36, 40, 160) == wilson_interval(9, 10)
    (True, True)
    """
    share = n_documents / squared
    return wilson_interval(hits * share, n_documents * share)


def wilson_interval(hits: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion.

    >>> [round(end, 3) for end in wilson_interval(9, 10)]
    [0.596, 0.982]
    """
    if not total:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    proportion, spread = hits / total, z * z / total
    centre = (proportion + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(proportion * (1 - proportion) / total + spread / (4 * total))
    return max(0.0, centre - half), min(1.0, centre + half)


def _ratio(parts: ArrayLike, wholes: ArrayLike) -> Floats:
    """parts / wholes, 0 where a whole is 0."""
    parts, wholes = np.asarray(parts, np.float64), np.asarray(wholes)
    return np.asarray(np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0))
