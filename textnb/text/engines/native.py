"""Janome's lattice in C, over the compiled dictionary."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from textnb.text.engines.dictionary import Dictionary
from textnb.text.engines.features import SURFACE
from textnb.text.engines.morphology import Piece, indent, surfaces_of, tokens_of
from textnb.text.token import Token

if TYPE_CHECKING:
    from textnb._native import Cutter

_WINDOW = 1 << 20  # characters that are cut at a time
_LONGEST = 1024  # the longest chunk: a cut looks no further ahead
_LEFT_OUT = -1


class NativeEngine:
    """Cuts a text in the extension, which holds no state and releases the GIL."""

    name = "native"

    def __init__(self, dictionary: Dictionary) -> None:
        from textnb._native import Lattice

        self._dictionary = dictionary
        kinds, user = dictionary.categories, dictionary.user
        self._lattice = Lattice(
            dictionary.system.arrays, None if user is None else user.arrays, dictionary.connections,
            kinds.own, kinds.accepts, kinds.limits, kinds.always, kinds.firsts, kinds.unknowns, int(kinds.beyond[0]),
        )  # fmt: skip

    def surfaces(self, text: str) -> Iterator[str]:
        """The surfaces of a text."""
        if len(text) <= _WINDOW:
            return iter(self._lattice.surfaces(text))
        return surfaces_of(text, self._pieces(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text."""
        return tokens_of(text, self._pieces(text), self._dictionary)

    def cutter(self, base: bool, keeps_pos: Callable[[str], bool]) -> "Cutter":
        """What counts the tokens of a text, base forms if asked for, of the parts of speech that are kept."""
        from textnb._native import Cutter

        known = self._dictionary.features
        kept = np.array([keeps_pos(name) for name in known.pos_names])
        if not base and kept.all():
            nothing = np.zeros(0, np.int32)
            return Cutter("lattice", self._lattice, nothing, nothing, nothing)
        terms = known.base if base else np.full(len(known.base), SURFACE, np.int32)
        terms = np.where(kept[known.pos], terms, np.int32(_LEFT_OUT))
        return Cutter("lattice", self._lattice, terms, known.offsets, known.pool)

    def _pieces(self, text: str) -> Iterator[Piece]:
        return chain.from_iterable(self._windows(text))

    def _windows(self, text: str) -> Iterator[list[Piece]]:
        done, end = indent(text), len(text.rstrip())
        while done < end:
            window = text[done : min(end, done + _WINDOW + _LONGEST)]
            pieces, length = self._lattice.cut(window, _WINDOW)
            ends, entries = np.frombuffer(pieces, np.int32).reshape(-1, 2).T
            yield list(zip((ends + done).tolist(), entries.tolist(), strict=True))
            done += length
