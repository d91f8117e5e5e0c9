"""Rows of a count matrix, cut and counted in the extension: no string is made of a term but once, at the end."""

import os
from array import array

import numpy as np

from textnb.counts.matrix import CSR, matrix_of
from textnb.counts.vocabulary import Vocabulary
from textnb.text import Analyzer, Tokenizer

CountedRows = tuple[bytes, bytes, bytes]
"""Of int32: the length of each row, its terms by number, their counts."""


class NativeRows:
    """Gathers rows; threads may ``count`` side by side, ``add`` takes the results in the order of the rows."""

    def __init__(self, tokenizer: Tokenizer, analyzer: Analyzer, vocabulary: Vocabulary | None) -> None:
        from textnb._native import Counter

        self._tokenizer, self._analyzer, self._fixed = tokenizer, analyzer, vocabulary
        self._counter = Counter(os.urandom(16), *analyzer.ngram, tokenizer.stopped)
        self._lengths, self._numbers, self._data = array("i"), array("i"), array("i")

    @property
    def n_entries(self) -> int:
        """How many non-zero entries have been gathered."""
        return len(self._data)

    def count(self, texts: list[str], extras: list[list[str]]) -> CountedRows:
        """The rows of some texts; extras are further terms of each."""
        normalised = tuple(map(self._analyzer.normalised, texts))
        cutters = tuple(self._tokenizer.choice(text).cutter for text in normalised)
        return self._counter.count(cutters, normalised, tuple(extras))

    def add(self, rows: CountedRows) -> None:
        """Append what ``count`` has given."""
        for gathered, more in zip((self._lengths, self._numbers, self._data), rows, strict=True):
            gathered.frombytes(more)

    def build(self) -> tuple[CSR, Vocabulary]:
        """The matrix, int32, and the vocabulary of its columns; terms outside a given vocabulary are left out."""
        lengths, numbers, data = (np.frombuffer(a, np.int32) for a in (self._lengths, self._numbers, self._data))
        return matrix_of(lengths, numbers, data, self._counter.strings(), self._fixed)
