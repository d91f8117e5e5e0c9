"""The learnt value: statistics and what stands beside them, on axes that follow the data."""

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.class_histograms import ClassHistograms
from textnb.counts.counting import Counted
from textnb.counts.digests import Digests
from textnb.counts.examples import Examples
from textnb.counts.matrix import CSR
from textnb.counts.sample import Sample
from textnb.counts.vocabulary import Vocabulary
from textnb.counts.weighting import Weighting


class Keeps(NamedTuple):
    """What is kept of documents beside the statistics: histograms, all rows, or so many of them as a sample."""

    histograms: bool = False
    examples: bool = False
    sample: int = 0


@dataclass(frozen=True)
class Learnt:
    """``+`` merges onto the union of terms and classes, ``-`` forgets and drops what no document has any more.

    So equal knowledge is an equal value, whatever its history, and forgetting equals never having seen. What a recipe
    does not need is None.
    """

    counts: ClassCounts
    digests: Digests
    histograms: ClassHistograms | None = None
    examples: Examples | None = None
    sample: Sample | None = None

    @classmethod
    def zero(cls, unit: float = 1.0, keeps: Keeps | None = None) -> "Learnt":
        """Nothing."""
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
        """What counted and labelled documents teach."""
        counts, histograms = _statistics(part.X, part.named_labels, part.vocabulary, weighting, keeps.histograms)
        examples = part.examples if keeps.examples else None
        sample = Sample.of(part, keeps.sample) if keeps.sample else None
        return cls(counts, part.digest_multiset, histograms, examples, sample)

    def without(self, examples: Examples, weighting: Weighting) -> "Learnt":
        """What there is as if these documents had never been seen, without a sample."""
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
        """32 hexadecimal digits that stand for the documents that were learnt."""
        return blake2b(self.digests.array.tobytes(), digest_size=16).hexdigest()

    def without_documents(self) -> "Learnt":
        """The same with no document's words kept."""
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
    """The sum, if both sides have kept it."""
    return None if a is None or b is None else a + b
