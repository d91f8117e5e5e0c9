"""What a model can be told beside alpha and prior: the kinds of options, with their defaults and checks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textnb.errors import InputError


@dataclass(frozen=True)
class Choice:
    """One of some values, the default first.

    >>> Choice(("mean", "map")).checked("median", "estimate")
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: estimate must be 'mean' or 'map', not 'median'
    """

    values: tuple[Any, ...]

    @property
    def default(self) -> Any:
        """The first."""
        return self.values[0]

    @property
    def allowed(self) -> str:
        """The values, for a help text."""
        return " or ".join(map(str, self.values))

    def checked(self, value: Any, name: str) -> Any:
        """The value, if it is one of them."""
        if type(value) is not type(self.default) or value not in self.values:
            raise InputError(f"{name} must be {' or '.join(map(repr, self.values))}, not {value!r}")
        return value


@dataclass(frozen=True)
class Number:
    """A number, or a name in its place, that a function accepts; ``allowed`` says which, for a help text."""

    default: float | str
    allowed: str
    accepted: Callable[[Any], float | str]

    def checked(self, value: Any, name: str) -> float | str:
        """The value, if it is accepted."""
        try:
            return self.accepted(value)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


Option = Choice | Number
