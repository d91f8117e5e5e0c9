"""The engine in Python: Janome's lattice over dicts made from the compiled dictionary.

At each position of a text the words that begin there are added, each with its cheapest predecessor. It is quicker than
Janome because words with the same left id have the same predecessor, which is found once per position; words that can
never be chosen are not in the dictionary; and a look-up ends at the first prefix that begins no word. Chunks, unknown
words and ties are Janome's (``textnb/native/lattice.h`` does the same in C).

The engines give pieces of the text; ``surfaces_of`` and ``tokens_of`` turn them into strings and tokens.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from textnb.text.janome.dictionary import (
    LOOK_AHEAD,
    MAX_UNKNOWN_LENGTH,
    Array,
    Categories,
    Dictionary,
    Lexicon,
    unpack_entries,
)
from textnb.text.token import Token

MIN_CHUNK, MAX_CHUNK = 500, 1024
"""Characters of a chunk. Janome analyses a text chunk by chunk and ends a chunk after MIN_CHUNK where it can."""
_CHUNK_ENDS = frozenset("、。,.？?！!")

Piece = tuple[int, int]
"""End of a token in the text, and its entry of the dictionary; unknown words are -1, -2, ..."""
Word = tuple[int, int, int, int, int]
"""Left id, right id, cost, number (-1: unknown), entry."""
Kind = tuple[int, int, bool, tuple[Word, ...]]
"""Kind of characters: its bit, how many characters may follow the first, whether it gives unknown words even where a
known word begins, its unknown words."""
Node = tuple[int, int, int, int, int, Any]
"""Word in a chunk: cost of the cheapest path to its end, right id, number, entry, start, and the node before."""

_ABOVE_ANY_COST = 1 << 40
_FIRST_NODE: Node = (0, 0, -1, 0, 0, None)


def leading_space(text: str) -> int:
    """Length of the white space at the beginning, which Janome skips; of a blank text all."""
    return len(text) - len(text.lstrip())


def surfaces_of(text: str, pieces: Iterable[Piece]) -> Iterator[str]:
    """Surfaces of the pieces of a text."""
    start = leading_space(text)
    for end, _ in pieces:
        yield text[start:end]
        start = end


def tokens_of(text: str, pieces: Iterable[Piece], dictionary: Dictionary) -> Iterator[Token]:
    """Tokens of the pieces of a text, with what the dictionary knows of them."""
    known, new = dictionary.known, tuple.__new__  # Token(...) takes as long as all the rest
    start = leading_space(text)
    for end, entry in pieces:
        surface = text[start:end]
        base, reading, pos, infl_type, infl_form, phonetic, unknown = known[entry]
        form = surface if base is None else base
        yield new(Token, (surface, form, reading, pos, start, end, infl_type, infl_form, phonetic, unknown))
        start = end


class PythonEngine:
    """Engine in Python, over dicts."""

    name = "python"

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._lexicons = [_system_words_by_prefix(dictionary.system)]
        if dictionary.user is not None:
            self._lexicons.insert(0, words_by_prefix(dictionary.user, len(dictionary.system.entries)))
        self._rows = ConnectionRows(dictionary.connections)
        self._kinds = CharacterKinds(dictionary.categories)

    def surfaces(self, text: str) -> Iterator[str]:
        """Surfaces in the order of the text."""
        return surfaces_of(text, self._pieces(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""
        return tokens_of(text, self._pieces(text), self._dictionary)

    def _pieces(self, text: str) -> Iterator[Piece]:
        done, end = leading_space(text), len(text.rstrip())
        while done < end:
            last, length = self._chunk(text[done : min(end, done + MAX_CHUNK)])
            pieces, at = [], done + length
            while last[5] is not None:
                pieces.append((at, last[3]))
                at, last = done + last[4], last[5]
            yield from reversed(pieces)
            done += length

    def _chunk(self, text: str) -> tuple[Node, int]:  # noqa: C901
        """Last node of the best path through the first chunk of a text, and the length of the chunk.

        One long function: all the time is spent here, and a call costs as much as a word.
        """
        lexicons, rows, kinds, length = self._lexicons, self._rows, self._kinds, len(text)
        ends: list[list[Node]] = [[] for _ in range(length + 1)]
        ends[0].append(_FIRST_NODE)
        run_ends: dict[int, int] = {}  # by the bit of a kind: all positions in a run share its end
        at = 0
        while at < length and not (at >= MIN_CHUNK and _ends_chunk(text, at)):
            before, best = ends[at], {}
            found: list[tuple[tuple[Word, ...], int]] = []
            n_found, stop = 0, min(length, at + LOOK_AHEAD)
            for prefixes in lexicons:
                n_found, end = len(found), at + 1
                while end <= stop and (words := prefixes.get(text[at:end])) is not None:
                    if words:
                        found.append((words, end))
                    end += 1
            is_known = len(found) > n_found  # in the system's lexicon, the last; Janome does not ask the user's
            for bit, limit, always, unknowns in kinds[text[at]][0]:
                if always or not is_known:
                    if run_ends.get(bit, 0) <= at or limit < MAX_UNKNOWN_LENGTH:
                        run_ends[bit] = _run_end(text, at, bit, limit, kinds)
                    found.append((unknowns, run_ends[bit]))
            for words, end in found:
                there = ends[end]
                for left, right, cost, number, entry in words:
                    if left not in best:
                        best[left] = _cheapest(rows[left], before)
                    path, node = best[left]
                    there.append((path + cost, right, number, entry, at, node))
            at += 1
            while not ends[at]:
                at += 1
        return _cheapest(rows[0], ends[at])[1], at


def _run_end(text: str, at: int, bit: int, limit: int, kinds: "CharacterKinds") -> int:
    end, stop = at + 1, min(len(text), at + 1 + limit)
    while end < stop and kinds[text[end]][1] & bit:
        end += 1
    return end


def _cheapest(row: list[int], before: list[Node]) -> tuple[int, Node]:
    """Cost of the cheapest path through one of the nodes before, and that node; ties as Janome breaks them."""
    least = _ABOVE_ANY_COST
    for node in before:
        cost = node[0] + row[node[1]]
        if cost < least:
            least, best = cost, node
        elif cost == least and best[2] >= 0 and 0 <= node[2] < best[2]:
            best = node
    return least, best


def _ends_chunk(text: str, at: int) -> bool:
    return text[at - 1] in _CHUNK_ENDS or text.endswith(("\n\n", "\r\n\r\n"), 0, at)


class ConnectionRows(dict[int, list[int]]):
    """Connection costs to a left id, by the right id of the word before; made when first used."""

    def __init__(self, connections: Array) -> None:
        self._connections = connections

    def __missing__(self, left: int) -> list[int]:
        row: list[int] = self._connections[left].tolist()
        self[left] = row
        return row


class CharacterKinds(dict[str, tuple[tuple[Kind, ...], int]]):
    """Kinds of each character, and the bits of the kinds whose runs it may continue; made when first used."""

    def __init__(self, categories: Categories) -> None:
        self._categories = categories
        firsts, limits, always = (array.tolist() for array in (categories.firsts, categories.limits, categories.always))
        numbers, entries = [-1] * firsts[-1], range(-1, -1 - firsts[-1], -1)
        words = list(zip(*unpack_entries(categories.unknowns), numbers, entries, strict=True))
        self._kinds = [
            (1 << k, limits[k], bool(always[k]), tuple(words[firsts[k] : firsts[k + 1]])) for k in range(len(limits))
        ]

    def __missing__(self, char: str) -> tuple[tuple[Kind, ...], int]:
        code, beyond = ord(char), int(self._categories.beyond[0])
        own = int(self._categories.own[code]) if code < 0x10000 else beyond
        accepts = int(self._categories.accepts[code]) if code < 0x10000 else beyond
        found = tuple(kind for kind in self._kinds if own & kind[0]), accepts
        self[char] = found
        return found


@lru_cache(1)
def _system_words_by_prefix(lexicon: Lexicon) -> dict[str, tuple[Word, ...]]:
    """Words of Janome's lexicon, shared by engines with different user dictionaries."""
    return words_by_prefix(lexicon, 0)


def words_by_prefix(lexicon: Lexicon, offset: int) -> dict[str, tuple[Word, ...]]:
    """Words with exactly this surface, for each prefix of a surface; mostly none. offset: number of the first entry."""
    words = list(zip(*unpack_entries(lexicon.entries), lexicon.numbers.tolist(), range(offset, 2**31), strict=False))
    ends = (np.flatnonzero(lexicon.is_last) + 1).tolist()
    end_of = dict(zip([0, *ends], ends, strict=False))
    prefixes: dict[str, tuple[Word, ...]] = {}
    for surface, first in _surfaces(lexicon):
        for end in range(1, len(surface)):
            prefixes.setdefault(surface[:end], ())
        prefixes[surface] = tuple(words[first : end_of[first]])
    return prefixes


def _surfaces(lexicon: Lexicon) -> list[tuple[str, int]]:
    """Surfaces and their first entries, read back from the double array."""
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
