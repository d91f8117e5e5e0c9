"""Documents that are counted in the process that has read them: the numbers of their terms travel, not their texts.

file -> Document -> CountedDocument   in one of several processes
CountedDocuments -> X (D, V)          in the one that asked for them (``counting``)

The terms of a document.

Rows of a count matrix, cut and counted in the extension: no string is made of a term but once, at the end.
"""

import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from textnb.counts.vocabulary import Vocabulary
from textnb.readers import Document
from textnb.text import NOWHERE, Analyzer, LocatedTerm, Tokenizer, without_surrogates

if TYPE_CHECKING:
    from textnb._native import Counter
    from textnb.counts.matrix import CSR


@dataclass(frozen=True)
class TermsOf:
    """The terms of a document: those of its text, then the analyzer's features and its fields, as ``group:token``."""

    tokenizer: Tokenizer
    analyzer: Analyzer

    def __call__(self, document: Document) -> list[str]:
        """All terms, repeated as often as they occur."""
        return list(self.stream(document))

    def stream(self, document: Document) -> Iterator[str]:
        """The same, one by one."""
        return chain(self.analyzer.stream(document.text, self.tokenizer), self.beside(document))

    def beside(self, document: Document) -> list[str]:
        """The terms beside those of the words: features of the text, and fields."""
        return self.analyzer.feature_terms(document.text, self.tokenizer) + _field_terms(document)

    def beside_in_groups(self, document: Document) -> list[str | tuple[str, Sequence[str]]]:
        """The same terms, those of each field as a prefix and its tokens: the extension joins them."""
        groups = [(f"{group}:", tokens) for group, tokens in sorted(document.fields.items())]
        return [*self.analyzer.feature_terms(document.text, self.tokenizer), *groups]

    def located(self, document: Document) -> list[LocatedTerm]:
        """The same terms with their places in the text; those of fields have none."""
        fields = [LocatedTerm(term, NOWHERE, NOWHERE) for term in _field_terms(document)]
        return self.analyzer.located(document.text, self.tokenizer) + fields


def _field_terms(document: Document) -> list[str]:
    terms = [f"{group}:{token}" for group, tokens in sorted(document.fields.items()) for token in tokens]
    whole = "".join(terms)  # one look at all of them: hardly any term has half a character
    return terms if without_surrogates(whole) == whole else list(map(without_surrogates, terms))


CountedRows = tuple[bytes, bytes, bytes]
"""Of int32: the length of each row, its terms by number, their counts."""


class NativeRows:
    """Gathers rows; threads may ``count`` side by side, ``add`` takes the results in the order of the rows."""

    def __init__(self, terms_of: TermsOf, vocabulary: Vocabulary | None) -> None:
        self._terms_of, self._fixed = terms_of, vocabulary
        self._counter = _counter((*terms_of.analyzer.ngram, terms_of.tokenizer.stopped), vocabulary)
        self._lengths, self._numbers, self._data = array("i"), array("i"), array("i")

    @property
    def n_entries(self) -> int:
        """How many non-zero entries have been gathered."""
        return len(self._data)

    def count(self, documents: list[Document]) -> CountedRows:
        """The rows of some documents."""
        terms_of = self._terms_of
        texts = tuple([terms_of.analyzer.normalised(document.text) for document in documents])
        cutters = tuple([terms_of.tokenizer.choice(text).cutter for text in texts])
        return self._counter.count(cutters, texts, tuple(map(terms_of.beside_in_groups, documents)))

    def add(self, rows: CountedRows) -> None:
        """Append what ``count`` has given."""
        for gathered, more in zip((self._lengths, self._numbers, self._data), rows, strict=True):
            gathered.frombytes(more)

    def build(self) -> tuple["CSR", Vocabulary]:
        """Return the rows gathered since the last call as a matrix, int32, with the vocabulary of its columns."""
        from textnb.counts.matrix import csr_of, matrix_of  # needs scipy, which those who only count do not

        lengths, numbers, data = (np.frombuffer(a, np.int32) for a in (self._lengths, self._numbers, self._data))
        self._lengths, self._numbers, self._data = array("i"), array("i"), array("i")
        if self._fixed is not None:
            return csr_of(lengths, numbers, data, len(self._fixed)), self._fixed
        terms = self._counter.strings()
        is_used = np.bincount(numbers, minlength=len(terms)) > 0  # other parts may have brought terms too
        if not is_used.all():
            terms = [term for term, used in zip(terms, is_used.tolist(), strict=True) if used]
            numbers = (np.cumsum(is_used, dtype=np.int32) - 1)[numbers]
        return matrix_of(lengths, numbers, data, terms)


_Way = tuple[int, int, frozenset[str]]
_closed: WeakKeyDictionary[Vocabulary, dict[_Way, "Counter"]] = WeakKeyDictionary()


def _counter(way: _Way, vocabulary: Vocabulary | None) -> "Counter":
    """A counter of whatever terms come; for those of a vocabulary one that is kept as long as the vocabulary."""
    from textnb._native import Counter

    if vocabulary is None:
        return Counter(os.urandom(16), *way)
    ways = _closed.setdefault(vocabulary, {})
    if way not in ways:
        ways[way] = Counter(os.urandom(16), *way, vocabulary.terms)
    return ways[way]


@dataclass(frozen=True, slots=True)
class CountedDocument(Document):
    """A Document of which the text and the fields have been counted on a vocabulary, and are gone; so is the date."""

    row: CountedRows = (b"\0\0\0\0", b"", b"")

    def __reduce__(self) -> tuple[object, ...]:
        return CountedDocument, tuple([getattr(self, name) for name in _NAMES])  # twice as fast as the usual way


_NAMES = tuple(field.name for field in fields(CountedDocument))


@dataclass(frozen=True)
class CountedWhereRead:
    """Makes CountedDocuments, by the extension, on the vocabulary on which they will be asked about, and no other."""

    terms_of: TermsOf
    vocabulary: Vocabulary

    def __call__(self, documents: list[Document]) -> list[Document]:
        """The same documents, counted, in their order."""
        rows = NativeRows(self.terms_of, self.vocabulary)
        each = _one_by_one(rows.count(documents))
        return [
            CountedDocument("", d.label, d.id, {}, None, d.group, d.defects, row)
            for d, row in zip(documents, each, strict=True)
        ]

    def __reduce__(self) -> tuple[object, ...]:
        return _of_terms, (self.terms_of, self.vocabulary.terms)


def _of_terms(terms_of: TermsOf, terms: tuple[str, ...]) -> CountedWhereRead:
    return CountedWhereRead(terms_of, Vocabulary.of_sorted(terms))


def _one_by_one(rows: CountedRows) -> Iterator[CountedRows]:
    lengths, numbers, counts = rows
    size = array("i").itemsize
    start = 0
    for i, length in enumerate(memoryview(lengths).cast("i")):
        end = start + length * size
        yield lengths[i * size : (i + 1) * size], numbers[start:end], counts[start:end]
        start = end
