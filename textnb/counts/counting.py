"""Documents to counts: the terms of each document, gathered into one matrix, on as many processes as allowed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from textnb.counts.documents import CountedDocument, CountedRows, NativeRows, TermsOf
from textnb.counts.examples import Digests, Examples, labelled_digest
from textnb.counts.matrix import CSR, MatrixBuilder, count_matrix, mapped
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError
from textnb.parallel import map_on_threads, map_ordered
from textnb.readers import Document

_CHARACTERS = 30_000  # about a second of Janome's time
_CHARACTERS_NATIVELY = 500_000  # about a fifth of a second where it is Japanese
_DOCUMENTS = 512
ENTRIES = 20_000_000
"""Non-zero counts held at once while learning, 160 MB."""


@dataclass(frozen=True)
class Counted:
    """Documents after counting: X (D, V) and what else is known of each row; digests where it may be learnt from."""

    X: CSR
    vocabulary: Vocabulary
    labels: tuple[str | None, ...]
    digests: tuple[bytes, ...]
    ids: tuple[str, ...]
    groups: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, rows: Columns) -> "Counted":
        """Some of the documents, by number, on the same vocabulary."""
        chosen = rows.tolist()
        known = ([values[i] for i in chosen] for values in (self.labels, self.digests, self.ids, self.groups))
        part = Counted(self.X[rows], self.vocabulary, *map(tuple, known))
        if "learnt_digests" in self.__dict__:  # hashing is most of the time that a fold takes
            part.__dict__["learnt_digests"] = [self.learnt_digests[i] for i in chosen]
        return part

    def on(self, vocabulary: Vocabulary) -> "Counted":
        """The same documents on another vocabulary; terms outside it are left out."""
        return replace(self, X=mapped(self.X, self.vocabulary, vocabulary), vocabulary=vocabulary)

    @property
    def trimmed(self) -> "Counted":
        """The same documents without the terms that none of them has."""
        columns = np.flatnonzero(np.bincount(self.X.indices, minlength=len(self.vocabulary)))
        return replace(self, X=self.X[:, columns], vocabulary=self.vocabulary.selected(columns))

    @property
    def named_labels(self) -> list[str]:
        """The labels, of which none is missing."""
        named = [label for label in self.labels if label is not None]
        if len(named) != len(self.labels):
            raise InputError(f"the document {self.ids[self.labels.index(None)]!r} has no label")
        return named

    @cached_property
    def learnt_digests(self) -> list[bytes]:
        """What is remembered of each document, under its label."""
        return [labelled_digest(digest, label) for digest, label in zip(self.digests, self.named_labels, strict=True)]

    @property
    def examples(self) -> Examples:
        """The same documents in canonical order."""
        return Examples.of(self.X, self.named_labels, self.learnt_digests, self.vocabulary)

    @property
    def digest_multiset(self) -> Digests:
        """The digests as a multiset."""
        return Digests.of(self.learnt_digests)


def counted(
    documents: Iterable[Document],
    terms_of: TermsOf,
    vocabulary: Vocabulary | None = None,
    *,
    jobs: int = 1,
    entries: float = ENTRIES,
) -> Iterator[Counted]:
    """The documents in their order, counted, in parts of about so many non-zero entries.

    With a vocabulary given, terms outside it are left out, and there are no digests: it is given for answers, and
    nothing is to be learnt from them.
    """
    if terms_of.tokenizer.counts_natively:
        yield from _counted_natively(documents, terms_of, vocabulary, jobs, entries)
        return
    gathered = _Gathered(vocabulary)
    count = partial(_count, terms_of, vocabulary is None)
    for documents_part, X, found in map_ordered(count, _batches(documents), jobs):
        gathered.add(documents_part, X, found)
        if gathered.builder.n_entries >= entries:
            yield gathered.counted()
            gathered = _Gathered(vocabulary)
    if gathered.documents:
        yield gathered.counted()


def _counted_natively(
    documents: Iterable[Document], terms_of: TermsOf, vocabulary: Vocabulary | None, jobs: int, entries: float
) -> Iterator[Counted]:
    """The same on threads: the extension cuts the texts and numbers their terms."""
    batches = _batches(documents, _CHARACTERS_NATIVELY)
    while True:
        rows = NativeRows(terms_of, vocabulary)
        known: list[_Known] = []

        def until_full(rows: NativeRows = rows) -> Iterator[list[Document]]:
            for batch in batches:
                yield batch
                if rows.n_entries >= entries:
                    return

        count = partial(_count_natively, rows, vocabulary is None)
        for batch, counted_batch in map_on_threads(count, until_full(), jobs):
            known += batch
            for counted_rows in counted_batch:
                rows.add(counted_rows)
        if not known:
            return
        yield _counted(rows.build(), known)


def _count_natively(
    rows: NativeRows, digested: bool, documents: list[Document]
) -> tuple[list["_Known"], list[CountedRows]]:
    found: list[CountedRows] = []
    for counted_before, run in groupby(documents, lambda document: isinstance(document, CountedDocument)):
        if counted_before:
            found += [document.row for document in run if isinstance(document, CountedDocument)]
        else:
            found.append(rows.count(list(run)))
    return [_Known.of(document, digested) for document in documents], found


class _Known(NamedTuple):
    """What is kept of a document when its text has been counted."""

    label: str | None
    digest: bytes
    id: str
    group: str | None

    @classmethod
    def of(cls, document: Document, digested: bool) -> "_Known":
        return cls(document.label, document.digest if digested else b"", document.id, document.group)


class _Gathered:
    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self.builder = MatrixBuilder(vocabulary)
        self.documents: list[_Known] = []

    def add(self, documents: list[_Known], X: CSR, vocabulary: Vocabulary) -> None:
        self.builder.add_rows(X, vocabulary)
        self.documents += documents

    def counted(self) -> Counted:
        return _counted(self.builder.build(), self.documents)


def _count(terms_of: TermsOf, digested: bool, documents: list[Document]) -> tuple[list[_Known], CSR, Vocabulary]:
    known = [_Known.of(document, digested) for document in documents]
    return known, *count_matrix(map(terms_of.stream, documents))


def _counted(built: tuple[CSR, Vocabulary], known: list[_Known]) -> Counted:
    labels, digests, ids, groups = zip(*known, strict=True)
    return Counted(*built, labels, digests if all(digests) else (), ids, groups)


def _batches(documents: Iterable[Document], enough: int = _CHARACTERS) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if characters >= enough or len(batch) >= _DOCUMENTS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
