"""Term weighting: the weight of a count tf before it is summed.

    raw     tf
    binary  1
    log     log(1 + tf), stored as the integer round(2^20 log(1 + tf)) so that sums stay exact
    tfidf   log(1 + tf) log(D / df), with D documents of which df contain the term

A stored 1 means a weight of ``unit``: 1, 1 and 2^-20. ``tfidf`` stores what ``log`` stores: the idf is computed from
the statistics whenever a model is fitted, so learning and forgetting stay exact. With ``-l2`` after the name a
document's weights are divided by their Euclidean norm; the documents themselves must then be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.matrix import CSR, canonical, presence
from textnb.counts.rows import row_sums, with_data
from textnb.extension import sparse
from textnb.numerics import Floats, Ints, check_choice

WeightingName = Literal["raw", "binary", "log", "tfidf", "raw-l2", "binary-l2", "log-l2", "tfidf-l2"]
"""Names of WEIGHTINGS, for type checkers."""

EXACT_UNIT = 2.0**-36
"""Unit of weights stored by ``as_exact``."""

_LOG_UNIT = 2.0**-20
_NORMALISED = "-l2"


class Weighting(NamedTuple):
    """A weighting: its name, the weight of a stored 1, the function from counts to stored weights, and later steps."""

    name: str
    unit: float
    stored: Callable[[CSR], CSR]
    has_idf: bool = False
    normalised: bool = False

    def weights(self, X: CSR) -> CSR:
        """Weights of counts before idf and length normalisation, float64."""
        W = self.stored(X)
        return with_data(W, W.data * np.float64(self.unit))

    def on(self, counts: ClassCounts) -> Weigher:
        """The weighting with the idf of these statistics; a term that no document contains has idf 0."""
        if not self.has_idf:
            return Weigher(self, None)  # statistics may lack document frequencies
        return self.on_frequencies(np.asarray(counts.containing.sum(axis=0), np.float64), counts.documents.sum())

    def on_frequencies(self, containing: Floats, documents: float) -> Weigher:
        """The weighting with the idf of these document frequencies, (V,), among a number of documents."""
        if not self.has_idf:
            return Weigher(self, None)
        return Weigher(self, np.log(documents / np.where(containing > 0, containing, documents)))


@dataclass(frozen=True, eq=False)
class Weigher:
    """Function from counts X (D, V) to weights, with the idf (V,) of what was learnt."""

    weighting: Weighting
    idf: Floats | None

    def __call__(self, X: CSR) -> CSR:
        """Weights of the counts, float64."""
        W = self.weighting.weights(X)
        if self.idf is not None:
            W = with_data(W, W.data * self.idf[W.indices])
        return normalised(W) if self.weighting.normalised else W

    def class_counts(self, counts: ClassCounts) -> ClassCounts:
        """Statistics of weighted documents, from those of stored weights; not for normalised weightings with idf."""
        if self.idf is None:
            return counts
        stored = counts.terms
        data = stored.data * counts.unit * self.idf[stored.indices]
        terms = sparse.csr_array((data, stored.indices.copy(), stored.indptr.copy()), shape=stored.shape)
        terms.eliminate_zeros()
        return ClassCounts(counts.vocabulary, counts.classes, counts.documents, terms, counts.containing)


def normalised(W: CSR) -> CSR:
    """W with each row divided by its Euclidean norm; a row of zeros is unchanged."""
    lengths = np.sqrt(row_sums(W, W.data * W.data))
    by = np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(W.indptr))
    return with_data(W, W.data / by)


def as_exact(W: CSR) -> CSR:
    """Weights as integers in units of EXACT_UNIT: their sums are exact and do not depend on the order."""
    return sparse.csr_array((np.rint(W.data / EXACT_UNIT).astype(np.int64), W.indices, W.indptr), shape=W.shape)


def _unchanged(X: CSR) -> CSR:
    return X


def _log(X: CSR) -> CSR:
    X = canonical(X)
    return with_data(X, _log_units(X.data))


def _log_units(counts: NDArray[Any]) -> Ints:
    """log(1 + n) in units, of each count n; looked up where whole counts are smaller than they are many."""
    most = counts.max(initial=0) if counts.dtype.kind in "iu" else len(counts)
    if most < len(counts):
        return np.asarray(_log_units(np.arange(most + 1.0))[counts])
    return np.asarray(np.rint(np.log1p(counts, dtype=np.float64) / _LOG_UNIT).astype(np.int64))


_PLAIN = (
    Weighting("raw", 1.0, _unchanged),
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
    check_choice(name, "weighting", WEIGHTINGS)
    return WEIGHTINGS[name]


def weighting_of(*, tf: bool = False, idf: bool = False, length_norm: bool = False) -> Weighting:
    """The weighting made of these steps; counts times idf without the logarithm have no name for ``weighting``.

    >>> weighting_of(tf=True, length_norm=True).name, weighting_of(idf=True).name
    ('log-l2', 'idf')
    """
    suffix = _NORMALISED if length_norm else ""
    if idf and not tf:
        return Weighting("idf" + suffix, 1.0, canonical, has_idf=True, normalised=bool(length_norm))
    return WEIGHTINGS[("tfidf" if idf else "log" if tf else "raw") + suffix]
