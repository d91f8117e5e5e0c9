"""A value that is made when it is first asked for."""

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Deferred(Generic[Value]):
    """Value that a pure function makes when it is first asked for; copies and pickles hold the value.

    >>> Deferred(lambda: 1 + 1).value
    2
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make

    @classmethod
    def of(cls, value: Value) -> "Deferred[Value]":
        """Return a value that is there already."""
        deferred = cls(lambda: value)
        deferred._value, deferred._make = value, None
        return deferred

    @property
    def value(self) -> Value:
        """Value, made now if it was not before."""
        make = self._make
        if make is not None:
            self._value = make()
            self._make = None
        return self._value

    def __reduce__(self) -> tuple[object, ...]:
        return Deferred.of, (self.value,)
