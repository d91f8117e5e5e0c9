"""Families of convex functions U, each with its own product of probabilities (Fujimoto and Murata, table 1).

    u = U',  xi = u^-1:      u(xi(p)) = p                                                                      (1)

           u(z)                          xi(p)                          pi
    kl     exp(z)                        log p                          unused
    ex1    exp(sgn(z) |z|^(1/pi))        sgn(log p) |log p|^pi          above 0; 1 is the ordinary product
    ex2    (pi z + 1)^(1/pi)             (p^pi - 1) / pi                not 0
    ex3    exp(z) + pi                   log(p - pi)                    below every p
    ex4    exp((1 - exp(-z)) / pi)       -log(1 - pi log p)             above 0

Computations use the surprisal a = -log p and a coordinate t, of which xi is an affine function. It keeps its precision
for p = 1e-300 and for pi near 0:

    xi = scale t + offset:      ex1: t = (1 - a^pi) / pi,  ex4: t = -log(1 + pi a) / pi,  the others: t = xi   (2)
    shifted(a, d) = the surprisal of u(xi(e^-a) - scale d) = a + rise(a, d)                                    (3)

p = 0 is in the domain of ex2 with pi > 0 and of ex3 with pi < 0. For the others it is a limit, xi(0) = -inf and
u(-inf) = 0, except for ex3 with pi >= 0, which refuses it.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp, gamma, inf, isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.extension import special
from textnb.numerics import Floats, as_number, check_choice, log_of

Flags = NDArray[np.bool_]

_ROUNDING = 1e-9
_MAX_EXPONENT = 700.0
_MIN_SERIES = 50.0  # from here on e^x E1(x) is summed by its series


class Interval(NamedTuple):
    """Numbers between ``low`` and ``high``; ``low`` itself belongs to the interval if ``has_low``."""

    low: float
    high: float
    has_low: bool = False

    def holds(self, values: ArrayLike) -> Flags:
        """True for each value in the interval; never for -inf and inf."""
        x = np.asarray(values, np.float64)
        return np.asarray(((x >= self.low) if self.has_low else (x > self.low)) & (x < self.high))

    def __str__(self) -> str:
        return f"{'[' if self.has_low else '('}{self.low:.6g}, {self.high:.6g})"


POSITIVE = Interval(0.0, inf)
REALS = Interval(-inf, inf)


@dataclass(frozen=True)
class Family(ABC):
    """One function U with its parameter pi; immutable. Methods work on arrays, value by value."""

    pi: float = 1.0

    name: ClassVar[str]
    offset: ClassVar[float] = 0.0
    """Offset of eq. (2)."""
    pi_domain: ClassVar[Interval] = POSITIVE

    def __post_init__(self) -> None:
        if not self.pi_domain.holds(self.pi):
            raise InputError(
                "{name}: pi = {pi:.6g} is outside {allowed}", name=self.name, pi=self.pi, allowed=self.pi_domain
            )

    @property
    def scale(self) -> float:
        """Scale of eq. (2)."""
        return 1.0

    @property
    def ordinary(self) -> bool:
        """True if the product is the ordinary one."""
        return False

    @property
    def p_domain(self) -> Interval:
        """Domain of xi, the range of u."""
        return POSITIVE

    @property
    def z_domain(self) -> Interval:
        """Domain of u, the range of xi."""
        return REALS

    @abstractmethod
    def xi(self, p: ArrayLike) -> Floats:
        """Inverse of u."""

    @abstractmethod
    def u(self, z: ArrayLike) -> Floats:
        """Derivative of U."""

    @abstractmethod
    def U(self, z: ArrayLike) -> Floats:  # noqa: N802  # the literature's letter
        """Integral of u, up to a constant."""

    @abstractmethod
    def coordinate(self, a: ArrayLike) -> Floats:
        """Coordinate t of eq. (2) for surprisals."""

    @abstractmethod
    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """Rise of eq. (3), precise also where a is large; inf where u has no value, or none above 0."""

    def shifted(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """Surprisal of eq. (3)."""
        return np.add(a, self.rise(a, d))

    def leaves(self, a: ArrayLike, d: ArrayLike) -> Flags:
        """True where xi(e^-a) - scale d is below xi(0), so that u gives no probability."""
        return np.zeros(np.broadcast_shapes(np.shape(a), np.shape(d)), np.bool_)

    def check_probabilities(self, p: Floats) -> None:
        """Refuse values outside the domain of xi; 0 is allowed where it is a limit."""
        limit = (p == 0) & (self.p_domain.low == 0)
        for value in p[~(self.p_domain.holds(p) | limit)].ravel()[:1]:
            template = "{name} with pi = {pi:.6g}: p = {value:.6g} is outside {domain}"
            raise InputError(template, name=self.name, pi=self.pi, value=value, domain=self.p_domain)


class KL(Family):
    """U = exp: the Kullback-Leibler divergence and the ordinary product."""

    name = "kl"

    @property
    def ordinary(self) -> bool:
        """Always."""
        return True

    def xi(self, p: ArrayLike) -> Floats:
        """log p."""
        return log_of(p)

    def u(self, z: ArrayLike) -> Floats:
        """exp(z)."""
        return np.asarray(np.exp(z))

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802
        """exp(z)."""
        return np.asarray(np.exp(z))

    def coordinate(self, a: ArrayLike) -> Floats:
        """-a."""
        return -np.asarray(a, np.float64)

    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """d."""
        return np.add(np.zeros(np.shape(a)), d)


class Ex1(Family):
    """Family of the paper's experiments; pi < 1 increases the differences between cells, pi > 1 reduces them."""

    name = "ex1"
    offset = -1.0

    @property
    def scale(self) -> float:
        """pi."""
        return self.pi

    @property
    def ordinary(self) -> bool:
        """For pi = 1."""
        return self.pi == 1

    def xi(self, p: ArrayLike) -> Floats:
        """sgn(log p) |log p|^pi."""
        log_p = log_of(p)
        return np.asarray(np.sign(log_p) * np.abs(log_p) ** self.pi)

    def u(self, z: ArrayLike) -> Floats:
        """exp(sgn(z) |z|^(1/pi))."""
        return np.asarray(np.exp(np.sign(z) * np.abs(z) ** (1 / self.pi)))

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802
        """Gamma(pi + 1) Q(pi, a) with a = |z|^(1/pi) below 0; above, Gamma(pi + 1) + z 1F1(pi; pi + 1; a)."""
        z = np.asarray(z, np.float64)
        a = np.abs(z) ** (1 / self.pi)
        below = special.gammaincc(self.pi, np.where(z < 0, a, 0.0))
        above = special.hyp1f1(self.pi, self.pi + 1, np.where(z > 0, a, 0.0))
        return np.asarray(gamma(self.pi + 1) * below + np.maximum(z, 0.0) * above)

    def coordinate(self, a: ArrayLike) -> Floats:
        """(1 - a^pi) / pi."""
        with np.errstate(over="ignore"):
            return np.asarray(-np.expm1(self.pi * log_of(a)) / self.pi)

    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """a ((1 + pi d a^-pi)^(1/pi) - 1), and (pi d)^(1/pi) where a is 0."""
        a, d = np.asarray(a, np.float64), np.asarray(d, np.float64)
        if self.pi == 1:
            return np.asarray(np.zeros(a.shape) + d)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            grown = a * np.expm1(np.log1p(self.pi * d * a**-self.pi) / self.pi)
        vanishing = ~np.isfinite(grown) | (a == 0)  # where a^-pi overflows, a is negligible
        if not vanishing.any():
            return np.asarray(grown)
        with np.errstate(over="ignore"):
            return np.asarray(np.where(vanishing, (self.pi * d) ** (1 / self.pi), grown))


class Ex2(Family):
    """Powers of p: the beta divergence. For pi > 0 no z may be below -1/pi."""

    name = "ex2"

    def __post_init__(self) -> None:
        if not isfinite(self.pi) or self.pi == 0:
            raise InputError("ex2: pi = {pi:.6g} is outside (-inf, 0) and (0, inf)", pi=self.pi)

    @property
    def p_domain(self) -> Interval:
        """Positive numbers, and 0 if pi > 0."""
        return Interval(0.0, inf, has_low=self.pi > 0)

    @property
    def z_domain(self) -> Interval:
        """Side of -1/pi where pi z + 1 is not negative."""
        return Interval(-1 / self.pi, inf, has_low=True) if self.pi > 0 else Interval(-inf, -1 / self.pi)

    def xi(self, p: ArrayLike) -> Floats:
        """(p^pi - 1) / pi."""
        return self.coordinate(-log_of(p))

    def u(self, z: ArrayLike) -> Floats:
        """(pi z + 1)^(1/pi)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(np.log1p(self.pi * np.asarray(z, np.float64)) / self.pi))

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802
        """(p^(1+pi) - 1) / (1 + pi) with p = u(z), and log p where pi is -1."""
        with np.errstate(divide="ignore"):
            log_p = np.log1p(self.pi * np.asarray(z, np.float64)) / self.pi
        return np.asarray(log_p if self.pi == -1 else np.expm1((1 + self.pi) * log_p) / (1 + self.pi))

    def coordinate(self, a: ArrayLike) -> Floats:
        """Equal to xi."""
        with np.errstate(over="ignore"):
            return np.asarray(np.expm1(-self.pi * np.asarray(a, np.float64)) / self.pi)

    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """-log(1 - pi d e^(pi a)) / pi."""
        if self.pi < 0:
            return np.asarray(-np.logaddexp(0.0, self._log_part(a, d)) / self.pi)
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log1p(-np.exp(np.minimum(self._log_part(a, d), 0.0))) / self.pi)

    def leaves(self, a: ArrayLike, d: ArrayLike) -> Flags:
        """True below -1/pi, for pi > 0."""
        return np.asarray((self._log_part(a, d) > _ROUNDING) & (self.pi > 0))

    def _log_part(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """log(|pi| d e^(pi a)), which does not overflow."""
        return np.asarray(log_of(d) + (np.log(abs(self.pi)) + self.pi * np.asarray(a, np.float64)))


class Ex3(Family):
    """A shifted logarithm: every p lies above pi. For pi < 0 a product may be negative, which is not a probability."""

    name = "ex3"
    pi_domain = Interval(-inf, 1.0)

    @property
    def ordinary(self) -> bool:
        """For pi = 0."""
        return self.pi == 0

    @property
    def p_domain(self) -> Interval:
        """Above pi."""
        return Interval(self.pi, inf)

    def xi(self, p: ArrayLike) -> Floats:
        """log(p - pi)."""
        return log_of(np.asarray(p, np.float64) - self.pi)

    def u(self, z: ArrayLike) -> Floats:
        """exp(z) + pi."""
        return np.asarray(np.exp(z) + self.pi)

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802
        """exp(z) + pi z."""
        return np.asarray(np.exp(z) + self.pi * np.asarray(z))

    def coordinate(self, a: ArrayLike) -> Floats:
        """Equal to xi."""
        a = np.asarray(a, np.float64)
        return -a if self.pi == 0 else self.xi(np.exp(-a))

    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """-log(e^-d - pi e^a (e^-d - 1))."""
        if self.pi == 0:
            return np.add(np.zeros(np.shape(a)), d)
        return np.asarray(-log_of(np.maximum(self._falls_to(a, d), 0.0)))

    def leaves(self, a: ArrayLike, d: ArrayLike) -> Flags:
        """True where u(z) < 0."""
        return np.asarray(self._falls_to(a, d) < -_ROUNDING * self._pi_in_p(a))

    def _pi_in_p(self, a: ArrayLike) -> Floats:
        """|pi| / p for a surprisal a of p."""
        return np.asarray(abs(self.pi) * np.exp(np.minimum(a, _MAX_EXPONENT)))

    def _falls_to(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """u(xi(p) - d) / p for a surprisal a of p."""
        d = np.asarray(d, np.float64)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-d) - np.sign(self.pi) * self._pi_in_p(a) * np.expm1(-d))


class Ex4(Family):
    """Logarithm of the surprisal."""

    name = "ex4"

    @property
    def scale(self) -> float:
        """pi."""
        return self.pi

    @property
    def p_domain(self) -> Interval:
        """Below exp(1/pi)."""
        return Interval(0.0, exp(1 / self.pi) if self.pi > 1 / 700 else inf)

    def xi(self, p: ArrayLike) -> Floats:
        """-log(1 - pi log p)."""
        return np.asarray(-np.log1p(-self.pi * log_of(p)))

    def u(self, z: ArrayLike) -> Floats:
        """exp((1 - exp(-z)) / pi)."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-np.expm1(-np.asarray(z, np.float64)) / self.pi))

    def U(self, z: ArrayLike) -> Floats:  # noqa: N802
        """exp(1/pi) E1(x) = u(z) e^x E1(x) with x = exp(-z) / pi."""
        with np.errstate(over="ignore"):
            return np.asarray(self.u(z) * _scaled_e1(np.exp(-np.asarray(z, np.float64)) / self.pi))

    def coordinate(self, a: ArrayLike) -> Floats:
        """-log(1 + pi a) / pi."""
        return np.asarray(-np.log1p(self.pi * np.asarray(a, np.float64)) / self.pi)

    def rise(self, a: ArrayLike, d: ArrayLike) -> Floats:
        """(a + 1 / pi) (e^(pi d) - 1)."""
        with np.errstate(over="ignore"):
            return np.asarray((np.asarray(a, np.float64) + 1 / self.pi) * np.expm1(self.pi * np.asarray(d, np.float64)))


FAMILIES: dict[str, Any] = {"kl": KL, "ex1": Ex1, "ex2": Ex2, "ex3": Ex3, "ex4": Ex4}


def family_of(name: str | Family, pi: float = 1.0) -> Family:
    """Family with that name and a checked pi; KL has no parameter and ignores pi.

    >>> family_of("ex1", 0.5)
    Ex1(pi=0.5)
    >>> family_of("ex1", -1)
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: ex1: pi = -1 is outside (0, inf)
    """
    if not isinstance(name, str):
        return name
    check_choice(name, "family", FAMILIES)
    pi = as_number(pi, "pi")
    family: Family = KL() if name == "kl" else FAMILIES[name](pi)
    return family


def _scaled_e1(x: Floats) -> Floats:
    """e^x E1(x): by scipy, and for large x, where that is 0, by the series sum_k (-1)^k k! / x^(k+1)."""
    near, far = np.minimum(x, _MIN_SERIES), np.maximum(x, _MIN_SERIES)
    term = total = 1 / far
    for k in range(1, 25):
        term = -term * k / far
        total = total + term
    return np.asarray(np.where(x > _MIN_SERIES, total, np.exp(near) * special.exp1(near)))
