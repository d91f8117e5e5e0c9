"""The compiled dictionary as Python dicts, for the engine in Python."""

from functools import lru_cache

import numpy as np

from textnb.text.engines.dictionary import Categories
from textnb.text.engines.lexicon import Array, Lexicon

Word = tuple[int, int, int, int, int]
"""Left id, right id, cost, number (-1: unknown), entry."""
Kind = tuple[int, int, bool, tuple[Word, ...]]
"""Its bit, how many characters may follow the first, whether it is always asked, its unknown words."""


@lru_cache(1)
def system_words_by_prefix(lexicon: Lexicon) -> dict[str, tuple[Word, ...]]:
    """Those of the system's lexicon, which engines with different user dictionaries share."""
    return words_by_prefix(lexicon, 0)


def words_by_prefix(lexicon: Lexicon, offset: int) -> dict[str, tuple[Word, ...]]:
    """Of every beginning of a surface, the words that are just that; most have none. offset: of the first entry."""
    words = list(zip(*_columns(lexicon.entries), lexicon.numbers.tolist(), range(offset, 2**31), strict=False))
    ends = (np.flatnonzero(lexicon.is_last) + 1).tolist()
    first_of = dict(zip([0, *ends], ends, strict=False))
    prefixes: dict[str, tuple[Word, ...]] = {}
    for surface, first in _surfaces(lexicon):
        for end in range(1, len(surface)):
            prefixes.setdefault(surface[:end], ())
        prefixes[surface] = tuple(words[first : first_of[first]])
    return prefixes


def _columns(entries: Array) -> tuple[list[int], list[int], list[int]]:
    ids = entries[:, 1].view(np.uint32)
    return (ids & 2047).tolist(), (ids >> 11 & 2047).tolist(), entries[:, 0].tolist()


def _surfaces(lexicon: Lexicon) -> list[tuple[str, int]]:
    """(surface, its first entry), read back from the double array."""
    letters = np.zeros(int(lexicon.codes.max()) + 1, np.int64)
    letters[lexicon.codes] = np.arange(len(lexicon.codes))
    base, check, first = lexicon.slots.T.astype(np.int64)
    texts = np.full(len(base), "", object)
    reached = np.flatnonzero(check == 0)
    while len(reached):
        own = letters[reached - base[check[reached]]]
        texts[reached] = texts[check[reached]] + np.array([chr(letter) for letter in own.tolist()], object)
        reached = np.flatnonzero(np.isin(check, reached))
    ending = np.flatnonzero(first >= 0)
    return list(zip(texts[ending].tolist(), first[ending].tolist(), strict=True))


class Rows(dict[int, list[int]]):
    """The connection costs to a left id, by the right id of the word before; made when first asked for."""

    def __init__(self, connections: Array) -> None:
        self._connections = connections

    def __missing__(self, left: int) -> list[int]:
        row: list[int] = self._connections[left].tolist()
        self[left] = row
        return row


class Kinds(dict[str, tuple[tuple[Kind, ...], int]]):
    """Of each character its own kinds, and the bits of those whose runs it may continue."""

    def __init__(self, categories: Categories) -> None:
        self._categories = categories
        firsts = categories.firsts.tolist()
        words = list(
            zip(*_columns(categories.unknowns), [-1] * firsts[-1], range(-1, -1 - firsts[-1], -1), strict=True)
        )
        self._kinds = [
            (1 << k, limit, bool(always), tuple(words[firsts[k] : firsts[k + 1]]))
            for k, (limit, always) in enumerate(
                zip(categories.limits.tolist(), categories.always.tolist(), strict=True)
            )
        ]

    def __missing__(self, char: str) -> tuple[tuple[Kind, ...], int]:
        code, beyond = ord(char), int(self._categories.beyond[0])
        own = int(self._categories.own[code]) if code < 0x10000 else beyond
        accepts = int(self._categories.accepts[code]) if code < 0x10000 else beyond
        found = tuple(kind for kind in self._kinds if own & kind[0]), accepts
        self[char] = found
        return found
