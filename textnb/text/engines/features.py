"""What is known of each entry of a dictionary: part of speech, base form, reading."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textnb.text.engines.lexicon import Array
from textnb.text.entry import Entry

SURFACE = -2
"""In place of the number of a string: the word's own surface."""


@dataclass(frozen=True, eq=False)
class Features:
    """pos, base, reading: of the system's entries, then the user's, then the unknown words.

    pos: the place in pos_names. base, reading: a number i, which means ``pool[offsets[i]:offsets[i + 1]]``, UTF-16; a
    base may be SURFACE.
    """

    pos: Array
    base: Array
    reading: Array
    offsets: Array
    pool: Array
    pos_names: tuple[str, ...]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Features":
        """Those of some entries."""
        return _none().with_entries(list(entries), 0)

    def with_entries(self, entries: Sequence[Entry], at: int) -> "Features":
        """The same with more entries, put in before number ``at``."""
        numbers: dict[str, int] = {}
        names = {name: i for i, name in enumerate(self.pos_names)}
        n_old = len(self.offsets) - 1
        reading = [n_old + numbers.setdefault(entry.reading, len(numbers)) for entry in entries]
        base = [
            SURFACE if entry.base == entry.surface else n_old + numbers.setdefault(entry.base, len(numbers))
            for entry in entries
        ]
        pos = [names.setdefault(entry.pos, len(names)) for entry in entries]
        units = [string.encode("utf-16-le") for string in numbers]
        ends = np.cumsum([len(unit) // 2 for unit in units]) + self.offsets[-1]
        return Features(
            _inserted(self.pos, pos, at),
            _inserted(self.base, base, at),
            _inserted(self.reading, reading, at),
            np.append(self.offsets, ends).astype(np.int32),
            np.append(self.pool, np.frombuffer(b"".join(units), "<u2")),
            tuple(names),
        )

    @cached_property
    def _strings(self) -> dict[int, str]:
        return {}

    def string(self, number: int) -> str:
        """A string by its number, made once."""
        if number not in self._strings:
            units = self.pool[self.offsets[number] : self.offsets[number + 1]]
            self._strings[number] = units.astype("<u2").tobytes().decode("utf-16-le")
        return self._strings[number]


def _none() -> Features:
    nothing = np.zeros(0, np.int32)
    return Features(nothing.astype(np.uint16), nothing, nothing, np.zeros(1, np.int32), nothing.astype(np.uint16), ())


def _inserted(known: Array, new: list[int], at: int) -> Array:
    return np.concatenate([known[:at], np.array(new, known.dtype), known[at:]])
