"""The C extension ``textnb._native``, which is optional: whether it is there, and whether it may be used.

Packages whose names are loaded when first used: who only cuts texts need not wait for scipy.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

VARIABLE = "TEXTNB_ENGINE"
"""The environment variable that forces an engine for Japanese, where ``engine=`` does not."""

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def has_extension() -> bool:
    """Whether it was built."""
    return find_spec("textnb._native") is not None


def uses_extension() -> bool:
    """Whether it may do what needs no dictionary; an engine that is forced by the environment forbids it."""
    return has_extension() and os.environ.get(VARIABLE, "auto") in ("", "auto", "native")


def in_extension(otherwise: Function) -> Function:
    """The extension's function of the same name, where it may be used; else this one. Decided when a module is loaded.

    >>> in_extension(len) is len
    True
    """
    if not uses_extension():
        return otherwise
    return getattr(import_module("textnb._native"), otherwise.__name__, otherwise)


def names_of(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package. home: the module below it in which each name is written.

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
