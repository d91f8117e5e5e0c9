"""Reliability: whether answers that are said to be 90 % sure are right nine times in ten.

r_i is how sure an answer is, the probability of the likeliest class of document i; h_i = 1 if it is right, else 0.
With B bins of equal width, bin b holds the documents with b <= B r_i < b + 1, the last one those with r_i = 1 too.

(1)  confidence_b = mean of r_i in bin b,    accuracy_b = mean of h_i in bin b
(2)  ECE = sum_b (n_b / D) |accuracy_b - confidence_b|          the expected calibration error

Risk and coverage: how often answers are wrong if only the surest of D documents are answered.

r_i is how sure an answer is, the probability of the likeliest class of document i; w_i = 1 if it is wrong, else 0.

(1)  n(t) = #{i : r_i >= t}                     documents answered at the threshold t
(2)  coverage(t) = n(t) / D
(3)  risk(t) = sum of w_i where r_i >= t, / n(t)     accuracy(t) = 1 - risk(t)
(4)  AURC = sum_i risk(r_i) / D                 the area under risk over coverage; 0 if no answer is wrong

Equally sure documents are answered together or not at all, so their order is of no matter. Every t above the next
lower r and up to r answers the same documents as r does; the one shown is the shortest to write, for use as
``textnb predict --unsure t``.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.evaluation.metrics import bin_of, wilson_interval
from textnb.numerics import Floats

BINS = 15


@dataclass(frozen=True)
class Bin:
    """The documents that were so sure; accuracy with its 95 % interval."""

    low: float
    high: float
    documents: int
    confidence: float
    accuracy: float
    accuracy_interval: tuple[float, float]


@dataclass(frozen=True)
class Reliability:
    """The bins that hold documents, the least sure first.

    >>> table = Reliability.of(np.array([0.55, 0.95, 0.97]), np.array([False, True, True]), bins=10)
    >>> [(each.documents, round(each.confidence, 2), each.accuracy) for each in table.bins]
    [(1, 0.55, 0.0), (2, 0.96, 1.0)]
    >>> round(table.error, 4)
    0.21
    """

    bins: tuple[Bin, ...]

    @classmethod
    def of(cls, sure: Floats, right: NDArray[np.bool_], bins: int = BINS) -> "Reliability":
        """The table of r (D,) and h (D,)."""
        if not len(sure):
            raise InputError("there are no documents to test on")
        number = bin_of(sure, bins)
        documents = np.bincount(number, minlength=bins).tolist()
        confidence, hits = (np.bincount(number, each, bins).tolist() for each in (sure, right))
        return cls(
            tuple(
                Bin(b / bins, (b + 1) / bins, n, confidence[b] / n, hits[b] / n, wilson_interval(int(hits[b]), n))
                for b, n in enumerate(documents)
                if n
            )
        )

    @property
    def documents(self) -> int:
        """D."""
        return sum(each.documents for each in self.bins)

    @property
    def error(self) -> float:
        """Formula (2)."""
        return sum(each.documents * abs(each.accuracy - each.confidence) for each in self.bins) / self.documents

    @property
    def json(self) -> list[dict[str, Any]]:
        """The bins as plain JSON values."""
        return [{**asdict(each), "accuracy_interval": list(each.accuracy_interval)} for each in self.bins]


PERCENTS = (100, 95, 90, 80, 70, 60, 50)


@dataclass(frozen=True)
class CoveragePoint:
    """What is answered, and how well, where documents below a threshold are not; accuracy with its 95 % interval."""

    threshold: float
    documents: int
    coverage: float
    errors: int
    accuracy: float
    accuracy_interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The whole curve: each distinct r_i as a threshold, the largest first, with n and the errors at it, (T,) each.

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
    def of(cls, sure: Floats, wrong: NDArray[np.bool_]) -> "RiskCoverage":
        """The curve of r (D,) and w (D,)."""
        if not len(sure):
            raise InputError("there are no documents to test on")
        negated, group = np.unique(-sure, return_inverse=True)
        errors = np.bincount(group[wrong], minlength=len(negated))
        return cls(-negated, np.bincount(group).cumsum(), errors.cumsum())

    @property
    def documents(self) -> int:
        """D."""
        return int(self.answered[-1])

    @property
    def aurc(self) -> float:
        """Formula (4), summed over the groups of equally sure documents."""
        entering = np.diff(self.answered, prepend=0)
        return float((entering * (self.errors / self.answered)).sum() / self.documents)

    def at(self, percent: int) -> CoveragePoint:
        """The fewest documents that cover at least so many per cent."""
        return self._point(self._index(percent))

    def points(self, percents: Iterable[int] = PERCENTS) -> list[CoveragePoint]:
        """A point for each percentage, the largest first; one that stands for several is given once."""
        return [self._point(index) for index in sorted({self._index(percent) for percent in percents}, reverse=True)]

    @property
    def json(self) -> dict[str, Any]:
        """The area and the points as plain JSON values."""
        points = [{**asdict(point), "accuracy_interval": list(point.accuracy_interval)} for point in self.points()]
        return {"aurc": self.aurc, "points": points}

    def _index(self, percent: int) -> int:
        if not 0 < percent <= 100:
            raise InputError(f"a coverage must be above 0 and at most 100 per cent, not {percent!r}")
        return int(np.searchsorted(100 * self.answered, percent * self.documents))

    def _point(self, index: int) -> CoveragePoint:
        answered, errors = int(self.answered[index]), int(self.errors[index])
        right = answered - errors
        below = float(self.thresholds[index + 1]) if index + 1 < len(self.thresholds) else -1.0
        return CoveragePoint(
            shortest_between(below, float(self.thresholds[index])),
            answered,
            answered / self.documents,
            errors,
            right / answered,
            wilson_interval(right, answered),
        )


def shortest_between(below: float, high: float) -> float:
    """The number in (below, high] with the fewest decimals, the largest of these.

    >>> shortest_between(0.91, 0.975657), shortest_between(-1, 0.36), shortest_between(0.99998, 0.999983)
    (0.97, 0.0, 0.999983)
    """
    for decimals in range(17):
        short = float(Decimal(repr(high)).quantize(Decimal(1).scaleb(-decimals), ROUND_FLOOR))
        if below < short <= high:
            return short
    return high
