"""Decisions: from the probabilities of the classes p (C,) of a document to one class, or to none.

L (C, C) are losses: L[k, d] is what it costs to decide d where k is true; c is what it costs to be unsure.

(1)  most probable       d* = argmax_d p_d
(2)  expected loss       R_d = sum_k p_k L[k, d]
(3)  least loss          d* = argmin_d R_d
(4)  unsure, by a threshold t    where max_d p_d < t, else (1)
(5)  unsure, by its cost c       where min_d R_d > c, else (3)

With L = 1 off the diagonal and 0 on it, (3) is (1), and (5) is (4) with t = 1 - c: Chow's rule.

Ties. Of equally probable classes the first is decided. Of decisions with equal expected losses the most probable class
is, then the first. Where an answer costs as much as being unsure, or is as probable as the threshold, it is given.
Expected losses count as equal if they differ by less than rounding may have made of them, a 1e-12th.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.models.scorer import most_probable
from textnb.numerics import Floats

Decisions = NDArray[np.intp]
"""The number of the decided class of each document, or UNSURE."""

UNSURE = -1
_TIE = 1 + 1e-12
_LARGEST = 1e100
"""Far beyond any use, and far from where sums overflow."""


@dataclass(frozen=True)
class Threshold:
    """Formula (4): the most probable class if its probability is not below ``least``; formula (1) for 0.

    >>> Threshold(0.9)(np.array([[0.3, 0.7], [0.9, 0.1]]))
    array([-1,  0])
    """

    least: float = 0.0

    def __post_init__(self) -> None:
        if not _lies_between(0, self.least, 1):
            raise InputError(f"the probability to be unsure below must be a number from 0 to 1, not {self.least!r}")

    def __call__(self, probabilities: Floats) -> Decisions:
        """Probabilities (D, C) -> decisions (D,)."""
        return np.where(probabilities.max(axis=1) < self.least, UNSURE, most_probable(probabilities))


@dataclass(frozen=True, eq=False)
class LeastLoss:
    """Formula (5), with an infinite cost of being unsure (3).

    Here it costs ten times as much to take the first class for the second as the other way round:

    >>> P = np.array([[0.95, 0.05], [0.4, 0.6], [0.05, 0.95]])
    >>> LeastLoss([[0, 10], [1, 0]])(P), LeastLoss([[0, 10], [1, 0]], unsure=0.2)(P)
    (array([0, 0, 1]), array([ 0, -1, -1]))
    """

    losses: ArrayLike
    unsure: float = math.inf

    def __post_init__(self) -> None:
        losses = np.array(self.losses, np.float64)
        if losses.ndim != 2 or losses.shape[0] != losses.shape[1]:
            raise InputError(f"losses must be a square, classes by decisions, not of shape {losses.shape}")
        for loss in losses.ravel().tolist():
            as_cost(loss, "a loss")
        if self.unsure != math.inf:
            as_cost(self.unsure, "the cost of being unsure")
        losses.flags.writeable = False
        object.__setattr__(self, "losses", losses)

    def __call__(self, probabilities: Floats) -> Decisions:
        """Probabilities (D, C) -> decisions (D,)."""
        expected = expected_losses(probabilities, self.losses)
        smallest = expected.min(axis=1)
        tied = expected <= _TIE * smallest[:, None]
        decided = most_probable(np.where(tied, probabilities, -1.0))
        return np.where(smallest > _TIE * self.unsure, UNSURE, decided)


Rule = Threshold | LeastLoss


def expected_losses(probabilities: Floats, losses: ArrayLike) -> Floats:
    """Formula (2) for probabilities (D, C) and losses (C, C): (D, C).

    >>> expected_losses(np.array([[0.25, 0.75]]), [[0, 10], [1, 0]])
    array([[0.75, 2.5 ]])
    """
    L = np.asarray(losses, np.float64)
    if probabilities.shape[1] != len(L):
        raise InputError(f"the losses are of {len(L)} classes, the probabilities of {probabilities.shape[1]}")
    return np.asarray(probabilities @ L)


def as_cost(value: Any, what: str) -> float:
    """A checked cost or loss."""
    if not _lies_between(0, value, _LARGEST):
        raise InputError(f"{what} must be a number from 0 to {_LARGEST:g}, not {value!r}")
    return float(value)


def _lies_between(low: float, value: Any, high: float) -> bool:
    """Whether it is a number, and neither a truth value nor a text that looks like one, and where it ought to be."""
    plain = value.item() if isinstance(value, np.generic) else value
    return isinstance(plain, (int, float)) and not isinstance(plain, bool) and low <= plain <= high
