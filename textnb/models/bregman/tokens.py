"""Product of token probabilities over a document in the sense of family Ex.1 (Fujimoto and Murata).

A token w has a_w = -log p_w. A sequence of N tokens has

    T = sum of a_w^pi over its tokens,    p(sequence) = exp(-(T + c)^(1/pi))                                  (1)

Let r = max a. Sums of powers overflow and cancel, so everything is counted from the most probable token:

    d_w = ((a_w / r)^pi - (min a / r)^pi) / pi >= 0,    D = sum of d_w over the tokens                        (2)
    -log p = h(D) = r ((v / r)^pi + pi D)^(1/pi)                                                              (3)

with v = (N min a^pi + c)^(1/pi) the surprisal of the most probable sequence. c = 0 is v = N^(1/pi) min a. (2) and (3)
have limits for pi -> 0, and no difference of nearly equal numbers. With l = log(h / r),

    h' = r exp((1 - pi) l),    h'' = r (1 - pi) exp((1 - 2 pi) l)                                             (4)

The sums over all V^N sequences are in ``sequences.py``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.numerics import Floats, log_of

_MAX_LOG_RANGE = 690.0
_MIN_SURPRISAL = 1e-9  # a smaller one changes no answer
_NEGLIGIBLE_V = 1e200
_TOO_LARGE = (
    "pi = {pi:.6g} is too large: the powers of -log p, from {low:.3g} to {high:.3g}, exceed the range of floats; "
    "use a pi of at most {largest:.4g}"
)


def least(a: Floats) -> float:
    """Least surprisal of a class; 0 if it has no terms."""
    return float(a.min()) if len(a) else 0.0


def reference(a: Floats) -> float:
    """Largest finite surprisal r of a class; 1 if none is above 0."""
    finite = a[np.isfinite(a)]
    return float(finite.max()) if len(finite) and finite.max() > 0 else 1.0


def check_range(a: Floats, pi: float) -> None:
    """Refuse a pi whose powers of the surprisals of a class underflow where that would change an answer."""
    high, low = reference(a), max(least(a), _MIN_SURPRISAL)
    if pi * np.log(high / low) > _MAX_LOG_RANGE:
        raise InputError(_TOO_LARGE, pi=pi, low=low, high=high, largest=_MAX_LOG_RANGE / np.log(high / low))


def gaps(a: ArrayLike, pi: float, lowest: ArrayLike, r: ArrayLike) -> Floats:
    """Numbers d of eq. (2) for surprisals a; lowest: min a, r: its unit."""
    a = np.asarray(a, np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = (a / r) ** pi * -np.expm1(pi * (log_of(lowest) - log_of(a))) / pi
    return np.asarray(np.where(a == lowest, 0.0, np.where(np.isposinf(a), np.inf, found)))


def log_surprisal(log_v: ArrayLike, sums: ArrayLike, pi: float) -> Floats:
    """l = log(h / r) of eq. (3), with log_v = log(v / r) and the sums D; -inf where v and D are 0.

    >>> np.exp(log_surprisal(np.log(2.0), 6.0, 2.0)), log_surprisal(-np.inf, 0.5, 1.0)
    (np.float64(4.0), array(-0.69314718))
    """
    log_v, sums = np.asarray(log_v, np.float64), np.asarray(sums, np.float64)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        near, far = log_v + _log_growth(log_v, sums, pi), np.log(np.maximum(pi * sums, 0.0)) / pi
    return np.asarray(np.where(sums == 0, log_v, np.where(np.isfinite(near), near, far)))


def rise(log_v: ArrayLike, sums: ArrayLike, pi: float) -> Floats:
    """(h - v) / r of eq. (3), precise also where v is large; inf if it is too large for a float.

    >>> rise(np.log(2.0), [0.0, 6.0], 2.0), rise(40.0, 1e-20, 0.05)
    (array([0., 2.]), array(0.00031856))
    """
    log_v, sums = np.asarray(log_v, np.float64), np.asarray(sums, np.float64)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        near = np.exp(log_v) * np.expm1(_log_growth(log_v, sums, pi))
        far = np.exp(np.log(np.maximum(pi * sums, 0.0)) / pi) - np.exp(log_v)
    found = np.where(np.isnan(near), far, near)
    return np.asarray(np.where(sums == 0, 0.0, np.where(np.isnan(found), np.inf, found)))


def _log_growth(log_v: Floats, sums: Floats, pi: float) -> Floats:
    """log(h / v); NaN where v is negligible."""
    grown = pi * sums * np.exp(-pi * log_v)
    return np.asarray(np.where(np.abs(grown) < _NEGLIGIBLE_V, np.log1p(np.maximum(grown, -1.0)) / pi, np.nan))


@dataclass(frozen=True, eq=False)
class TokenProduct:
    """Distinct surprisals a (U,) of a token distribution, ascending, and the log number of tokens with each."""

    pi: float
    a: Floats
    log_number: Floats

    @classmethod
    def of(cls, log_p: Floats, pi: float) -> "TokenProduct":
        """Distribution of tokens with these log probabilities, which must be finite."""
        if not (log_p <= 0).all() or not np.isfinite(log_p).all():
            raise InputError("norm 'u' and 'm' need probabilities above 0 for all tokens: use an alpha above 0")
        a, number = np.unique(-log_p, return_counts=True)
        check_range(a, pi)
        return cls(pi, a, np.log(number))

    @cached_property
    def r(self) -> float:
        """Unit of eq. (2)."""
        return reference(self.a)

    @cached_property
    def d(self) -> Floats:
        """Numbers of eq. (2), (U,), ascending from 0."""
        return gaps(self.a, self.pi, self.a[0], self.r)

    @cached_property
    def log_n_tokens(self) -> float:
        """log V."""
        return float(np.log(np.exp(self.log_number).sum()))

    def log_v(self, length: float) -> float:
        """log(v / r) for c = 0."""
        return float(np.log(length) / self.pi + log_of(self.a[0] / self.r))

    def rise(self, log_v: float, sums: ArrayLike) -> Floats:
        """h - v of eq. (3); inf if it is too large for a float."""
        return self.r * rise(log_v, sums, self.pi)

    def v(self, log_v: float) -> float:
        """Surprisal of the most probable sequence; inf if it is too large for a float."""
        with np.errstate(over="ignore"):
            return float(self.r * np.exp(log_v))

    def slope(self, log_v: float, sums: ArrayLike) -> Floats:
        """h' of eq. (4)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.r * np.exp((1 - self.pi) * log_surprisal(log_v, sums, self.pi)))

    def curvature(self, log_v: float, sums: ArrayLike) -> Floats:
        """|h''| of eq. (4)."""
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.exp((1 - 2 * self.pi) * log_surprisal(log_v, sums, self.pi))
            return np.asarray(self.r * abs(1 - self.pi) * power)

    @cached_property
    def few(self) -> "TokenProduct":
        """About this distribution with some 200 distinct surprisals: rare ones with about equal ranks are one."""
        last = len(self.a) - 1
        starts = np.unique(np.append(np.geomspace(1, last + 1, 200).astype(np.intp) - 1, last))
        number = np.exp(self.log_number)
        numbers = np.add.reduceat(number, starts)
        return TokenProduct(self.pi, np.add.reduceat(number * self.a, starts) / numbers, np.log(numbers))

    def tilted(self, theta: ArrayLike) -> tuple[Floats, Floats]:
        """log Z and mean of d under q(w) ~ exp(-theta d_w), for any number of theta."""
        exponents = self.log_number - np.multiply.outer(theta, self.d)
        top = exponents.max(axis=-1, keepdims=True)
        q = np.exp(exponents - top)
        total = q.sum(axis=-1)
        return np.asarray(top[..., 0] + np.log(total)), np.asarray(q @ self.d / total)
