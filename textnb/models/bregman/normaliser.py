"""Normaliser of a U-product: the sum over all cells, and the surprisal of the most probable cell that makes it 1.

A cell is a choice of one value from each of n variables. Variable i has the numbers d_i(x) >= 0, the least of them 0:

    T       = sum_i d_i(x_i)                                  M = prod_i M_i cells                                 (1)
    mass(v) = sum over cells of exp(-shifted(v, T)) = exp(-v) sum over cells of exp(-rise(v, T))                   (2)

The mass falls in v, is at least 1 at v = 0 and at most 1 at v = log M: there is one v between with mass 1.

Sums over cells of f(T), with f smooth: values of a variable with equal numbers are counted together, and up to 1e6
combinations are visited in blocks (``Enumerated``). For more, the measure of
T is built on a lattice of step h by n convolutions (``lattice_sums``): each number d is split over the four lattice
points around it with the cubic weights of Lagrange, which keep its moments up to the third. The error is of order
n (h f'/f)^4. The counts are stored tilted,

    q_i(x) = exp(-theta d_i(x)) / Z_i,      count(T) = w(T) exp(theta T) prod_i Z_i                                (3)

so that they stay within the range of floats where f makes them matter.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log, prod
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError
from textnb.extension import optimize
from textnb.models.bregman.families import Family
from textnb.numerics import Codes, Floats, log_of

MOST_CELLS = 1_000_000
_BLOCK = 1 << 17
_INNER = 1 << 12


class CellBlock(NamedTuple):
    """Sums T (n,) with weights (n,), and the logarithm of a factor of the weights."""

    values: Floats
    weights: Floats
    log_factor: Floats | float = 0.0


class CellSums(Protocol):
    """Measure of T."""

    def blocks(self) -> Iterator[CellBlock]:
        """Yield all cells in blocks."""


class CountedSums(NamedTuple):
    """Sums of some variables, and the number of cells with each, (n,) both."""

    sums: Floats
    number: Floats

    def crossed(self, other: "CountedSums") -> "CountedSums":
        """Each of these sums plus each of the others."""
        sums, number = np.add.outer(self.sums, other.sums), np.multiply.outer(self.number, other.number)
        return CountedSums(sums.ravel(), number.ravel())


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Sums T of all cells: each of ``outer`` plus each of ``inner``."""

    outer: CountedSums
    inner: CountedSums

    @classmethod
    def of(cls, numbers: Sequence[Floats]) -> "Enumerated":
        """Cells of variables with these numbers, (M_i,) each.

        >>> (block,) = Enumerated.of([np.array([0.0, 1.0]), np.array([0.0, 10.0, 10.0])]).blocks()
        >>> block.values.tolist(), block.weights.tolist()
        ([0.0, 10.0, 1.0, 11.0], [1.0, 2.0, 1.0, 2.0])
        """
        inner = outer = CountedSums(np.zeros(1), np.ones(1))
        for d in reversed(numbers):
            different, number = np.unique(d, return_counts=True)
            own = CountedSums(different, number.astype(np.float64))
            if len(inner.sums) * len(different) <= _INNER:
                inner = own.crossed(inner)
            else:
                outer = own.crossed(outer)
        return cls(outer, inner)

    def blocks(self) -> Iterator[CellBlock]:
        """Yield blocks of at most 2^17 sums, or of one copy of ``inner``."""
        step = max(1, _BLOCK // len(self.inner.sums))
        for start in range(0, len(self.outer.sums), step):
            part = CountedSums(*(values[start : start + step] for values in self.outer))
            yield CellBlock(*part.crossed(self.inner))


@dataclass(frozen=True, eq=False)
class Lattice:
    """Sums T = ``step`` times an index, with tilted ``weights`` by index, eq. (3)."""

    step: float
    weights: Floats
    theta: float
    log_z: float

    def blocks(self) -> Iterator[CellBlock]:
        """Yield all sums as one block."""
        places = np.flatnonzero(self.weights)
        values = np.asarray(self.step * places, np.float64)
        yield CellBlock(values, self.weights[places], np.asarray(self.theta * values + self.log_z, np.float64))


def n_cells(numbers: Sequence[Floats]) -> int:
    """Number M of cells, eq. (1)."""
    return prod(len(d) for d in numbers)


def _n_different(numbers: Sequence[Floats]) -> int:
    """Number of combinations of different numbers."""
    return prod(len(np.unique(d)) for d in numbers)


def lattice_sums(numbers: Sequence[Floats], theta: float, n_steps: int) -> Lattice:
    """Measure of T on a lattice of about n_steps points.

    >>> numbers = [np.array([0.0, 1.0, 2.5])] * 3
    >>> (block,) = lattice_sums(numbers, theta=0.5, n_steps=4000).blocks()
    >>> (exact,) = Enumerated.of(numbers).blocks()
    >>> float(sum(block.weights * np.exp(block.log_factor - block.values))), float(np.exp(-exact.values).sum())
    (3.048400709..., 3.048400709...)
    """
    step = sum(d.max() for d in numbers) / n_steps
    weights, log_z = np.ones(1), 0.0
    for d in numbers:
        places, shares, log_zi = _tilted(d, theta, step)
        longer = np.zeros(len(weights) + places.max())
        for place, share in zip(places, shares, strict=True):
            longer[place : place + len(weights)] += share * weights
        weights, log_z = longer, log_z + log_zi
    return Lattice(step, weights, theta, log_z)


def _tilted(d: Floats, theta: float, step: float) -> tuple[Codes, Floats, float]:
    """Lattice points of a variable, their weights, and log Z_i.

    The points are tilted as well: each weight is that of the number times exp(-theta (point - number)).
    """
    log_z = float(np.log(np.exp(-theta * d).sum()))
    first = np.maximum(np.floor(d / step).astype(np.intp) - 1, 0)
    places = first[:, np.newaxis] + np.arange(4)  # (M_i, 4)
    shares = _cubic(d / step - first) * np.exp(-theta * step * places - log_z)
    points, at = np.unique(places, return_inverse=True)
    return points, np.asarray(np.bincount(at.ravel(), shares.ravel()), np.float64), log_z


def _cubic(x: Floats) -> Floats:
    """Lagrange weights of x (n,) on the points 0, 1, 2, 3, (n, 4)."""
    a, b, c, d = x, x - 1, x - 2, x - 3
    return np.stack([-b * c * d / 6, a * c * d / 2, -a * b * d / 2, a * b * c / 6], axis=1)


ENUMERATED, APPROXIMATED = "enumerated", "approximated"
_STEPS = (1 << 13, 1 << 15, 1 << 17, 1 << 19)
_MAX_CHANGE = 5e-8  # of a logarithm, from one lattice to the next
_MAX_RISE = 0.1  # from one point of a lattice to the next
_NEGLIGIBLE = 23.0  # nats below the largest part of a sum
_NOT_ACCURATE = (
    "{family}: 10^{digits:.1f} cells cannot be summed accurately, their probabilities lie too far apart; "
    "use a larger alpha, or fewer attributes"
)
_TOO_MUCH_MASS = (
    "{name} with pi = {pi:.6g}: {n} cells above {low:.6g} have a mass above 1; use a pi in (-inf, {largest:.6g})"
)


def log_sum(family: Family, v: float, sums: CellSums, base: Floats | float = 0.0) -> Floats:
    """Logarithm of the sum over cells of exp(-rise(v, base + T)), of the shape of base, () or (R,)."""
    parts = []
    for block in sums.blocks():
        logs = block.log_factor - family.rise(v, np.add.outer(base, block.values))
        top = logs.max(axis=-1)
        shift = np.where(np.isfinite(top), top, 0.0)
        shares = block.weights * np.exp(logs - shift[..., np.newaxis])
        parts.append(log_of(np.maximum(shares.sum(axis=-1), 0.0)) + shift)
    return np.asarray(np.logaddexp.reduce(parts, axis=0))


def over_cells(
    family: Family,
    numbers: Sequence[Floats],
    asked: Callable[[CellSums], ArrayLike],
    v: float | None = None,
    base: Floats | float = 0.0,
) -> tuple[Floats, str]:
    """Value of ``asked`` for the sums over all cells, and whether they were ``enumerated`` or ``approximated``.

    v, base: those of ``log_sum``, if v is known. Lattices are refined until the value is stable and the summands differ
    little from one sum T to the next: the error falls with the fourth power of the step, so with four times as many
    steps it is a hundredth of the last change.
    """
    if v is not None:
        numbers = _possible(family, numbers, v, base)
    if _n_different(numbers) <= MOST_CELLS:
        return np.asarray(asked(Enumerated.of(numbers)), np.float64), ENUMERATED
    theta = _tilt(family, numbers, v)
    before: Floats | None = None
    for n_steps in _STEPS:
        lattice = lattice_sums(numbers, theta, n_steps)
        answer = np.asarray(asked(lattice), np.float64)
        stable = before is not None and np.allclose(answer, before, rtol=_MAX_CHANGE / 10, atol=_MAX_CHANGE)
        if stable and (v is None or _is_smooth(family, v, lattice, base)):
            return answer, APPROXIMATED
        before = answer
    raise InputError(_NOT_ACCURATE, family=family, digits=log(n_cells(numbers)) / log(10))


def _possible(family: Family, numbers: Sequence[Floats], v: float, base: Floats | float) -> list[Floats]:
    """Numbers without those whose cells, all together, have less than e^-23 of the sum of ``log_sum``."""
    ends, least = _ends(base), log(n_cells(numbers)) + _NEGLIGIBLE

    def matters(d: Floats) -> NDArray[np.bool_]:
        rises = [family.rise(v, end + d) - family.rise(v, end) for end in ends]
        return np.asarray(np.min(rises, axis=0) <= least)

    return [d[matters(d)] for d in numbers]


def _ends(base: Floats | float) -> list[float]:
    """Least and largest finite base."""
    finite = np.ravel(base)[np.isfinite(np.ravel(base))]
    return [float(finite.min()), float(finite.max())] if len(finite) else [0.0]


def _is_smooth(family: Family, v: float, lattice: Lattice, base: Floats | float) -> bool:
    """True if exp(-rise(v, base + T)) changes little within a step of the lattice, wherever it has a part in the sum.

    rise is convex or concave in T: the least and the largest base are enough.
    """
    (block,) = lattice.blocks()
    for end in _ends(base):
        rises = family.rise(v, end + block.values)
        logs = block.log_factor + np.log(np.abs(block.weights)) - rises
        kept = logs > logs.max() - _NEGLIGIBLE
        if not (family.rise(v, end + block.values[kept] + lattice.step) - rises[kept] < _MAX_RISE).all():
            return False
    return True


def _tilt(family: Family, numbers: Sequence[Floats], v: float | None) -> float:
    """Theta for which cells are drawn about in proportion to their part of the sum.

    Cells drawn from q ~ exp(-theta T) with entropy H have a sum of about exp(H - rise(v, E[T])). If v is not known, it
    is the one with mass 1: t(v) = t(H) + E[T], and the theta with the largest v, the least t(v), has most of the mass.
    """

    def loss(theta: float) -> float:
        entropy = mean = 0.0
        for d in numbers:
            q = np.exp(-theta * d)
            own = float(q @ d / q.sum())
            entropy, mean = entropy + float(np.log(q.sum())) + theta * own, mean + own
        if v is None:
            return float(family.coordinate(entropy)) + mean
        return float(family.rise(v, mean)) - entropy

    tried: list[float] = [0.0, *np.exp(np.linspace(-20.0, 8.0, 113)).tolist()]
    return min(tried, key=loss)


def check_mass(family: Family, n: int) -> None:
    """Refuse a family in which n cells have a mass above 1 whatever c is."""
    low = family.p_domain.low
    if low > 0 and log(n) >= -log(low):
        raise InputError(_TOO_MUCH_MASS, name=family.name, pi=family.pi, n=n, low=low, largest=1 / n)


def least_surprisal(family: Family, sums: CellSums, n: int) -> float:
    """Surprisal v with mass 1 over n cells, which must exist (``check_mass``)."""

    def log_mass(v: float) -> float:
        return float(log_sum(family, v, sums)) - v

    low, high = 0.0, log(n)
    if log_mass(low) <= 0:
        return low
    return high if log_mass(high) >= 0 else float(optimize.brentq(log_mass, low, high, xtol=1e-300, rtol=1e-15))
