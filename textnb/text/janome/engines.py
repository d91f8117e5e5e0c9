"""Which engine runs: the fastest there is, unless one is asked for.

Janome's lattice in C, over the compiled dictionary.

Janome itself.

Janome is not thread-safe, and it copies the rest of a text for every chunk it cuts off, so that a long text costs its
length squared. Here every thread has its own Janome, built when first needed; and a text is handed over in windows as
long as the longest chunk, which changes no token: no chunk looks further ahead than that.
"""

import os
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from textnb.errors import InputError, RecipeWarning
from textnb.extension import VARIABLE, has_extension
from textnb.text.janome.dictionary import SURFACE, Dictionary
from textnb.text.janome.installed import KNOWN_VERSIONS, janome_version
from textnb.text.janome.lattice import Piece, indent, surfaces_of, tokens_of
from textnb.text.janome.user_dictionary import UserDictionary
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


_own = threading.local()


class ReferenceEngine:
    """Cuts a text by calling Janome."""

    name = "reference"

    def __init__(self, words: UserDictionary | None) -> None:
        self._words = words

    def surfaces(self, text: str) -> Iterator[str]:
        """The surfaces of a text."""
        return self._found(text, True)

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text."""
        start = len(text) - len(text.lstrip())
        for found in self._found(text, False):
            end = start + len(found.surface)
            yield Token(found.surface, found.base_form, found.reading, found.part_of_speech, start, end)
            start = end

    def _found(self, text: str, surfaces_only: bool) -> Iterator[Any]:
        text = text.strip()
        janome = _janome(self._words)
        done = 0
        while done < len(text):
            window = text[done : done + janome.MAX_CHUNK_SIZE]
            found, length = janome._Tokenizer__tokenize_partial(window, surfaces_only, True, "")
            yield from found
            done += length


def _janome(words: UserDictionary | None) -> Any:
    """This thread's Janome."""
    own: dict[UserDictionary | None, Any] = _own.__dict__.setdefault("janomes", {})
    if words not in own:
        own[words] = _built(words)
    return own[words]


def _built(words: UserDictionary | None) -> Any:
    from janome.tokenizer import Tokenizer as JanomeTokenizer

    if words is None:
        return JanomeTokenizer()
    with tempfile.TemporaryDirectory() as folder:  # Janome reads dictionaries from files only
        path = Path(folder) / "user.csv"
        path.write_text(words.csv, encoding="utf-8", newline="\n")
        return JanomeTokenizer(str(path), udic_type=words.kind, udic_enc="utf-8")


ENGINES = ("native", "python", "reference")
"""The fastest first. All give the same tokens."""

_DICTIONARIES = 8  # engines with different user dictionaries that are kept ready


class Engine(Protocol):
    """Cuts a text as Janome does; may be shared by threads. The text has no lone surrogates."""

    name: str

    def surfaces(self, text: str) -> Iterator[str]:
        """The surfaces of a text, in its order."""

    def tokens(self, text: str) -> Iterator[Token]:
        """The same as tokens, with base form, reading, part of speech and place."""


def check_engine(name: str) -> None:
    """Refuse an engine that there is not."""
    if name != "auto" and name not in ENGINES:
        raise InputError(f"engine {name!r} is not known; known: auto, {', '.join(ENGINES)}")


def chosen_engine(wanted: str = "auto") -> str:
    """The name of the engine that runs when ``wanted``, or else the environment, asks for one or for none."""
    name = wanted if wanted != "auto" else os.environ.get(VARIABLE) or "auto"
    if name not in ("auto", *ENGINES):
        raise InputError(f"{VARIABLE} is {name!r}, which is no engine; known: auto, {', '.join(ENGINES)}")
    if name == "native" and not has_extension():
        raise InputError(
            "the engine 'native' is not built; install textnb where there is a C compiler, or use 'python'"
        )
    if janome_version() not in KNOWN_VERSIONS:
        return _fallback(name)
    return name if name != "auto" else "native" if has_extension() else "python"


def engine_for(words: UserDictionary | None, wanted: str = "auto") -> Engine:
    """The engine, ready to cut; the dictionary is loaded when first needed, and shared."""
    return _engine(chosen_engine(wanted), words)


@lru_cache(_DICTIONARIES)
def _engine(name: str, words: UserDictionary | None) -> Engine:
    if name == "reference":
        return ReferenceEngine(words)
    from textnb.text.janome.compiled import dictionary

    known = dictionary(janome_version())
    complete = known if words is None else known.with_user(words)
    if name == "native":
        return NativeEngine(complete)
    from textnb.text.janome.lattice import PythonEngine

    return PythonEngine(complete)


@cache
def _fallback(name: str) -> str:
    """The reference engine, for a Janome that the others are not known to equal; said once."""
    if name in ("native", "python"):
        raise InputError(
            f"the engine {name!r} gives the tokens of Janome {', '.join(KNOWN_VERSIONS)}, but {janome_version()} is "
            f"installed; use 'reference'"
        )
    if name == "auto":
        warnings.warn(
            f"Janome {janome_version()} is not known to textnb (known: {', '.join(KNOWN_VERSIONS)}); Janome itself "
            f"cuts the texts, some 100 times slower",
            RecipeWarning,
            stacklevel=4,
        )
    return "reference"
