"""Learnt value: statistics of all learnt documents and what is kept of them, with ``+`` and ``-``.

A sample of the documents is kept for calibration. Of a class with D_k documents, those are kept whose digest, read as
a number between 0 and 1, is below 2^-level_k. The level is the smallest that leaves about ``most`` / C documents of the
class. So every machine chooses the same documents, samples add up, and a forgotten document leaves the sample. A level
only rises: documents that were dropped when there were many do not come back when most of them are forgotten.
Otherwise equal knowledge is an equal sample.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.counting import Counted
from textnb.counts.examples import SIZE, Digests, Examples
from textnb.counts.histograms import ClassHistograms
from textnb.counts.matrix import CSR
from textnb.counts.vocabulary import Vocabulary
from textnb.counts.weighting import Weighting

Levels = dict[str, int]
MIN_PER_CLASS = 2
"""Documents of a class that a sample keeps, however many classes there are."""


@dataclass(frozen=True)
class Sample:
    """Sampled documents, and the levels of the classes whose level is above 0."""

    examples: Examples
    levels: Levels
    most: int

    @classmethod
    def zero(cls, most: int) -> "Sample":
        """Return an empty sample."""
        return cls(Examples.zero(), {}, most)

    @classmethod
    def of(cls, part: Counted, most: int) -> "Sample":
        """Return the sample of counted and labelled documents."""
        labels = np.array(part.named_labels, object)
        names, number = np.unique(labels, return_counts=True)
        levels = _levels(dict(zip(names.tolist(), number.tolist(), strict=True)), most)
        learnt = part.learnt_digests
        digests = np.frombuffer(b"".join(learnt), np.uint8).reshape(-1, SIZE)
        kept = np.flatnonzero(_chosen(digests, np.array([levels.get(name, 0) for name in labels], np.int64)))
        chosen = [learnt[i] for i in kept]
        return cls(Examples.of(part.X[kept], labels[kept].tolist(), chosen, part.vocabulary), levels, most)

    def thinned(self, documents: Mapping[str, int]) -> "Sample":
        """Return the sample for these numbers of learnt documents per class."""
        needed = _levels(documents, self.most)
        levels = {name: max(self.levels.get(name, 0), needed.get(name, 0)) for name in documents}
        return self._at({name: level for name, level in levels.items() if level})

    def evened(self) -> "Sample":
        """Return a sample with all classes at the highest level: each learnt document is equally likely to be in it."""
        highest = max(self.levels.values(), default=0)
        return self._at(dict.fromkeys([*self.levels, *self.examples.classes], highest)) if highest else self

    def weights(self) -> NDArray[np.float64]:
        """Number of learnt documents that each sampled document represents, (D,)."""
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
    """Return whether the first 32 bits of each digest are below 2^(32 - level), (D,)."""
    first = digests[:, :4].astype(np.int64) @ np.array([1 << 24, 1 << 16, 1 << 8, 1])
    return np.asarray(first < (1 << 32) >> np.minimum(levels, 32))


def _levels(documents: Mapping[str, float], most: int) -> Levels:
    """Smallest levels that leave at most ``most`` / C documents of each class; classes at level 0 are omitted."""
    cap = max(most // max(len(documents), 1), MIN_PER_CLASS)
    levels = {name: math.ceil(math.log2(max(number / cap, 1))) for name, number in documents.items()}
    return {name: level for name, level in levels.items() if level}


class Keeps(NamedTuple):
    """What is kept beside the statistics: histograms, all documents, or a sample of this size."""

    histograms: bool = False
    examples: bool = False
    sample: int = 0


@dataclass(frozen=True)
class Learnt:
    """Statistics of learnt documents. ``+`` merges, ``-`` forgets and drops terms and classes without documents.

    Equal knowledge is an equal value, whatever its history; forgetting equals never having seen. Parts that a recipe
    does not need are None.
    """

    counts: ClassCounts
    digests: Digests
    histograms: ClassHistograms | None = None
    examples: Examples | None = None
    sample: Sample | None = None

    @classmethod
    def zero(cls, unit: float = 1.0, keeps: Keeps | None = None) -> "Learnt":
        """Return the learnt value of no documents."""
        keeps = keeps or Keeps()
        return cls(
            ClassCounts.zero(Vocabulary(), (), unit),
            Digests.of(),
            ClassHistograms((), ()) if keeps.histograms else None,
            Examples.zero() if keeps.examples else None,
            Sample.zero(keeps.sample) if keeps.sample else None,
        )

    @classmethod
    def of(cls, part: Counted, weighting: Weighting, keeps: Keeps) -> "Learnt":
        """Return the learnt value of counted and labelled documents."""
        counts, histograms = _statistics(part.X, part.named_labels, part.vocabulary, weighting, keeps.histograms)
        examples = part.examples if keeps.examples else None
        sample = Sample.of(part, keeps.sample) if keeps.sample else None
        return cls(counts, Digests.of(part.learnt_digests), histograms, examples, sample)

    def without(self, examples: Examples, weighting: Weighting) -> "Learnt":
        """Return the learnt value without these documents, and without a sample."""
        labels = np.array(examples.classes, object)[examples.y].tolist()
        has_histograms = self.histograms is not None
        counts, histograms = _statistics(examples.X, labels, examples.vocabulary, weighting, has_histograms)
        part = Learnt(counts, Digests.of_array(examples.digests), histograms, examples)
        return replace(self, sample=None) - part

    def __add__(self, other: "Learnt") -> "Learnt":
        a, b = self.counts, other.counts
        vocabulary = _vocabulary(a) | _vocabulary(b)
        classes = sorted({*a.classes, *b.classes})
        return Learnt(
            a.on(vocabulary, classes) + b.on(vocabulary, classes),
            self.digests + other.digests,
            _sum(*(_on(h, vocabulary, classes, a.unit) for h in (self.histograms, other.histograms))),
            _sum(self.examples, other.examples),
            _sum(self.sample, other.sample),
        )._thinned()

    def __sub__(self, other: "Learnt") -> "Learnt":
        digests = self.digests - other.digests  # refuses what was never learnt, before anything else
        vocabulary, classes = _vocabulary(self.counts), self.counts.classes
        counts = (self.counts - other.counts.on(vocabulary, classes)).trimmed()
        histograms = self.histograms
        if histograms is not None and other.histograms is not None:
            columns = vocabulary.columns_of(_vocabulary(counts))
            rest = histograms - other.histograms.on(vocabulary, classes, self.counts.unit)
            histograms = rest.selected(columns, counts.classes)
        examples = self.examples if self.examples is None or other.examples is None else self.examples - other.examples
        sample = self.sample if self.sample is None or other.sample is None else self.sample - other.sample
        return Learnt(counts, digests, histograms, examples, sample)._thinned()

    @property
    def fingerprint(self) -> str:
        """Digest of the set of learnt documents, 32 hexadecimal digits."""
        return blake2b(self.digests.array.tobytes(), digest_size=16).hexdigest()

    def without_documents(self) -> "Learnt":
        """Return the learnt value without kept documents."""
        return replace(self, sample=None, examples=None)

    def _thinned(self) -> "Learnt":
        if self.sample is None:
            return self
        documents = dict(zip(self.counts.classes, np.asarray(self.counts.documents).tolist(), strict=True))
        return replace(self, sample=self.sample.thinned(documents))


def _statistics(
    X: CSR, labels: list[str], vocabulary: Vocabulary, weighting: Weighting, has_histograms: bool
) -> tuple[ClassCounts, ClassHistograms | None]:
    stored, unit = weighting.stored(X), weighting.unit
    histograms = ClassHistograms.of(stored, labels, vocabulary, unit=unit) if has_histograms else None
    return ClassCounts.of(stored, labels, vocabulary, unit=unit), histograms


def _vocabulary(counts: ClassCounts) -> Vocabulary:
    assert counts.vocabulary is not None
    return counts.vocabulary


def _on(
    histograms: ClassHistograms | None, vocabulary: Vocabulary, classes: list[str], unit: float
) -> ClassHistograms | None:
    return None if histograms is None else histograms.on(vocabulary, classes, unit)


def _sum(a: Any, b: Any) -> Any:
    """Sum of two parts; None if either is None."""
    return None if a is None or b is None else a + b
