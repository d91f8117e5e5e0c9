"""Check of a corpus: empty, tiny and damaged documents, exact and near duplicates, and giveaways.

    exact duplicates   documents with equal digests                            (``find_exact_duplicates``)
    near duplicates    documents with similar shingles                         (``near_duplicates``)
    giveaways          terms in many documents of one class and few others     (``giveaways``)
    suspect labels     answers without the document contradict its label       (``textnb.classifier.suspects``)

Several corpora can be checked together as splits of one. A duplicate in two splits is a leak: a document for testing
was learnt. The check makes one pass over the documents and prints nothing.
"""

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np

from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.suspects import SeenDocuments, Suspect
from textnb.classifier.text_classifier import TextClassifier
from textnb.corpus.giveaways import MIN_PRECISION, MIN_RECALL, Giveaway, find_giveaways
from textnb.corpus.near_duplicates import (
    MIN_SIMILARITY,
    Shingles,
    find_duplicate_groups,
    jaccard,
    shingle_matrix,
    shingles,
)
from textnb.counts import ClassCounts, Counted, Learnt, TermsOf, counted
from textnb.counts.learnt import Keeps
from textnb.counts.weighting import weighting
from textnb.errors import FitWarning, InputError
from textnb.readers import Document


class Place(NamedTuple):
    """Id, label and split of a document."""

    id: str
    label: str
    split: str


@dataclass(frozen=True)
class DuplicateGroup:
    """Group of exact or near duplicates; ``similarity`` is the smallest similarity of a document to the first."""

    places: tuple[Place, ...]
    similarity: float = 1.0

    @property
    def across_labels(self) -> bool:
        """Whether the documents have several labels."""
        return len({place.label for place in self.places}) > 1

    @property
    def across_splits(self) -> bool:
        """Whether the documents are in several splits."""
        return len({place.split for place in self.places}) > 1


def find_exact_duplicates(places: Sequence[Place], digests: Sequence[bytes]) -> tuple[DuplicateGroup, ...]:
    """Group the documents with equal digests, in the order of the first document of each group.

    >>> a, b, c = (Place(name, "news", "") for name in "abc")
    >>> [len(group.places) for group in find_exact_duplicates([a, b, c], [b"1", b"2", b"1"])]
    [2]
    """
    groups: dict[bytes, list[Place]] = defaultdict(list)
    for place, digest in zip(places, digests, strict=True):
        groups[digest].append(place)
    return tuple(DuplicateGroup(tuple(group)) for group in groups.values() if len(group) > 1)


def find_near_duplicates(
    places: Sequence[Place], digests: Sequence[bytes], shingles: list[Shingles], threshold: float
) -> tuple[DuplicateGroup, ...]:
    """Group the documents that pairs with a Jaccard similarity of at least ``threshold`` connect.

    Exact copies of a member are members too; a group of exact copies only is left out. Texts that differ only in white
    space have similarity 1.
    """
    X = shingle_matrix(shingles)
    first = find_duplicate_groups(X, threshold=threshold)
    order = np.argsort(first, kind="stable")
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    found = [rows for rows in np.split(order, starts[1:]) if len({digests[row] for row in rows}) > 1]
    return tuple(
        DuplicateGroup(tuple(places[row] for row in rows), float(jaccard(X, np.full_like(rows, rows[0]), rows).min()))
        for rows in found
    )


SUSPECTED_BY = "complement"
"""Model whose left-out answers contradict suspect labels."""
MAX_SUSPECTS = 100
"""Suspect labels that a check lists."""
_REPLACEMENT = "\ufffd"
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Limits:
    """Limits of ``check_corpus``.

    Parameters
    ----------
    similarity : float
        Smallest Jaccard similarity of the shingles of near duplicates.
    tiny : int
        A document with fewer characters, without white space, is tiny.
    precision : float
        Smallest precision of a giveaway: the proportion of its documents that are in the class.
    recall : float
        Smallest recall of a giveaway: the proportion of the documents of the class that contain it.
    """

    similarity: float = MIN_SIMILARITY
    tiny: int = 10
    precision: float = MIN_PRECISION
    recall: float = MIN_RECALL


@dataclass(frozen=True)
class CorpusCheck:
    """Result of ``check_corpus``.

    Parameters
    ----------
    splits : dict
        Number of documents per class, for each split.
    characters : int
        Number of characters of all texts.
    empty, tiny : tuple of Place
        Documents without text, and with little text.
    damaged : tuple
        Documents with defects, each with their descriptions.
    exact_duplicates, near_duplicates : tuple of DuplicateGroup
        Groups of documents with the same or almost the same text.
    giveaways : tuple of Giveaway
        Terms that give a class away.
    suspects : tuple of Suspect
        Documents whose label a naive Bayes model, trained on all others, contradicts; the most confident first.
    """

    splits: dict[str, dict[str, int]]
    characters: int
    empty: tuple[Place, ...]
    tiny: tuple[Place, ...]
    damaged: tuple[tuple[Place, tuple[str, ...]], ...]
    exact_duplicates: tuple[DuplicateGroup, ...]
    near_duplicates: tuple[DuplicateGroup, ...]
    giveaways: tuple[Giveaway, ...]
    suspects: tuple[Suspect, ...] = ()

    @property
    def classes(self) -> dict[str, int]:
        """Number of documents per class."""
        return dict(sorted(sum(map(Counter, self.splits.values()), Counter[str]()).items()))

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(self.classes.values())

    @property
    def faults(self) -> dict[str, int]:
        """Number of each kind of certain fault, if any; tiny documents and giveaways are not certain faults."""
        groups = (*self.exact_duplicates, *self.near_duplicates)
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
    """Check labelled documents; each is read once, and its text is not kept.

    Parameters
    ----------
    splits : Mapping[str, Iterable[Document]]
        Documents of each split by its name.
    terms_of : TermsOf
        Tokenizer and analyzer, for the giveaways.
    limits : Limits, optional
        What counts as tiny, as a near duplicate and as a giveaway.
    jobs : int
        Number of processes that tokenize.

    Examples
    --------
    >>> from textnb.text import Analyzer, tokenizer
    >>> documents = [Document("a b c", "x", "1"), Document("a b c", "y", "2"), Document("", "y", "3")]
    >>> found = check_corpus({"all": documents}, TermsOf(tokenizer("words"), Analyzer()))
    >>> found.faults
    {'empty documents': 1, 'duplicates under several labels': 1}
    """
    limits = limits or Limits()
    notes = _Notes(limits.tiny)
    documents = chain.from_iterable(notes.watch(split, documents) for split, documents in splits.items())
    seen = SeenDocuments()
    parts = list(counted(seen.watch(documents), terms_of, jobs=jobs))
    counts = _class_counts(parts)
    return CorpusCheck(
        {split: dict(sorted(classes.items())) for split, classes in notes.splits.items()},
        notes.characters,
        tuple(notes.empty),
        tuple(notes.tiny),
        tuple(notes.damaged),
        find_exact_duplicates(notes.places, notes.digests),
        find_near_duplicates(notes.places, notes.digests, notes.shingles, limits.similarity),
        tuple(find_giveaways(counts, precision=limits.precision, recall=limits.recall)),
        tuple(_suspects(parts, terms_of, seen)),
    )


def find_damage(document: Document) -> tuple[str, ...]:
    """Describe the defects of a document, and characters in it that do not belong in text.

    >>> find_damage(Document("caf\\ufffd \\x9d"))
    ('U+FFFD in place of lost characters', 'stray U+009D')
    """
    found = list(document.defects)
    if not found and _REPLACEMENT in document.text:
        found.append("U+FFFD in place of lost characters")
    stray = sorted(set(_NOT_TEXT.findall(document.text)))
    if stray:
        found.append("stray " + ", ".join(f"U+{ord(character):04X}" for character in stray))
    return tuple(found)


@dataclass
class _Notes:
    """What the check keeps of the documents; ``places``, ``digests`` and ``shingles`` are those of texts not empty."""

    tiny_below: int
    splits: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    characters: int = 0
    empty: list[Place] = field(default_factory=list)
    tiny: list[Place] = field(default_factory=list)
    damaged: list[tuple[Place, tuple[str, ...]]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)
    shingles: list[Shingles] = field(default_factory=list)

    def watch(self, split: str, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents unchanged, and note what the check needs."""
        classes = self.splits[split]  # an entry even for a split without documents
        for document in documents:
            place = Place(document.id, document.label or "", split)
            classes[place.label] += 1
            self._note(place, document)
            yield document

    def _note(self, place: Place, document: Document) -> None:
        self.characters += len(document.text)
        if found := find_damage(document):
            self.damaged.append((place, found))
        length = sum(map(len, document.text.split()))
        if not length:
            self.empty.append(place)
            return
        if length < self.tiny_below:
            self.tiny.append(place)
        self.places.append(place)
        self.digests.append(document.digest)
        self.shingles.append(shingles(document.text))


def _suspects(parts: Sequence[Counted], terms_of: TermsOf, seen: SeenDocuments) -> list[Suspect]:
    """Documents with suspect labels, at most MAX_SUSPECTS; none if no document can be left out."""
    recipe = ClassifierRecipe(SUSPECTED_BY, None, "empirical", terms_of.tokenizer, terms_of.analyzer)
    classifier = TextClassifier.from_recipe(recipe)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # a check of labels needs no calibration
        try:
            return classifier.fit(parts).suspects(seen, top=MAX_SUSPECTS)
        except InputError:  # there is one class only, or one document per class
            return []


def _class_counts(parts: Iterable[Counted]) -> ClassCounts:
    """Count the documents of each class that contain each term."""
    binary = weighting("binary")
    return sum((Learnt.of(part, binary, Keeps()) for part in parts), Learnt.zero()).counts
