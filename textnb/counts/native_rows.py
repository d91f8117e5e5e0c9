"""Rows of a count matrix, cut and counted in the extension: no string is made of a term but once, at the end."""

import os
from array import array
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from textnb.counts.terms import TermsOf
from textnb.counts.vocabulary import Vocabulary
from textnb.readers import Document

if TYPE_CHECKING:
    from textnb._native import Counter
    from textnb.counts.matrix import CSR

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
        """The matrix, int32, and the vocabulary of its columns; terms outside a given vocabulary are left out."""
        from textnb.counts.matrix import csr_of, matrix_of  # needs scipy, which those who only count do not

        lengths, numbers, data = (np.frombuffer(a, np.int32) for a in (self._lengths, self._numbers, self._data))
        if self._fixed is not None:
            return csr_of(lengths, numbers, data, len(self._fixed)), self._fixed
        return matrix_of(lengths, numbers, data, self._counter.strings())


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
