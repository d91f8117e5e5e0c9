"""From a document to its terms and term counts, in Python or in the extension, in this process or where it was read.

    TermsOf             Document -> terms
    NativeRows          Documents -> rows of a count matrix, in the extension; Python strings are made per part
    CountedWhereRead    Documents -> CountedDocuments, in the process that reads them: counts are sent, not texts

``counting`` joins the rows of either kind into X (D, V).
"""

import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.counts.vocabulary import Vocabulary
from textnb.errors import InputError
from textnb.numerics import Ints
from textnb.readers import Document
from textnb.text import NOWHERE, Analyzer, LocatedTerm, Tokenizer, without_surrogates

if TYPE_CHECKING:
    from textnb._native import Counter
    from textnb.counts.matrix import CSR


TermsBeside = list[str | tuple[str, Sequence[str]]]
"""Terms, and groups of terms as a prefix and tokens, which the extension joins."""
_NO_TERMS: TermsBeside = []


@dataclass(frozen=True)
class TermsOf:
    """Function from a document to its terms: of its text, then the analyzer's features, then ``group:token`` fields."""

    tokenizer: Tokenizer
    analyzer: Analyzer

    def __call__(self, document: Document) -> list[str]:
        """Return all terms, repeated as often as they occur."""
        return list(self.stream(document))

    def stream(self, document: Document) -> Iterator[str]:
        """Yield all terms one by one."""
        return chain(self.analyzer.stream(document.text, self.tokenizer), self.beside(document))

    def beside(self, document: Document) -> list[str]:
        """Return the terms that are not words of the text: its features, and the fields."""
        return self.analyzer.feature_terms(document.text, self.tokenizer) + _field_terms(document)

    def all_beside(self, documents: Sequence[Document]) -> tuple[TermsBeside, ...]:
        """Return the terms of ``beside`` of each document, each field as a prefix and its tokens, not joined yet."""
        if not self.analyzer.has_feature_terms:
            return tuple([_field_groups(document) if document.fields else _NO_TERMS for document in documents])
        features = [self.analyzer.feature_terms(document.text, self.tokenizer) for document in documents]
        return tuple([[*terms, *_field_groups(d)] for terms, d in zip(features, documents, strict=True)])

    def located(self, document: Document) -> list[LocatedTerm]:
        """Return all terms with their places in the text; terms of fields have none."""
        fields = [LocatedTerm(term, NOWHERE, NOWHERE) for term in _field_terms(document)]
        return self.analyzer.located(document.text, self.tokenizer) + fields


def _field_groups(document: Document) -> TermsBeside:
    return [(f"{group}:", tokens) for group, tokens in sorted(document.fields.items())]


def _field_terms(document: Document) -> list[str]:
    terms = [f"{group}:{token}" for group, tokens in sorted(document.fields.items()) for token in tokens]
    whole = "".join(terms)  # one check for all: surrogates are rare
    return terms if without_surrogates(whole) == whole else list(map(without_surrogates, terms))


CountedRows = tuple[bytes, bytes, bytes]
"""The length of each row, its term numbers and their counts, each as bytes of int32."""


class NativeRows:
    """Builds a count matrix in the extension; threads may ``count`` at once, ``add`` takes the results in row order."""

    def __init__(self, terms_of: TermsOf, vocabulary: Vocabulary | None) -> None:
        self._terms_of, self._fixed = terms_of, vocabulary
        analyzer, stopped = terms_of.analyzer, terms_of.tokenizer.stopped
        self._counter = _counter((analyzer.ngram or _NONE, analyzer.chars or _NONE, stopped), vocabulary)
        self._lengths, self._numbers, self._data = array("i"), array("i"), list[Ints]()

    @property
    def n_entries(self) -> int:
        """Number of non-zero entries so far."""
        return len(self._numbers)

    def count(self, documents: list[Document]) -> CountedRows:
        """Return the rows of some documents."""
        terms_of = self._terms_of
        texts = terms_of.analyzer.normalised_texts([document.text for document in documents])
        return self._counter.count(terms_of.tokenizer.cutters(texts), texts, terms_of.all_beside(documents))

    def add(self, rows: CountedRows) -> None:
        """Append rows that ``count`` returned."""
        lengths, numbers, data = rows
        self._lengths.frombytes(lengths)
        self._numbers.frombytes(numbers)
        self._data.append(_in_bytes(np.frombuffer(data, np.int32)))

    def build(self, *, last: bool = False) -> tuple["CSR", Vocabulary]:
        """Return the rows gathered since the last call as a matrix, int32, with the vocabulary of its columns.

        last: nothing will be counted any more, which takes less memory.
        """
        from textnb.counts.matrix import matrix_of, rows_of  # not needed where documents are read

        terms, order = (self._fixed, None) if self._fixed is not None else self._sorted(last)
        lengths, numbers = (np.frombuffer(each, np.int32) for each in (self._lengths, self._numbers))
        data = np.concatenate([np.zeros(0, np.int32), *self._data], dtype=np.int32)
        self._lengths, self._numbers, self._data = array("i"), array("i"), []
        if order is None:
            return rows_of(lengths, numbers, data, len(terms)), terms
        return matrix_of(lengths, numbers, data, terms, order)

    def _sorted(self, last: bool) -> tuple[Vocabulary, Ints]:
        """Return all terms so far, packed, and their numbers; last: and free them in the extension."""
        from textnb.counts.packed_vocabulary import PackedVocabulary  # not needed where documents are read

        try:
            data, starts, order = self._counter.sorted(last)
        except OverflowError as error:
            raise InputError("{error}; count fewer documents, or words without n-grams", error=error) from error
        vocabulary = PackedVocabulary(np.frombuffer(data, np.uint8), np.frombuffer(starts, np.uint32))
        return vocabulary, np.frombuffer(order, np.int32)


def _in_bytes(counts: Ints) -> Ints:
    """Return counts with a byte each, if none needs more."""
    return counts.astype(np.uint8) if counts.max(initial=0) <= np.iinfo(np.uint8).max else counts


_NONE = (1, 0)  # a range of lengths without any
_TermOptions = tuple[tuple[int, int], tuple[int, int], frozenset[str]]


class _Forks:
    """Number of forks between the first process and this one."""

    number = 0

    @classmethod
    def count(cls) -> None:
        """Count a fork, in the child: it must not use the counters of its parent.

        A thread of the parent, which the child does not have, may have locked one of them and half changed it. The
        extension is told, so that it does not free them.
        """
        cls.number += 1
        if "textnb._native" in sys.modules:
            from textnb._native import after_fork

            after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.count)


def _counter(options: _TermOptions, vocabulary: Vocabulary | None) -> "Counter":
    """Counter of any terms, or of those of a vocabulary; the latter is kept with the vocabulary."""
    from textnb._native import Counter

    tokens, chars, stopped = options
    if vocabulary is None:
        return Counter(os.urandom(16), *tokens, stopped, None, *chars)
    kept: dict[Any, Counter] = vocabulary.counters
    key = options, _Forks.number
    if key not in kept:
        kept[key] = Counter(os.urandom(16), *tokens, stopped, vocabulary.known, *chars)
    return kept[key]


@dataclass(frozen=True, slots=True)
class CountedDocument(Document):
    """Document with a row of counts in place of its text, fields and dates."""

    row: CountedRows = (b"\0\0\0\0", b"", b"")

    def __reduce__(self) -> tuple[object, ...]:
        return CountedDocument, tuple([getattr(self, name) for name in _NAMES])  # twice as fast as by default


_NAMES = tuple(field.name for field in fields(CountedDocument))


@dataclass(frozen=True)
class CountedWhereRead:
    """Function from Documents to CountedDocuments on one vocabulary; it needs the extension."""

    terms_of: TermsOf
    vocabulary: Vocabulary

    def __call__(self, documents: list[Document]) -> list[Document]:
        """Return the documents, counted, in their order."""
        rows = NativeRows(self.terms_of, self.vocabulary)
        each = _split_rows(rows.count(documents))
        return [
            CountedDocument("", d.label, d.id, {}, None, d.group, d.defects, None, d.columns, row)
            for d, row in zip(documents, each, strict=True)
        ]

    def __reduce__(self) -> tuple[object, ...]:
        return CountedWhereRead, (self.terms_of, self.vocabulary)


def _split_rows(rows: CountedRows) -> Iterator[CountedRows]:
    """Yield each row by itself."""
    lengths, numbers, counts = rows
    size = array("i").itemsize
    start = 0
    for i, length in enumerate(memoryview(lengths).cast("i")):
        end = start + length * size
        yield lengths[i * size : (i + 1) * size], numbers[start:end], counts[start:end]
        start = end
