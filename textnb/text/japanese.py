"""Japanese words by Janome, exactly as Janome cuts them.

Janome is not thread-safe and not picklable, and it copies the rest of a text for every chunk it cuts off, so that a
long text costs its length squared. Here every thread has its own Janome, built when first needed and never part of
the tokenizer's value; and a text is handed over in windows as long as the longest chunk, which changes no token: no
chunk looks further ahead than that.
"""

import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any, ClassVar

from textnb.errors import InputError
from textnb.text.token import Recipe, Token, Tokenizer, without_surrogates

FORMS = ("surface", "base")
_COLUMNS = {"simpledic": 3, "ipadic": 13}
_CONNECTIONS = 1316  # the size of IPADIC's table of connection costs
_own = threading.local()


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
    def recipe(self) -> Recipe:
        """The dictionary itself, so that a model file carries it."""
        return {"csv": self.csv, "kind": self.kind}


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


@dataclass(frozen=True)
class Janome(Tokenizer):
    """Japanese words; by default exactly Janome's surfaces.

    form: what is counted, the ``surface`` or the ``base`` form. pos, exclude_pos: parts of speech to keep or to leave
    out, each a beginning of Janome's string (``名詞``, ``名詞,固有名詞``). stop_words: terms to leave out.
    user_dictionary: a path, or a UserDictionary.

    >>> Janome(form="base", pos=("名詞", "動詞"))("庭で犬が走った")
    ['庭', '犬', '走る']
    """

    name: ClassVar[str] = "janome"
    form: str = "surface"
    pos: tuple[str, ...] = ()
    exclude_pos: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = ()
    user_dictionary: UserDictionary | None = None

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InputError(f"form {self.form!r} is not known; known: {', '.join(FORMS)}")
        for field in ("pos", "exclude_pos", "stop_words"):
            object.__setattr__(self, field, _as_strings(getattr(self, field), field))
        object.__setattr__(self, "user_dictionary", _as_dictionary(self.user_dictionary))

    @property
    def version(self) -> str:
        """Janome's version, which is its dictionary's too: Janome carries the dictionary inside."""
        return f"janome-{janome_version()}"

    def term(self, token: Token) -> str:
        """The surface or the base form."""
        return token.base if self.form == "base" else token.surface

    def tokens(self, text: str) -> Iterator[Token]:
        """Janome's tokens that pass the filters, with their places in the text."""
        start = len(text) - len(text.lstrip())
        for found in self._found(text, False):
            end = start + len(found.surface)
            token = Token(found.surface, found.base_form, found.reading, found.part_of_speech, start, end)
            if self._passes(token):
                yield token
            start = end

    def stream(self, text: str) -> Iterator[str]:
        """The terms one by one; Janome need not look up more than it is asked for."""
        if self.form == "base" or self.pos or self.exclude_pos:
            return super().stream(text)
        return (surface for surface in self._found(text, True) if surface not in self._stopped)

    @cached_property
    def _stopped(self) -> frozenset[str]:
        return frozenset(self.stop_words)

    def _found(self, text: str, surfaces_only: bool) -> Iterator[Any]:
        text = without_surrogates(text).strip()
        chunk, window = _engine(self.user_dictionary)
        done = 0
        while done < len(text):
            tokens, length = chunk(text[done : done + window], surfaces_only, True, "")
            yield from tokens
            done += length

    def _passes(self, token: Token) -> bool:
        return (
            (not self.pos or any(_begins(token.pos, part) for part in self.pos))
            and not any(_begins(token.pos, part) for part in self.exclude_pos)
            and self.term(token) not in self._stopped
        )


@cache
def janome_version() -> str:
    """The version of the installed Janome, without importing it."""
    return package_version("janome")


def _engine(dictionary: UserDictionary | None) -> tuple[Callable[..., tuple[list[Any], int]], int]:
    """Janome's own function from a text to (tokens of its first chunk, length of that chunk), and the longest chunk."""
    engines: dict[UserDictionary | None, Any] = _own.__dict__.setdefault("engines", {})
    if dictionary not in engines:
        engines[dictionary] = _janome(dictionary)
    engine = engines[dictionary]
    return engine._Tokenizer__tokenize_partial, engine.MAX_CHUNK_SIZE


def _janome(dictionary: UserDictionary | None) -> Any:
    from janome.tokenizer import Tokenizer as JanomeTokenizer

    if dictionary is None:
        return JanomeTokenizer()
    with tempfile.TemporaryDirectory() as folder:  # Janome reads dictionaries from files only
        path = Path(folder) / "user.csv"
        path.write_text(dictionary.csv, encoding="utf-8", newline="\n")
        return JanomeTokenizer(str(path), udic_type=dictionary.kind, udic_enc="utf-8")


def _begins(pos: str, part: str) -> bool:
    return pos == part or pos.startswith(part + ",")


def _as_strings(value: object, field: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        raise InputError(f"{field} must be a list of strings, not {value!r}")
    if not all(isinstance(item, str) for item in value):
        raise InputError(f"{field} must hold strings only, got {value!r}")
    for item in value:
        if without_surrogates(item) != item:
            raise InputError(f"{field} holds {item!r}, which is half a character")
    return tuple(sorted(set(value)))


def _as_dictionary(value: object) -> UserDictionary | None:
    if value is None or isinstance(value, UserDictionary):
        return value
    if isinstance(value, dict):
        if "csv" not in value or not set(value) <= {"csv", "kind"}:
            raise InputError(f"a user dictionary in a recipe has csv and kind, not {sorted(value)}")
        return UserDictionary(**value)
    if isinstance(value, (str, Path)):
        return UserDictionary.read(value)
    raise InputError(f"user_dictionary must be a path or a UserDictionary, not {value!r}")
