"""Covariance shared by all classes, shrunk towards a multiple of the identity, and products with its inverse.

    S   = sum_k N_k S_k / N,   S_k the covariance of class k      maximum likelihood: divided by N     (V, V)   (1)
    S_s = (1 - s) S + s t I,   t = trace(S) / V                   t = 1 where no class varies at all           (2)
    s   = b2 / d2,   d2 = |S - t I|^2,   b2 = min(d2, sum_i w_i |z_i z_i' - S|^2 / N^2)          "auto"        (3)

with z_i a document less its class's mean and |.|^2 the sum of squared entries; (3) is Ledoit and Wolf's (2004), at
least 1e-6 so that S_s has an inverse, and 1 where no class varies. s = 0 is S itself. Then a direction in which no
class varies is left out where the class means agree in it, and refused where they do not: it would separate the
classes at any distance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from textnb.errors import InputError
from textnb.models.linear.centred import Centred
from textnb.models.linear.systems import inverse_times, squared_norm
from textnb.models.rows import Labelled
from textnb.numerics import Floats, as_number_or_name

MIN_SHRINKAGE = 1e-6
NO_INVERSE = "the classes differ where none of them varies (column {column}): use shrinkage > 0 or 'auto'"


@dataclass(frozen=True, eq=False)
class SharedCovariance:
    """S_s of eq. (2) as ``Z`` (D, V), s and t; with ``classes``, ``documents`` N_k (C,) and ``means`` (C, V)."""

    classes: tuple[Any, ...]
    documents: Floats
    means: Floats
    Z: Centred
    shrinkage: float
    scale: float
    solver: str | None = None

    @classmethod
    def of_rows(cls, data: Labelled, shrinkage: float | str = "auto", solver: str | None = None) -> "SharedCovariance":
        """Covariance of labelled rows."""
        wanted, data = as_number_or_name(shrinkage, "shrinkage", ("auto",), low=0, high=1), data.some
        moments = data.moments(data.y, len(data.classes))
        Z = Centred.around(moments, data.X, data.y, data.weight)
        trace = float(Z.squares.sum() / data.weight.sum())
        found = _best_shrinkage(Z) if isinstance(wanted, str) else wanted
        scale = trace / Z.shape[1] if trace > 0 else 1.0
        return cls(data.classes, data.documents, moments.means, Z, found, scale, solver)

    @property
    def centre(self) -> Floats:
        """Mean of all documents, (V,)."""
        return np.asarray(self.documents @ self.means / self.documents.sum())

    @property
    def apart(self) -> Floats:
        """Class means less the mean of all documents, (C, V); 0 for a class without documents."""
        return np.where(self.documents[:, np.newaxis] > 0, self.means - self.centre, 0.0)

    def inverse_times(self, B: Floats) -> Floats:
        """Product S_s^-1 B, (V, K)."""
        if self.shrinkage == 1:
            return np.asarray(B / self.scale)
        factor = (1 - self.shrinkage) / self.documents.sum()
        W = inverse_times(self.Z, B, self.shrinkage * self.scale / factor, self.solver)
        if self.shrinkage == 0:
            self._check_variance(B, W)
        return np.asarray(W / factor)

    def _check_variance(self, B: Floats, W: Floats) -> None:
        """Refuse a W for which (Z'W Z) W = B does not hold in every column, in units of its deviation."""
        left = abs(self.Z.gram_times(W) - B).max(axis=1)
        deviations = np.sqrt(self.Z.squares / self.documents.sum())
        there = deviations > 0
        largest = (abs(B[there]).max(axis=1) / deviations[there]).max(initial=1.0)
        sizes = np.sqrt(deviations**2 + (self.documents @ self.means**2) / self.documents.sum())
        for j in np.flatnonzero(left > 1e-6 * largest * deviations + 1e-12 * sizes)[:1]:
            raise InputError(NO_INVERSE, column=j)


def _best_shrinkage(Z: Centred) -> float:
    """Shrinkage s of eq. (3), with sum_i w_i |z_i z_i' - S|^2 = sum_i w_i |z_i|^4 - N |S|^2."""
    if Z.squares.sum() == 0:
        return 1.0
    n, n_columns = Z.weight.sum(), Z.shape[1]
    norm = squared_norm(Z) / n**2
    fourths = float(Z.weight @ Z.squared_lengths() ** 2)
    spread = norm - (Z.squares.sum() / n) ** 2 / n_columns
    noise = (fourths - n * norm) / n**2
    if spread <= 1e-14 * norm:  # S is t I already
        return MIN_SHRINKAGE
    return float(np.clip(noise / spread, MIN_SHRINKAGE, 1.0))
