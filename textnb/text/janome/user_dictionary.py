"""User dictionaries: words of the user's own, in one of Janome's two CSV formats.

==========  ==========================================================================================
simpledic   surface, part of speech, reading
ipadic      the 13 columns of IPADIC: surface, left id, right id, cost, four columns of the part of
            speech, two of the inflection, base form, reading, pronunciation
==========  ==========================================================================================
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

from textnb.errors import InputError, Phrase
from textnb.text.token import Recipe

_N_COLUMNS = {"simpledic": 3, "ipadic": 13}
_COLUMNS_NEEDED = {
    "simpledic": "a line has three columns, the word, its part of speech and its reading, as in "
    "東京スカイツリー,カスタム名詞,トウキョウスカイツリー",
    "ipadic": "a line has the 13 columns of IPADIC, the word first",
}
_N_IDS = 1316  # left and right ids of IPADIC
_SIMPLEDIC_COST = -100_000  # which Janome gives to every word of a simpledic


class Entry(NamedTuple):
    """Entry of a dictionary: Janome's columns."""

    surface: str
    left: int
    right: int
    cost: int
    pos: str
    base: str
    reading: str
    infl_type: str = "*"
    infl_form: str = "*"
    phonetic: str = "*"


@dataclass(frozen=True)
class UserDictionary:
    """Words of the user's own, in one of Janome's CSV formats.

    Parameters
    ----------
    csv : str
        The lines of the dictionary.
    kind : {"simpledic", "ipadic"}, default "simpledic"
        ``simpledic`` has the columns surface, part of speech and reading; ``ipadic`` has IPADIC's 13 columns.

    Examples
    --------
    >>> from textnb.text import tokenizer
    >>> words = UserDictionary("東京スカイツリー,カスタム名詞,トウキョウスカイツリー")
    >>> tokenizer("janome", user_dictionary=words)("東京スカイツリーへ")
    ['東京スカイツリー', 'へ']
    """

    csv: str
    kind: str = "simpledic"

    def __post_init__(self) -> None:
        if not isinstance(self.csv, str) or not self.csv.strip():
            raise InputError("a user dictionary must contain lines of text, not {csv!r}", csv=self.csv)
        if self.kind not in _N_COLUMNS:
            known = ", ".join(_N_COLUMNS)
            raise InputError("unknown user dictionary kind {kind!r}; use {known}", kind=self.kind, known=known)
        for number, line in enumerate(self._lines, 1):
            check_line(line, self.kind, f"line {number}")

    @classmethod
    def read(cls, path: str | Path) -> "UserDictionary":
        """Read a dictionary from a UTF-8 file; the number of columns decides the kind, blank lines are skipped."""
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("user dictionary {path}: {error}", path=path, error=error) from error
        numbered = [(number, line.rstrip()) for number, line in enumerate(lines, 1) if line.strip()]
        if not numbered:
            raise InputError("user dictionary {path} is empty", path=path)
        kind = "ipadic" if numbered[0][1].count(",") + 1 == _N_COLUMNS["ipadic"] else "simpledic"
        for number, line in numbered:
            check_line(line, kind, f"{path}, line {number}")
        return cls("".join(line + "\n" for _, line in numbered), kind)

    @classmethod
    def of_words(cls, words: Iterable[tuple[str, str, str]]) -> "UserDictionary":
        """Dictionary of words given as (surface, pos, reading).

        >>> UserDictionary.of_words([("犬小屋", "名詞", "イヌゴヤ")]).csv
        '犬小屋,名詞,イヌゴヤ\\n'
        """
        given = list(words)
        for number, word in enumerate(given, 1):
            _check_word(word, number)
        return cls("".join(",".join(word) + "\n" for word in given))

    @property
    def _lines(self) -> list[str]:
        return self.csv.removesuffix("\n").split("\n")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Entries that Janome makes of the lines."""
        return tuple(_entry(line.split(","), self.kind) for line in self._lines)

    @property
    def recipe(self) -> Recipe:
        """JSON values that rebuild the dictionary; they contain all of it, so that a model file does."""
        return {"csv": self.csv, "kind": self.kind}


def as_user_dictionary(value: object) -> UserDictionary:
    """User dictionary from what a user or a recipe may give: a UserDictionary, a path, a list of words or a recipe."""
    if isinstance(value, UserDictionary):
        return value
    if isinstance(value, dict):
        if "csv" not in value or not set(value) <= {"csv", "kind"}:
            raise InputError("a user dictionary in a recipe has csv and kind, not {names}", names=sorted(value))
        return UserDictionary(**value)
    if isinstance(value, (str, Path)):
        return UserDictionary.read(value)
    if isinstance(value, (list, tuple)):
        return UserDictionary.of_words(value)
    template = "user_dictionary must be a path, a list of (surface, pos, reading) or a UserDictionary, not {value!r}"
    raise InputError(template, value=value)


def _check_word(word: object, number: int) -> None:
    is_word = isinstance(word, (list, tuple)) and len(word) == _N_COLUMNS["simpledic"]
    if not is_word or not all(isinstance(cell, str) and not {",", "\n"} & set(cell) for cell in cast("Any", word)):
        template = "user dictionary, word {n}: needs (surface, pos, reading), strings without commas, not {word!r}"
        raise InputError(template, n=number, word=word)


def check_line(line: str, kind: str, place: str) -> None:
    """Raise InputError, which names the place, if Janome cannot use this line of a user dictionary."""
    cells = line.split(",")
    fault = ""
    if len(cells) != _N_COLUMNS[kind] or not cells[0]:
        fault = _COLUMNS_NEEDED[kind]
    elif not line.isprintable():
        fault = "a control character or half a character must be removed"
    elif kind == "ipadic" and not all(re.fullmatch(r"-?[0-9]{1,6}", cell) for cell in cells[1:4]):
        fault = "columns 2 to 4 must be whole numbers of at most six digits"
    elif kind == "ipadic" and not all(0 <= int(cell) < _N_IDS for cell in cells[1:3]):
        fault = f"columns 2 and 3 must be from 0 to {_N_IDS - 1}"
    if fault:
        values = {"place": Phrase(place), "fault": Phrase(fault), "line": line}
        raise InputError("user dictionary {place}: {fault}; this line is {line!r}", **values)


def _entry(cells: list[str], kind: str) -> Entry:
    surface = cells[0]
    if kind == "simpledic":
        reading = cells[2].rstrip()
        return Entry(surface, 0, 0, _SIMPLEDIC_COST, f"{cells[1]},*,*,*", surface, reading, phonetic=reading)
    left, right, cost = map(int, cells[1:4])
    infl_type, infl_form, base, reading, phonetic = cells[8:]
    pos = ",".join(cells[4:8])
    return Entry(surface, left, right, cost, pos, base, reading, infl_type, infl_form, phonetic.rstrip())
