"""The learnt value: statistics and the digests of the documents they came from, on axes that follow the data."""

from dataclasses import dataclass

from textnb.counts.class_counts import ClassCounts
from textnb.counts.digests import Digests
from textnb.counts.vocabulary import Vocabulary


@dataclass(frozen=True)
class Learnt:
    """``+`` merges onto the union of terms and classes, ``-`` forgets and drops what no document has any more.

    So equal knowledge is an equal value, whatever its history, and forgetting equals never having seen.
    """

    counts: ClassCounts
    digests: Digests

    @classmethod
    def zero(cls, unit: float = 1.0) -> "Learnt":
        """Nothing."""
        return cls(ClassCounts.zero(Vocabulary(), (), unit), Digests.of())

    def __add__(self, other: "Learnt") -> "Learnt":
        a, b = self.counts, other.counts
        vocabulary = _vocabulary(a) | _vocabulary(b)
        classes = sorted({*a.classes, *b.classes})
        return Learnt(a.on(vocabulary, classes) + b.on(vocabulary, classes), self.digests + other.digests)

    def __sub__(self, other: "Learnt") -> "Learnt":
        digests = self.digests - other.digests  # refuses what was never learnt, before anything else
        part = other.counts.on(_vocabulary(self.counts), self.counts.classes)
        return Learnt((self.counts - part).trimmed(), digests)


def _vocabulary(counts: ClassCounts) -> Vocabulary:
    assert counts.vocabulary is not None
    return counts.vocabulary
