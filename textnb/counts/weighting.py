"""Term weighting: what a count of tf is worth before it is summed.

    raw     tf
    binary  1
    log     log(1 + tf), kept as the whole number round(2^20 log(1 + tf)) so that sums stay exact
    tfidf   log(1 + tf) log(D / df), with D documents of which df contain the term

A stored 1 is worth ``unit``: 1, 1 and 2^-20. What is stored of ``tfidf`` is what is stored of ``log``: the idf comes
from the statistics whenever a model is made, so learning and forgetting stay exact. Each name may end in ``-l2``: then
a document's weights are divided by the root of the sum of their squares, and the documents themselves must be kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, canonical, presence
from textnb.errors import InputError
from textnb.numerics import Floats

_LOG_UNIT = 2.0**-20
_NORMALISED = "-l2"


class Weighting(NamedTuple):
    """A name, the worth of a stored 1, the function from counts to stored weights, and what is done to them later."""

    name: str
    unit: float
    stored: Callable[[CSR], CSR]
    has_idf: bool = False
    normalised: bool = False

    def weights(self, X: CSR) -> CSR:
        """The weights of counts before idf and length normalisation, float64."""
        W = self.stored(X).astype(np.float64)
        W.data *= self.unit
        return W

    def on(self, counts: ClassCounts) -> "Weigher":
        """The weighting with the idf of these statistics."""
        if not self.has_idf:
            return Weigher(self, None)
        containing = np.asarray(counts.containing.sum(axis=0))
        return Weigher(self, np.log(counts.documents.sum() / np.maximum(containing, 1)))


@dataclass(frozen=True, eq=False)
class Weigher:
    """From counts X (D, V) to weights, with the idf (V,) of what was learnt."""

    weighting: Weighting
    idf: Floats | None

    def __call__(self, X: CSR) -> CSR:
        """The weights, float64."""
        W = self.weighting.weights(X)
        if self.idf is not None:
            W.data *= self.idf[W.indices]
        return normalised(W) if self.weighting.normalised else W

    def class_counts(self, counts: ClassCounts) -> ClassCounts:
        """The statistics of weighted documents, from those of stored weights; not for normalised ones."""
        if self.idf is None:
            return counts
        stored = counts.terms
        data = stored.data * counts.unit * self.idf[stored.indices]
        terms = sparse.csr_array((data, stored.indices.copy(), stored.indptr.copy()), shape=stored.shape)
        terms.eliminate_zeros()
        return ClassCounts(counts.vocabulary, counts.classes, counts.documents, terms, counts.containing)


def normalised(W: CSR) -> CSR:
    """Each row divided by its Euclidean length; a row of zeros stays."""
    lengths = np.sqrt(np.asarray(W.multiply(W).sum(axis=1)))
    by = np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(W.indptr))
    return sparse.csr_array((W.data / by, W.indices, W.indptr), shape=W.shape)


def _log(X: CSR) -> CSR:
    X = canonical(X)
    data = np.rint(np.log1p(X.data) / _LOG_UNIT).astype(np.int64)
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


_PLAIN = (
    Weighting("raw", 1.0, lambda X: X),
    Weighting("binary", 1.0, presence),
    Weighting("log", _LOG_UNIT, _log),
    Weighting("tfidf", _LOG_UNIT, _log, has_idf=True),
)
WEIGHTINGS: dict[str, Weighting] = {
    weighting.name: weighting
    for plain in _PLAIN
    for weighting in (plain, plain._replace(name=plain.name + _NORMALISED, normalised=True))
}


def weighting(name: str) -> Weighting:
    """The weighting of that name.

    >>> weighting("log").unit == 2**-20, weighting("tfidf-l2").normalised
    (True, True)
    """
    if name not in WEIGHTINGS:
        raise InputError(f"weighting {name!r} is not known; known: {', '.join(WEIGHTINGS)}")
    return WEIGHTINGS[name]
