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
        f"{family}: 10^{log(n_cells(numbers)) / log(10):.1f} cells cannot be summed accurately, their probabilities "
        "lie too far apart; use a larger alpha, or fewer attributes"
    )


def _tilt(family: Family, numbers: Sequence[Floats]) -> float:
    """The theta under which cells are drawn about as they weigh in the mass.

    Cells drawn by q ~ exp(-theta T) of entropy H have a share of the mass of about exp(H - shifted(v, E[T])). It is 1
    for the v with t(v) = t(H) + E[T]; of all theta, the one with the largest v, the least t(v), has most of the mass.
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
