"""Counting: documents to parts of a count matrix, on threads (the extension) or on processes (Python)."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain, groupby
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from textnb.counts.documents import CountedDocument, CountedRows, NativeRows, TermsOf
from textnb.counts.examples import Examples, labelled_digest
from textnb.counts.matrix import CSR, MatrixBuilder, count_matrix, mapped
from textnb.counts.pruning import NOTHING_DROPPED, Dropped
from textnb.counts.rows import as_matrix
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError
from textnb.extension import cached_property, sparse
from textnb.numerics import Codes
from textnb.parallel import as_jobs, map_on_threads, map_ordered
from textnb.readers import Document

BATCH_CHARACTERS = 30_000  # about a second of Janome's time
NATIVE_BATCH_CHARACTERS = 500_000  # about a fifth of a second of the extension's time for Japanese
BATCH_DOCUMENTS = 2048
ENTRIES = 20_000_000
"""Non-zero counts held at once while learning, 160 MB."""
PART_CHARACTERS = 4_000_000
"""Characters of a part of a stream: 20 MB of counts of words, 100 MB of words and characters."""


class _Matrix:
    """Field of a dataclass that is a csr_array, also if it was given as Rows: it is converted when it is asked for."""

    def __get__(self, counted: Any, _: Any = None) -> CSR:
        if counted is None:
            raise AttributeError("X")  # so that the field has no default
        return as_matrix(counted.__dict__["counts"])

    def __set__(self, counted: Any, X: CSR) -> None:
        counted.__dict__["counts"] = X


@dataclass(frozen=True)
class Counted:
    """Counted documents: X (D, V) and what else is known of each row.

    digests are empty if nothing can be learnt, days (``Document.day``) if no document has one. dropped: what a term
    budget has left out of X, at most.
    """

    if TYPE_CHECKING:
        X: CSR

        @property
        def counts(self) -> CSR:
            """X as it was counted: a csr_array or, for answers, Rows."""
    else:
        X: CSR = _Matrix()
    vocabulary: Vocabulary
    labels: tuple[str | None, ...]
    digests: tuple[bytes, ...]
    ids: tuple[str, ...]
    groups: tuple[str | None, ...]
    days: tuple[int | None, ...] = ()
    dropped: Dropped = NOTHING_DROPPED

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, rows: Codes) -> "Counted":
        """Return some of the documents, by number, on the same vocabulary."""
        chosen = rows.tolist()
        labels, ids, groups = (tuple(values[i] for i in chosen) for values in (self.labels, self.ids, self.groups))
        digests, days = (tuple(each[i] for i in chosen) if each else () for each in (self.digests, self.days))
        part = Counted(self.X[rows], self.vocabulary, labels, digests, ids, groups, days, self.dropped)
        if "learnt_digests" in self.__dict__:  # hashing is most of the time that a fold takes
            part.__dict__["learnt_digests"] = [self.learnt_digests[i] for i in chosen]
        return part

    def on(self, vocabulary: Vocabulary) -> "Counted":
        """Return the documents on another vocabulary; terms outside it are left out."""
        return self._with_terms(mapped(self.X, self.vocabulary, vocabulary), vocabulary)

    def selected(self, columns: Columns) -> "Counted":
        """Return the documents with the terms of some columns, given in ascending order."""
        return self._with_terms(self.X[:, columns], self.vocabulary.selected(columns))

    @property
    def trimmed(self) -> "Counted":
        """Documents on a vocabulary without the terms that none of them contains."""
        columns = np.flatnonzero(np.bincount(self.X.indices, minlength=len(self.vocabulary)))
        return self.selected(columns)

    def _with_terms(self, X: CSR, vocabulary: Vocabulary) -> "Counted":
        """Return the documents with counts X of other terms; digests of labelled documents are not made again."""
        part = replace(self, X=X, vocabulary=vocabulary)
        if "learnt_digests" in self.__dict__:
            part.__dict__["learnt_digests"] = self.learnt_digests
        return part

    @property
    def named_labels(self) -> list[str]:
        """Labels; a missing one is refused."""
        named = [label for label in self.labels if label is not None]
        if len(named) != len(self.labels):
            raise InputError("document {id!r} has no label", id=self.ids[self.labels.index(None)])
        return named

    @cached_property
    def learnt_digests(self) -> list[bytes]:
        """Digest of each document with its label; parts that were counted for answers have none and are refused."""
        if len(self.digests) != len(self):
            raise InputError("these parts were counted for answers and cannot be learnt; pass the documents instead")
        return [labelled_digest(digest, label) for digest, label in zip(self.digests, self.named_labels, strict=True)]

    @property
    def examples(self) -> Examples:
        """Documents in canonical order, as they are kept."""
        return Examples.of(self.X, self.named_labels, self.learnt_digests, self.vocabulary, self.days)


def joined(parts: Sequence[Counted]) -> Counted:
    """Return the documents of several parts, one after the other, on the union of their vocabularies."""
    vocabulary = reduce(or_, [part.vocabulary for part in parts], Vocabulary())
    X = sparse.vstack([part.on(vocabulary).X for part in parts], format="csr")
    labels, digests, ids, groups = (
        tuple(chain.from_iterable(getattr(part, name) for part in parts))
        for name in ("labels", "digests", "ids", "groups")
    )
    days = tuple(chain.from_iterable(part.days or (None,) * len(part) for part in parts))
    dropped = reduce(Dropped.and_then, [part.dropped for part in parts], NOTHING_DROPPED)
    return Counted(X, vocabulary, labels, digests, ids, groups, days if any(days) else (), dropped)


def counted(
    documents: Iterable[Document] | Iterable[Counted],
    terms_of: TermsOf,
    vocabulary: Vocabulary | None = None,
    *,
    jobs: int = 1,
    entries: float = ENTRIES,
    characters: float = math.inf,
) -> Iterator[Counted]:
    """Yield documents in their order, counted, in parts of at least ``entries`` non-zero counts.

    Documents that have been counted before come as Counted parts and are passed on.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Terms to count; other terms are left out, and no digests are made: nothing is learnt from such parts. None:
        every term is counted.
    jobs : int
        Number of threads or processes; one pool serves all parts.
    characters : float
        Characters from which on a part is complete, too. Parts of characters are counted one without another, so that
        no term is held that is not in the part, and where they end depends on nothing but the documents.
    """
    jobs = as_jobs(jobs)  # here, because not every way below starts jobs
    first, items = peek(documents)
    if isinstance(first, Counted):
        for part in items:
            yield part if vocabulary is None else part.on(vocabulary)
        return
    natively = terms_of.tokenizer.counts_natively
    gathered: Any = (_NativeParts if natively else _PythonParts)(terms_of, vocabulary)
    known: list[_Known] = []
    batches = _batches(items, NATIVE_BATCH_CHARACTERS if natively else BATCH_CHARACTERS, characters)
    for begins, batch, counts in gathered.count_batches(batches, jobs):
        if begins and known:
            yield _counted(gathered.build(last=True), known)
            known = []
        gathered.add(counts)
        known.append(batch)
        del counts
        if gathered.n_entries >= entries:
            yield _counted(gathered.build(), known)
            known = []
    if known:
        part = _counted(gathered.build(last=True), known)
        del gathered, known  # before the part is used
        yield part


def number_in_first_part(lengths: Sequence[int], entries: Sequence[int], natively: bool, most: float = ENTRIES) -> int:
    """Return how many documents ``counted`` has in its first part, from the characters and entries of each."""
    enough = NATIVE_BATCH_CHARACTERS if natively else BATCH_CHARACTERS
    n_entries = number = 0
    for start, end in _batch_bounds(lengths, enough):
        n_entries += sum(entries[start:end])
        number = end
        if n_entries >= most:
            break
    return number


def peek(items: Iterable[Any]) -> tuple[Any, Iterator[Any]]:
    """Return the first item, or None, and all items."""
    rest = iter(items)
    first = next(rest, None)
    return first, rest if first is None else chain([first], rest)


_NativeCounts = tuple[NativeRows, list[CountedRows]]
_PythonCounts = tuple[CSR, Vocabulary]


class _Known(NamedTuple):
    """What is kept of documents when their texts have been counted; digests are empty if nothing is to be learnt."""

    labels: list[str | None]
    digests: list[bytes]
    ids: list[str]
    groups: list[str | None]
    days: list[int | None]

    @classmethod
    def of(cls, documents: list[Document], digested: bool) -> "_Known":
        digests = [document.digest for document in documents] if digested else []
        days = [document.day for document in documents] if digested else []
        ids, groups = [document.id for document in documents], [document.group for document in documents]
        return cls([document.label for document in documents], digests, ids, groups, days)


class _Batch(NamedTuple):
    """Documents that are counted at once; ``begins``: with them a part of the stream begins."""

    documents: list[Document]
    begins: bool


class _NativeParts:
    """Rows counted by the extension on threads; terms keep their numbers from part to part of one counter."""

    def __init__(self, terms_of: TermsOf, vocabulary: Vocabulary | None) -> None:
        self._terms_of, self._vocabulary, self._digested = terms_of, vocabulary, vocabulary is None
        self._rows = NativeRows(terms_of, vocabulary)

    def count_batches(self, batches: Iterable[_Batch], jobs: int) -> Iterator[tuple[bool, _Known, _NativeCounts]]:
        """Count batches in their order; each says whether a part begins, what is known of it, and its counts."""
        return map_on_threads(self._count, self._numbered(batches), jobs)

    def add(self, counts: _NativeCounts) -> None:
        """Append the rows of a batch."""
        self._rows, counted_batch = counts
        for rows in counted_batch:
            self._rows.add(rows)

    @property
    def n_entries(self) -> int:
        """Number of non-zero counts gathered since the last part."""
        return self._rows.n_entries

    def build(self, *, last: bool = False) -> tuple[CSR, Vocabulary]:
        """Return the matrix gathered since the last part, and its vocabulary; last: no batch of this part follows."""
        return self._rows.build(last=last)

    def _numbered(self, batches: Iterable[_Batch]) -> Iterator[tuple[_Batch, NativeRows]]:
        """Yield batches with the rows that number their terms: others from where a part begins."""
        rows = self._rows
        for batch in batches:
            if batch.begins:
                rows = NativeRows(self._terms_of, self._vocabulary)
            yield batch, rows

    def _count(self, numbered: tuple[_Batch, NativeRows]) -> tuple[bool, _Known, _NativeCounts]:
        (documents, begins), rows = numbered
        found: list[CountedRows] = []
        for counted_before, run in groupby(documents, lambda document: isinstance(document, CountedDocument)):
            if counted_before:
                found += [document.row for document in run if isinstance(document, CountedDocument)]
            else:
                found.append(rows.count(list(run)))
        return begins, _Known.of(documents, self._digested), (rows, found)


class _PythonParts:
    """Rows counted in Python on processes; twin of ``_NativeParts``."""

    def __init__(self, terms_of: TermsOf, vocabulary: Vocabulary | None) -> None:
        self._terms_of, self._vocabulary = terms_of, vocabulary
        self._builder = MatrixBuilder(vocabulary)

    def count_batches(self, batches: Iterable[_Batch], jobs: int) -> Iterator[tuple[bool, _Known, _PythonCounts]]:
        count = partial(_count, self._terms_of, self._vocabulary is None)
        jobs = jobs if self._terms_of.tokenizer.can_be_sent else 1
        return map_ordered(count, batches, jobs)

    def add(self, counts: _PythonCounts) -> None:
        self._builder.add_rows(*counts)

    @property
    def n_entries(self) -> int:
        return self._builder.n_entries

    def build(self, *, last: bool = False) -> tuple[CSR, Vocabulary]:  # noqa: ARG002  # it starts anew in any case
        builder, self._builder = self._builder, MatrixBuilder(self._vocabulary)
        return builder.build()


def _count(terms_of: TermsOf, digested: bool, batch: _Batch) -> tuple[bool, _Known, _PythonCounts]:
    counts = count_matrix(map(terms_of.stream, batch.documents))
    return batch.begins, _Known.of(batch.documents, digested), counts


def _counted(built: tuple[CSR, Vocabulary], known: list[_Known]) -> Counted:
    labels, digests, ids, groups, days = (tuple(chain.from_iterable(lists)) for lists in zip(*known, strict=True))
    return Counted(*built, labels, digests, ids, groups, days if any(days) else ())


def _batch_bounds(lengths: Sequence[int], enough: int) -> Iterator[tuple[int, int]]:
    """Yield the first document of each batch and that after it."""
    start = characters = 0
    for end, length in enumerate(lengths, 1):
        characters += length
        if characters >= enough or end - start >= BATCH_DOCUMENTS:
            yield start, end
            start, characters = end, 0
    if start < len(lengths):
        yield start, len(lengths)


def _batches(documents: Iterable[Document], enough: int, of_part: float) -> Iterator[_Batch]:
    """Yield documents in batches of at least ``enough`` characters or BATCH_DOCUMENTS documents.

    A part begins when those before it have ``of_part`` characters, not at the first batch.
    """
    batch: list[Document] = []
    characters = in_part = 0
    begins = False
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if characters >= enough or len(batch) >= BATCH_DOCUMENTS or in_part + characters >= of_part:
            yield _Batch(batch, begins)
            in_part += characters
            begins = in_part >= of_part
            in_part = 0 if begins else in_part
            batch, characters = [], 0
    if batch:
        yield _Batch(batch, begins)
