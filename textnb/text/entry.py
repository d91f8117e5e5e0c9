"""A line of a dictionary of Japanese."""

from typing import NamedTuple


class Entry(NamedTuple):
    """A line of a dictionary: Janome's columns, without the inflection."""

    surface: str
    left: int
    right: int
    cost: int
    pos: str
    base: str
    reading: str
