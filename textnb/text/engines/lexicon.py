"""Words as flat arrays.

Words that can never be chosen are left out: of several entries with the same surface, left id and right id only the
cheapest counts, and of equally cheap ones that with the smallest number, for that is how ties are broken. So are words
longer than Janome looks ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.text.engines.double_array import double_array
from textnb.text.entry import Entry

Array = NDArray[Any]
LOOK_AHEAD = 50
"""Characters of the text that Janome looks up at a time: longer words are never found."""
_LAST = np.uint32(1 << 31)


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
        """A lexicon of the entries that can be chosen, at least one, and these entries in the lexicon's order."""
        found = np.array([i for i, entry in enumerate(entries) if len(entry.surface) <= LOOK_AHEAD])
        surfaces = sorted({entries[i].surface for i in found})
        index = {surface: i for i, surface in enumerate(surfaces)}
        surface = np.array([index.get(entry.surface, -1) for entry in entries])
        left, right, cost = (np.array([entry[k] for entry in entries]) for k in (1, 2, 3))
        order = found[np.lexsort((found, cost[found], right[found], left[found], surface[found]))]
        again = np.all([np.diff(column[order]) == 0 for column in (surface, left, right)], axis=0)
        rows = order[np.concatenate([[True], ~again])]
        slots, codes = double_array(surfaces)
        is_last = np.append(np.diff(surface[rows]) != 0, True)
        first = np.append(0, np.flatnonzero(is_last) + 1)
        slots[:, 2] = np.where(slots[:, 2] >= 0, first[slots[:, 2]], -1)
        packed_entries = packed(cost[rows], left[rows], right[rows], is_last)
        return cls(slots, packed_entries, rows.astype(np.int32), codes), [entries[row] for row in rows]

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """In the order in which the extension takes them."""
        return self.slots, self.entries, self.numbers, self.codes

    @property
    def is_last(self) -> NDArray[np.bool_]:
        """Whether an entry is the last of its surface."""
        return np.greater_equal(self.entries[:, 1].view(np.uint32), _LAST)


def packed(costs: Array, lefts: Array, rights: Array, last: Array) -> Array:
    """Entries as a Lexicon has them."""
    ids = lefts.astype(np.uint32) | rights.astype(np.uint32) << np.uint32(11) | np.where(last, _LAST, np.uint32(0))
    return np.stack([costs.astype(np.int32), ids.view(np.int32)], axis=1)
