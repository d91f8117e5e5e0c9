"""The mass of a U-product over all its cells, and the surprisal of the likeliest cell that makes it 1.

    mass(v) = sum over cells of exp(-shifted(v, T))                T = sum_i d_i(x_i) >= 0, least T = 0            (1)

falls in v, is at least 1 at v = 0 and at most 1 at v = log M, M the number of cells: there is one v with mass 1, and it
lies between. Cells are visited one by one or summed on a lattice (``cell_sums``).
"""

from collections.abc import Callable, Sequence
from math import log

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from textnb.errors import InputError
from textnb.models.cell_sums import MOST_CELLS, CellSums, Enumerated, lattice_sums, n_cells
from textnb.models.u_family import Family
from textnb.numerics import Floats, log_of

ENUMERATED, APPROXIMATED = "enumerated", "approximated"
_STEPS = (1 << 13, 1 << 15, 1 << 17, 1 << 19)
_ACCURACY = 1e-8


def log_mass(family: Family, v: float, sums: CellSums, base: Floats | float = 0.0) -> Floats:
    """log of the sum over cells of exp(-shifted(v, base + T)); base () or (R,), the result alike."""
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
    """What is asked of the sums over all cells, and whether these were ``enumerated`` or ``approximated``.

    Up to 1e6 cells are visited. Beyond, lattices are made finer until the answer stands: the error falls with the
    fourth power of the step, so four times as many steps have nearly none of what the answer has changed by.
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
    raise InputError(
        f"{family}: {n_cells(numbers):,} cells cannot be summed accurately, their probabilities lie too "
        "far apart; use a larger alpha, or fewer attributes"
    )


def _tilt(family: Family, numbers: Sequence[Floats]) -> float:
    """theta = d(shifted)/dd at the surprisal that cells drawn by the tilted weights have, their entropy."""

    def excess(log_theta: float) -> float:
        theta, entropy = np.exp(log_theta), 0.0
        for d in numbers:
            q = np.exp(-theta * d)
            entropy += float(np.log(q.sum()) + theta * (q @ d) / q.sum())
        a = max(entropy, 1e-3)
        slope = (float(family.shifted(a, 1e-5)) - a) / 1e-5
        return log_theta - float(np.log(max(slope, 1e-8)))

    grid = np.linspace(-12.0, 8.0, 41)
    values = [excess(x) for x in grid]
    for x, left, right in zip(grid, values, values[1:], strict=False):
        if left < 0 <= right:
            return float(np.exp(brentq(excess, x, x + 0.5)))
    return float(np.exp(grid[int(np.argmin(np.abs(values)))]))


def least_surprisal(family: Family, sums: CellSums, n: int) -> float:
    """The v with mass 1 over n cells; xi(e^-v) exists, or it is refused."""

    def excess(v: float) -> float:
        return float(log_mass(family, v, sums))

    if family.p_domain.low > 0 and log(n) >= -log(family.p_domain.low):
        raise InputError(
            f"{family.name} with pi = {family.pi:.6g}: {n} cells above {family.p_domain.low:.6g} have a mass above 1; "
            f"pi is to be in (-inf, {1 / n:.6g})"
        )
    low, high = 0.0, log(n)
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high, xtol=1e-300, rtol=1e-15))
