"""U-product of several distributions: their joint distribution under U-independence (Fujimoto and Murata, eq. 3 to 9).

    f(x_1 .. x_n) = u(sum_i xi(p_i(x_i)))                                                                          (1)
    norm="u":  p  = u(sum_i xi(p_i(x_i)) - c),   c such that p has mass 1                                          (2)
    norm="m":  p  = f / sum f                                                                                      (3)

(2) is associative and has an inverse, the U-division; (3) is not. With the coordinate t of ``families.py``,
d_i(x) = max t_i - t_i(x) and T = sum_i d_i, the most probable cell has T = 0; let its surprisal be v. Then

    -log p = rise(v, T) + log S,                     S = sum over cells of exp(-rise(v, T))                        (4)

For (3), v is that of f. For (2), -log p is v + rise(v, T) = shifted(v, T): v = log S. It is the one root between 0 and
log M, M the number of cells (``normaliser.py``), and

    c = scale (sum_i max t_i - t(v)) + (n - 1) offset                                                              (5)

A variable with an unknown value is summed out. It is an error if u leaves its domain or gives no probability.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.models.bregman.families import Family
from textnb.models.bregman.normaliser import CellSums, check_mass, least_surprisal, log_sum, n_cells, over_cells
from textnb.numerics import Codes, Floats, check_choice, log_of

NORMS = ("u", "m")
EXACT = "exact"
_MAX_PAIRS = 1 << 18  # of cells and sums, held at once
_NO_PROBABILITY = (
    "{name} with pi = {pi:.6g}: the least likely cell has z = {z:.6g}, outside [{low:.6g}, inf), "
    "where u(z) is a probability"
)


@dataclass(frozen=True, eq=False)
class UIndependent:
    """Joint distribution of n U-independent variables with given margins; immutable.

    surprisals: -log p of each value of each variable, (M_i,). normaliser: how the sum over cells was computed,
    ``exact`` (no sum: the ordinary product), ``enumerated`` or ``approximated``. v, log_s: those of eq. (4).
    """

    family: Family
    norm: str
    surprisals: tuple[Floats, ...]
    normaliser: str
    v: float
    log_s: float

    @classmethod
    def of(cls, surprisals: Sequence[Floats], family: Family, norm: str = "u") -> "UIndependent":
        """Joint distribution from checked surprisals; a variable without any possible value is refused."""
        check_choice(norm, "norm", NORMS)
        surprisals = tuple(surprisals)
        for i, a in enumerate(surprisals):
            if np.isposinf(a).all():
                raise InputError("variable {i} has no value of positive probability", i=i)
            family.check_probabilities(np.exp(-a))
        if family.ordinary:
            return cls(family, norm, surprisals, EXACT, float(sum(a.min() for a in surprisals)), 0.0)
        numbers = [_finite(d) for d in _numbers(family, surprisals)]
        if norm == "u":
            n = n_cells(numbers)
            check_mass(family, n)
            v = float(over_cells(family, numbers, lambda sums: least_surprisal(family, sums, n))[0])
        else:
            v = float(family.shifted(0.0, _below_one(family, surprisals)))
            if not np.isfinite(v):
                template = "{family}: u(z) of every cell is 0 or exceeds the range of floats; use norm='u'"
                raise InputError(template, family=family)
        log_s, way = over_cells(family, numbers, lambda sums: log_sum(family, v, sums), v)
        _check_inside(family, v, float(sum(d.max() for d in numbers)))
        return cls(family, norm, surprisals, way, v, float(log_s))

    @property
    def c(self) -> float:
        """Constant c of eq. (2); 0 for norm="m", which subtracts nothing."""
        if self.family.ordinary or self.norm == "m":
            return 0.0
        family, n = self.family, len(self.surprisals)
        largest = sum(family.coordinate(a.min()) for a in self.surprisals)
        return float(family.scale * (largest - family.coordinate(self.v)) + (n - 1) * family.offset)

    @cached_property
    def numbers(self) -> tuple[Floats, ...]:
        """d_i of each variable, (M_i,) each."""
        return tuple(_numbers(self.family, self.surprisals))

    def log_p(self, codes: Codes) -> Floats:
        """log p of cells given by value numbers, (R, n) -> (R,); -1 is an unknown value, which is summed out."""
        known = codes >= 0
        table = self.surprisals if self.family.ordinary else self.numbers
        sums = np.zeros(len(codes))
        for i, d in enumerate(table):
            sums += np.where(known[:, i], d[codes[:, i]], 0.0)
        if self.family.ordinary or not self.surprisals:
            return -sums
        out = -self.family.rise(self.v, sums) - self.log_s
        gaps = np.flatnonzero(~known.all(axis=1))
        patterns, which = np.unique(known[gaps], axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            rows = gaps[which.ravel() == k]
            out[rows] = self._summed_out(sums[rows], np.flatnonzero(~pattern))
        return out

    def log_joint(self) -> Floats:
        """log p of every cell, with one axis per variable."""
        table = self.surprisals if self.family.ordinary else self.numbers
        sums: Any = 0.0
        for d in table:
            sums = np.add.outer(sums, d)
        if self.family.ordinary:
            return np.asarray(-sums)
        return np.asarray(-self.family.rise(self.v, sums) - self.log_s)

    def margin(self, variables: Sequence[int]) -> Floats:
        """Joint distribution of some variables, in the order given; the others are summed out."""
        variables = list(variables)
        shape = [len(self.surprisals[i]) for i in variables]
        codes = np.full((int(np.prod(shape)), len(self.surprisals)), -1, np.intp)
        codes[:, variables] = np.indices(shape).reshape(len(shape), -1).T
        return np.exp(self.log_p(codes)).reshape(shape)

    def entropy(self) -> float:
        """Entropy -sum p log p over all cells."""
        if self.family.ordinary:
            return float(sum(_entropy(a) for a in self.surprisals))
        numbers = [_finite(d) for d in self.numbers]
        return float(over_cells(self.family, numbers, self._entropy, self.v)[0])

    def _entropy(self, sums: CellSums) -> float:
        total = 0.0
        for block in sums.blocks():
            a = self.family.rise(self.v, block.values) + self.log_s
            total += float((block.weights * np.where(np.isfinite(a), a, 0.0) * np.exp(block.log_factor - a)).sum())
        return total

    def _summed_out(self, bases: Floats, variables: Codes) -> Floats:
        """log p of cells whose known values have the sums ``bases`` (R,)."""
        different, which = np.unique(bases, return_inverse=True)

        def asked(sums: CellSums) -> Floats:
            size = max(len(block.values) for block in sums.blocks())
            parts = _parts(different, max(1, _MAX_PAIRS // size))
            return np.concatenate([log_sum(self.family, self.v, sums, part) for part in parts])

        logs, _ = over_cells(self.family, [_finite(self.numbers[i]) for i in variables], asked, self.v, different)
        return logs[which.ravel()] - self.log_s


def _numbers(family: Family, surprisals: Sequence[Floats]) -> Iterator[Floats]:
    for a in surprisals:
        t = family.coordinate(a)
        if (np.isinf(t) & np.isfinite(a)).any():
            least = float(np.exp(-a[np.isfinite(a)].max()))
            template = "{name}: pi = {pi:.6g} is too extreme for a probability of {least:.3g}"
            raise InputError(template, name=family.name, pi=family.pi, least=least)
        yield t.max() - t


def _finite(d: Floats) -> Floats:
    return d[np.isfinite(d)]


def _below_one(family: Family, surprisals: Sequence[Floats]) -> float:
    """Difference between xi(1) and xi of the most probable cell of eq. (1), in units of scale."""
    largest = sum(float(family.xi(np.exp(-a.min()))) for a in surprisals)
    return (float(family.xi(1.0)) - largest) / family.scale


def _check_inside(family: Family, v: float, farthest: float) -> None:
    if not family.leaves(v, farthest).any():
        return
    z = float(family.scale * (family.coordinate(v) - farthest) + family.offset)
    raise InputError(_NO_PROBABILITY, name=family.name, pi=family.pi, z=z, low=float(family.xi(0.0)))


def _entropy(a: Floats) -> float:
    finite = a[np.isfinite(a)]
    return float((finite * np.exp(-finite)).sum())


def _parts(values: Floats, size: int) -> Iterator[Floats]:
    return (values[start : start + size] for start in range(0, len(values), size))


def as_surprisals(margins: Sequence[ArrayLike]) -> list[Floats]:
    """Surprisals -log p of distributions with any number of axes, checked."""
    found = []
    for i, margin in enumerate(margins):
        try:
            p = np.asarray(margin, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("margin {i} must be numbers: {error}", i=i, error=error) from None
        if p.size == 0 or not ((p >= 0).all() and abs(p.sum() - 1) <= 1e-8):
            template = "margin {i} must be probabilities that sum to 1, not {total:.9g} with {size} values"
            raise InputError(template, i=i, total=p.sum(), size=p.size)
        found.append(-log_of(p))
    if not found:
        raise InputError("there is nothing to multiply: no margins")
    return found
