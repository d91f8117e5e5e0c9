"""Which terms a model uses, derived from the statistics whenever a scorer is made."""

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.vocabulary import Columns
from textnb.numerics import Floats

ROUNDING = 1e-9  # shares and sample weights are floats
_ENOUGH_TERMS = 10


def found_min_df(containing: Floats, documents: float) -> int:
    """What ``auto`` stands for: 2, unless that leaves a document fewer than 10 distinct terms, in the mean; then 1.

    containing: how many documents each term stands in, (V,), of so many. A term of a single document tells classes
    apart only where there is little else to go by: texts that are very short, or short and few. (Parts of the livedoor
    corpus down to 30 documents, their titles, and 5 to 16 terms of their titles: where more than 10 were left it was
    better to leave them out, where fewer, to keep them.)
    """
    return 2 if containing[containing >= 2].sum() >= _ENOUGH_TERMS * documents else 1


def least_df(counts: ClassCounts, min_df: int | float | str) -> float:
    """In how many documents a term stands at least: min_df as a number of documents."""
    documents = float(counts.documents.sum())
    if isinstance(min_df, str):
        return found_min_df(np.asarray(counts.containing.sum(axis=0), float), documents)
    return min_df * documents if isinstance(min_df, float) else min_df


def selected_columns(
    counts: ClassCounts, min_df: int | float | str = 1, max_df: int | float = 1.0, max_terms: int | None = None
) -> Columns:
    """The columns of terms that stand in at least min_df and at most max_df documents, in ascending order.

    A fraction is a share of all documents; min_df ``auto`` is 2, or 1 where that would leave too little. Of more
    than max_terms the most widespread are kept; among equals the first by code point.

    >>> counts = ClassCounts.of([[1, 1, 0], [1, 0, 2], [1, 1, 0]], ["x", "y", "x"])
    >>> selected_columns(counts, min_df=2, max_df=0.7)
    array([1])
    """
    containing = counts.containing.sum(axis=0)
    low = least_df(counts, min_df)
    high = max_df * counts.documents.sum() if isinstance(max_df, float) else max_df
    columns = np.flatnonzero((containing >= low * (1 - ROUNDING)) & (containing <= high * (1 + ROUNDING)))
    if max_terms is not None and len(columns) > max_terms:
        widespread = np.argsort(-containing[columns], kind="stable")[:max_terms]
        columns = np.sort(columns[widespread])
    return columns
