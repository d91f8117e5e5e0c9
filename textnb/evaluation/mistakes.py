"""The mistakes that a classifier was surest of: the first ones to look at."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from textnb.evaluation.metrics import numbered
from textnb.models.scorer import most_probable
from textnb.numerics import Floats


class Mistake(NamedTuple):
    """The row of a document, its true and its predicted class, and the probability that each of them was given.

    A true class that the model does not know has the probability 0.
    """

    row: int
    true: str
    predicted: str
    probability: float
    probability_of_true: float


def surest_mistakes(
    labels: Sequence[str], log_probabilities: Floats, classes: Sequence[str], most: int
) -> list[Mistake]:
    """At most so many mistakes among log probabilities (D, C), the surest first; of equally sure ones the earlier.

    >>> logs = np.log([[0.3, 0.7], [0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> [(each.row, each.predicted) for each in surest_mistakes(["x", "x", "x", "y"], logs, ["x", "y"], 2)]
    [(2, 'y'), (0, 'y')]
    """
    predicted, y = most_probable(log_probabilities), numbered(labels, classes)
    wrong = np.flatnonzero(predicted != y)
    sure = np.exp(log_probabilities[wrong, predicted[wrong]])
    surest = wrong[np.argsort(-sure, kind="stable")[:most]]
    padded = np.hstack([np.exp(log_probabilities[surest]), np.zeros((len(surest), 1))])
    return [
        Mistake(i, str(labels[i]), classes[predicted[i]], float(row[predicted[i]]), float(row[y[i]]))
        for i, row in zip(surest.tolist(), padded, strict=True)
    ]
