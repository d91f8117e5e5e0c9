"""A vocabulary as three arrays that a file holds: a term is looked up without creating the others.

    bytes   UTF-8 of all terms, sorted, which is their order by code point
    starts  term i is bytes[starts[i]:starts[i + 1]], (V + 1,)
    table   a hash table for the extension, laid out as ``terms.h`` says: a seed, the number of homes, and places

Python looks a term up by bisection. The seed is a digest of the terms: equal terms are equal arrays, and nobody who
does not know all terms can write documents whose words collide. With h homes and the hash x of a term
(``packed_hash`` in ``terms.c``, eight bytes b at a time),

    x      = finish(fold over b of mixed((x ^ b) 0xBF58476D1CE4E5B9)),   from seed ^ length                    (1)
    home_i = floor(x_i / 2^32) h / 2^32                                                                         (2)
    place_i = max(home_i, place_(i-1) + 1)          in the order of (home, number)                              (3)

which is linear probing without a way round the end: the table is longer than h if the last places need it.

What a damaged file holds can make a term be missing or have another column, nothing worse.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.term_union import packed_bytes, term_union
from textnb.counts.vocabulary import NOT_HERE, Columns, Vocabulary
from textnb.errors import InputError
from textnb.extension import cached_property, uses_extension
from textnb.numerics import GOLDEN_RATIO_64

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_LOOKED_UP = 16  # a look-up takes as long as this many terms of the dictionary of all, which is made instead of many
_FEW = 1000
_UNITED = 800  # terms of a union that the extension makes while one is looked up
PARTS = ("bytes", "starts", "table")


class PackedVocabulary(Vocabulary):
    """Vocabulary of packed terms; ``terms`` and ``columns`` create all of them and are avoided.

    Without a table one is made when it is first asked for.
    """

    def __init__(
        self, data: NDArray[np.uint8], starts: NDArray[np.uint32], table: NDArray[np.uint64] | None = None
    ) -> None:
        self.data, self.starts = data, starts
        self._bytes, self._starts = np.ascontiguousarray(data).data, np.ascontiguousarray(starts).data
        if table is not None:
            self.table = table

    @cached_property
    def table(self) -> NDArray[np.uint64]:
        """Hash table for the extension."""
        return packed_table(self.data, self.starts)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays of the terms, by name."""
        return dict(zip(PARTS, (self.data, self.starts, self.table), strict=True))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PackedVocabulary:
        """Return the vocabulary of packed arrays; only their types and sizes are checked."""
        data, starts, table = (arrays[name] for name in PARTS)
        sound = (
            (data.dtype.str, starts.dtype.str, table.dtype.str) == ("|u1", "<u4", "<u8")
            and data.ndim == starts.ndim == table.ndim == 1
            and 1 <= len(starts) < 2**31
            and len(table) >= 2
            and starts[0] == 0
            and starts[-1] == len(data)
        )
        if not sound:
            raise InputError("the packed terms do not fit together")
        return cls(data, starts, table)

    @cached_property
    def terms(self) -> tuple[str, ...]:  # type: ignore[override]
        """All terms; those that are not UTF-8 or out of order are refused."""
        data, starts = self._bytes.tobytes(), self._starts.tolist()
        try:
            found = [data[start:end].decode() for start, end in pairwise(starts)]
        except UnicodeDecodeError as error:
            raise InputError("the terms are not UTF-8: {error}", error=error) from error
        return Vocabulary.of_sorted(found).terms

    def term(self, column: int) -> str:
        """Return the term of a column."""
        return bytes(self._slice(column)).decode("utf-8", "replace")

    def find(self, term: str) -> int:
        """Return the column of a term, -1 if it is not here."""
        low = self.place(term)
        return low if low < len(self) and self._slice(low) == term.encode("utf-8", "replace") else -1

    def place(self, term: str) -> int:
        """Return the number of terms that sort before a string."""
        wanted = term.encode("utf-8", "replace")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if bytes(self._slice(middle)) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def _slice(self, column: int) -> memoryview:
        return self._bytes[self._starts[column] : self._starts[column + 1]]

    @property
    def known(self) -> Any:
        """Terms as the extension's Counter takes them."""
        return self.data, self.starts, self.table

    def places_of(self, other: Vocabulary) -> Columns:
        """Columns of another vocabulary's terms, -1 for those that are not here."""
        if other is self or self._is_selected_from(other) or other._is_selected_from(self):
            return super().places_of(other)
        if uses_extension() and len(other) > len(self) // _UNITED:
            whole, mine, others = united(self, other)
            places = np.full(len(whole), -1, np.intp)
            places[mine] = np.arange(len(self))
            return np.asarray(places[others])
        if "columns" in self.__dict__ or len(other) > max(_FEW, len(self) // _LOOKED_UP):
            return super().places_of(other)
        return np.fromiter(map(self.find, other.terms), np.intp, len(other))

    def columns_of(self, part: Vocabulary) -> Columns:
        """Columns of another vocabulary's terms, all of which must be here."""
        if not len(part) or part == self:
            return np.arange(len(part))
        columns = self.places_of(part)
        for missing in np.flatnonzero(columns < 0)[:1].tolist():
            raise InputError(NOT_HERE, term=part.term(missing))
        return columns

    def __or__(self, other: Vocabulary) -> Vocabulary:
        return united(self, other).vocabulary

    __ror__ = __or__

    def selected(self, columns: Columns) -> Vocabulary:
        """Return the vocabulary of some columns, given in ascending order."""
        return self._selected(columns, lambda: PackedVocabulary(*self._gathered(columns)))

    def _gathered(self, columns: Columns) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        lengths, chosen = np.diff(self.starts), np.zeros(len(self), bool)
        chosen[columns] = True
        starts = np.zeros(len(columns) + 1, np.uint32)
        np.cumsum(lengths[chosen], out=starts[1:], dtype=np.uint32)
        return self.data[np.repeat(chosen, lengths)], starts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedVocabulary):
            return super().__eq__(other)
        return np.array_equal(self.starts, other.starts) and np.array_equal(self.data, other.data)

    __hash__ = Vocabulary.__hash__

    def __getitem__(self, term: str) -> int:
        if (column := self.find(term)) < 0:
            raise KeyError(term)
        return column

    def __contains__(self, term: object) -> bool:
        return isinstance(term, str) and self.find(term) >= 0

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __reduce__(self) -> tuple[object, ...]:
        return PackedVocabulary, (self.data, self.starts)


def pack_terms(vocabulary: Vocabulary) -> dict[str, NDArray[Any]]:
    """Return the arrays of a vocabulary, by name; those of a packed one as they are.

    >>> arrays = pack_terms(Vocabulary(["b", "塩"]))
    >>> arrays["starts"], PackedVocabulary.of_arrays(arrays)["塩"]
    (array([0, 1, 4], dtype=uint32), 1)
    """
    return packed(vocabulary).arrays


def packed(vocabulary: Vocabulary) -> PackedVocabulary:
    """Return a vocabulary with its terms packed; itself if they are."""
    if isinstance(vocabulary, PackedVocabulary):
        return vocabulary
    return PackedVocabulary(*packed_bytes([term.encode("utf-8", "replace") for term in vocabulary.terms]))


class United(NamedTuple):
    """Union of two vocabularies, and the columns in it of the terms of either."""

    vocabulary: Vocabulary
    columns: Columns
    others: Columns


def united(a: Vocabulary, b: Vocabulary) -> United:
    """Return the union of two vocabularies, packed, with the columns of both; one of them if it has all terms.

    >>> whole, columns, others = united(Vocabulary(["a", "c"]), Vocabulary(["b", "c"]))
    >>> whole.terms, columns.tolist(), others.tolist()
    (('a', 'b', 'c'), [0, 2], [1, 2])
    """
    if not len(a) or not len(b) or a is b:
        return United(a if len(a) else b, np.arange(len(a)), np.arange(len(b)))
    if not (_is_packable(a) and _is_packable(b)):
        whole = Vocabulary(a.terms) | Vocabulary(b.terms)
        return United(whole, whole.columns_of(a), whole.columns_of(b))
    mine, theirs = packed(a), packed(b)
    data, starts, columns, others = term_union(mine.data, mine.starts, theirs.data, theirs.starts)
    n = len(starts) - 1
    whole = mine if n == len(mine) else theirs if n == len(theirs) else PackedVocabulary(data, starts)
    return United(whole, columns, others)


def _is_packable(vocabulary: Vocabulary) -> bool:
    """Return False for terms with lone surrogates, which UTF-8 does not allow."""
    if isinstance(vocabulary, PackedVocabulary):
        return True
    try:
        "".join(vocabulary.terms).encode()
    except UnicodeEncodeError:
        return False
    return True


def packed_table(data: NDArray[np.uint8], starts: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Hash table of eq. (3), with a free place at its end."""
    digest = blake2b(data.tobytes() + starts.tobytes(), digest_size=8).digest()
    seed, n = np.frombuffer(digest, np.uint64)[0], len(starts) - 1
    n_homes = n + n // 2 + 1
    hashes = _hashes(data, starts, seed)
    homes = ((hashes >> np.uint64(32)) * np.uint64(n_homes) >> np.uint64(32)).astype(np.int64)
    order = np.argsort(homes, kind="stable")
    steps = np.arange(n)
    places = steps + np.maximum.accumulate(homes[order] - steps) if n else steps
    table = np.zeros(2 + max(n_homes, int(places[-1]) + 1 if n else 0) + 1, np.uint64)
    table[:2] = seed, n_homes
    table[2 + places] = hashes[order] << np.uint64(32) | (order + 1).astype(np.uint64)
    return table


def _hashes(data: NDArray[np.uint8], starts: NDArray[np.uint32], seed: np.uint64) -> NDArray[np.uint64]:
    """Hashes of eq. (1), (V,)."""
    lengths = np.diff(starts).astype(np.int64)
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    hashes = seed ^ lengths.astype(np.uint64)
    left = np.flatnonzero(lengths > 0)
    at = 0
    while len(left):
        eight = padded[(starts[left].astype(np.int64) + at)[:, np.newaxis] + np.arange(8)]
        eight[np.arange(8) >= (lengths[left] - at)[:, np.newaxis]] = 0
        mixed = (hashes[left] ^ eight.view("<u8")[:, 0]) * _FACTOR
        hashes[left] = mixed ^ mixed >> np.uint64(29)
        at += 8
        left = left[lengths[left] > at]
    hashes = hashes * GOLDEN_RATIO_64
    return np.asarray(hashes ^ hashes >> np.uint64(32))
