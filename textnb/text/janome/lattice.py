"""Janome's lattice in Python, over dicts made from the compiled dictionary.

At each position of a text the words that begin there are added, each with its cheapest predecessor. What makes it
quicker than Janome: words of the same left id have the same predecessor, which is found once a position; words that
can never be chosen are not in the dictionary; and the first prefix that begins no word ends the look-up. Chunks,
unknown words and ties are Janome's (``textnb/native/lattice.h`` says the same in C).

From entries of the dictionary to tokens.

The compiled dictionary as Python dicts, for the engine in Python.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from textnb.text.janome.dictionary import LOOK_AHEAD, SURFACE, Array, Categories, Dictionary, Lexicon
from textnb.text.token import Token

Piece = tuple[int, int]
"""Where a token ends in the text, and which entry it is; unknown words are -1, -2, ..."""


def indent(text: str) -> int:
    """The length of the white space at the beginning, which Janome does not see; all of an empty text."""
    return len(text) - len(text.lstrip())


def surfaces_of(text: str, pieces: Iterable[Piece]) -> Iterator[str]:
    """The pieces of a text as strings."""
    start = indent(text)
    for end, _ in pieces:
        yield text[start:end]
        start = end


def tokens_of(text: str, pieces: Iterable[Piece], dictionary: Dictionary) -> Iterator[Token]:
    """The pieces of a text with all that the dictionary knows of them."""
    known = dictionary.features
    start = indent(text)
    for end, entry in pieces:
        place, surface = dictionary.place(entry), text[start:end]
        base, reading = int(known.base[place]), int(known.reading[place])
        form = surface if base == SURFACE else known.string(base)
        yield Token(surface, form, known.string(reading), known.pos_names[known.pos[place]], start, end)
        start = end


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


class WordRows(dict[int, list[int]]):
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


_CHUNK, _LONGEST = 500, 1024
_PUNCTUATION = frozenset("、。,.？?！!")

Node = tuple[int, int, int, int, int, Any]
"""A word in a chunk: cost of the cheapest way to its end, right id, number, entry, start, and the node before."""

_NEVER = 1 << 40
_BEGINNING: Node = (0, 0, -1, 0, 0, None)


class PythonEngine:
    """Cuts a text over Python dicts."""

    name = "python"

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._lexicons = [system_words_by_prefix(dictionary.system)]
        if dictionary.user is not None:
            self._lexicons.insert(0, words_by_prefix(dictionary.user, len(dictionary.system.entries)))
        self._rows = WordRows(dictionary.connections)
        self._kinds = Kinds(dictionary.categories)

    def surfaces(self, text: str) -> Iterator[str]:
        """The surfaces of a text."""
        return surfaces_of(text, self._pieces(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text."""
        return tokens_of(text, self._pieces(text), self._dictionary)

    def _pieces(self, text: str) -> Iterator[Piece]:
        done, end = indent(text), len(text.rstrip())
        while done < end:
            last, length = self._chunk(text[done : min(end, done + _LONGEST)])
            pieces, at = [], done + length
            while last[5] is not None:
                pieces.append((at, last[3]))
                at, last = done + last[4], last[5]
            yield from reversed(pieces)
            done += length

    def _chunk(self, text: str) -> tuple[Node, int]:  # noqa: C901
        """The last word of the first chunk of a text, and the length of the chunk.

        One long function: it is all the time there is, and a call costs as much as a word.
        """
        lexicons, rows, kinds, length = self._lexicons, self._rows, self._kinds, len(text)
        ends: list[list[Node]] = [[] for _ in range(length + 1)]
        ends[0].append(_BEGINNING)
        run_ends: dict[int, int] = {}  # of runs of one kind, by its bit: who stands in a run shares its end
        at = 0
        while at < length and not (at >= _CHUNK and _ends_chunk(text, at)):
            before, best = ends[at], {}
            found: list[tuple[tuple[Word, ...], int]] = []
            n_found, stop = 0, min(length, at + LOOK_AHEAD)
            for prefixes in lexicons:
                n_found, end = len(found), at + 1
                while end <= stop and (words := prefixes.get(text[at:end])) is not None:
                    if words:
                        found.append((words, end))
                    end += 1
            is_known = len(found) > n_found  # to the system's lexicon, the last; the user's does not count, in Janome
            for bit, limit, always, unknowns in kinds[text[at]][0]:
                if always or not is_known:
                    if run_ends.get(bit, 0) <= at or limit < _LONGEST:
                        run_ends[bit] = _run_end(text, at, bit, limit, kinds)
                    found.append((unknowns, run_ends[bit]))
            for words, end in found:
                there = ends[end]
                for left, right, cost, number, entry in words:
                    if left not in best:
                        best[left] = _cheapest(rows[left], before)
                    way, node = best[left]
                    there.append((way + cost, right, number, entry, at, node))
            at += 1
            while not ends[at]:
                at += 1
        return _cheapest(rows[0], ends[at])[1], at


def _run_end(text: str, at: int, bit: int, limit: int, kinds: Kinds) -> int:
    end, stop = at + 1, min(len(text), at + 1 + limit)
    while end < stop and kinds[text[end]][1] & bit:
        end += 1
    return end


def _cheapest(row: list[int], before: list[Node]) -> tuple[int, Node]:
    """The cost of the cheapest way through one of the words before, and that word; ties as Janome breaks them."""
    least = _NEVER
    for node in before:
        cost = node[0] + row[node[1]]
        if cost < least:
            least, best = cost, node
        elif cost == least and best[2] >= 0 and 0 <= node[2] < best[2]:
            best = node
    return least, best


def _ends_chunk(text: str, at: int) -> bool:
    return text[at - 1] in _PUNCTUATION or text.endswith(("\n\n", "\r\n\r\n"), 0, at)
