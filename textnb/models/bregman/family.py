"""What a family of functions U is: u and xi, where they are defined, and the algebra that keeps their digits."""

from math import inf
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.numerics import Floats

Flags = NDArray[np.bool_]


class Interval(NamedTuple):
    """From ``low`` to ``high``, which are in it or not."""

    low: float
    high: float
    has_low: bool = False
    has_high: bool = False

    def holds(self, values: ArrayLike) -> Flags:
        """Whether each value is in it; -inf and inf are never."""
        x = np.asarray(values, np.float64)
        above = (x >= self.low) if self.has_low else (x > self.low)
        return np.asarray(above & ((x <= self.high) if self.has_high else (x < self.high)))

    def __str__(self) -> str:
        return f"{'[' if self.has_low else '('}{self.low:.6g}, {self.high:.6g}{']' if self.has_high else ')'}"


POSITIVE = Interval(0.0, inf)
REALS = Interval(-inf, inf)


class Family(Protocol):
    """One U with its parameter; immutable. Functions are of arrays, value by value."""

    name: ClassVar[str]

    @property
    def pi(self) -> float:
        """Its parameter."""

    @property
    def scale(self) -> float:
        """Of eq. (2)."""

    @property
    def offset(self) -> float:
        """Of eq. (2)."""

    @property
    def ordinary(self) -> bool:
        """Whether its product is the ordinary one."""

    @property
    def p_domain(self) -> Interval:
        """Where xi is defined, the range of u."""

    @property
    def z_domain(self) -> Interval:
        """Where u is defined, the range of xi."""

    def xi(self, p: ArrayLike) -> Floats:
        """The inverse of u."""

    def u(self, z: ArrayLike) -> Floats:
        """The derivative of U."""

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802  # the literature's letter
        """The integral of u, up to a constant."""

    def coordinate(self, a: ArrayLike) -> Floats:
        """t of eq. (2), of surprisals."""

    def shifted(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """Eq. (3); inf where u has no value, or none above 0."""

    def leaves(self, a: ArrayLike, d: ArrayLike) -> Flags:
        """Whether xi(e^-a) - scale d lies beyond xi(0), where u has no probability to give."""


def check_pi(family: Family, allowed: Interval) -> None:
    """Refuse a parameter that is not in the interval."""
    if not allowed.holds(family.pi):
        raise InputError(
            "{family_name}: pi = {pi:.6g} is outside {allowed}", family_name=family.name, pi=family.pi, allowed=allowed
        )


def nowhere(a: ArrayLike, d: ArrayLike) -> Flags:
    """False for every pair of values: the family has no edge to leave by."""
    return np.zeros(np.broadcast_shapes(np.shape(a), np.shape(d)), np.bool_)
