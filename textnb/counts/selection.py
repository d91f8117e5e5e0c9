"""Selection of the terms that a model uses, by document frequency; derived from the statistics at every fit."""

from __future__ import annotations

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.labels import RELATIVE_ROUNDING
from textnb.numerics import Codes, Floats

_MIN_TERMS_PER_DOCUMENT = 10


def found_min_df(containing: Floats, documents: float) -> int:
    """min_df for ``auto``: 2, or 1 if that leaves fewer than 10 distinct terms per document on average.

    containing: document frequency of each term, (V,); documents: their number. Terms of a single document help only if
    texts are very short, or short and few. (Measured on parts of the livedoor corpus down to 30 documents, on their
    titles, and on 5 to 16 terms of the titles: with more than 10 terms left it was better to leave them out, with fewer
    to keep them.)
    """
    return 2 if containing[containing >= 2].sum() >= _MIN_TERMS_PER_DOCUMENT * documents else 1


def least_df(counts: ClassCounts, min_df: int | float | str) -> float:
    """min_df as a number of documents: the smallest document frequency of a selected term."""
    documents = float(counts.documents.sum())
    if isinstance(min_df, str):
        return found_min_df(np.asarray(counts.containing.sum(axis=0), float), documents)
    return min_df * documents if isinstance(min_df, float) else min_df


def select_terms(
    counts: ClassCounts, min_df: int | float | str = 1, max_df: int | float = 1.0, max_terms: int | None = None
) -> Codes:
    """Select the terms that at least min_df and at most max_df documents contain.

    Parameters
    ----------
    counts : ClassCounts
        Statistics with document frequencies.
    min_df, max_df : int, float or "auto"
        Numbers of documents; a float is a proportion of all documents. ``auto`` (min_df only) is 2, or 1 if that leaves
        fewer than 10 distinct terms per document on average.
    max_terms : int, optional
        Keep at most this many, those in most documents; among equals the first by code point.

    Returns
    -------
    array of int
        The selected columns, ascending.

    Examples
    --------
    >>> counts = ClassCounts.of([[1, 1, 0], [1, 0, 2], [1, 1, 0]], ["x", "y", "x"])
    >>> select_terms(counts, min_df=2, max_df=0.7)
    array([1])
    """
    containing = counts.containing.sum(axis=0)
    low = least_df(counts, min_df)
    high = max_df * counts.documents.sum() if isinstance(max_df, float) else max_df
    columns = np.flatnonzero(
        (containing >= low * (1 - RELATIVE_ROUNDING)) & (containing <= high * (1 + RELATIVE_ROUNDING))
    )
    if max_terms is not None and len(columns) > max_terms:
        widespread = np.argsort(-containing[columns], kind="stable")[:max_terms]
        columns = np.sort(columns[widespread])
    return columns
