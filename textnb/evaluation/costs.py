"""What mistakes cost: by the names of the classes, in Python or in a costs.toml.

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

import numpy as np

from textnb.errors import InputError, listed
from textnb.evaluation.decision import LeastLoss, Rule, Threshold, as_cost
from textnb.numerics import Floats
from textnb.storage import read_toml

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
