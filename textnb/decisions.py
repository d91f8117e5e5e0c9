"""Costs, thresholds and decision rules: from the class probabilities p (C,) of a document to one class, or to none.

L (C, C) are costs: L[k, d] is the cost of deciding d if k is true; c is the cost of being unsure.

(1)  most probable class    d* = argmax_d p_d
(2)  expected cost          R_d = sum_k p_k L[k, d]
(3)  least expected cost    d* = argmin_d R_d
(4)  threshold t            unsure if max_d p_d < t, else (1)
(5)  cost of being unsure   unsure if min_d R_d > c, else (3)

(6)  precision q            unsure if p_d < t_d for d of (1), else (1)

With L = 1 off the diagonal and 0 on it, (3) is (1), and (5) is (4) with t = 1 - c: Chow's rule.

The cut-offs t_d of (6) come from labelled documents that the model has not learnt. Of those whose most probable class
is d, n(t) have p_d >= t, and h(t) of these are truly of class d:

(7)  t_d = the smallest t among their p_d with B(h(t), n(t)) >= q;  none if there is no such t

B is the lower 95 % confidence bound of a proportion (Clopper and Pearson). Without a mistake B(n, n) = 0.05^(1/n), so a
class needs log 0.05 / log q such documents: 59 for q = .95, 149 for .98. A class without a cut-off is never decided.
Each class is bounded on its own. Looking for the smallest t costs some confidence: in simulations with 100 to 1,000
documents of a class (``scripts/experiments/precision_cutoffs.py``) the precision was below q in up to 6 % of the runs
where it rises with p_d, and in up to 25 % where it does not depend on p_d and is just below q for every cut-off.

Ties: of equally probable classes the first is decided. Of decisions with equal expected costs the most probable class
is decided, then the first. An answer that costs as much as being unsure, or is as probable as the threshold, is given.
Expected costs are equal if they differ by no more than rounding, 1e-12 of their size. A document whose probability is
not a number (NaN) is unsure under every rule.

Costs are given by the names of the classes, in Python or in a file costs.toml:

    unsure = 0.2          # cost of being unsure; without it every document gets an answer
    default = 1.0         # cost of any other mistake; 1 if left out

    [cost.ham]            # if ham is true
    spam = 10.0           # and spam is decided

A correct answer costs 0 unless its cost is given, too. Only the ratios between costs matter.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.labels import places
from textnb.errors import InputError, ParameterError, listed, parameters_from_file
from textnb.numerics import MAX_NUMBER, Codes, Floats, check_number, is_number, most_probable
from textnb.storage import read_toml

UNSURE = -1
"""Decision for no class; other decisions are the numbers of classes."""

CONFIDENCE = 0.95
"""Confidence of the lower bound of a precision, formula (7)."""

_TIE_RATIO = 1 + 1e-12
"""Expected costs whose ratio is smaller count as equal."""

_SCALAR_KEYS = ("unsure", "default")
_NO_COSTS = "costs must be Costs({{true: {{decided: cost}}}}) or read_costs(path), not {value!r}"
_NO_TRUE_CLASS = "{name}: write costs below the true class, as in [cost.ham], not {value!r}"
_NO_DECIDED_CLASS = "{name}: cost.{true} must name the decided class, as in cost.{true}.spam = 10, not {value!r}"
_NO_CLASS_KEY = "{where} {name}: {name} does not belong to a class; write it above the first [cost.CLASS]"
_UNKNOWN_CLASS = "{where}: unknown class {name!r}; the model has {known}"
_QUOTING_HINT = '; write a name with characters other than A-Z, a-z, 0-9, - and _ in quotes, as in [cost."迷惑"]'


@dataclass(frozen=True)
class Costs:
    """Costs of mistakes and of being unsure.

    Parameters
    ----------
    mistakes : mapping of str to mapping of str to float
        ``mistakes[true][decided]`` is the cost of deciding one class if another is true.
    default : float
        Cost of any mistake that is not in ``mistakes``.
    unsure : float or None
        Cost of giving no answer; None if every document must get an answer.
    name : str
        Start of every error message.

    Examples
    --------
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
        _check_cost(self.default, f"{self.name}: default")
        if self.unsure is not None:
            _check_cost(self.unsure, f"{self.name}: unsure")
        if not isinstance(self.mistakes, Mapping):
            raise ParameterError(_NO_TRUE_CLASS, name=self.name, value=self.mistakes)
        for true, row in self.mistakes.items():
            if not isinstance(row, Mapping):
                raise ParameterError(_NO_DECIDED_CLASS, name=self.name, true=true, value=row)
            for decided, cost in row.items():
                _check_cost(cost, f"{self.name}: [cost.{true}] {decided}")
        own = {true: dict(row) for true, row in self.mistakes.items() if row}
        object.__setattr__(self, "mistakes", own)  # a copy: later changes of the argument would not be checked

    def check_classes(self, classes: Sequence[str]) -> None:
        """Refuse costs of a class that is not among these."""
        for true, row in self.mistakes.items():
            for name in (true, *row):
                if name not in classes:
                    template = _NO_CLASS_KEY if name in _SCALAR_KEYS else _UNKNOWN_CLASS
                    raise InputError(template, where=f"{self.name}: [cost.{true}]", name=name, known=listed(classes))

    def matrix(self, classes: Sequence[str]) -> Floats:
        """Costs L[true, decided] of these classes, (C, C)."""
        self.check_classes(classes)
        L = self.default * (1 - np.eye(len(classes)))
        for true, row in self.mistakes.items():
            L[places(classes, [true]), places(classes, list(row))] = list(row.values())
        return L

    def rule(self, classes: Sequence[str]) -> "LeastCost":
        """Decision rule of least expected cost for these classes."""
        return LeastCost(self.matrix(classes), math.inf if self.unsure is None else self.unsure)


def read_costs(path: str | Path) -> Costs:
    """Read costs from a TOML file.

    Parameters
    ----------
    path : str or Path
        File with ``unsure``, ``default`` and a table ``[cost.CLASS]`` for each true class; all may be left out.

    Returns
    -------
    Costs

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "costs.toml")
    ...     _ = path.write_text("unsure = 0.2\\n[cost.ham]\\nspam = 10\\n")
    ...     costs = read_costs(path)
    >>> costs.unsure, costs.mistakes
    (0.2, {'ham': {'spam': 10}})
    """
    table = read_toml(path, "the costs", _QUOTING_HINT)
    for key in table:
        if key not in (*_SCALAR_KEYS, "cost"):
            template = "{path}: unknown key {key!r}; use unsure, default and [cost.CLASS], as in [cost.ham]"
            raise InputError(template, path=path, key=key)
    given = {key: table[key] for key in _SCALAR_KEYS if key in table}
    with parameters_from_file():
        return Costs(table.get("cost", {}), **given, name=str(path))


def check_precision(precision: float, unsure: float | None, costs: Costs | None) -> None:
    """Refuse a precision that is not between 0 and 1, and one together with another rule."""
    if unsure is not None or costs is not None:
        raise ParameterError("a precision cannot be combined with a threshold for being unsure or with costs; use one")
    if not is_number(precision) or not 0 < precision < 1:
        raise ParameterError("precision must be a number above 0 and below 1, not {value!r}", value=precision)


def decision_rule(classes: Sequence[str], unsure: float | None, costs: Costs | None) -> "Rule":
    """Decision rule of a threshold, of costs, or without either the most probable class."""
    if costs is None:
        return Threshold(0.0 if unsure is None else unsure)
    if not isinstance(costs, Costs):
        raise ParameterError(_NO_COSTS, value=costs)
    if unsure is not None:
        raise ParameterError(
            "a threshold for being unsure cannot be combined with costs; "
            "leave it out and give the cost of being unsure in the costs: unsure = 0.2"
        )
    return costs.rule(classes)


@dataclass(frozen=True)
class Threshold:
    """Decide the most probable class unless its probability is below ``least``, formula (4); formula (1) for 0.

    >>> Threshold(0.9)(np.array([[0.3, 0.7], [0.9, 0.1]]))
    array([-1,  0])
    """

    least: float = 0.0

    def __post_init__(self) -> None:
        check_number(self.least, "the threshold for being unsure", low=0, high=1)

    def __call__(self, probabilities: Floats) -> Codes:
        """Decisions (D,) for probabilities (D, C)."""
        return np.where(probabilities.max(axis=1) >= self.least, most_probable(probabilities), UNSURE)


@dataclass(frozen=True, eq=False)
class ClassThresholds:
    """Decide the most probable class unless its probability is below the cut-off of that class, formula (6).

    least: cut-offs (C,), infinite for a class that is never decided.

    >>> ClassThresholds([0.9, 0.6])(np.array([[0.8, 0.2], [0.95, 0.05], [0.3, 0.7]]))
    array([-1,  0,  1])
    """

    least: ArrayLike

    @classmethod
    def of_precision(cls, precision: float, answers: "JudgedAnswers", n_classes: int) -> "ClassThresholds":
        """Cut-offs (7) from answers to documents that were not learnt."""
        least = np.full(n_classes, np.inf)
        for k in range(n_classes):
            own = answers.predicted == k
            least[k] = _precision_cutoff(precision, answers.probability[own], answers.correct[own])
        return cls(least)

    def __post_init__(self) -> None:
        least = np.array(self.least, np.float64)
        least.flags.writeable = False
        object.__setattr__(self, "least", least)

    def __call__(self, probabilities: Floats) -> Codes:
        """Decisions (D,) for probabilities (D, C)."""
        decided = most_probable(probabilities)
        largest = probabilities[np.arange(len(decided)), decided]
        return np.where(largest >= np.asarray(self.least)[decided], decided, UNSURE)

    def never_decided(self, classes: Sequence[str]) -> list[str]:
        """Names of the classes without a cut-off."""
        return [name for name, least in zip(classes, np.asarray(self.least).tolist(), strict=True) if least == math.inf]


class JudgedAnswers(NamedTuple):
    """Answers to documents that were not learnt: predicted classes, their probabilities, whether correct, (D,) each."""

    predicted: Codes
    probability: Floats
    correct: NDArray[np.bool_]

    @property
    def in_order(self) -> "JudgedAnswers":
        """Answers sorted by class and falling probability, which say nothing about the order of the documents."""
        order = np.lexsort((self.correct, -self.probability, self.predicted))
        return self.rows(order)

    def rows(self, chosen: NDArray[Any]) -> "JudgedAnswers":
        """Return some of the answers, by number or by a mask."""
        return JudgedAnswers(self.predicted[chosen], self.probability[chosen], self.correct[chosen])


def _precision_cutoff(precision: float, probability: Floats, correct: NDArray[np.bool_]) -> float:
    """Cut-off (7) of one class from its answers (n,); infinite if there is none."""
    from scipy.special import betaincinv  # slow to import; other rules do not need it

    order = np.argsort(-probability, kind="stable")
    p, n, h = probability[order], np.arange(1, len(order) + 1), np.cumsum(correct[order])
    bound = np.where(h > 0, betaincinv(np.maximum(h, 1), n - h + 1, 1 - CONFIDENCE), 0.0)  # B(h, n)
    is_last = np.append(p[1:] != p[:-1], True)[: len(p)]  # of equally probable answers
    enough = np.flatnonzero(is_last & (bound >= precision))
    return float(p[enough[-1]]) if len(enough) else math.inf


@dataclass(frozen=True, eq=False)
class LeastCost:
    """Decide the class of least expected cost, formula (5); formula (3) if being unsure costs infinitely much.

    Here taking the first class for the second costs ten times as much as the reverse:

    >>> P = np.array([[0.95, 0.05], [0.4, 0.6], [0.05, 0.95]])
    >>> LeastCost([[0, 10], [1, 0]])(P), LeastCost([[0, 10], [1, 0]], unsure=0.2)(P)
    (array([0, 0, 1]), array([ 0, -1, -1]))
    """

    costs: ArrayLike
    unsure: float = math.inf

    def __post_init__(self) -> None:
        costs = np.array(self.costs, np.float64)
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1]:
            raise ParameterError("costs must be a square matrix, not of shape {shape}", shape=costs.shape)
        for cost in costs.ravel().tolist():
            _check_cost(cost, "a cost")
        if self.unsure != math.inf:
            _check_cost(self.unsure, "the cost of being unsure")
        costs.flags.writeable = False
        object.__setattr__(self, "costs", costs)

    def __call__(self, probabilities: Floats) -> Codes:
        """Decisions (D,) for probabilities (D, C)."""
        expected = expected_costs(probabilities, self.costs)
        smallest = expected.min(axis=1)
        tied = expected <= _TIE_RATIO * smallest[:, None]
        decided = most_probable(np.where(tied, probabilities, -1.0))
        return np.where(smallest <= _TIE_RATIO * self.unsure, decided, UNSURE)


Rule = Threshold | ClassThresholds | LeastCost


def expected_costs(probabilities: Floats, costs: ArrayLike) -> Floats:
    """Expected cost of each decision, formula (2), (D, C), for probabilities (D, C) and costs (C, C).

    >>> expected_costs(np.array([[0.25, 0.75]]), [[0, 10], [1, 0]])
    array([[0.75, 2.5 ]])
    """
    L = np.asarray(costs, np.float64)
    if probabilities.shape[1] != len(L):
        template = "the costs are for {expected} classes, the probabilities for {number}"
        raise InputError(template, expected=len(L), number=probabilities.shape[1])
    return np.asarray(probabilities @ L)


def _check_cost(value: Any, what: str) -> None:
    """Refuse what is not a cost; ``what`` starts the error message."""
    check_number(value, what, low=0, high=MAX_NUMBER)
