"""Which engine of the tokenizer ``janome`` runs, the engine in C, and Janome itself; the one in Python is lattice.py.

==========  ====================================================================================
native      Janome's lattice in C (``textnb/native/lattice.h``); holds no state, releases the GIL
python      Janome's lattice in Python
reference   Janome itself
==========  ====================================================================================

All give the same tokens. Janome is not thread-safe, and it copies the rest of a text for every chunk, so that the cost
of a long text grows with the square of its length. The engine ``reference`` therefore builds one Janome per thread and
gives it a text in windows as long as the longest chunk, which changes no token: no chunk looks further ahead.
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
from textnb.text.janome.lattice import MAX_CHUNK, Piece, PythonEngine, leading_space, surfaces_of, tokens_of
from textnb.text.janome.user_dictionary import UserDictionary
from textnb.text.token import Token

if TYPE_CHECKING:
    from textnb._native import Cutter

ENGINES = ("native", "python", "reference")
"""Names of the engines, the fastest first."""

_KEPT_ENGINES = 8  # with different user dictionaries, kept in memory
_NATIVE_WINDOW = 1 << 20  # characters that the extension splits at a time
_NO_TERM = -1  # in place of the number of a term: not counted
_UNKNOWN_JANOME = (
    "textnb does not know Janome {installed} (it knows {known}) and runs Janome itself, about 100 times slower; "
    "install one of the known versions"
)


class Engine(Protocol):
    """Splits a text, which has no lone surrogates, as Janome does; can be shared by threads."""

    name: str

    def surfaces(self, text: str) -> Iterator[str]:
        """Surfaces in the order of the text."""

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""


def check_engine(name: str) -> None:
    """Raise InputError unless the name is ``auto`` or an engine's."""
    if name != "auto" and name not in ENGINES:
        raise InputError("unknown engine {name!r}; use auto, {known}", name=name, known=", ".join(ENGINES))


def chosen_engine(wanted: str = "auto") -> str:
    """Name of the engine that runs: ``wanted``, else that of the environment, else the fastest that is installed."""
    name = wanted if wanted != "auto" else os.environ.get(VARIABLE) or "auto"
    if name not in ("auto", *ENGINES):
        template = "{variable} names the unknown engine {name!r}; use auto, {known}"
        raise InputError(template, variable=VARIABLE, name=name, known=", ".join(ENGINES))
    if name == "native" and not has_extension():
        raise InputError("the engine 'native' is not built; install textnb with a C compiler, or use 'python'")
    if janome_version() not in KNOWN_VERSIONS:
        return _engine_for_unknown_janome(name)
    return name if name != "auto" else "native" if has_extension() else "python"


@cache
def _engine_for_unknown_janome(name: str) -> str:
    """Engine for a Janome whose tokens the other engines may not give: ``reference``, with one warning."""
    known = ", ".join(KNOWN_VERSIONS)
    if name in ("native", "python"):
        template = "the engine {name!r} gives the tokens of Janome {known}, but {is_here} is installed; use 'reference'"
        raise InputError(template, name=name, known=known, is_here=janome_version())
    if name == "auto":
        message = _UNKNOWN_JANOME.format(installed=janome_version(), known=known)
        warnings.warn(message, RecipeWarning, stacklevel=4)
    return "reference"


def engine_for(words: UserDictionary | None, wanted: str = "auto") -> Engine:
    """Engine with a user dictionary or without; the dictionary is loaded once and shared."""
    return _build_engine(chosen_engine(wanted), words)


@lru_cache(_KEPT_ENGINES)
def _build_engine(name: str, words: UserDictionary | None) -> Engine:
    if name == "reference":
        return ReferenceEngine(words)
    from textnb.text.janome.compiled import load_dictionary

    dictionary = load_dictionary(janome_version())
    if words is not None:
        dictionary = dictionary.with_user(words)
    return NativeEngine(dictionary) if name == "native" else PythonEngine(dictionary)


class NativeEngine:
    """Engine in C, over the compiled dictionary."""

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
        """Surfaces in the order of the text."""
        if len(text) <= _NATIVE_WINDOW:
            return iter(self._lattice.surfaces(text))
        return surfaces_of(text, self._pieces(text))

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""
        if len(text) <= _NATIVE_WINDOW:
            return iter(self._lattice.tokens(text, Token, self._dictionary.known))
        return tokens_of(text, self._pieces(text), self._dictionary)

    def cutter(self, base: bool, keeps_pos: Callable[[str], bool]) -> "Cutter":
        """Object that finds the surfaces or base forms of the tokens whose part of speech is kept."""
        from textnb._native import Cutter

        known = self._dictionary.features
        kept = np.array([keeps_pos(name) for name in known.pos_names])
        if not base and kept.all():
            nothing = np.zeros(0, np.int32)
            return Cutter("lattice", self._lattice, nothing, nothing, nothing)
        terms = known.base if base else np.full(len(known.base), SURFACE, np.int32)
        terms = np.where(kept[known.pos], terms, np.int32(_NO_TERM))
        return Cutter("lattice", self._lattice, terms, known.offsets, known.pool)

    def _pieces(self, text: str) -> Iterator[Piece]:
        return chain.from_iterable(self._windows(text))

    def _windows(self, text: str) -> Iterator[list[Piece]]:
        done, end = leading_space(text), len(text.rstrip())
        while done < end:
            window = text[done : min(end, done + _NATIVE_WINDOW + MAX_CHUNK)]
            pieces, length = self._lattice.cut(window, _NATIVE_WINDOW)
            ends, entries = np.frombuffer(pieces, np.int32).reshape(-1, 2).T
            yield list(zip((ends + done).tolist(), entries.tolist(), strict=True))
            done += length


class ReferenceEngine:
    """Janome itself."""

    name = "reference"

    def __init__(self, words: UserDictionary | None) -> None:
        self._words = words

    def surfaces(self, text: str) -> Iterator[str]:
        """Surfaces in the order of the text."""
        return self._janome_tokens(text, True)

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""
        start = leading_space(text)
        for found in self._janome_tokens(text, False):
            end = start + len(found.surface)
            words = found.surface, found.base_form, found.reading, found.part_of_speech
            is_unknown = found.node_type == "UNKNOWN"
            yield Token(*words, start, end, found.infl_type, found.infl_form, found.phonetic, is_unknown)
            start = end

    def _janome_tokens(self, text: str, surfaces_only: bool) -> Iterator[Any]:
        text = text.strip()
        janome = _janome_of_thread(self._words)
        done = 0
        while done < len(text):
            window = text[done : done + janome.MAX_CHUNK_SIZE]
            found, length = janome._Tokenizer__tokenize_partial(window, surfaces_only, True, "")
            yield from found
            done += length


_of_thread = threading.local()


def _janome_of_thread(words: UserDictionary | None) -> Any:
    """Janome of this thread, with a user dictionary or without."""
    janomes: dict[UserDictionary | None, Any] = _of_thread.__dict__.setdefault("janomes", {})
    if words not in janomes:
        janomes[words] = _build_janome(words)
    return janomes[words]


def _build_janome(words: UserDictionary | None) -> Any:
    from janome.tokenizer import Tokenizer as JanomeTokenizer

    if words is None:
        return JanomeTokenizer()
    with tempfile.TemporaryDirectory() as folder:  # Janome reads dictionaries from files only
        path = Path(folder) / "user.csv"
        path.write_text(words.csv, encoding="utf-8", newline="\n")
        return JanomeTokenizer(str(path), udic_type=words.kind, udic_enc="utf-8")
