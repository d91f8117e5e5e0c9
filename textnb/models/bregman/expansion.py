"""Normalisers of Text U-NB between whole lengths.

Weights such as log(1 + count) give documents lengths N that are not whole, for which there are no sequences to sum. An
expansion that has such N as a parameter serves where it agrees with the sums at both whole neighbours of N; otherwise
the caller interpolates. With s_w = (a_w^pi - 1) / pi, S = sum of s_w, h(t) = (1 + pi t)^(1/pi) and p = exp(-h(S + b)),

    c = 1 + pi b - N,    v = h(N min s + b)                                                                   (1)

Let q(w) ~ exp(-theta s_w), L its log normaliser, mu and var the mean and variance of s, k3 and k4 its further
cumulants. The sum over all sequences is exp(N L) E_q[exp(theta S - h(S + b))]. At the S where h' = theta a Gaussian
gives

    log sum = N (L + theta mu) - h - log(d) / 2 + e,   theta = h^(1-pi),  d = 1 + N var h''                   (2)
    e = (B y^2 - h4 x^2) / 8 + (5 h3^2 x^3 + 5 A^2 y^3) / 24 - h3 A (3 x y z + 2 z^3) / 12                    (3)

with x = N var / d, y = -h'' / d, z = 1 / d, A = N k3, B = N k4. Away from such an S, (2) may be off by any amount.
"""

from collections.abc import Callable, Sequence
from math import exp, log

import numpy as np

from textnb.models.bregman.sequences import TOLERANCE, SequenceNormaliser
from textnb.models.bregman.tokens import TokenProduct
from textnb.numerics import Floats, bracketed_root, log_of

INTERPOLATED = "interpolated"
_NEARLY_UNIFORM = 1.0


def between(product: TokenProduct, length: float, ends: Sequence[SequenceNormaliser], norm: str) -> SequenceNormaliser:
    """Normaliser of a length that is not whole; ends: those of the whole lengths below and above it.

    Its v and log Z are interpolated where p is nearly uniform, and where the expansion does not agree with both ends.
    """
    below = int(length)
    if length > 1 and max(abs(end.excess) for end in ends) > _NEARLY_UNIFORM:
        with np.errstate(all="ignore"):
            expansion = Expansion(product, below + 1)
            if all(expansion.agrees(below + i, end, norm) for i, end in enumerate(ends)):
                return expansion.normaliser(length, norm)
    share = length - below
    log_v = product.log_v(length)
    if norm == "u":
        v = (1 - share) * product.v(ends[0].log_v) + share * product.v(ends[1].log_v)
        log_v = float(log_of(v / product.r))
    return SequenceNormaliser(log_v, (1 - share) * ends[0].excess + share * ends[1].excess, 0.0, 0.0, INTERPOLATED)


class Expansion:
    """Expansion of eq. (2) for lengths up to ``longest``; NaN where it has no value."""

    def __init__(self, product: TokenProduct, longest: float) -> None:
        self.product, self.pi = product, product.pi
        self._s = np.expm1(self.pi * np.log(product.a)) / self.pi
        entropy = np.log(longest * max(product.log_n_tokens, log(2.0)))
        self._low = float(np.log(product.a[0])) - 1
        self._high = float(max(entropy, np.log(longest) / max(self.pi, 0.05) + np.log(product.r))) + 0.5

    def normaliser(self, length: float, norm: str) -> SequenceNormaliser:
        """Normaliser of any length above 1, unchecked."""
        log_v, n = self.product.log_v(length), length * self.product.log_n_tokens
        if norm == "m":
            return SequenceNormaliser(log_v, self._log_z(length) + self.product.v(log_v) - n, 0.0, 0.0, INTERPOLATED)
        x = self._root(lambda x: -self._log_sum(x, length))
        b = (exp(self.pi * x) - 1) / self.pi - length * self._cumulants(x)[1]
        log_v = float(np.log1p(self.pi * (length * self._s[0] + b)) / self.pi - np.log(self.product.r))
        return SequenceNormaliser(log_v, self.product.v(log_v) - n, 0.0, 0.0, INTERPOLATED)

    def agrees(self, length: int, end: SequenceNormaliser, norm: str) -> bool:
        """True if log p of typical sequences of a whole length is as it should be."""
        if length == 1:
            return True
        ours, product = self.normaliser(length, norm), self.product
        typical = length * float(np.exp(product.log_number - product.a) @ product.d)
        log_p = [float(product.rise(one.log_v, typical)) + one.excess for one in (ours, end)]
        return abs(log_p[0] - log_p[1]) <= 2 * TOLERANCE

    def _log_z(self, length: float) -> float:
        def beyond(x: float) -> float:
            return (exp(self.pi * x) - 1) / self.pi - length * float(self._cumulants(x)[1]) - (length - 1) / self.pi

        return self._log_sum(self._root(beyond), length)

    def _log_sum(self, x: float, length: float) -> float:
        """Log sum of eq. (2) at x = log h."""
        pi = self.pi
        log_z, mean, v, k3, k4 = self._cumulants(x)
        h2 = (1 - pi) * np.exp((1 - 2 * pi) * x)
        h3 = (1 - pi) * (1 - 2 * pi) * np.exp((1 - 3 * pi) * x)
        h4 = (1 - pi) * (1 - 2 * pi) * (1 - 3 * pi) * np.exp((1 - 4 * pi) * x)
        d = max(1 + length * max(v, 0.0) * h2, 1e-9)
        leading = length * (log_z + np.exp((1 - pi) * x) * mean) - np.exp(x) - np.log(d) / 2
        x2, y, z, third, fourth = length * v / d, -h2 / d, 1 / d, length * k3, length * k4
        more = (fourth * y**2 - h4 * x2**2) / 8 + 5 * (h3**2 * x2**3 + third**2 * y**3) / 24
        return float(leading + more - h3 * third * (3 * x2 * y * z + 2 * z**3) / 12)

    def _cumulants(self, x: float) -> Floats:
        """Cumulants L, mu, var, k3 and k4 of s at theta = h^(1-pi), h = exp x."""
        exponents = self.product.log_number - np.exp((1 - self.pi) * x) * self._s
        top = exponents.max()
        q = np.exp(exponents - top)
        total = q.sum()
        q /= total
        mean = (q * self._s).sum()
        away = self._s - mean
        squares = away * away
        q *= squares
        v = q.sum()
        return np.array([top + np.log(total), mean, v, (q * away).sum(), (q * squares).sum() - 3 * v * v])

    def _root(self, rising: Callable[[float], float]) -> float:
        """Point where a function of x rises through 0; NaN if there is none."""
        if not rising(self._low) <= 0 <= rising(self._high):
            return float("nan")
        return bracketed_root(rising, self._low, self._high)
