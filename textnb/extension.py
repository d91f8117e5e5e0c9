"""Use of the optional C extension ``textnb._native``, and what is imported or computed on first use.

Lazy packages keep start-up short: tokenizing does not import scipy.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

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


def return_memory() -> None:
    """Give freed memory back to the system, where that is possible: before work that needs much of it in other pieces.

    The C library keeps what was freed between blocks in use, and takes more where no such piece is large enough.
    """
    if uses_extension():
        from textnb._native import return_memory as give_back

        give_back()


if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414 - type checkers take it for exported
else:

    class cached_property:  # noqa: N801 - named as in functools
        """A property that is computed on first use; as in functools, but without a lock.

        functools of Python 3.11 has one lock per property for all objects. A child process that is forked while
        another thread computes the property finds it locked for ever. Here two threads may compute the same value.

        >>> class Square:
        ...     side = 3
        ...     area = cached_property(lambda self: self.side**2)
        >>> square = Square()
        >>> square.area, vars(square)
        (9, {'area': 9})
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.function(instance)
            return value


class LazyModule:
    """A module that is imported when one of its names is first used.

    >>> LazyModule("math").sqrt(4)
    2.0
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


sparse: Any = LazyModule("scipy.sparse")
"""``scipy.sparse``, which takes longer to import than to answer; ``counts/rows.py`` does without."""
special: Any = LazyModule("scipy.special")
optimize: Any = LazyModule("scipy.optimize")


def names_of(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that imports a package's names on first use; ``home`` maps each name to its module.

    Packages hide it from type checkers, which would otherwise take any name for one of the package.

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


def dir_of(package: str) -> Callable[[], list[str]]:
    """Return a ``__dir__`` that lists the public names of a package, those of its ``__all__``.

    >>> import textnb.estimators
    >>> "TextVectorizer" in dir_of("textnb.estimators")()
    True
    """
    return lambda: sorted(sys.modules[package].__all__)
