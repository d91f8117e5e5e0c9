"""One evaluation of one classifier on labelled documents.

What decisions have cost on labelled documents.

The mistakes that a classifier was surest of: the first ones to look at.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.decisions import UNSURE, Costs
from textnb.errors import InputError
from textnb.evaluation import metrics
from textnb.evaluation.metrics import numbered
from textnb.evaluation.reliability import Reliability, RiskCoverage
from textnb.language import UNKNOWN
from textnb.numerics import Floats, most_probable

PER_CLASS = ("class", "precision", "recall", "f1", "documents")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The numbers, the confusion table, and how far the probabilities can be relied on.

    ``unknown`` are the true labels that the model does not know; together they are one more of the ``classes``.
    """

    documents: int
    accuracy: float
    accuracy_interval: tuple[float, float]
    macro_f1: float
    log_loss: float
    brier: float
    ece: float
    reliability: Reliability
    risk_coverage: RiskCoverage
    classes: tuple[str, ...]
    unknown: tuple[str, ...]
    confusion: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Sequence[str], log_probabilities: Floats, classes: Sequence[str]) -> "Evaluation":
        """The evaluation of log probabilities (D, C). A true label that the model does not know has probability 0."""
        if not len(labels):
            raise InputError("there are no documents to test on")
        if log_probabilities.shape != (len(labels), len(classes)):
            shape = (len(labels), len(classes))
            raise InputError(f"log probabilities must be of shape {shape}, not {log_probabilities.shape}")
        unknown = tuple(sorted(set(labels) - set(classes)))
        names = (*classes, UNKNOWN) if unknown else tuple(classes)
        y = metrics.numbered(labels, classes)
        if unknown:
            never = np.full((len(labels), 1), -np.inf)
            log_probabilities = np.hstack([log_probabilities, never])
        probabilities, predicted = np.exp(log_probabilities), most_probable(log_probabilities)
        sure, right = probabilities.max(axis=1), predicted == y
        reliability = Reliability.of(sure, right)
        table = metrics.confusion(y, predicted, len(names))
        return cls(
            len(y),
            metrics.accuracy(table),
            metrics.wilson_interval(int(np.trace(table)), len(y)),
            metrics.macro_f1(table),
            metrics.log_loss(y, log_probabilities),
            metrics.brier(y, probabilities),
            reliability.error,
            reliability,
            RiskCoverage.of(sure, ~right),
            names,
            unknown,
            table,
        )

    def per_class(self) -> list[tuple[str, float, float, float, int]]:
        """``PER_CLASS`` of each class; documents is the number that truly belong to it, its support."""
        precision, recall, f1 = metrics.precision_recall_f1(self.confusion)
        support = self.confusion.sum(axis=1)
        rows = zip(self.classes, precision.tolist(), recall.tolist(), f1.tolist(), support.tolist(), strict=True)
        return list(rows)

    def confusions(self) -> list[tuple[str, str, int]]:
        """(true class, predicted class, documents), the most frequent first."""
        wrong = self.confusion * (1 - np.eye(len(self.classes), dtype=np.int64))
        pairs = np.argwhere(wrong)
        rows = [(self.classes[k], self.classes[j], int(wrong[k, j])) for k, j in pairs.tolist()]
        return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))

    @property
    def json(self) -> dict[str, Any]:
        """The evaluation as plain JSON values; an infinite log loss is null."""
        keys = ("documents", "accuracy", "accuracy_interval", "macro_f1", "log_loss", "brier", "ece")
        return {
            **{key: getattr(self, key) for key in keys},
            "log_loss": self.log_loss if math.isfinite(self.log_loss) else None,
            "reliability": self.reliability.json,
            "risk_coverage": self.risk_coverage.json,
            "classes": list(self.classes),
            "unknown": list(self.unknown),
            "confusion": self.confusion.tolist(),
            "per_class": [dict(zip(PER_CLASS, row, strict=True)) for row in self.per_class()],
        }


@dataclass(frozen=True)
class CostEvaluation:
    """The mean cost of a document, decided by least expected cost and, beside it, always for the most probable class.

    ``unsure`` documents had no answer; ``changed`` ones had another answer than the most probable class, or none.

    >>> P = np.array([[0.4, 0.6], [0.1, 0.9]])
    >>> CostEvaluation.of(["ham", "spam"], P, Costs({"ham": {"spam": 10}}), ["ham", "spam"])
    CostEvaluation(mean_cost=0.5, mean_cost_of_most_probable=5.0, unsure=0, changed=2)
    """

    mean_cost: float
    mean_cost_of_most_probable: float
    unsure: int
    changed: int

    @classmethod
    def of(cls, labels: Sequence[str], probabilities: Floats, costs: Costs, classes: Sequence[str]) -> "CostEvaluation":
        """The costs of probabilities (D, C). Any answer to a label that the model does not know costs the default."""
        if not len(labels):
            raise InputError("there are no documents to test on")
        y, likeliest = numbered(labels, classes), most_probable(probabilities)
        decided = costs.rule(classes)(probabilities)
        outcomes = _outcomes(costs, classes)
        return cls(
            float(outcomes[y, decided].mean()),
            float(outcomes[y, likeliest].mean()),
            int((decided == UNSURE).sum()),
            int((decided != likeliest).sum()),
        )

    @property
    def json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return asdict(self)


def _outcomes(costs: Costs, classes: Sequence[str]) -> Floats:
    """Costs (C + 1, C + 1): the last row is of labels that the model does not know, the last column (-1) of UNSURE."""
    known = np.vstack([costs.matrix(classes), np.full(len(classes), costs.default)])
    unsure = math.inf if costs.unsure is None else costs.unsure
    return np.column_stack([known, np.full(len(known), unsure)])


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
