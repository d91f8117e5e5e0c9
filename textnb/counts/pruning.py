"""Pruning: the rarest terms of a sum are dropped, so that a vocabulary stays within a term budget.

A part of a stream is left with B terms at most before it is added, and so is the sum afterwards. Those that the fewest
documents contain are dropped; of those in equally many documents, the last by code point. Let t_i be the number of
documents that contain the most frequent term dropped the i-th time, and T = sum_i t_i. Then

    documents that contain a term and were not counted for it:  at most T, for every term                     (1)

because each time a term loses t_i documents at most: one that was dropped and comes back begins at 0. This is lossy
counting (Manku and Motwani, 2002) with a bound on the number of terms in place of one on the error.
"""

from typing import NamedTuple

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.numerics import Codes, Ints


class Dropped(NamedTuple):
    """What a term budget has dropped; adds up over sums.

    terms: number of terms dropped, again for one that came back. pairs: number of pairs of a document and a term in it
    that are no longer counted. most: T of eq. (1).
    """

    terms: int = 0
    pairs: int = 0
    most: int = 0

    def and_then(self, other: "Dropped") -> "Dropped":
        """Return what both have dropped."""
        return Dropped(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING_DROPPED = Dropped()


def most_frequent_terms(counts: ClassCounts, budget: int) -> tuple[Codes, Dropped]:
    """Return the columns of the terms that most documents contain, ``budget`` at most, and what is dropped."""
    return most_frequent(np.asarray(counts.containing.sum(axis=0)).astype(np.int64, copy=False), budget)


def most_frequent(containing: Ints, budget: int) -> tuple[Codes, Dropped]:
    """Return the columns that ``most_frequent_terms`` returns, by the document frequencies (V,)."""
    if len(containing) <= budget:
        return np.arange(len(containing)), NOTHING_DROPPED
    order = np.argsort(-containing, kind="stable")  # of equals, the first by code point come first
    rest = containing[order[budget:]]
    return np.sort(order[:budget]), Dropped(len(rest), int(rest.sum()), int(rest[0]))
