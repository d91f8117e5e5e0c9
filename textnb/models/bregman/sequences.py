"""Sums over all sequences of N tokens, with bounds from both sides: the normalisers of Text U-NB.

    Z(v) = sum over the V^N sequences of exp(v - h(D))      h, v and D of ``tokens.py``                       (1)

norm="u" needs the v with log Z(v) = v, norm="m" log Z at c = 0: log p = v - h(D) - log Z. Sequences that are equal up
to order have equal D: if there are few such multisets, all are visited (``enumerated``). Otherwise Z is bounded
(``bounded``) by lattices, each finer than the last (``token_lattice.py``), until the bounds are near enough.

Weights such as log(1 + count) give documents lengths that are not whole, for which there are no sequences to sum. Their
normalisers are interpolated between the two whole lengths.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, log
from typing import NamedTuple

import numpy as np

from textnb.errors import InputError
from textnb.models.bregman.token_lattice import TokenLattice, log_mean
from textnb.models.bregman.tokens import TokenProduct
from textnb.numerics import Floats, bracketed_root, log_of

EXACT, ENUMERATED, BOUNDED, INTERPOLATED = "exact", "enumerated", "bounded", "interpolated"
TOLERANCE, RELATIVE_TOLERANCE = 1e-3, 1e-6
"""Most that a bound of log Z may be away, in nats, or relative to -log p of a typical sequence."""

_MAX_MULTISETS = 1 << 15
_MAX_STATES = 1 << 21
_FIRST_POINTS = 32
_MAX_POINTS = 1 << 14
_MAX_CELLS = 1 << 17
_MIN_V = 1e-12
_REFUSED = (
    "norm={norm!r}: pi = {pi:.6g} cannot be normalised over all sequences of {length:.0f} tokens to {tolerance:.1g} of "
    "log p; use norm='none' or a pi nearer 1"
)


class SequenceNormaliser(NamedTuple):
    """Normaliser of one class and length.

    log_v: log(v / r). excess: log Z - N log V at this v, so that log p = v - h(D) - excess - N log V; where p is nearly
    uniform, it is more precise than log Z. low, high: bounds of the logarithm of the sum of p over all sequences.
    method: ``exact``, ``enumerated``, ``bounded`` or ``interpolated``.
    """

    log_v: float
    excess: float
    low: float
    high: float
    method: str


def normaliser(product: TokenProduct, length: int, norm: str) -> SequenceNormaliser:
    """Normaliser of the sequences of a length, for norm "u" or "m"; refused if its bounds do not meet.

    >>> product = TokenProduct.of(np.log([0.3, 0.7]), 3.0)
    >>> found = normaliser(product, 10, "u")
    >>> round(product.v(found.log_v), 6), found.method
    (6.872224, 'enumerated')
    """
    log_v, n = product.log_v(max(length, 1)), product.log_n_tokens * length
    if length <= 1 or product.pi == 1:
        return SequenceNormaliser(log_v, product.v(log_v) - n, 0.0, 0.0, EXACT)
    if len(product.a) == 1:  # all sequences are equal
        return SequenceNormaliser(log(n / product.r) if norm == "u" and n else log_v, 0.0, 0.0, 0.0, EXACT)
    if not _can_be_enumerated(length, len(product.a), norm):
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what overflows, bounds nothing
            return _bounded(product, length, norm)
    sums = multisets(product, length)
    if norm == "u":
        log_v = _root(product, length, sums.excess)
    return SequenceNormaliser(log_v, sums.excess(log_v), 0.0, 0.0, ENUMERATED)


def _can_be_enumerated(length: int, n_different: int, norm: str) -> bool:
    """True if the multisets of a length can be visited: once for norm="m", for "u" as often as the root needs."""
    most = _MAX_MULTISETS * (8 if norm == "m" else 1)
    return comb(length + n_different - 1, length) <= most and comb(length + n_different, length + 1) <= _MAX_STATES


def between(product: TokenProduct, length: float, ends: Sequence[SequenceNormaliser], norm: str) -> SequenceNormaliser:
    """Normaliser of a length that is not whole; ends: those of the whole lengths below and above it.

    log p of the most probable sequence is interpolated, and with norm="u" its v; with norm="m" v has a formula.
    """
    above = length - int(length)
    log_v = product.log_v(length)
    if norm == "u":
        log_v = float(log_of((1 - above) * np.exp(ends[0].log_v) + above * np.exp(ends[1].log_v)))
    return SequenceNormaliser(log_v, (1 - above) * ends[0].excess + above * ends[1].excess, 0.0, 0.0, INTERPOLATED)


@dataclass(frozen=True, eq=False)
class Multisets:
    """Sums D of all multisets of tokens, and the logarithm of the proportion of the sequences of each."""

    product: TokenProduct
    sums: Floats
    log_share: Floats

    def excess(self, log_v: float) -> float:
        """log Z(v) - N log V."""
        return log_mean(-self.product.rise(log_v, self.sums), self.log_share)


def multisets(product: TokenProduct, length: int) -> Multisets:
    """All multisets of a length over the distinct surprisals.

    >>> found = multisets(TokenProduct.of(np.log([0.5, 0.25, 0.25]), 1.0), 2)
    >>> (found.sums * found.product.r / np.log(2)).round(9).tolist(), (9 * np.exp(found.log_share)).round(9).tolist()
    ([2.0, 1.0, 0.0], [4.0, 4.0, 1.0])
    """
    log_factorial = np.r_[0.0, np.cumsum(np.log(np.arange(1, length + 1)))]
    left, sums, log_number = np.array([length]), np.zeros(1), np.full(1, log_factorial[-1])
    for d, log_n in list(zip(product.d, product.log_number, strict=True))[:-1]:
        ends = np.cumsum(left + 1)
        source = np.repeat(np.arange(len(left)), left + 1)
        k = np.arange(ends[-1]) - (ends - left - 1)[source]
        left, sums = left[source] - k, sums[source] + k * d
        log_number = log_number[source] + k * log_n - log_factorial[k]
    log_number = log_number + left * product.log_number[-1] - log_factorial[left]
    return Multisets(product, sums + left * product.d[-1], log_number - length * product.log_n_tokens)


def _root(product: TokenProduct, length: int, excess: Callable[[float], float], near: float | None = None) -> float:
    """log(v / r) with log Z(v) = v; v lies between 0 and N log V."""
    n = length * product.log_n_tokens

    def above(log_v: float) -> float:
        return excess(log_v) + (n - product.v(log_v))

    low, high = log(_MIN_V / product.r), log(n / product.r)
    if near is not None:  # a first guess, from a coarser lattice
        for step in (1e-4, 1e-2):
            if low < near - step and near + step < high and above(near - step) > 0 > above(near + step):
                return bracketed_root(above, near - step, near + step, 1e-11)
    if above(low) <= 0:
        return low
    return high if above(high) >= 0 else bracketed_root(above, low, high, 1e-11)


def _bounded(product: TokenProduct, length: int, norm: str) -> SequenceNormaliser:
    """Normaliser by lattices, each finer than the last, until the bounds meet."""
    theta, log_v, typical = _saddle(product, length, norm)
    tolerance = max(TOLERANCE, RELATIVE_TOLERANCE * typical)
    if norm == "m" and product.pi < 1:
        low, high = _bounds_of_most_probable(product, length, log_v)
        if high - low <= tolerance:
            return SequenceNormaliser(log_v, low, 0.0, high - low, BOUNDED)
    n_points, found = _FIRST_POINTS, False
    while n_points <= _MAX_POINTS:
        lattice = TokenLattice(product, length, theta, n_points)
        if n_points == _FIRST_POINTS and product.pi > 1:
            theta = lattice.tilt_within_window(log_v)
            lattice = TokenLattice(product, length, theta, n_points)
        window = lattice.window(log_v)
        if window[1] - window[0] > _MAX_CELLS:
            break
        sums = lattice.sums(*window)
        if norm == "u":
            log_v = _root(product, length, sums.excess, log_v if found else None)
            found = True
        low, high = (bound - sums.excess(log_v) for bound in sums.bounds(log_v))
        if -low <= tolerance and high <= tolerance:
            return SequenceNormaliser(log_v, sums.excess(log_v), low, high, BOUNDED)
        gap = high - low
        n_points *= 4 if not gap < 16 * tolerance else 2
    raise InputError(_REFUSED, norm=norm, pi=product.pi, length=length, tolerance=tolerance)


def _bounds_of_most_probable(product: TokenProduct, length: int, log_v: float) -> tuple[float, float]:
    """Bounds of log Z(v) - N log V for pi < 1, equal where the sequences with D = 0 have all of the sum.

    h is convex, v - h(D) <= -h'(0) D, and the sum over all sequences of exp(-h'(0) D) is an N-th power.
    """
    least, largest = float(product.log_number[0]), float(product.tilted(product.slope(log_v, 0.0))[0])
    return length * (least - product.log_n_tokens), length * (largest - product.log_n_tokens)


def _saddle(product: TokenProduct, length: int, norm: str) -> tuple[float, float, float]:
    """theta where most of the sum is, about, the log(v / r) there, and -log p of a typical sequence.

    Sequences drawn from q with the entropy H have a mass of about exp(N H - h(N mean d)). For norm="m" theta has the
    largest mass; for norm="u" the largest v with mass 1. The bounds hold for any theta, so few tokens are enough.
    """
    pi, scales = product.pi, np.r_[0.0, np.exp(np.linspace(-12.0, 14.0, 105))] / product.d[-1]
    fixed, product = product.log_v(length), product.few

    def value(thetas: Floats) -> Floats:
        log_z, mean = product.tilted(thetas)
        entropy = np.maximum(length * (log_z + thetas * mean), 0.0)
        if norm == "m":
            return np.asarray(entropy - product.rise(fixed, length * mean))
        return np.asarray(np.expm1(pi * np.log(entropy / product.r)) / pi - length * mean)

    for _ in range(4):  # ever finer around the best
        best = int(np.argmax(value(scales)))
        theta = float(scales[best])
        scales = np.linspace(scales[max(best - 1, 0)], scales[min(best + 1, len(scales) - 1)], 17)
    log_z, mean = product.tilted(theta)
    entropy = max(length * float(log_z + theta * mean), 1e-300)
    if norm == "m":
        return theta, fixed, entropy
    log_y = pi * log(entropy / product.r)
    log_v = float((log_y + np.log1p(-pi * length * mean * np.exp(-log_y))) / pi)
    return theta, log_v if np.isfinite(log_v) else log(_MIN_V / product.r), entropy
