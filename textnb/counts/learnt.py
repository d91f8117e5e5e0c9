"""Learnt value: statistics of all learnt documents and what is kept of them, with ``+`` and ``-``.

All documents are kept up to a number, ``most``, so that what is computed from them, the calibration, is a function of
what is learnt: forgetting equals never having seen. Of more documents a sample is kept. With D_k documents in class k,

    c = the largest whole number with sum_k min(D_k, c) <= most                                              (1)

and of a class with more than c documents those are kept whose digest is below its bound, which is the digest at place c
of the class in ascending order, counted from 0. Adding documents never raises c nor a bound. So every machine keeps the
same documents, and samples add up in any order. A document that was dropped does not come back when others are
forgotten: then, and only then, fewer are kept than if the rest had been learnt alone, and the bound stays until no
document of the class is missing.

A calibration needs fewer documents. It uses those of class k whose digest, read as a number between 0 and 1, is below
2^-level_k. The level is the smallest that leaves about MOST_CALIBRATED / C documents of the class.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.counting import Counted
from textnb.counts.examples import SIZE, DigestArray, Digests, Examples, digest_array, sort_keys
from textnb.counts.histograms import ClassHistograms
from textnb.counts.labels import class_codes, places
from textnb.counts.matrix import CSR
from textnb.counts.packed_vocabulary import united
from textnb.counts.pruning import NOTHING_DROPPED, Dropped, most_frequent_terms
from textnb.counts.vocabulary import Vocabulary
from textnb.counts.weighting import Weighting
from textnb.numerics import Codes, Floats

Bounds = dict[str, bytes]
"""For classes of which documents are missing: the digest below which all are there."""

MOST_KEPT = 100_000
"""Number of documents that are kept at most unless another one is given."""

MOST_CALIBRATED = 3000
"""About how many of the kept documents a calibration uses at most; about half of that if there are many more."""

MIN_PER_CLASS = 2
"""Documents of a class that a calibration may use, however many classes there are."""

MAX_LEVEL = 32


@dataclass(frozen=True)
class Sample:
    """Kept documents: of each class all, or those whose digest is below the bound of the class; at most ``most``."""

    examples: Examples
    bounds: Bounds
    most: int

    @classmethod
    def zero(cls, most: int) -> "Sample":
        """Return an empty sample."""
        return cls(Examples.zero(), {}, most)

    @classmethod
    def of(cls, part: Counted, most: int) -> "Sample":
        """Return the sample of counted and labelled documents."""
        return cls.of_below(part, most, {})

    @classmethod
    def of_below(cls, part: Counted, most: int, bounds: Bounds) -> "Sample":
        """Return the sample of counted documents below bounds that others have set."""
        classes, y = class_codes(np.array(part.named_labels, object))
        digests = digest_array(part.learnt_digests)
        share = _share(np.bincount(y).tolist(), most)
        return cls._below_bounds(part, most, _lower(bounds, _digests_at(share, digests, y, classes)))

    @classmethod
    def calibrating(cls, part: Counted, most: int) -> "Sample":
        """Return ``of(part, most)`` for a calibration, without gathering the other documents."""
        documents = Counter(part.named_labels)
        return cls.calibrating_part(part, most, documents).thinned(documents)

    @classmethod
    def calibrating_part(cls, part: Counted, most: int, documents: Mapping[str, int]) -> "Sample":
        """Return what a part adds to ``calibrating`` of a whole with these documents per class.

        The sum over all parts, ``thinned(documents)``, is the sample.
        """
        return cls._below_bounds(part, most, _level_bounds(documents, most))

    @classmethod
    def _below_bounds(cls, part: Counted, most: int, bounds: Bounds) -> "Sample":
        if bounds:
            classes, y = class_codes(np.array(part.named_labels, object))
            part = part.rows(np.flatnonzero(is_below(digest_array(part.learnt_digests), y, classes, bounds)))
        return cls(part.examples, bounds, most)

    def thinned(self, documents: Mapping[str, int]) -> "Sample":
        """Return the sample for these numbers of learnt documents per class, eq. (1)."""
        share = _share(documents.values(), self.most)
        kept = dict.fromkeys(documents, 0) | self.documents
        bounds = {name: self.bounds[name] for name, number in documents.items() if kept[name] < number}
        examples = self.examples
        return self._below(bounds | _digests_at(share, examples.digests, examples.y, examples.classes))

    def for_calibration(self, documents: Mapping[str, int]) -> "Sample":
        """Return the documents that a calibration uses if so many documents per class have been learnt."""
        return self._below(_lower(self.bounds, _level_bounds(documents, self.most)))

    def evened(self) -> "Sample":
        """Return a sample with the lowest bound for all classes: each learnt document is equally likely to be in it."""
        if not self.bounds:
            return self
        return self._below(dict.fromkeys([*self.bounds, *self.examples.classes], min(self.bounds.values())))

    def weights(self) -> NDArray[np.float64]:
        """Number of learnt documents that each sampled document represents, (D,)."""
        whole = 1 << 8 * SIZE
        below = [int.from_bytes(self.bounds[name]) if name in self.bounds else whole for name in self.examples.classes]
        return np.array([whole / number for number in below])[self.examples.y]

    def without(self, digests: Digests, kept: Examples | None = None) -> "Sample":
        """Return the sample without these documents, ``kept`` of which have their days; those not here are ignored."""
        days = np.zeros(len(digests), np.int32)
        if kept is not None:
            days[digests.places_of(Digests(kept.digests))] = kept.days
        left = self.examples.without(digests.array, days)
        return self if len(left) == len(self.examples) else replace(self, examples=left)

    def plus(self, others: Sequence["Sample"], documents: Mapping[str, int]) -> "Sample":
        """Return the sum with others, ``thinned`` for these documents; what is not kept is left out before adding."""
        samples = [self, *others]
        bounds = reduce(_lower, [each.bounds for each in samples])
        examples = [each.examples for each in samples]
        below = [is_below(each.digests, each.y, each.classes, bounds) for each in examples]
        classes = tuple(sorted({name for each in examples for name in each.classes}))
        pairs = list(zip(examples, below, strict=True))
        y = np.concatenate([places(classes, each.classes)[each.y[rows]] for each, rows in pairs])
        digests = np.concatenate([each.digests[rows] for each, rows in pairs])
        bounds = _lower(bounds, _digests_at(_share(documents.values(), self.most), digests, y, classes))
        del examples, pairs
        kept = Examples.joined([each._below(bounds).examples for each in samples])
        return Sample(kept, bounds, min(each.most for each in samples)).thinned(documents)

    def within(self, vocabulary: Vocabulary) -> "Sample":
        """Return the sample on a vocabulary, without the terms that are not in it."""
        return replace(self, examples=self.examples.within(vocabulary))

    def trimmed(self) -> "Sample":
        """Return the sample without the terms that none of its documents has."""
        return replace(self, examples=self.examples.trimmed())

    def __add__(self, other: "Sample") -> "Sample":
        bounds = _lower(self.bounds, other.bounds)
        return Sample(self._below(bounds).examples + other._below(bounds).examples, bounds, min(self.most, other.most))

    @property
    def documents(self) -> dict[str, int]:
        """Number of kept documents of each class that has any."""
        numbers = np.bincount(self.examples.y, minlength=len(self.examples.classes)).tolist()
        return dict(zip(self.examples.classes, numbers, strict=True))

    def _below(self, bounds: Bounds) -> "Sample":
        """Return the documents below these bounds, none of which may be above the present ones."""
        examples = self.examples
        kept = is_below(examples.digests, examples.y, examples.classes, bounds)
        return Sample(examples if kept.all() else examples.rows(np.flatnonzero(kept)), bounds, self.most)


def is_below(
    digests: DigestArray, y: Codes, classes: tuple[str, ...], bounds: Mapping[str, bytes]
) -> NDArray[np.bool_]:
    """Return whether each digest is below the bound of its class, (D,); True for classes without a bound."""
    if not bounds:
        return np.ones(len(y), bool)
    is_bounded = np.array([name in bounds for name in classes], bool)
    of_class = np.array([bounds.get(name, b"") for name in classes], f"S{SIZE}")
    return np.asarray(~is_bounded[y] | (sort_keys(digests) < of_class[y]))


def _digests_at(place: int, digests: DigestArray, y: Codes, classes: tuple[str, ...]) -> Bounds:
    """Digest at a place among those of each class, in ascending order; for classes with more documents."""
    sizes = np.bincount(y, minlength=len(classes))
    larger = np.flatnonzero(sizes > place).tolist()
    if not larger:
        return {}
    by_digest = np.argsort(sort_keys(digests), kind="stable")
    by_class = by_digest[np.argsort(y[by_digest], kind="stable")]
    at = np.cumsum(sizes) - sizes + place
    return {classes[k]: digests[by_class[at[k]]].tobytes() for k in larger}


def level_bound(level: int) -> bytes:
    """Digest below which 2^-level of all digests are; a level above MAX_LEVEL counts as that."""
    return (1 << 8 * SIZE - min(level, MAX_LEVEL)).to_bytes(SIZE)


def _lower(a: Bounds, b: Bounds) -> Bounds:
    """Lower one of two bounds of each class."""
    return {**a, **{name: min(bound, a.get(name, bound)) for name, bound in b.items()}}


def _share(documents: Iterable[int], most: int) -> int:
    """Most documents of a class that may be kept, c of eq. (1); the largest class if all are kept.

    >>> _share([7, 2, 9], most=12), _share([7, 2, 9], most=18), _share([7, 2, 9], most=2)
    (5, 9, 0)
    """
    share, room, sizes = 0, most, sorted(documents)
    for place, size in enumerate(sizes):
        share = room // (len(sizes) - place)
        if share < size:
            return share
        share, room = size, room - size
    return share


def _level_bounds(documents: Mapping[str, int], most: int) -> Bounds:
    """Bounds of the documents that a calibration uses, by the smallest levels; none for classes at level 0."""
    share = max(min(most, MOST_CALIBRATED) // max(len(documents), 1), MIN_PER_CLASS)
    levels = {name: math.ceil(math.log2(max(number / share, 1))) for name, number in documents.items()}
    return {name: level_bound(level) for name, level in levels.items() if level}


class Keeps(NamedTuple):
    """What is kept beside the statistics: histograms, all documents, or at most this number of documents."""

    histograms: bool = False
    examples: bool = False
    sample: int = 0


@dataclass(frozen=True)
class Learnt:
    """Statistics of learnt documents. ``+`` merges, ``-`` forgets and drops terms and classes without documents.

    Equal knowledge is an equal value, whatever its history, and forgetting equals never having seen, as long as there
    were never more documents than a sample may keep. Parts that a recipe does not need are None. ``dropped``: what a
    term budget has taken away, which is not counted any more.
    """

    counts: ClassCounts
    digests: Digests
    histograms: ClassHistograms | None = None
    examples: Examples | None = None
    sample: Sample | None = None
    dropped: Dropped = NOTHING_DROPPED

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
        return cls(counts, Digests.of(part.learnt_digests), histograms, examples, sample, part.dropped)

    @classmethod
    def of_weighted(cls, part: Counted, weighting: Weighting, sample_weight: Floats) -> "Learnt":
        """Return the class counts of documents with weights (D,), and nothing else: they cannot be forgotten."""
        stored, labels = weighting.stored(part.X), part.named_labels
        counts = ClassCounts.of(
            stored, labels, part.vocabulary, sample_weight=sample_weight, unit=weighting.unit
        ).trimmed()
        return cls(counts, Digests.of(), dropped=part.dropped)

    def part(self, examples: Examples, weighting: Weighting) -> "Learnt":
        """Return the learnt value of some of these documents, for ``-``."""
        labels = np.array(examples.classes, object)[examples.y].tolist()
        has_histograms = self.histograms is not None
        counts, histograms = _statistics(examples.X, labels, examples.vocabulary, weighting, has_histograms)
        return Learnt(counts, Digests.of_array(examples.digests), histograms, examples)

    def without(self, examples: Examples, weighting: Weighting) -> "Learnt":
        """Return the learnt value without these documents, and without a sample."""
        return replace(self, sample=None) - self.part(examples, weighting)

    @property
    def kept(self) -> Examples | None:
        """Kept documents; None if none are kept."""
        return self.examples if self.sample is None else self.sample.examples

    def statistics_without(
        self, X: CSR, labels: list[str], weighting: Weighting
    ) -> tuple[ClassCounts, ClassHistograms | None]:
        """Return counts and histograms without some learnt documents X (D, V); terms and classes stay, even empty."""
        vocabulary, classes = _vocabulary(self.counts), self.counts.classes
        stored, unit = weighting.stored(X), weighting.unit
        rest = None
        if self.histograms is not None:
            rest = self.histograms - ClassHistograms.of(stored, labels, vocabulary, classes, unit=unit)
        return self.counts - ClassCounts.of(stored, labels, vocabulary, classes, unit=unit), rest

    def __add__(self, other: "Learnt") -> "Learnt":
        return Learnt.total([self, other])

    @classmethod
    def total(cls, parts: Sequence["Learnt"]) -> "Learnt":
        """Return the sum of learnt values; digests and kept documents of all are joined at once."""
        counts, histograms = reduce(_sum_of_counts, [(each.counts, each.histograms) for each in parts])
        return cls(
            counts,
            Digests.total([each.digests for each in parts]),
            histograms,
            _joined([each.examples for each in parts]),
            _sum_of_samples([each.sample for each in parts], _documents(counts)),
            reduce(Dropped.and_then, [each.dropped for each in parts]),
        )

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
        sample = None if self.sample is None else self.sample.without(other.digests, other.kept)
        return Learnt(counts, digests, histograms, examples, sample, self.dropped)._thinned()

    @property
    def documents(self) -> dict[str, int]:
        """Number of learnt documents of each class."""
        return _documents(self.counts)

    @property
    def fingerprint(self) -> str:
        """Digest of the set of learnt documents, 32 hexadecimal digits."""
        return blake2b(np.ascontiguousarray(self.digests.array).data, digest_size=16).hexdigest()

    def pruned(self, budget: int) -> "Learnt":
        """Return the learnt value on the terms that most documents contain, ``budget`` at most; ``pruning.py``.

        There may be no histograms: their lengths of documents would have to change.
        """
        columns, dropped = most_frequent_terms(self.counts, budget)
        if not dropped.terms:
            return self
        assert self.histograms is None
        counts = self.counts.selected(columns)
        vocabulary = _vocabulary(counts)
        return replace(
            self,
            counts=counts,
            examples=None if self.examples is None else self.examples.within(vocabulary).trimmed(),
            sample=None if self.sample is None else self.sample.within(vocabulary).trimmed(),
            dropped=self.dropped.and_then(dropped),
        )

    def with_sample(self, sample: Sample) -> "Learnt":
        """Return the learnt value with this sample."""
        return replace(self, sample=sample)

    def without_documents(self) -> "Learnt":
        """Return the learnt value without kept documents."""
        return replace(self, sample=None, examples=None)

    def _thinned(self) -> "Learnt":
        if self.sample is None:
            return self
        return replace(self, sample=self.sample.thinned(self.documents))


def _statistics(
    X: CSR, labels: list[str], vocabulary: Vocabulary, weighting: Weighting, has_histograms: bool
) -> tuple[ClassCounts, ClassHistograms | None]:
    stored, unit = weighting.stored(X), weighting.unit
    histograms = ClassHistograms.of(stored, labels, vocabulary, unit=unit) if has_histograms else None
    return ClassCounts.of(stored, labels, vocabulary, unit=unit), histograms


def _vocabulary(counts: ClassCounts) -> Vocabulary:
    assert counts.vocabulary is not None
    return counts.vocabulary


def _documents(counts: ClassCounts) -> dict[str, int]:
    """Return the number of documents of each class."""
    return dict(zip(counts.classes, np.asarray(counts.documents).tolist(), strict=True))


_Counts = tuple[ClassCounts, ClassHistograms | None]


def _sum_of_counts(one: _Counts, other: _Counts) -> _Counts:
    """Return the sum of counts and of histograms on the terms and classes of both; no histograms if either has none."""
    (a, mine), (b, theirs) = one, other
    vocabulary, columns, others = united(_vocabulary(a), _vocabulary(b))
    classes = sorted({*a.classes, *b.classes})
    histograms = None
    if mine is not None and theirs is not None:
        histograms = mine.on(vocabulary, classes, a.unit, columns) + theirs.on(vocabulary, classes, a.unit, others)
    return a.on(vocabulary, classes, columns) + b.on(vocabulary, classes, others), histograms


def _joined(examples: Sequence[Examples | None]) -> Examples | None:
    """Return the kept documents of all parts; None if one of them keeps none."""
    kept = [each for each in examples if each is not None]
    return Examples.joined(kept) if len(kept) == len(examples) else None


def _sum_of_samples(samples: Sequence[Sample | None], documents: Mapping[str, int]) -> Sample | None:
    """Return the sample of all parts, which have these documents per class; None if one of them has no sample."""
    kept = [each for each in samples if each is not None]
    return kept[0].plus(kept[1:], documents) if len(kept) == len(samples) else None
