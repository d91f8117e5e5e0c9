"""A dictionary as flat arrays: what splitting a text needs, and what is known of each word.

``Dictionary`` consists of a ``Lexicon`` of Janome's words and maybe one of the user's, the ``Categories`` of characters
that unknown words are made from, the connection costs, and the ``Features`` of all entries.

Words that can never be chosen are left out: of several entries with the same surface, left id and right id only the
cheapest counts, and of equally cheap ones the one with the smallest number, because Janome breaks ties that way. Words
longer than Janome looks ahead are left out too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.extension import cached_property
from textnb.text.janome.double_array import double_array
from textnb.text.janome.user_dictionary import Entry, UserDictionary

Array = NDArray[Any]

LOOK_AHEAD = 50
"""Characters that Janome looks up at a time: longer words are never found."""
MAX_UNKNOWN_LENGTH = 1024
"""Characters of Janome's longest unknown word."""
SURFACE = -2
"""In place of the number of a string: the word's own surface."""

KnownWord = tuple[str | None, str, str, str, str, str, bool]
"""Base form (None: the surface), reading, part of speech, type and form of inflection, pronunciation, is unknown."""

_ID_BITS = 11  # of a left id and of a right id
_IS_LAST = np.uint32(1 << 31)


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Words of Janome and of the user, unknown words, connection costs (left id, right id of the word before)."""

    system: "Lexicon"
    user: "Lexicon | None"
    categories: "Categories"
    connections: Array
    features: "Features"

    def with_user(self, words: UserDictionary) -> "Dictionary":
        """Dictionary with the user's own words added."""
        if all(len(entry.surface) > LOOK_AHEAD for entry in words.entries):
            return self
        lexicon, entries = Lexicon.of(words.entries)
        features = self.features.with_entries(entries, len(self.system.entries))
        return replace(self, user=lexicon, features=features)

    def feature_row(self, entry: int) -> int:
        """Row of an entry in the features; unknown words are the entries -1, -2, ..."""
        return entry if entry >= 0 else len(self.features.pos) - len(self.categories.unknowns) - 1 - entry

    @cached_property
    def known(self) -> "KnownWords":
        """What a token needs to know of each entry."""
        return KnownWords(self)

    def arrays(self) -> dict[str, Array]:
        """Arrays of a dictionary without user words, by name."""
        parts = (self.system, self.categories, self.features)
        named = {field.name: getattr(part, field.name) for part in parts for field in fields(part)}
        del named["pos_names"], named["inflection_names"]
        return {"connections": self.connections, **named}

    @classmethod
    def of(
        cls, arrays: Mapping[str, Array], pos_names: Sequence[str], inflection_names: Sequence[Sequence[str]]
    ) -> "Dictionary":
        """Dictionary that consists of these arrays."""
        lexicon, categories, features = (
            {field.name: arrays[field.name] for field in fields(part) if field.name in arrays}
            for part in (Lexicon, Categories, Features)
        )
        inflections = tuple((infl_type, infl_form) for infl_type, infl_form in inflection_names)
        known = Features(**features, pos_names=tuple(pos_names), inflection_names=inflections)
        return cls(Lexicon(**lexicon), None, Categories(**categories), arrays["connections"], known)


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Surfaces and their entries.

    slots (n, 3): the double array; its third column is the first entry of the surface that ends there. entries
    (n, 2): cost; left id + right id * 2^11 + 2^31 on the last entry of a surface. numbers: of the entries, by which
    ties are broken. codes: of characters.
    """

    slots: Array
    entries: Array
    numbers: Array
    codes: Array

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> tuple["Lexicon", list[Entry]]:
        """Lexicon of the entries that can be chosen, at least one, and these entries in the lexicon's order."""
        found = np.array([i for i, entry in enumerate(entries) if len(entry.surface) <= LOOK_AHEAD])
        surfaces = sorted({entries[i].surface for i in found})
        index = {surface: i for i, surface in enumerate(surfaces)}
        surface = np.array([index.get(entry.surface, -1) for entry in entries])
        left, right, cost = (np.array([entry[k] for entry in entries]) for k in (1, 2, 3))
        order = found[np.lexsort((found, cost[found], right[found], left[found], surface[found]))]
        is_repeated = np.all([np.diff(column[order]) == 0 for column in (surface, left, right)], axis=0)
        rows = order[np.concatenate([[True], ~is_repeated])]
        slots, codes = double_array(surfaces)
        is_last = np.append(np.diff(surface[rows]) != 0, True)
        first = np.append(0, np.flatnonzero(is_last) + 1)
        slots[:, 2] = np.where(slots[:, 2] >= 0, first[slots[:, 2]], -1)
        packed = pack_entries(cost[rows], left[rows], right[rows], is_last)
        return cls(slots, packed, rows.astype(np.int32), codes), [entries[row] for row in rows]

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """Arrays in the order in which the extension takes them."""
        return self.slots, self.entries, self.numbers, self.codes

    @property
    def is_last(self) -> NDArray[np.bool_]:
        """True for the last entry of each surface."""
        return np.greater_equal(self.entries[:, 1].view(np.uint32), _IS_LAST)


def pack_entries(costs: Array, lefts: Array, rights: Array, is_last: Array) -> Array:
    """Entries as a Lexicon stores them, (n, 2)."""
    ids = lefts.astype(np.uint32) | rights.astype(np.uint32) << np.uint32(_ID_BITS)
    return np.stack([costs.astype(np.int32), (ids | np.where(is_last, _IS_LAST, np.uint32(0))).view(np.int32)], axis=1)


def unpack_entries(entries: Array) -> tuple[list[int], list[int], list[int]]:
    """Left ids, right ids and costs of stored entries."""
    ids, mask = entries[:, 1].view(np.uint32), (1 << _ID_BITS) - 1
    return (ids & mask).tolist(), (ids >> _ID_BITS & mask).tolist(), entries[:, 0].tolist()


@dataclass(frozen=True, eq=False)
class Categories:
    """How unknown words are made: kinds of characters, as bits.

    own, accepts (65536,): the kinds of a character, and those whose runs it may continue; beyond (1,): both, for
    characters beyond the BMP. limits: how many characters may follow the first. always: whether a kind gives unknown
    words even where a known word begins. firsts: of each kind its first unknown word. unknowns: like Lexicon.entries.
    """

    own: Array
    accepts: Array
    limits: Array
    always: Array
    firsts: Array
    unknowns: Array
    beyond: Array


@dataclass(frozen=True, eq=False)
class Features:
    """Columns of Janome's entries that change no path, then of the user's entries, then of the unknown words.

    pos: index into pos_names. inflection: index into inflection_names, which has types and forms. base, reading,
    phonetic: a number i, which means ``pool[offsets[i]:offsets[i + 1]]``, UTF-16; a base may be SURFACE.
    """

    pos: Array
    inflection: Array
    base: Array
    reading: Array
    phonetic: Array
    offsets: Array
    pool: Array
    pos_names: tuple[str, ...]
    inflection_names: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Features":
        """Features of these entries."""
        ints, shorts = np.zeros(0, np.int32), np.zeros(0, np.uint16)
        return cls(shorts, shorts, ints, ints, ints, np.zeros(1, np.int32), shorts, (), ()).with_entries(entries, 0)

    def with_entries(self, entries: Sequence[Entry], at: int) -> "Features":
        """Features with those of more entries, inserted before row ``at``."""
        numbers: dict[str, int] = {}
        names = {name: i for i, name in enumerate(self.pos_names)}
        inflections = {name: i for i, name in enumerate(self.inflection_names)}
        n_old = len(self.offsets) - 1
        reading = [n_old + numbers.setdefault(entry.reading, len(numbers)) for entry in entries]
        phonetic = [n_old + numbers.setdefault(entry.phonetic, len(numbers)) for entry in entries]
        base = [
            SURFACE if entry.base == entry.surface else n_old + numbers.setdefault(entry.base, len(numbers))
            for entry in entries
        ]
        pos = [names.setdefault(entry.pos, len(names)) for entry in entries]
        inflection = [inflections.setdefault((entry.infl_type, entry.infl_form), len(inflections)) for entry in entries]
        units = [string.encode("utf-16-le") for string in numbers]
        ends = np.cumsum([len(unit) // 2 for unit in units]) + self.offsets[-1]
        return Features(
            _inserted(self.pos, pos, at),
            _inserted(self.inflection, inflection, at),
            _inserted(self.base, base, at),
            _inserted(self.reading, reading, at),
            _inserted(self.phonetic, phonetic, at),
            np.append(self.offsets, ends).astype(np.int32),
            np.append(self.pool, np.frombuffer(b"".join(units), "<u2")),
            tuple(names),
            tuple(inflections),
        )

    def string(self, number: int) -> str:
        """String with this number."""
        units = self.pool[self.offsets[number] : self.offsets[number + 1]]
        return units.astype("<u2").tobytes().decode("utf-16-le")


class KnownWords(dict[int, KnownWord]):
    """What the dictionary knows of each entry of a path; made when first used."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def __missing__(self, entry: int) -> KnownWord:
        known, row = self._dictionary.features, self._dictionary.feature_row(entry)
        base = None if known.base[row] == SURFACE else known.string(known.base[row])
        reading, phonetic = known.string(known.reading[row]), known.string(known.phonetic[row])
        pos, inflection = known.pos_names[known.pos[row]], known.inflection_names[known.inflection[row]]
        self[entry] = found = (base, reading, pos, *inflection, phonetic, entry < 0)
        return found


def _inserted(known: Array, new: list[int], at: int) -> Array:
    return np.concatenate([known[:at], np.array(new, known.dtype), known[at:]])
