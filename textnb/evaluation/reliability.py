"""Reliability: whether answers that are said to be 90 % sure are right nine times in ten.

r_i is how sure an answer is, the probability of the likeliest class of document i; h_i = 1 if it is right, else 0.
With B bins of equal width, bin b holds the documents with b <= B r_i < b + 1, the last one those with r_i = 1 too.

(1)  confidence_b = mean of r_i in bin b,    accuracy_b = mean of h_i in bin b
(2)  ECE = sum_b (n_b / D) |accuracy_b - confidence_b|          the expected calibration error
"""

from dataclasses import asdict, dataclass
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
