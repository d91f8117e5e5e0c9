"""Packages whose names are loaded when first used: who only cuts texts need not wait for scipy."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_of(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package. home: the module below it in which each name is written.

    >>> names_of("textnb", {"Document": "readers.document"})("Document").__name__
    'Document'
    """

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
