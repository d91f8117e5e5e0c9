"""One evaluation of one classifier on labelled documents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.evaluation import metrics
from textnb.evaluation.reliability import Reliability
from textnb.evaluation.risk_coverage import RiskCoverage
from textnb.models.scorer import most_probable
from textnb.numerics import Floats

UNKNOWN = "(unknown)"
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
