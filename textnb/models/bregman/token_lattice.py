"""Bounds of a sum over all sequences of N tokens, from the distribution of their D on a lattice.

    Z(v) = sum over the V^N sequences of exp(v - h(D))      h, v and D of ``tokens.py``                       (1)

Under q(w) ~ exp(-theta d_w) / M the d of the tokens are independent, and

    Z = M^N E[exp(psi(D))],     psi(D) = theta D - h(D) + v                                                   (2)

Each d is divided between the two neighbouring points of a lattice of step s, so that its mean stays. The sum D' on the
lattice is D + e, where e has mean 0, |e| < N s, and E[exp(t e)] <= exp(t^2 S / 2), S = N s^2 / 4 (Hoeffding), for every
sequence. With psi' and k = |h''| at their largest between D and D + e, Jensen's inequality and that of Hoeffding give

    pi > 1:  0          <= log E[exp(psi(D + e) - psi(D))] <= psi'^2 S / (2 (1 - k S)) - log(1 - k S) / 2     (3)
    pi < 1:  -k S / 2   <= the same                        <= psi'^2 S / 2                                    (4)

for each D. So the distribution of D', an N-fold convolution, gives a lower and an upper bound of Z. theta is near h',
where psi is flat: k S is small on lattices of a hundred points for each token. Tokens with d = 0 are not divided: N
is the largest number of the others. (For 1/2 < pi < 1, k is unbounded at 0; r pi^(1/pi - 1) S^(1/(2 pi)) bounds k S / 2
there, since h' is Hoelder continuous.) The convolution is a power of a Fourier transform over a window of sums. Its
rounding error, what it folds into the window from outside, and the sequences outside (Chernoff) are bounded too.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np

from textnb.extension import cached_property
from textnb.models.bregman.tokens import TokenProduct
from textnb.numerics import Floats

_NEGLIGIBLE = 32.0  # nats below the largest part of a sum
_MAX_GROWTH = 8.0  # nats by which a rounding error may grow
_SMALL = 0.1
_EPS = 8 * np.finfo(np.float64).eps  # of one stage of a Fourier transform, with a margin


def log_sum(logs: Floats) -> float:
    """log sum(exp(logs))."""
    top = float(logs.max())
    return top + log(np.exp(logs - top).sum()) if np.isfinite(top) else -np.inf


def log_mean(logs: Floats, log_weights: Floats) -> float:
    """log sum(exp(log_weights + logs)); if logs are small, that of the weighted mean, with all its digits."""
    if np.abs(logs).max() < _SMALL:
        weights = np.exp(log_weights)
        return float(np.log1p(weights @ np.expm1(logs) / weights.sum()))
    return log_sum(log_weights + logs)


@dataclass(frozen=True, eq=False)
class TokenLattice:
    """Tilted distribution of d on n_points + 1 points of a lattice, with the means kept."""

    product: TokenProduct
    length: int
    theta: float
    n_points: int

    @cached_property
    def step(self) -> float:
        """Step s."""
        return float(self.product.d[-1] / self.n_points)

    def divided(self, sums: Floats) -> Floats:
        """Most tokens with d > 0, those that are divided, of a sequence whose lattice sum is given."""
        least = self.product.d[1] - self.step
        if least <= 0:
            return np.full(len(sums), float(self.length))
        return np.asarray(np.minimum(np.floor(sums / least * (1 + 1e-12)), self.length))

    @cached_property
    def log_mass(self) -> float:
        """N (log M - log V), M of eq. (2)."""
        product = self.product
        return self.length * log_mean(-self.theta * product.d, product.log_number - product.log_n_tokens)

    @cached_property
    def q(self) -> Floats:
        """Probability of each point."""
        d, log_z = self.product.d, self.product.tilted(self.theta)[0]
        q = np.exp(self.product.log_number - self.theta * d - log_z)
        place = d / self.step
        below = np.minimum(place.astype(np.intp), self.n_points - 1)
        over = place - below
        size = self.n_points + 1
        return np.asarray(np.bincount(below, q * (1 - over), size) + np.bincount(below + 1, q * over, size))

    @cached_property
    def _chernoff(self) -> tuple[Floats, Floats, Floats]:
        """eta, N log E[exp(eta d)] and the mean of the sum under that tilt, ascending."""
        points = self.step * np.arange(self.n_points + 1)
        mean = self.q @ points
        sd = max(float(np.sqrt(self.q @ (points - mean) ** 2)), self.step / 4)
        far = np.exp(np.linspace(log(12.5 / self.length**0.5), 7.0 + log(self.length + 1.0), 40))
        near = np.linspace(-12.0, 12.0, 65) / self.length**0.5
        eta = np.sort(np.r_[np.r_[-far, near, far] / sd, self.theta * np.linspace(0.05, 1.5, 30)])
        used = np.flatnonzero(self.q)
        exponents = np.multiply.outer(eta, points[used]) + np.log(self.q[used])
        top = exponents.max(axis=1)
        q = np.exp(exponents - top[:, np.newaxis])
        total = q.sum(axis=1)
        return eta, self.length * (top + np.log(total)), self.length * (q @ points[used]) / total

    def log_tail(self, sums: Floats, side: int) -> Floats:
        """Bound of log P(D >= sums) for side 1, of log P(D <= sums) for side -1; also for the sum off the lattice."""
        eta, log_mgf, _ = self._chernoff
        kept = side * eta >= 0
        return np.asarray((log_mgf[kept] - np.multiply.outer(sums, eta[kept])).min(axis=-1))

    def psi(self, log_v: float, sums: Floats) -> Floats:
        """psi of eq. (2)."""
        return self.theta * sums - self.product.rise(log_v, sums)

    def window(self, log_v: float) -> tuple[int, int]:
        """First and last lattice sum of a window that has nearly all of the sum at v."""
        eta, log_mgf, means = self._chernoff
        parts = log_mgf - eta * means + self.psi(log_v, means)
        inside = np.flatnonzero((parts >= parts.max() - _NEGLIGIBLE) | (log_mgf - eta * means >= -_NEGLIGIBLE))
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, len(eta) - 1)
        low = 0.0 if first == 0 else means[first]
        high = np.inf if last == len(eta) - 1 else means[last]
        margin = 2 * self.length + 1
        start = max(int(low / self.step) - margin, 0)
        most = self.length * self.n_points
        return start, most if high == np.inf else min(int(high / self.step) + margin, most)

    def tilt_within_window(self, log_v: float) -> float:
        """theta, or the mean slope of h over the window where psi, which is convex, would raise rounding errors."""
        eta, log_mgf, means = self._chernoff
        parts = log_mgf - eta * means + self.psi(log_v, means)
        ends = self.step * np.array(self.window(log_v), np.float64)
        if self.psi(log_v, ends).max() - parts.max() < _MAX_GROWTH:
            return self.theta
        return float(np.diff(self.product.rise(log_v, ends))[0] / (ends[1] - ends[0]))

    def sums(self, start: int, last: int) -> "LatticeSums":
        """Distribution of the sum in a window."""
        size = 1 << max(last - start + 1, self.n_points + 1).bit_length()
        transform = np.fft.rfft(self.q, size)
        power = transform**self.length
        w = np.fft.irfft(power, size)[np.arange(start, last + 1) % size]
        stages = _EPS * size.bit_length()
        weights = np.full(len(transform), 2.0)
        weights[0] = weights[-1] = 1.0
        moduli = np.abs(transform) + stages
        error = float((weights * (2 * self.length + 1) * stages * moduli ** (self.length - 1)).sum() / size)
        return LatticeSums(self, start, w, error, size)


@dataclass(frozen=True, eq=False)
class LatticeSums:
    """Probabilities w of the lattice sums from ``start`` on, each within ``error``, by a transform of ``size``."""

    lattice: TokenLattice
    start: int
    w: Floats
    error: float
    size: int

    @cached_property
    def values(self) -> Floats:
        """Lattice sums of the window."""
        return np.asarray(self.lattice.step * np.arange(self.start, self.start + len(self.w)))

    def excess(self, log_v: float) -> float:
        """log Z(v) - N log V with the sums of the lattice."""
        kept = self.w > self.error
        if not kept.any():
            return -np.inf
        return self.lattice.log_mass + log_mean(self.lattice.psi(log_v, self.values[kept]), np.log(self.w[kept]))

    def bounds(self, log_v: float) -> tuple[float, float]:
        """Lower and upper bound of log Z(v) - N log V."""
        lattice, psi = self.lattice, self.lattice.psi(log_v, self.values)
        less, more = self._rounding(log_v)
        n = int(np.append(more <= 1, False).argmin())  # from there on the lattice is too coarse: as if outside
        if n == 0:
            return -np.inf, np.inf
        top = float(np.max(psi + np.log(np.maximum(self.w, self.error))))
        parts = np.exp(psi - less - top)
        lower = np.maximum(self.w - self.error, 0.0) @ parts - np.exp(self._folded()) * parts.max()
        upper = (np.maximum(self.w[:n], 0.0) + self.error) @ np.exp(psi[:n] + more[:n] - top)
        upper += np.exp(self._outside(log_v, n) - top)
        low, high = (log(part) if 0 < part < np.inf else np.inf for part in (lower, upper))
        return lattice.log_mass + top + (low if lower > 0 else -np.inf), lattice.log_mass + top + high

    def _rounding(self, log_v: float) -> tuple[Floats, Floats]:
        """What to subtract from psi and what to add to it, by eq. (3) and (4), (n,)."""
        product, lattice = self.lattice.product, self.lattice
        pi, reach = product.pi, lattice.step * lattice.divided(self.values)
        spread = reach * lattice.step / 4  # S
        low, high = np.maximum(self.values - reach, 0.0), self.values + reach
        slopes = [np.abs(lattice.theta - product.slope(log_v, ends)) for ends in (low, high)]
        slope = np.maximum(*slopes) ** 2 * spread / 2
        nearest, farthest = np.maximum(self.values - 2 * reach, 0.0), self.values + 2 * reach
        if pi > 1:
            rest = 1 - product.curvature(log_v, nearest) * spread
            less = np.where(rest > 0, slope / rest - np.log(np.maximum(rest, 0.0)) / 2, np.inf)
            return np.where(np.isnan(less), np.inf, less), np.zeros(len(self.w))
        more = product.curvature(log_v, farthest if pi < 0.5 else nearest) * spread / 2
        if pi > 0.5:
            more = np.fmin(more, product.r * pi ** (1 / pi - 1) * spread ** (0.5 / pi))
        return slope, more

    def _folded(self) -> float:
        """Log probability of lattice sums that the transform folds into the window from outside."""
        first, last = self.values[0], self.values[0] + self.lattice.step * self.size
        below = self.lattice.log_tail(first, -1) if self.start else -np.inf
        above = self.lattice.log_tail(last, 1) if last <= self._largest else -np.inf
        return float(np.logaddexp(below, above))

    @cached_property
    def _largest(self) -> float:
        return self.lattice.length * self.lattice.step * self.lattice.n_points

    def _outside(self, log_v: float, n: int) -> float:
        """Bound of log E[exp(psi(D))] over the D whose D' may not be among the first n sums of the window."""
        reach, parts = self.lattice.length * self.lattice.step, [-np.inf]
        first = 0.0 if self.start else self.lattice.product.d[1]  # D = 0 is on the lattice
        if self.start:
            parts.append(self._segments(log_v, 0.0, self.values[0] + reach, -1))
        if n < len(self.w) or self.values[-1] < self._largest:
            parts.append(self._segments(log_v, max(self.values[n - 1] - reach, first), self._largest, 1))
        return float(np.logaddexp.reduce(parts))

    def _segments(self, log_v: float, low: float, high: float, side: int) -> float:
        """Bound of log E[exp(psi(D)); low <= D <= high]."""
        means = self.lattice._chernoff[2]
        ends = np.r_[low, np.sort(means[(means > low) & (means < high)]), high]
        ends = np.unique(np.concatenate([np.linspace(a, b, 4) for a, b in pairwise(ends)]))
        psi, left, right = self.lattice.psi(log_v, ends), ends[:-1], ends[1:]
        largest = np.maximum(psi[:-1], psi[1:])
        if self.lattice.product.pi < 1:  # psi is concave, its maximum may lie between
            slopes = self.lattice.theta - self.lattice.product.slope(log_v, ends)
            between = self.lattice.theta * right - self.lattice.product.rise(log_v, left)
            largest = np.where((slopes[:-1] > 0) & ~(slopes[1:] > 0), between, largest)
        return log_sum(self.lattice.log_tail(left if side > 0 else right, side) + largest)
