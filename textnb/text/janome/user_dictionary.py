"""Words of the user's own, in Janome's CSV formats.

A line of a dictionary of Japanese.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.text.token import Recipe


class Entry(NamedTuple):
    """A line of a dictionary: Janome's columns, without the inflection."""

    surface: str
    left: int
    right: int
    cost: int
    pos: str
    base: str
    reading: str


_COLUMNS = {"simpledic": 3, "ipadic": 13}
_CONNECTIONS = 1316  # the size of IPADIC's table of connection costs


@dataclass(frozen=True)
class UserDictionary:
    """The lines of a Janome user dictionary: ``simpledic`` (surface,pos,reading) or ``ipadic`` (13 columns)."""

    csv: str
    kind: str = "simpledic"

    def __post_init__(self) -> None:
        if not isinstance(self.csv, str) or not self.csv.strip():
            raise InputError(f"a user dictionary holds lines of text, not {self.csv!r}")
        if self.kind not in _COLUMNS:
            raise InputError(f"user dictionary kind {self.kind!r} is not known; known: {', '.join(_COLUMNS)}")
        for number, line in enumerate(self.csv.removesuffix("\n").split("\n"), 1):
            if wrong := _fault(line, self.kind):
                raise InputError(f"user dictionary line {number}: {wrong}, got {line!r}")

    @classmethod
    def read(cls, path: str | Path) -> "UserDictionary":
        """The dictionary in a UTF-8 file; its number of columns tells the kind. Blank lines are left out."""
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"user dictionary {path}: {error}") from error
        numbered = [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]
        if not numbered:
            raise InputError(f"user dictionary {path} is empty")
        kind = "ipadic" if numbered[0][1].count(",") + 1 == _COLUMNS["ipadic"] else "simpledic"
        for number, line in numbered:
            if wrong := _fault(line, kind):
                raise InputError(f"user dictionary {path}, line {number}: {wrong}, got {line!r}")
        return cls("".join(line + "\n" for _, line in numbered), kind)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What Janome makes of the lines."""
        return tuple(_entry(line.split(","), self.kind) for line in self.csv.removesuffix("\n").split("\n"))

    @property
    def recipe(self) -> Recipe:
        """The dictionary itself, so that a model file carries it."""
        return {"csv": self.csv, "kind": self.kind}


def _entry(cells: list[str], kind: str) -> Entry:
    surface = cells[0]
    if kind == "simpledic":
        return Entry(surface, 0, 0, -100_000, f"{cells[1]},*,*,*", surface, cells[2].rstrip())
    left, right, cost = map(int, cells[1:4])
    return Entry(surface, left, right, cost, ",".join(cells[4:8]), cells[10], cells[11])


def _fault(line: str, kind: str) -> str | None:
    """What Janome would stumble over in a line of a user dictionary, if anything."""
    cells = line.split(",")
    if len(cells) != _COLUMNS[kind] or not cells[0]:
        return f"{kind} needs {_COLUMNS[kind]} columns and a surface"
    if not line.isprintable():
        return "a control character or half a character stands in it"
    if kind == "ipadic":
        if not all(re.fullmatch(r"-?[0-9]{1,6}", cell) for cell in cells[1:4]):
            return "columns 2 to 4 must be whole numbers of at most six digits"
        if not all(0 <= int(cell) < _CONNECTIONS for cell in cells[1:3]):
            return f"columns 2 and 3 must be from 0 to {_CONNECTIONS - 1}"
    return None


def as_user_dictionary(value: object) -> UserDictionary | None:
    """A UserDictionary from what a user or a recipe may give: itself, its path, its recipe."""
    if value is None or isinstance(value, UserDictionary):
        return value
    if isinstance(value, dict):
        if "csv" not in value or not set(value) <= {"csv", "kind"}:
            raise InputError(f"a user dictionary in a recipe has csv and kind, not {sorted(value)}")
        return UserDictionary(**value)
    if isinstance(value, (str, Path)):
        return UserDictionary.read(value)
    raise InputError(f"user_dictionary must be a path or a UserDictionary, not {value!r}")
