"""Normaliser of a U-product over the tokens of a document, family Ex.1 (Fujimoto and Murata).

A token w has probability p_w and a_w = -log p_w; a sequence of N tokens has

    T = sum of a_w^pi over its tokens,    p(sequence) = exp(-(T + c)^(1/pi))                                  (1)

and c(N) is such that the V^N sequences sum to 1. In Box-Cox form, which also has the limit pi -> 0,

    s_w = (a_w^pi - 1) / pi,   S = sum of s_w,   h(t) = (1 + pi t)^(1/pi),   p = exp(-h(S + b)),
    c = 1 + pi b - N                                                                                          (2)

With the tilted distribution q(w) ~ exp(-theta s_w), its log normaliser L(theta), mean mu and variance v of s, the sum
over all sequences is exp(N L) E_q[exp(theta S - h(S + b))]; around the S where h' = theta a Gaussian gives

    log sum = N (L + theta mu) - h - log(d) / 2 + e,   theta = h^(1-pi),  d = 1 + N v h''                     (3)

with e the next terms, from the third and fourth cumulants k3, k4 of s and derivatives of h: with x = N v / d,
y = -h'' / d, z = 1 / d, A = N k3, B = N k4,

    e = (B y^2 - h4 x^2) / 8 + (5 h3^2 x^3 + 5 A^2 y^3) / 24 - h3 A (3 x y z + 2 z^3) / 12                    (4)

(``Expansion``; for N = 1 and for pi = 1 the answer, c = 0, is exact). Tests compare it with the N-th power of a Fourier
transform. Normalisation by division ("m") uses log Z, the log sum at c = 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from textnb.errors import InputError
from textnb.numerics import Floats, bracketed_root, log_of

_BISECTIONS = 100
_SPLINE_KNOTS = 200
_MAX_SINGLE = 8  # up to so many lengths are cheaper one by one


@dataclass(frozen=True, eq=False)
class TokenProduct:
    """Distinct s of a token distribution (U,), ascending, and the logarithm of the number of tokens with each."""

    pi: float
    s: Floats
    log_number: Floats

    @classmethod
    def of(cls, log_p: Floats, pi: float) -> "TokenProduct":
        """Distribution of tokens with these log probabilities, which must be below 0."""
        if not (log_p < 0).all() or not np.isfinite(log_p).all():
            raise InputError("the tokens' probabilities must lie between 0 and 1, both excluded: use an alpha above 0")
        s, number = np.unique(box_cox(-log_p, pi), return_counts=True)
        return cls(pi, s, np.log(number))

    @property
    def n_tokens(self) -> float:
        """Number V of tokens."""
        from scipy.special import logsumexp  # slow to import; prediction does not need it

        return float(np.exp(logsumexp(self.log_number)))

    def cumulants(self, theta: float) -> tuple[float, float, float, float, float]:
        """Cumulants L, mu, v, k3 and k4 of s under the tilted distribution."""
        exponents = self.log_number - theta * self.s
        top = exponents.max()
        q = np.exp(exponents - top)
        total = q.sum()
        q /= total
        mean = (q * self.s).sum()
        away = self.s - mean
        squares = away * away
        q *= squares
        v, k3, m4 = float(q.sum()), float((q * away).sum()), float((q * squares).sum())
        return float(top + np.log(total)), float(mean), v, k3, m4 - 3 * v * v


def box_cox(a: Floats, pi: float) -> Floats:
    """Box-Cox transform (a^pi - 1) / pi; log a for pi = 0."""
    log_a = log_of(a)
    return np.asarray(log_a if pi == 0 else np.expm1(pi * log_a) / pi)


def box_cox_inverse(t: Floats, pi: float) -> Floats:
    """Inverse Box-Cox transform h(t) = (1 + pi t)^(1/pi); exp t for pi = 0, and 0 below the domain."""
    if pi == 0:
        return np.asarray(np.exp(t))
    return np.asarray(np.maximum(1 + pi * np.asarray(t), 0.0) ** (1 / pi))


class Expansion:
    """Expansion of eq. (3) for any number of lengths; for many, the cumulants are interpolated by a spline."""

    def __init__(self, product: TokenProduct, longest: float) -> None:
        self.product = product
        pi, largest = product.pi, float(box_cox_inverse(product.s[-1:], product.pi)[0])
        entropies = np.log(longest * np.log(max(product.n_tokens, 2.0)))
        self._low = float(np.log(box_cox_inverse(product.s[:1], pi)[0])) - 1
        self._high = float(max(entropies, np.log(longest) / max(pi, 0.05) + np.log(largest))) + 0.5

    def shift(self, lengths: Floats) -> Floats:
        """Shift b of eq. (2) for each length."""
        pi = self.product.pi
        lengths = np.asarray(lengths, np.float64)
        if pi == 1:
            return np.asarray(lengths - 1)
        x = self._root(lambda x, of: -self._log_sum(x, of), lengths)
        found = box_cox(np.exp(x), pi) - lengths * self._cumulants(x)[1]
        return np.where(lengths == 1, 0.0, found)

    def log_sum(self, lengths: Floats) -> Floats:
        """log Z: logarithm of the sum of exp(-T^(1/pi)) over all sequences of each length."""
        pi = self.product.pi
        lengths = np.asarray(lengths, np.float64)
        if pi == 1:
            return np.zeros_like(lengths)

        def beyond(x: Floats, of: Floats) -> Floats:
            return np.asarray(box_cox(np.exp(x), pi) - of * self._cumulants(x)[1] - (of - 1) / pi)

        x = self._root(beyond, lengths)
        return np.where(lengths == 1, 0.0, self._log_sum(x, lengths))

    def _log_sum(self, x: Floats, lengths: Floats) -> Floats:
        """Log sum of eq. (3) at x = log h."""
        pi = self.product.pi
        log_z, mean, v, k3, k4 = self._cumulants(x)
        h2, h3, h4 = _derivatives(x, pi)
        d = np.maximum(1 + lengths * np.maximum(v, 0.0) * h2, 1e-9)
        leading = lengths * (log_z + np.exp((1 - pi) * x) * mean) - np.exp(x) - np.log(d) / 2
        x2, y, z, third, fourth = lengths * v / d, -h2 / d, 1 / d, lengths * k3, lengths * k4
        more = (fourth * y**2 - h4 * x2**2) / 8 + 5 * (h3**2 * x2**3 + third**2 * y**3) / 24
        return np.asarray(leading + more - h3 * third * (3 * x2 * y * z + 2 * z**3) / 12)

    def _cumulants(self, x: Floats) -> Floats:
        """Cumulants L, mu, v, k3 and k4 at theta = h^(1-pi), h = exp x, (5, n)."""
        if len(x) > _MAX_SINGLE:
            return np.asarray(self._spline(x).T)
        return np.array([self.product.cumulants(theta) for theta in np.exp((1 - self.product.pi) * x)]).T

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        x = np.linspace(self._low, self._high, _SPLINE_KNOTS)
        return CubicSpline(x, [self.product.cumulants(theta) for theta in np.exp((1 - self.product.pi) * x)])

    def _root(self, rising: Callable[[Floats, Floats], Floats], lengths: Floats) -> Floats:
        """Point x where a function of x and the length rises through 0, for each length."""
        if len(lengths) <= _MAX_SINGLE:
            return np.array([self._one_root(rising, length) for length in lengths])
        low, high = np.full(lengths.shape, self._low), np.full(lengths.shape, self._high)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            above = rising(middle, lengths) > 0
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.asarray((low + high) / 2)

    def _one_root(self, rising: Callable[[Floats, Floats], Floats], length: float) -> float:
        def value(x: float) -> float:
            return float(rising(np.array([x]), np.array([length]))[0])

        ends = value(self._low), value(self._high)
        if ends[0] > 0 or ends[1] < 0:
            return self._low if ends[0] > 0 else self._high
        return bracketed_root(value, self._low, self._high)


def _derivatives(x: Floats, pi: float) -> tuple[Floats, Floats, Floats]:
    """Second, third and fourth derivative of h(t) where h = exp x."""
    second = (1 - pi) * np.exp((1 - 2 * pi) * x)
    third = (1 - pi) * (1 - 2 * pi) * np.exp((1 - 3 * pi) * x)
    return second, third, (1 - pi) * (1 - 2 * pi) * (1 - 3 * pi) * np.exp((1 - 4 * pi) * x)
