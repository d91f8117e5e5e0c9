"""Use of the optional C extension ``textnb._native``, and packages that import their names on first use.

Lazy packages keep start-up short: tokenizing does not import scipy.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

VARIABLE = "TEXTNB_ENGINE"
"""Environment variable that forces an engine for Japanese if ``engine=`` does not."""

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def has_extension() -> bool:
    """Return True if the extension is installed."""
    return find_spec("textnb._native") is not None


def uses_extension() -> bool:
    """Return True if functions without a dictionary may use the extension; ``TEXTNB_ENGINE=python`` forbids it."""
    return has_extension() and os.environ.get(VARIABLE, "auto") in ("", "auto", "native")


def in_extension(otherwise: Function) -> Function:
    """Return the extension's function of the same name if allowed, else the given one; decided at import.

    >>> in_extension(len) is len
    True
    """
    if not uses_extension():
        return otherwise
    return getattr(import_module("textnb._native"), otherwise.__name__, otherwise)


def names_of(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that imports a package's names on first use; ``home`` maps each name to its module.

    >>> names_of("textnb", {"Document": "document"})("Document").__name__
    'Document'
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
