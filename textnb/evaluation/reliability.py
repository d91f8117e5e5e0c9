"""Confidence of answers: whether it can be relied on, and what leaving out the least confident answers brings.

r_i is the confidence of the answer for document i, the probability of its most probable class.

Reliability: of the answers with confidence .9, nine in ten should be correct. h_i = 1 if an answer is correct, else 0.
For each of ECE_BINS bins of equal width:

(1)  confidence_b = mean of r_i in bin b,    accuracy_b = mean of h_i in bin b
(2)  ECE = sum_b n_b |accuracy_b - confidence_b| / D                   the expected calibration error

Risk and coverage: only documents with r_i >= t are answered. w_i = 1 - h_i.

(3)  n(t) = #{i : r_i >= t}                          documents answered at the threshold t
(4)  coverage(t) = n(t) / D
(5)  risk(t) = sum of w_i where r_i >= t, / n(t)     accuracy(t) = 1 - risk(t)
(6)  AURC = sum_i risk(r_i) / D                      area under risk over coverage; 0 if no answer is wrong

Documents of equal confidence are answered together or not at all, so the order of documents does not matter. All
thresholds above the next lower r and up to r answer the same documents as r; the shortest to write is shown, for use as
``textnb predict --unsure t``.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.evaluation.metrics import wilson_interval
from textnb.numerics import Codes, Floats

COVERAGE_PERCENTS = (100, 95, 90, 80, 70, 60, 50)
"""Coverages that are shown."""

ECE_BINS = 15
"""Bins of the expected calibration error and of the reliability diagram."""


@dataclass(frozen=True)
class Bin:
    """Documents whose confidence lies between two ends, with their accuracy and its 95 % interval."""

    low: float
    high: float
    documents: int
    confidence: float
    accuracy: float
    accuracy_interval: tuple[float, float]


@dataclass(frozen=True)
class Reliability:
    """Accuracy of the answers by their confidence (reliability diagram), in the bins that hold documents.

    Examples
    --------
    >>> table = Reliability.of(np.array([0.55, 0.95, 0.97]), np.array([False, True, True]), bins=10)
    >>> [(each.documents, round(each.confidence, 2), each.accuracy) for each in table.bins]
    [(1, 0.55, 0.0), (2, 0.96, 1.0)]
    >>> round(table.ece, 4)
    0.21
    """

    bins: tuple[Bin, ...]

    @classmethod
    def of(cls, confidence: Floats, correct: NDArray[np.bool_], bins: int = ECE_BINS) -> "Reliability":
        """Reliability of answers with r (D,) and h (D,)."""
        check_documents(len(confidence))
        number = bin_numbers(confidence, bins)
        documents = np.bincount(number, minlength=bins).tolist()
        sums, hits = (np.bincount(number, each, bins).tolist() for each in (confidence, correct))
        return cls(
            tuple(
                Bin(b / bins, (b + 1) / bins, n, sums[b] / n, hits[b] / n, wilson_interval(int(hits[b]), n))
                for b, n in enumerate(documents)
                if n
            )
        )

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return sum(each.documents for each in self.bins)

    @property
    def ece(self) -> float:
        """Expected calibration error, eq. (2)."""
        gaps = [each.documents * (each.accuracy - each.confidence) for each in self.bins]
        return float(expected_calibration_error(gaps, self.documents))

    @property
    def json(self) -> list[dict[str, Any]]:
        """Bins as plain JSON values."""
        return [{**asdict(each), "accuracy_interval": list(each.accuracy_interval)} for each in self.bins]


@dataclass(frozen=True)
class CoveragePoint:
    """What is answered, and how well, if documents below a threshold are left out; accuracy with its 95 % interval."""

    threshold: float
    documents: int
    coverage: float
    errors: int
    accuracy: float
    accuracy_interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Errors among the documents answered, for every threshold of confidence.

    ``thresholds`` (T,) are the distinct confidences, the largest first; ``answered`` (T,) and ``errors`` (T,) count the
    documents answered at each, and the wrong answers among them.

    Examples
    --------
    >>> curve = RiskCoverage.of(np.array([0.9, 0.6, 0.8, 0.8]), np.array([False, True, False, True]))
    >>> curve.thresholds.tolist(), curve.answered.tolist(), curve.errors.tolist()
    ([0.9, 0.8, 0.6], [1, 3, 4], [0, 1, 2])
    >>> round(curve.aurc, 4), curve.at(50).documents
    (0.2917, 3)
    """

    thresholds: Floats
    answered: NDArray[np.int64]
    errors: NDArray[np.int64]

    @classmethod
    def of(cls, confidence: Floats, wrong: NDArray[np.bool_]) -> "RiskCoverage":
        """Curve of answers with r (D,) and w (D,)."""
        check_documents(len(confidence))
        negated, group = np.unique(-confidence, return_inverse=True)
        errors = np.bincount(group[wrong], minlength=len(negated))
        return cls(-negated, np.bincount(group).cumsum(), errors.cumsum())

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return int(self.answered[-1])

    @property
    def aurc(self) -> float:
        """Area under risk over coverage, eq. (6), summed over groups of equal confidence."""
        entering = np.diff(self.answered, prepend=0)
        return float((entering * (self.errors / self.answered)).sum() / self.documents)

    def at(self, percent: int) -> CoveragePoint:
        """Point with the fewest documents that covers at least so many per cent."""
        return self._point(self._index(percent))

    def points(self, percents: Iterable[int] = COVERAGE_PERCENTS) -> list[CoveragePoint]:
        """Distinct points of the percentages, the largest coverage first."""
        return [self._point(index) for index in sorted({self._index(percent) for percent in percents}, reverse=True)]

    @property
    def json(self) -> dict[str, Any]:
        """Area and points as plain JSON values."""
        points = [{**asdict(point), "accuracy_interval": list(point.accuracy_interval)} for point in self.points()]
        return {"aurc": self.aurc, "points": points}

    def _index(self, percent: int) -> int:
        if not 0 < percent <= 100:
            raise InputError("coverage must be above 0 and at most 100 per cent, not {percent!r}", percent=percent)
        return int(np.searchsorted(100 * self.answered, percent * self.documents))

    def _point(self, index: int) -> CoveragePoint:
        answered, errors = int(self.answered[index]), int(self.errors[index])
        correct = answered - errors
        below = float(self.thresholds[index + 1]) if index + 1 < len(self.thresholds) else -1.0
        return CoveragePoint(
            shortest_between(below, float(self.thresholds[index])),
            answered,
            answered / self.documents,
            errors,
            correct / answered,
            wilson_interval(correct, answered),
        )


def shortest_between(below: float, high: float) -> float:
    """Number in (below, high] with the fewest decimals, the largest of these.

    >>> shortest_between(0.91, 0.975657), shortest_between(-1, 0.36), shortest_between(0.99998, 0.999983)
    (0.97, 0.0, 0.999983)
    """
    for decimals in range(17):
        short = float(Decimal(repr(high)).quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR))
        if below < short <= high:
            return short
    return high


def check_documents(number: int) -> None:
    """Refuse to evaluate no documents."""
    if not number:
        raise InputError("there are no documents to test on")


def bin_numbers(confidence: Floats, bins: int) -> Codes:
    """Number of the bin that each confidence lies in, (D,).

    >>> bin_numbers(np.array([0.0, 0.49, 0.5, 1.0]), 2)
    array([0, 0, 1, 1])
    """
    return np.minimum((confidence * bins).astype(np.intp), bins - 1)


def expected_calibration_error(gaps: ArrayLike, n_documents: ArrayLike) -> Floats:
    """ECE of eq. (5), (...), from the gaps of the bins, (..., B), and the number of documents, (...).

    >>> round(float(expected_calibration_error([-0.7, 0.6], 4)), 4)
    0.325
    """
    return np.asarray(np.abs(gaps).sum(axis=-1) / n_documents)
