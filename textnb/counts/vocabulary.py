"""The vocabulary: terms and the columns of a count matrix that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import repeat
from operator import ge
from typing import Any

import numpy as np

from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.numerics import Codes

Columns = Codes
"""Columns of a count matrix."""
NOT_HERE = "the term {term!r} is not in the vocabulary"


class Vocabulary:
    """Distinct terms sorted by code point; the position of a term is its column. Immutable.

    It is made of terms in any order; ``terms`` has them sorted. ``|`` is the union of two vocabularies; ``in``,
    ``len``, iteration and ``vocabulary[term]`` (its column) work.

    Examples
    --------
    >>> words = Vocabulary(["b", "a", "b"])
    >>> words.terms, words["b"], "c" in words
    (('a', 'b'), 1, False)
    """

    _selected_from: tuple[Vocabulary, Columns] | None = None  # mapping onto a selection then compares no strings

    def __init__(self, terms: Iterable[str] = ()) -> None:
        if isinstance(terms, str):
            raise InputError("a vocabulary needs a list of terms, not the single string {text!r}", text=terms[:40])
        self.terms: tuple[str, ...] = tuple(sorted(set(terms)))

    @classmethod
    def of_sorted(cls, terms: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of terms that are already distinct and sorted; checked."""
        vocabulary = cls._of(terms)
        if any(map(ge, vocabulary.terms, vocabulary.terms[1:])):
            raise InputError("the terms of a vocabulary must be distinct and sorted by code point")
        return vocabulary

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each term."""
        return dict(zip(self.terms, range(len(self.terms)), strict=True))

    @cached_property
    def counters(self) -> dict[Any, Any]:
        """Counters of the extension for these terms, which ``documents.py`` makes."""
        return {}

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that identify the terms and their order."""
        text = "\x00".join(f"{len(term)}:{term}" for term in self.terms)
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def term(self, column: int) -> str:
        """Return the term of a column."""
        return self.terms[column]

    def find(self, term: str) -> int:
        """Return the column of a term, -1 if it is not here."""
        return self.columns.get(term, -1)

    @property
    def known(self) -> Any:
        """Terms as the extension's Counter takes them."""
        return self.terms

    def columns_of(self, part: Vocabulary) -> Columns:
        """Columns of another vocabulary's terms, all of which must be here."""
        if not len(part) or part == self:  # then there is no need of a dictionary
            return np.arange(len(part))
        if part._is_selected_from(self):
            return part._selected_columns
        try:
            return np.fromiter(map(self.columns.__getitem__, part.terms), np.intp, len(part))
        except KeyError as missing:
            raise InputError(NOT_HERE, term=missing.args[0]) from None

    def places_of(self, other: Vocabulary) -> Columns:
        """Columns of another vocabulary's terms, -1 for those that are not here."""
        if other is self:
            return np.arange(len(self))
        if other._is_selected_from(self):
            return other._selected_columns
        if self._is_selected_from(other):
            places = np.full(len(other), -1, np.intp)
            places[self._selected_columns] = np.arange(len(self))
            return places
        if "columns" in self.__dict__ or "columns" not in other.__dict__:
            return np.fromiter(map(self.columns.get, other.terms, repeat(-1)), np.intp, len(other))
        there = np.fromiter(map(other.columns.get, self.terms, repeat(-1)), np.intp, len(self))  # its dict exists
        places = np.full(len(other), -1, np.intp)
        places[there[there >= 0]] = np.flatnonzero(there >= 0)
        return places

    def selected(self, columns: Columns) -> Vocabulary:
        """Return the vocabulary of some columns, given in ascending order."""
        return self._selected(columns, lambda: Vocabulary._of(map(self.terms.__getitem__, columns.tolist())))

    def _selected(self, columns: Columns, make: Callable[[], Vocabulary]) -> Vocabulary:
        if (np.diff(columns) <= 0).any():
            raise InputError("the columns of a vocabulary must be distinct and in ascending order")
        if np.array_equal(columns, np.arange(len(self))):
            return self
        vocabulary = make()
        vocabulary._selected_from = self, columns
        return vocabulary

    def _is_selected_from(self, other: Vocabulary) -> bool:
        return self._selected_from is not None and self._selected_from[0] is other

    @property
    def _selected_columns(self) -> Columns:
        assert self._selected_from is not None
        return self._selected_from[1]

    @classmethod
    def _of(cls, terms: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of terms that are known to be distinct and sorted."""
        vocabulary = cls.__new__(cls)
        vocabulary.terms = tuple(terms)
        return vocabulary

    def __or__(self, other: Vocabulary) -> Vocabulary:
        if not len(self) or other is self:
            return other
        new = [term for term in other.terms if term not in self.columns]
        return Vocabulary._of(sorted((*self.terms, *new))) if new else self  # two sorted runs: merged in linear time

    def __getitem__(self, term: str) -> int:
        return self.columns[term]

    def __contains__(self, term: object) -> bool:
        return term in self.columns

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (
            self is other or (len(self) == len(other) and self.terms == other.terms)
        )

    def __hash__(self) -> int:
        return hash(tuple(map(self.term, range(0, len(self), len(self) // 64 + 1))))  # up to 64 terms suffice

    def __reduce__(self) -> tuple[object, ...]:
        return Vocabulary.of_sorted, (self.terms,)  # without the dictionary of its columns

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} terms>"
