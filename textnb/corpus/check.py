"""What is odd about a corpus: documents that say nothing, are damaged or repeated, and terms that give a class away.

Several corpora are checked together as splits of one: a document of the one that is in the other as well is a leak.

Groups of documents with the same text, or nearly the same: those that learning or testing should see once.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np

from textnb.corpus.giveaways import PRECISION, RECALL, Giveaway, giveaways
from textnb.corpus.near_duplicates import THRESHOLD, Shingles, duplicate_groups, jaccard, shingle_matrix, shingles
from textnb.counts import ClassCounts, Learnt, TermsOf, counted
from textnb.counts.learnt import Keeps
from textnb.counts.weighting import weighting
from textnb.readers import Document


class Place(NamedTuple):
    """Where a document stands."""

    id: str
    label: str
    split: str


@dataclass(frozen=True)
class DuplicateGroup:
    """Documents that are the same, or nearly; ``similarity`` is the least that one of them has with the first."""

    places: tuple[Place, ...]
    similarity: float = 1.0

    @property
    def across_labels(self) -> bool:
        """Whether the same text stands under several labels."""
        return len({place.label for place in self.places}) > 1

    @property
    def across_splits(self) -> bool:
        """Whether it stands in several splits: what is learnt from one is tested on the other."""
        return len({place.split for place in self.places}) > 1


def exact_duplicates(places: Sequence[Place], digests: Sequence[bytes]) -> tuple[DuplicateGroup, ...]:
    """The documents of one digest, where there are several, in the order of the first of each group.

    >>> a, b, c = (Place(name, "news", "") for name in "abc")
    >>> [len(group.places) for group in exact_duplicates([a, b, c], [b"1", b"2", b"1"])]
    [2]
    """
    groups: dict[bytes, list[Place]] = defaultdict(list)
    for place, digest in zip(places, digests, strict=True):
        groups[digest].append(place)
    return tuple(DuplicateGroup(tuple(group)) for group in groups.values() if len(group) > 1)


def near_duplicates(
    places: Sequence[Place], digests: Sequence[bytes], shingles: list[Shingles], threshold: float
) -> tuple[DuplicateGroup, ...]:
    """The groups that pairs of a Jaccard similarity of at least ``threshold`` connect, but for those of one digest.

    Texts that differ in white space alone have the similarity 1. The exact copies of a member are members too.
    """
    X = shingle_matrix(shingles)
    first = duplicate_groups(X, threshold=threshold)
    order = np.argsort(first, kind="stable")
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    found = [rows for rows in np.split(order, starts[1:]) if _differ(digests[row] for row in rows)]
    return tuple(
        DuplicateGroup(tuple(places[row] for row in rows), float(jaccard(X, np.full_like(rows, rows[0]), rows).min()))
        for rows in found
    )


def _differ(digests: Iterable[bytes]) -> bool:
    return len(set(digests)) > 1


_REPLACEMENT = "\ufffd"
_STRAY = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Limits:
    """What counts as odd.

    similarity: of near duplicates, the Jaccard similarity of their shingles, at least. tiny: a document of fewer
    characters than this, white space aside. precision, recall: of a term that gives a class away, at least: the share
    of its documents that are of the class, and the share of the class's documents that have it.
    """

    similarity: float = THRESHOLD
    tiny: int = 10
    precision: float = PRECISION
    recall: float = RECALL


@dataclass(frozen=True)
class CorpusCheck:
    """What one pass over a corpus found; ``splits``: the documents of each class in each."""

    splits: dict[str, dict[str, int]]
    characters: int
    empty: tuple[Place, ...]
    tiny: tuple[Place, ...]
    damaged: tuple[tuple[Place, tuple[str, ...]], ...]
    exact: tuple[DuplicateGroup, ...]
    near: tuple[DuplicateGroup, ...]
    giveaways: tuple[Giveaway, ...]

    @property
    def classes(self) -> dict[str, int]:
        """The documents of each class."""
        return dict(sorted(sum(map(Counter, self.splits.values()), Counter[str]()).items()))

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(self.classes.values())

    @property
    def faults(self) -> dict[str, int]:
        """What is certainly wrong, in words, and how often; tiny documents and giveaways are a matter of judgement."""
        groups = (*self.exact, *self.near)
        found = {
            "empty documents": len(self.empty),
            "damaged documents": len(self.damaged),
            "duplicates under several labels": sum(group.across_labels for group in groups),
            "duplicates in several splits": sum(group.across_splits for group in groups),
        }
        return {what: number for what, number in found.items() if number}


def check_corpus(
    splits: Mapping[str, Iterable[Document]], terms_of: TermsOf, limits: Limits | None = None, *, jobs: int = 1
) -> CorpusCheck:
    """Check labelled documents, which may be of several splits; each is read once, and its text is not kept.

    >>> from textnb.text import Analyzer, tokenizer
    >>> documents = [Document("a b c", "x", "1"), Document("a b c", "y", "2"), Document("", "y", "3")]
    >>> found = check_corpus({"all": documents}, TermsOf(tokenizer("words"), Analyzer()))
    >>> found.faults
    {'empty documents': 1, 'duplicates under several labels': 1}
    """
    limits = limits or Limits()
    notes = _Notes(limits.tiny)
    documents = chain.from_iterable(notes.watch(split, documents) for split, documents in splits.items())
    counts = _class_counts(documents, terms_of, jobs)
    return CorpusCheck(
        {split: dict(sorted(classes.items())) for split, classes in notes.splits.items()},
        notes.characters,
        tuple(notes.empty),
        tuple(notes.tiny),
        tuple(notes.damaged),
        exact_duplicates(notes.places, notes.digests),
        near_duplicates(notes.places, notes.digests, notes.shingles, limits.similarity),
        tuple(giveaways(counts, precision=limits.precision, recall=limits.recall)),
    )


def trouble(document: Document) -> tuple[str, ...]:
    """The defects of a document, and the characters in it that no text has.

    >>> trouble(Document("caf\\ufffd \\x9d"))
    ('U+FFFD, where characters were lost', 'stray U+009D')
    """
    found = list(document.defects)
    if not found and _REPLACEMENT in document.text:
        found.append("U+FFFD, where characters were lost")
    stray = sorted(set(_STRAY.findall(document.text)))
    if stray:
        found.append("stray " + ", ".join(f"U+{ord(character):04X}" for character in stray))
    return tuple(found)


@dataclass
class _Notes:
    """What is kept of documents as they pass by; ``places``, ``digests`` and ``shingles`` are of those with a text."""

    least: int
    splits: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    characters: int = 0
    empty: list[Place] = field(default_factory=list)
    tiny: list[Place] = field(default_factory=list)
    damaged: list[tuple[Place, tuple[str, ...]]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    shingles: list[Shingles] = field(default_factory=list)

    def watch(self, split: str, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents themselves, noted."""
        classes = self.splits[split]  # there even if it has no documents
        for document in documents:
            place = Place(document.id, document.label or "", split)
            classes[place.label] += 1
            self._note(place, document)
            yield document

    def _note(self, place: Place, document: Document) -> None:
        self.characters += len(document.text)
        if found := trouble(document):
            self.damaged.append((place, found))
        length = sum(map(len, document.text.split()))
        if not length:
            self.empty.append(place)
            return
        if length < self.least:
            self.tiny.append(place)
        self.places.append(place)
        self.digests.append(document.digest)
        self.shingles.append(shingles(document.text))


def _class_counts(documents: Iterable[Document], terms_of: TermsOf, jobs: int) -> ClassCounts:
    """In how many documents of each class each term is."""
    parts = counted(documents, terms_of, jobs=jobs)
    binary = weighting("binary")
    return sum((Learnt.of(part, binary, Keeps()) for part in parts), Learnt.zero()).counts
