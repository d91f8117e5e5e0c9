"""Sums over all cells of a table of independent coordinates, one by one or on a lattice.

A cell is a choice of one value from each of n variables. Variable i has the numbers d_i(x) >= 0, and a cell has

    T = sum_i d_i(x_i)                                        M = prod_i M_i cells                                 (1)

What is asked is sum over cells of f(T), with f smooth. Up to 1e6 cells are visited, in blocks (``Enumerated``). Beyond,
the measure of T is built on a lattice of step h by n convolutions (``lattice_sums``): each number d is split over the
four lattice points around it with Lagrange's cubic weights, which keep its moments up to the third. The error is of
order n (h f'/f)^4. The counts are kept tilted,

    q_i(x) = exp(-theta d_i(x)) / Z_i,      count(T) = w(T) exp(theta T) prod_i Z_i                                (2)

so that they stay within the range of floats where f lets them matter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textnb.numerics import Floats

MOST_CELLS = 1_000_000
_BLOCK = 1 << 17
_INNER = 1 << 12


class Block(NamedTuple):
    """Sums T (n,), with weights (n,) and the logarithm of what these are to be multiplied with; a cell weighs 1."""

    values: Floats
    weights: Floats | None = None
    log_factor: Floats | float = 0.0


class CellSums(Protocol):
    """A measure of T."""

    def blocks(self) -> Iterator[Block]:
        """All of it, a part at a time."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """Every cell: each of ``outer`` plus each of ``inner``."""

    outer: Floats
    inner: Floats

    @classmethod
    def of(cls, numbers: Sequence[Floats]) -> "Enumerated":
        """The cells of variables with these numbers, (M_i,) each.

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

    def blocks(self) -> Iterator[Block]:
        """At most 2^17 cells at a time, or one round of ``inner``."""
        step = max(1, _BLOCK // len(self.inner))
        for start in range(0, len(self.outer), step):
            yield Block(np.add.outer(self.outer[start : start + step], self.inner).ravel())


@dataclass(frozen=True, eq=False)
class Lattice:
    """T = ``step`` times the place, with tilted ``weights`` by place: eq. (2)."""

    step: float
    weights: Floats
    theta: float
    log_z: float

    def blocks(self) -> Iterator[Block]:
        """All at once."""
        places = np.flatnonzero(self.weights)
        values = np.asarray(self.step * places, np.float64)
        yield Block(values, self.weights[places], np.asarray(self.theta * values + self.log_z, np.float64))


def n_cells(numbers: Sequence[NDArray[np.float64]]) -> int:
    """M of eq. (1)."""
    return prod(len(d) for d in numbers)


def lattice_sums(numbers: Sequence[Floats], theta: float, n_steps: int) -> Lattice:
    """The measure of T on a lattice of about n_steps points.

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


def _tilted(d: Floats, theta: float, step: float) -> tuple[NDArray[np.intp], Floats, float]:
    """The lattice points of a variable, their weights, and log Z_i.

    The points are kept tilted as well, so each weight is that of the number times exp(-theta (point - number)).
    """
    log_z = float(np.log(np.exp(-theta * d).sum()))
    first = np.maximum(np.floor(d / step).astype(np.intp) - 1, 0)
    places = first[:, np.newaxis] + np.arange(4)  # (M_i, 4)
    shares = _cubic(d / step - first) * np.exp(-theta * step * places - log_z)
    points, at = np.unique(places, return_inverse=True)
    return points, np.asarray(np.bincount(at.ravel(), shares.ravel()), np.float64), log_z


def _cubic(x: Floats) -> Floats:
    """Lagrange's weights of x (n,) on the points 0, 1, 2, 3: (n, 4)."""
    a, b, c, d = x, x - 1, x - 2, x - 3
    return np.stack([-b * c * d / 6, a * c * d / 2, -a * b * d / 2, a * b * c / 6], axis=1)
