"""Term weighting: what a count of tf is worth before it is summed.

    raw     tf
    binary  1
    log     log(1 + tf), kept as the whole number round(2^20 log(1 + tf)) so that sums stay exact

A stored 1 is worth ``unit``: 1, 1 and 2^-20.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from textnb.counts.matrix import CSR
from textnb.counts.sums import canonical, presence
from textnb.errors import InputError, listed

_LOG_UNIT = 2.0**-20


class Weighting(NamedTuple):
    """A name, the worth of a stored 1, and the function from counts to stored weights."""

    name: str
    unit: float
    stored: Callable[[CSR], CSR]

    def weights(self, X: CSR) -> CSR:
        """The weights themselves, float64."""
        return self.stored(X).astype(np.float64) * self.unit


def _log(X: CSR) -> CSR:
    X = canonical(X)
    data = np.rint(np.log1p(X.data) / _LOG_UNIT).astype(np.int64)
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


WEIGHTINGS: dict[str, Weighting] = {
    weighting.name: weighting
    for weighting in (
        Weighting("raw", 1.0, lambda X: X),
        Weighting("binary", 1.0, presence),
        Weighting("log", _LOG_UNIT, _log),
    )
}


def weighting(name: str) -> Weighting:
    """The weighting of that name.

    >>> weighting("log").unit == 2**-20
    True
    """
    if name not in WEIGHTINGS:
        raise InputError(f"weighting {name!r} is not known; known: {listed(WEIGHTINGS)}")
    return WEIGHTINGS[name]
