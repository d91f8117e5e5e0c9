"""Evaluation of one classifier on labelled documents: metrics, what its decisions cost, its most confident mistakes."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.decisions import UNSURE, ClassThresholds, Costs
from textnb.errors import InputError
from textnb.evaluation import metrics
from textnb.evaluation.metrics import accuracy_interval, as_groups, class_numbers
from textnb.evaluation.reliability import Reliability, RiskCoverage, check_documents
from textnb.language import UNKNOWN
from textnb.numerics import Codes, Floats, most_probable

PER_CLASS = ("class", "precision", "recall", "f1", "documents")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics of predictions, their confusion matrix, and how far the probabilities can be relied on.

    Made by ``Evaluation.of``; the formulas are in ``textnb.evaluation.metrics``.

    Attributes
    ----------
    accuracy, macro_f1, log_loss, brier, ece : float
        The metrics. ``log_loss`` is infinite if a true class has probability 0.
    groups : int
        Number of groups; copies of a document are one group.
    accuracy_interval : tuple of float
        Wilson's 95 % interval, for as many documents as the groups are worth: copies do not narrow it.
    classes : tuple of str
        Classes of the confusion matrix. All labels that the model does not know are one class, the last.
    unknown : tuple of str
        True labels that the model does not know.
    confusion : ndarray of shape (C, C)
        Documents by true class (row) and predicted class (column).

    Examples
    --------
    >>> evaluation = Evaluation.of(["ham", "spam"], np.log([[0.9, 0.1], [0.6, 0.4]]), ["ham", "spam"])
    >>> evaluation.accuracy, round(evaluation.log_loss, 4), evaluation.confusion.tolist()
    (0.5, 0.5108, [[1, 0], [1, 0]])
    """

    documents: int
    groups: int
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
    def of(
        cls,
        labels: Sequence[str],
        log_probabilities: Floats,
        classes: Sequence[str],
        groups: Codes | None = None,
    ) -> "Evaluation":
        """Evaluate predicted log probabilities (D, C) of the classes, given the true labels.

        A label that is not among the classes has probability 0 and is always a mistake. ``groups`` (D,) has equal
        numbers for copies of a document, as ``document_groups`` returns them; by default there are no copies.
        """
        check_documents(len(labels))
        if log_probabilities.shape != (len(labels), len(classes)):
            expected, given = (len(labels), len(classes)), log_probabilities.shape
            raise InputError("log probabilities must have shape {shape}, not {given}", shape=expected, given=given)
        unknown = tuple(sorted(set(labels) - set(classes)))
        names = (*classes, UNKNOWN) if unknown else tuple(classes)
        y = class_numbers(labels, classes)
        if unknown:
            never = np.full((len(labels), 1), -np.inf)
            log_probabilities = np.hstack([log_probabilities, never])
        probabilities, predicted = np.exp(log_probabilities), most_probable(log_probabilities)
        confidence, correct = probabilities.max(axis=1), predicted == y
        groups = as_groups(groups, len(labels))
        sizes = np.unique(groups, return_counts=True)[1]
        reliability = Reliability.of(confidence, correct, groups=groups)
        table = metrics.confusion(y, predicted, len(names))
        return cls(
            len(y),
            len(sizes),
            float(correct.mean()),
            accuracy_interval(int(correct.sum()), len(y), int((sizes**2).sum())),
            float(metrics.macro_f1(np.diag(table), table.sum(axis=1), table.sum(axis=0))),
            float(metrics.log_losses(y, log_probabilities).mean()),
            float(metrics.brier_losses(y, probabilities).mean()),
            reliability.ece,
            reliability,
            RiskCoverage.of(confidence, ~correct, groups),
            names,
            unknown,
            table,
        )

    def _repr_html_(self) -> str:
        """Evaluation for notebooks."""
        from textnb.evaluation.notebook import evaluation_html

        return evaluation_html(self)

    def per_class(self) -> list[tuple[str, float, float, float, int]]:
        """Values of ``PER_CLASS`` for each class; documents counts those that truly belong to it."""
        precision, recall, f1 = metrics.precision_recall_f1(self.confusion)
        support = self.confusion.sum(axis=1)
        rows = zip(self.classes, precision.tolist(), recall.tolist(), f1.tolist(), support.tolist(), strict=True)
        return list(rows)

    def confusions(self) -> list[tuple[str, str, int]]:
        """Pairs of true class, predicted class and number of documents, the most frequent first."""
        wrong = self.confusion * (1 - np.eye(len(self.classes), dtype=np.int64))
        pairs = np.argwhere(wrong)
        rows = [(self.classes[k], self.classes[j], int(wrong[k, j])) for k, j in pairs.tolist()]
        return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))

    @property
    def json(self) -> dict[str, Any]:
        """Evaluation as plain JSON values; an infinite log loss is null."""
        keys = ("documents", "groups", "accuracy", "accuracy_interval", "macro_f1", "log_loss", "brier", "ece")
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
    """Mean cost per document of decisions by least expected cost, compared with the most probable class.

    ``unsure`` documents got no answer; ``changed`` got none, or another one than the most probable class.

    Examples
    --------
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
        """Evaluate the costs of probabilities (D, C); any answer to an unknown label costs ``costs.default``."""
        check_documents(len(labels))
        y, most_likely = class_numbers(labels, classes), most_probable(probabilities)
        decided = costs.rule(classes)(probabilities)
        outcomes = _outcome_costs(costs, classes)
        return cls(
            float(outcomes[y, decided].mean()),
            float(outcomes[y, most_likely].mean()),
            int((decided == UNSURE).sum()),
            int((decided != most_likely).sum()),
        )

    @property
    def json(self) -> dict[str, Any]:
        """Evaluation as plain JSON values."""
        return asdict(self)


def _outcome_costs(costs: Costs, classes: Sequence[str]) -> Floats:
    """Costs (C + 1, C + 1) by true class and decision; the last row is for unknown labels, the last column UNSURE."""
    known = np.vstack([costs.matrix(classes), np.full(len(classes), costs.default)])
    unsure = math.inf if costs.unsure is None else costs.unsure
    return np.column_stack([known, np.full(len(known), unsure)])


class KeptClass(NamedTuple):
    """Answers of one class: its cut-off (None: never answered), documents answered, correct ones, and precision.

    ``precision`` is None without an answer; ``interval`` is Wilson's 95 % interval, in which copies count once.
    """

    name: str
    cutoff: float | None
    answered: int
    correct: int
    precision: float | None
    interval: tuple[float, float]


@dataclass(frozen=True)
class KeptAnswers:
    """Answers that a rule with a cut-off per class gives, of all documents and by class.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    >>> kept = KeptAnswers.of(["ham", "spam", "spam"], P, ClassThresholds([0.8, 0.5]), ["ham", "spam"])
    >>> kept.coverage, kept.precision, [each.answered for each in kept.classes]
    (0.6666666666666666, 1.0, [1, 1])
    """

    documents: int
    classes: tuple[KeptClass, ...]

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        probabilities: Floats,
        rule: ClassThresholds,
        classes: Sequence[str],
        groups: Codes | None = None,
    ) -> "KeptAnswers":
        """Evaluate the decisions of a rule on probabilities (D, C); ``groups`` as in ``Evaluation.of``."""
        check_documents(len(labels))
        y, decided, groups = class_numbers(labels, classes), rule(probabilities), as_groups(groups, len(labels))
        found = []
        for k, (name, least) in enumerate(zip(classes, np.asarray(rule.least).tolist(), strict=True)):
            own = decided == k
            n, hits = int(own.sum()), int((y[own] == k).sum())
            squared = int((np.unique(groups[own], return_counts=True)[1] ** 2).sum())
            interval = accuracy_interval(hits, n, squared) if n else (0.0, 1.0)
            cutoff = least if math.isfinite(least) else None
            found.append(KeptClass(name, cutoff, n, hits, hits / n if n else None, interval))
        return cls(len(labels), tuple(found))

    @property
    def answered(self) -> int:
        """Number of documents that got an answer."""
        return sum(each.answered for each in self.classes)

    @property
    def coverage(self) -> float:
        """Proportion of the documents that got an answer."""
        return self.answered / self.documents

    @property
    def precision(self) -> float | None:
        """Proportion of the answers that are correct; None without an answer."""
        return sum(each.correct for each in self.classes) / self.answered if self.answered else None

    @property
    def json(self) -> dict[str, Any]:
        """Answers as plain JSON values."""
        totals = {"answered": self.answered, "coverage": self.coverage, "precision": self.precision}
        return {**totals, "classes": [each._asdict() for each in self.classes]}


class Mistake(NamedTuple):
    """Row of a document, its true and predicted class, and the probability of each; 0 for an unknown true class."""

    row: int
    true: str
    predicted: str
    probability: float
    probability_of_true: float


def confident_mistakes(
    labels: Sequence[str], log_probabilities: Floats, classes: Sequence[str], limit: int
) -> list[Mistake]:
    """At most ``limit`` mistakes among log probabilities (D, C), the most confident first, then the earliest.

    >>> logs = np.log([[0.3, 0.7], [0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> [(each.row, each.predicted) for each in confident_mistakes(["x", "x", "x", "y"], logs, ["x", "y"], 2)]
    [(2, 'y'), (0, 'y')]
    """
    predicted, y = most_probable(log_probabilities), class_numbers(labels, classes)
    wrong = np.flatnonzero(predicted != y)
    confidence = np.exp(log_probabilities[wrong, predicted[wrong]])
    shown = wrong[np.argsort(-confidence, kind="stable")[:limit]]
    padded = np.hstack([np.exp(log_probabilities[shown]), np.zeros((len(shown), 1))])
    return [
        Mistake(i, str(labels[i]), classes[predicted[i]], float(row[predicted[i]]), float(row[y[i]]))
        for i, row in zip(shown.tolist(), padded, strict=True)
    ]
