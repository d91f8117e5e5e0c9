"""Janome's lattice in Python, over dicts made from the compiled dictionary.

At each position of a text the words that begin there are added, each with its cheapest predecessor. What makes it
quicker than Janome: words of the same left id have the same predecessor, which is found once a position; words that
can never be chosen are not in the dictionary; and the first prefix that begins no word ends the look-up. Chunks,
unknown words and ties are Janome's (``textnb/native/lattice.h`` says the same in C).
"""

from collections.abc import Iterator
from typing import Any

from textnb.text.engines.dictionary import Dictionary
from textnb.text.engines.lexicon import LOOK_AHEAD
from textnb.text.engines.morphology import Piece, indent, surfaces_of, tokens_of
from textnb.text.engines.prefixes import Kinds, Rows, Word, system_words_by_prefix, words_by_prefix
from textnb.text.token import Token

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
        self._rows = Rows(dictionary.connections)
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
