"""Normaliser of a U-product: its mass over all cells, and the surprisal of the most probable cell that makes it 1.

A cell is a choice of one value from each of n variables. Variable i has the numbers d_i(x) >= 0, the least of them 0:

    T       = sum_i d_i(x_i)                                  M = prod_i M_i cells                                 (1)
    mass(v) = sum over cells of exp(-shifted(v, T))                                                                (2)

The mass falls in v, is at least 1 at v = 0 and at most 1 at v = log M: there is one v between with mass 1.

Sums over cells of f(T), with f smooth: up to 1e6 cells are visited in blocks (``Enumerated``). For more, the measure of
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
from scipy.optimize import brentq

from textnb.errors import InputError
from textnb.models.bregman.families import Family
from textnb.numerics import Codes, Floats, log_of

MOST_CELLS = 1_000_000
_BLOCK = 1 << 17
_INNER = 1 << 12


class CellBlock(NamedTuple):
    """Sums T (n,) with weights (n,), or 1, and the logarithm of a factor of the weights."""

    values: Floats
    weights: Floats | None = None
    log_factor: Floats | float = 0.0


class CellSums(Protocol):
    """Measure of T."""

    def blocks(self) -> Iterator[CellBlock]:
        """Yield all cells in blocks."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Sums T of all cells: each of ``outer`` plus each of ``inner``."""

    outer: Floats
    inner: Floats

    @classmethod
    def of(cls, numbers: Sequence[Floats]) -> "Enumerated":
        """Cells of variables with these numbers, (M_i,) each.

        >>> [block.values.tolist() for block in Enumerated.of([np.array([0.0, 1.0]), np.array([0.0, 10.0])]).blocks()]
        [[0.0, 10.0, 1.0, 11.0]]
        """
        inner = outer = np.zeros(1)
        for d in reversed(numbers):
            if len(inner) * len(d) <= _INNER:
                inner = np.add.outer(d, inner).ravel()
            else:
                outer = np.add.outer(d, outer).ravel()
        return cls(outer, inner)

    def blocks(self) -> Iterator[CellBlock]:
        """Yield blocks of at most 2^17 cells, or of one copy of ``inner``."""
        step = max(1, _BLOCK // len(self.inner))
        for start in range(0, len(self.outer), step):
            yield CellBlock(np.add.outer(self.outer[start : start + step], self.inner).ravel())


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


def n_cells(numbers: Sequence[NDArray[np.float64]]) -> int:
    """Number M of cells, eq. (1)."""
    return prod(len(d) for d in numbers)


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
_ACCURACY = 1e-8
_NOT_ACCURATE = (
    "{family}: 10^{digits:.1f} cells cannot be summed accurately, their probabilities lie too far apart; "
    "use a larger alpha, or fewer attributes"
)
_TOO_MUCH_MASS = (
    "{name} with pi = {pi:.6g}: {n} cells above {low:.6g} have a mass above 1; use a pi in (-inf, {largest:.6g})"
)


def log_mass(family: Family, v: float, sums: CellSums, base: Floats | float = 0.0) -> Floats:
    """Logarithm of the sum over cells of exp(-shifted(v, base + T)), of the shape of base, () or (R,)."""
    parts = []
    for block in sums.blocks():
        logs = block.log_factor - family.shifted(v, np.add.outer(base, block.values))
        top = logs.max(axis=-1)
        shift = np.where(np.isfinite(top), top, 0.0)
        shares = np.exp(logs - shift[..., np.newaxis])
        if block.weights is not None:
            shares *= block.weights
        parts.append(log_of(np.maximum(shares.sum(axis=-1), 0.0)) + shift)
    return np.asarray(np.logaddexp.reduce(parts, axis=0))


def over_cells(family: Family, numbers: Sequence[Floats], asked: Callable[[CellSums], ArrayLike]) -> tuple[Floats, str]:
    """Value of ``asked`` for the sums over all cells, and whether they were ``enumerated`` or ``approximated``.

    Lattices are refined until the value is stable: the error falls with the fourth power of the step, so with four
    times as many steps it is much smaller than the last change.
    """
    if n_cells(numbers) <= MOST_CELLS:
        return np.asarray(asked(Enumerated.of(numbers)), np.float64), ENUMERATED
    theta = _tilt(family, numbers)
    before: Floats | None = None
    for n_steps in _STEPS:
        answer = np.asarray(asked(lattice_sums(numbers, theta, n_steps)), np.float64)
        if before is not None and np.allclose(answer, before, rtol=64 * _ACCURACY, atol=64 * _ACCURACY):
            return answer, APPROXIMATED
        before = answer
    raise InputError(_NOT_ACCURATE, family=family, digits=log(n_cells(numbers)) / log(10))


def _tilt(family: Family, numbers: Sequence[Floats]) -> float:
    """Theta for which cells are drawn about in proportion to their mass.

    Cells drawn from q ~ exp(-theta T) with entropy H have a mass of about exp(H - shifted(v, E[T])). It is 1 for the v
    with t(v) = t(H) + E[T]; the theta with the largest v, the least t(v), has most of the mass.
    """

    def largest(theta: float) -> float:
        entropy = mean = 0.0
        for d in numbers:
            q = np.exp(-theta * d)
            own = float(q @ d / q.sum())
            entropy, mean = entropy + float(np.log(q.sum())) + theta * own, mean + own
        return float(family.coordinate(entropy)) + mean

    tried: list[float] = [0.0, *np.exp(np.linspace(-20.0, 8.0, 113)).tolist()]
    return min(tried, key=largest)


def least_surprisal(family: Family, sums: CellSums, n: int) -> float:
    """Surprisal v with mass 1 over n cells; refused if xi(e^-v) does not exist."""

    def excess(v: float) -> float:
        return float(log_mass(family, v, sums))

    if family.p_domain.low > 0 and log(n) >= -log(family.p_domain.low):
        raise InputError(_TOO_MUCH_MASS, name=family.name, pi=family.pi, n=n, low=family.p_domain.low, largest=1 / n)
    low, high = 0.0, log(n)
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high, xtol=1e-300, rtol=1e-15))
