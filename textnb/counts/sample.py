"""Sample: some of the learnt documents, kept with their counts, chosen by their digests alone.

Of a class with D_k documents those are kept whose digest, read as a number between 0 and 1, is below 2^-level_k; the
level is the least that leaves about ``most`` / C documents of a class. So every machine chooses the same documents,
samples add up, and what is forgotten leaves the sample too. A level only rises: documents that were dropped when
there were many do not come back when most of them are forgotten. But for that, equal knowledge is an equal sample.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textnb.counts.counting import Counted
from textnb.counts.digests import SIZE
from textnb.counts.examples import Examples

Levels = dict[str, int]
_LEAST = 2  # documents of a class, however many classes there are


@dataclass(frozen=True)
class Sample:
    """``examples`` and the ``levels`` of the classes that have one above 0."""

    examples: Examples
    levels: Levels
    most: int

    @classmethod
    def zero(cls, most: int) -> "Sample":
        """No documents."""
        return cls(Examples.zero(), {}, most)

    @classmethod
    def of(cls, part: Counted, most: int) -> "Sample":
        """The sample of counted and labelled documents."""
        labels = np.array(part.named_labels, object)
        names, number = np.unique(labels, return_counts=True)
        levels = _levels(dict(zip(names.tolist(), number.tolist(), strict=True)), most)
        learnt = part.learnt_digests
        digests = np.frombuffer(b"".join(learnt), np.uint8).reshape(-1, SIZE)
        kept = np.flatnonzero(_chosen(digests, np.array([levels.get(name, 0) for name in labels], np.int64)))
        chosen = [learnt[i] for i in kept]
        return cls(Examples.of(part.X[kept], labels[kept].tolist(), chosen, part.vocabulary), levels, most)

    def thinned(self, documents: Mapping[str, int]) -> "Sample":
        """The sample when so many documents of each class have been learnt."""
        needed = _levels(documents, self.most)
        levels = {name: max(self.levels.get(name, 0), needed.get(name, 0)) for name in documents}
        return self._at({name: level for name, level in levels.items() if level})

    def evened(self) -> "Sample":
        """Every class thinned to the highest level there is: each learnt document is as likely as any other in it."""
        highest = max(self.levels.values(), default=0)
        return self._at(dict.fromkeys([*self.levels, *self.examples.classes], highest)) if highest else self

    def weights(self) -> NDArray[np.float64]:
        """How many learnt documents each document of the sample stands for, (D,)."""
        of_class = np.array([2.0 ** self.levels.get(name, 0) for name in self.examples.classes])
        return of_class[self.examples.y]

    def __add__(self, other: "Sample") -> "Sample":
        levels = {name: max(self.levels.get(name, 0), level) for name, level in other.levels.items()}
        merged = {**self.levels, **levels}
        return Sample(self._at(merged).examples + other._at(merged).examples, merged, min(self.most, other.most))

    def __sub__(self, other: "Sample") -> "Sample":
        return Sample(self.examples - other._at(self.levels).examples, self.levels, self.most)

    def _at(self, levels: Levels) -> "Sample":
        examples = self.examples
        of_class = np.array([levels.get(name, 0) for name in examples.classes], np.int64)
        kept = _chosen(examples.digests, of_class[examples.y])
        return Sample(examples if kept.all() else examples.rows(np.flatnonzero(kept)), levels, self.most)


def _chosen(digests: NDArray[np.uint8], levels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the first 32 bits of each digest are below 2^(32 - level)."""
    first = digests[:, :4].astype(np.int64) @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
    return np.asarray(first < (1 << 32) >> np.minimum(levels, 32))


def _levels(documents: Mapping[str, float], most: int) -> Levels:
    """The least levels that leave no more than a class's share of ``most``, where that is not level 0."""
    cap = max(most // max(len(documents), 1), _LEAST)
    levels = {name: math.ceil(math.log2(max(number / cap, 1))) for name, number in documents.items()}
    return {name: level for name, level in levels.items() if level}
