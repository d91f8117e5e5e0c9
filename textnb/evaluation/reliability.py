"""Confidence of answers: whether it can be relied on, and what leaving out the least confident answers brings.

r_i is the confidence of the answer for document i, the probability of its most probable class.

Reliability: of the answers with confidence .9, nine in ten should be correct. h_i = 1 if an answer is correct, else 0.
For each of ECE_BINS bins of equal width:

(1)  confidence_b = mean of r_i in bin b,    accuracy_b = mean of h_i in bin b
(2)  ECE = sum_b n_b |accuracy_b - confidence_b| / D                   the expected calibration error

Chance alone makes gaps, so the ECE of a sample is on average larger than the true one, and above 0 even if the
probabilities are right. s_b is the standard error of the term of bin b, from an accuracy moved towards 1/2 by two right
and two wrong answers (Agresti and Coull 1998), so that a bin without mistakes is not taken to be free of chance. If
chance adds Normal(0, s_b^2) to each term, it adds at most sum_b |Normal(0, s_b^2)| to their absolute sum. This has mean
(2/pi)^(1/2) sum_b s_b and variance (1 - 2/pi) sum_b s_b^2. Hence the 95 % interval

(3)  low  = ECE - (2/pi)^(1/2) sum_b s_b - 1.96 ((1 - 2/pi) sum_b s_b^2)^(1/2), at least 0
     high = ECE + 1.96 (sum_b s_b^2)^(1/2), at most 1

It holds the true value in 95 % of the samples or more.

Risk and coverage: only documents with r_i >= t are answered. w_i = 1 - h_i.

(4)  n(t) = #{i : r_i >= t}                          documents answered at the threshold t
(5)  coverage(t) = n(t) / D
(6)  risk(t) = sum of w_i where r_i >= t, / n(t)     accuracy(t) = 1 - risk(t)
(7)  AURC = sum_i risk(r_i) / D                      area under risk over coverage; 0 if no answer is wrong

Documents of equal confidence are answered together or not at all, so the order of documents does not matter. All
thresholds above the next lower r and up to r answer the same documents as r; the shortest to write is shown, for use as
``textnb predict --unsure t``.

Intervals of accuracies are Wilson's for as many documents as the groups are worth (eq. (6) of ``metrics.py``).
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import ROUND_FLOOR, Decimal
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError
from textnb.evaluation.metrics import accuracy_interval, as_groups, squared_sizes
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
    ece_interval: tuple[float, float]

    @classmethod
    def of(
        cls, confidence: Floats, correct: NDArray[np.bool_], bins: int = ECE_BINS, groups: Codes | None = None
    ) -> "Reliability":
        """Reliability of answers with r (D,) and h (D,); groups (D,) has equal numbers for copies."""
        check_documents(len(confidence))
        number = bin_numbers(confidence, bins)
        squared = squared_sizes(as_groups(groups, len(confidence)), number, bins)
        used = np.flatnonzero(squared)
        columns = (np.ones(len(number)), confidence, correct)
        documents, sums, hits = (np.bincount(number, each, bins)[used].astype(np.float64) for each in columns)
        table = np.stack([used, documents, sums, hits, squared[used]], axis=1).tolist()
        return cls(
            tuple(
                Bin(b / bins, (b + 1) / bins, int(n), r / n, hit / n, accuracy_interval(hit, n, both))
                for b, n, r, hit, both in table
            ),
            _ece_interval(documents, sums, hits, squared[used]),
        )

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return sum(each.documents for each in self.bins)

    @property
    def ece(self) -> float:
        """Expected calibration error, eq. (2)."""
        gaps = sum(each.documents * abs(each.accuracy - each.confidence) for each in self.bins)
        return gaps / self.documents

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
    documents answered at each, and the wrong answers among them; ``squared_sizes`` (T,) sums the squared sizes of their
    groups.

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
    squared_sizes: NDArray[np.int64]

    @classmethod
    def of(cls, confidence: Floats, wrong: NDArray[np.bool_], groups: Codes | None = None) -> "RiskCoverage":
        """Curve of answers with r (D,) and w (D,); groups (D,) has equal numbers for copies."""
        check_documents(len(confidence))
        negated, level = np.unique(-confidence, return_inverse=True)
        answered = np.bincount(level).cumsum()
        errors = np.bincount(level[wrong], minlength=len(negated))
        entering = as_groups(groups, len(confidence))[np.argsort(level, kind="stable")]
        return cls(-negated, answered, errors.cumsum(), _growing_squares(entering)[answered - 1])

    @property
    def documents(self) -> int:
        """Number of documents D."""
        return int(self.answered[-1])

    @property
    def aurc(self) -> float:
        """Area under risk over coverage, eq. (7), summed over groups of equal confidence."""
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
            accuracy_interval(correct, answered, int(self.squared_sizes[index])),
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


def _ece_interval(documents: Floats, confidences: Floats, hits: Floats, squared: Floats) -> tuple[float, float]:
    """Interval of eq. (3) from the sums over the documents of each bin, (B,) each."""
    effective = documents**2 / squared
    accuracy = (hits / documents * effective + 2) / (effective + 4)
    variance = squared * accuracy * (1 - accuracy) / documents.sum() ** 2
    ece = np.abs(hits - confidences).sum() / documents.sum()
    z, total = NormalDist().inv_cdf(0.975), math.sqrt(variance.sum())
    by_chance = math.sqrt(2 / math.pi) * np.sqrt(variance).sum() + z * math.sqrt(1 - 2 / math.pi) * total
    return max(0.0, float(ece - by_chance)), min(1.0, float(ece + z * total))


def _growing_squares(groups: Codes) -> NDArray[np.int64]:
    """Sum of the squared sizes of the groups of the first 1, 2, ... documents, (D,).

    >>> _growing_squares(np.array([7, 3, 7, 7])).tolist()
    [1, 2, 5, 10]
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    before = np.empty(len(groups), np.int64)
    before[order] = np.arange(len(groups)) - np.repeat(starts, np.diff(starts, append=len(groups)))
    return np.cumsum(2 * before + 1)
