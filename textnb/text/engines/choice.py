"""Which engine runs: the fastest there is, unless one is asked for."""

import os
import warnings
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Protocol

from textnb.errors import InputError, RecipeWarning
from textnb.extension import VARIABLE, has_extension
from textnb.text.engines.installed import KNOWN_VERSIONS, janome_version
from textnb.text.token import Token
from textnb.text.user_dictionary import UserDictionary

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
        from textnb.text.engines.reference import ReferenceEngine

        return ReferenceEngine(words)
    from textnb.text.engines.cache import dictionary

    known = dictionary(janome_version())
    complete = known if words is None else known.with_user(words)
    if name == "native":
        from textnb.text.engines.native import NativeEngine

        return NativeEngine(complete)
    from textnb.text.engines.lattice import PythonEngine

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
