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

What mistakes cost: by the names of the classes, in Python or in a costs.toml.

    unsure = 0.2          # what it costs to say "unsure"; left out: it is never said
    default = 1.0         # any other mistake; left out: 1

    [cost.ham]            # where ham is true
    spam = 10.0           # and it is taken for spam

A right answer costs 0 unless its cost is given, too. Only the proportions between costs matter.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, listed
from textnb.numerics import Floats, most_probable
from textnb.storage import read_toml

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


_QUOTED = '; a name that is not all of A-Z, a-z, 0-9, - and _ stands in quotes, as in [cost."迷惑"]'

_AT_THE_TOP = ("unsure", "default")
_KNOWN = (*_AT_THE_TOP, "cost")
_LONGEST = 60


@dataclass(frozen=True)
class Costs:
    """The cost of each mistake, ``mistakes[true][decided]``; of any other; and of being unsure, None for never.

    ``name`` begins every error message.

    >>> Costs({"ham": {"spam": 10}}).matrix(["ham", "list", "spam"])
    array([[ 0.,  1., 10.],
           [ 1.,  0.,  1.],
           [ 1.,  1.,  0.]])
    """

    mistakes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    default: float = 1.0
    unsure: float | None = None
    name: str = "costs"

    def __post_init__(self) -> None:
        as_cost(self.default, f"{self.name}: default")
        if self.unsure is not None:
            as_cost(self.unsure, f"{self.name}: unsure")
        if not isinstance(self.mistakes, Mapping):
            raise InputError(f"{self.name}: costs stand below the true class, as in [cost.ham], not {self.mistakes!r}")
        for true, row in self.mistakes.items():
            if not isinstance(row, Mapping):
                raise InputError(
                    f"{self.name}: cost.{true} must say what the class is taken for, as in cost.{true}.spam = 10, "
                    f"not {_short(row)}"
                )
            for decided, cost in row.items():
                as_cost(cost, f"{self.name}: [cost.{true}] {decided}")
        own = {true: dict(row) for true, row in self.mistakes.items()}
        object.__setattr__(self, "mistakes", own)  # what the caller changes later was not checked

    def matrix(self, classes: Sequence[str]) -> Floats:
        """The losses L[true, decided] of these classes, (C, C)."""
        numbers = {name: k for k, name in enumerate(classes)}
        L = self.default * (1 - np.eye(len(classes)))
        for true, row in self.mistakes.items():
            for decided, cost in row.items():
                for name in (true, decided):
                    if name not in numbers:
                        raise InputError(self._unknown(true, name, classes))
                L[numbers[true], numbers[decided]] = cost
        return L

    def rule(self, classes: Sequence[str]) -> LeastLoss:
        """The decision of least expected cost."""
        return LeastLoss(self.matrix(classes), math.inf if self.unsure is None else self.unsure)

    def _unknown(self, true: str, name: str, classes: Sequence[str]) -> str:
        where = f"{self.name}: [cost.{true}]"
        if name in _AT_THE_TOP:
            return f"{where} {name}: {name} belongs to no class; write it above the first [cost.CLASS]"
        return f"{where}: {name!r} is not among the classes: {listed(classes)}"


def read_costs(path: str | Path) -> Costs:
    """The costs in a TOML file."""
    table = read_toml(path, "the costs", _QUOTED)
    for key in table:
        if key not in _KNOWN:
            known = "unsure, default and [cost.CLASS]"
            raise InputError(f"{path}: {key!r} is not known; known: {known}, and a class stands below cost: [cost.ham]")
    given = {key: table[key] for key in _AT_THE_TOP if key in table}
    return Costs(table.get("cost", {}), **given, name=str(path))


def decision_rule(classes: Sequence[str], unsure: float | None, costs: Costs | None) -> Rule:
    """The rule of a probability to be unsure below, or of costs, or of neither: the most probable class."""
    if costs is None:
        return Threshold(0.0 if unsure is None else unsure)
    if not isinstance(costs, Costs):
        raise InputError(f"costs must be Costs({{true: {{decided: cost}}}}) or read_costs(path), not {_short(costs)}")
    if unsure is not None:
        raise InputError(
            "a probability to be unsure below and costs do not go together; "
            "leave it out and give the costs what being unsure costs: unsure = 0.2"
        )
    return costs.rule(classes)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
