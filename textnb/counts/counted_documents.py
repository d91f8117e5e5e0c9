"""Documents that are counted in the process that has read them: the numbers of their terms travel, not their texts.

file -> Document -> CountedDocument   in one of several processes
CountedDocuments -> X (D, V)          in the one that asked for them (``counting``)
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields

from textnb.counts.native_rows import CountedRows, NativeRows
from textnb.counts.terms import TermsOf
from textnb.counts.vocabulary import Vocabulary
from textnb.readers import Document


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
