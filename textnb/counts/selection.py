"""Selection of the terms that a model uses, by document frequency; derived from the statistics at every fit."""

from __future__ import annotations

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.labels import RELATIVE_ROUNDING
from textnb.numerics import Codes, Floats

LEAST_TERMS = 10.0
"""Distinct terms per document on average that must be left to leave out terms of a single document."""


def found_min_df(containing: Floats, documents: float, least_terms: float = LEAST_TERMS) -> int:
    """min_df for ``auto``: 2, or 1 if that leaves fewer than ``least_terms`` distinct terms per document on average.

    containing: document frequency of each term, (V,); documents: their number. Terms of a single document help only if
    texts are very short, or short and few. (Measured on parts of the livedoor corpus down to 30 documents, on their
    titles, and on 5 to 16 terms of the titles: with more than 10 terms left it was better to leave them out, with fewer
    to keep them.)
    """
    return 2 if containing[containing >= 2].sum() >= least_terms * documents else 1


def least_df(counts: ClassCounts, min_df: int | float | str, least_terms: float = LEAST_TERMS) -> float:
    """min_df as a number of documents: the smallest document frequency of a selected term.

    Documents with fractional weights count by weight; with ``auto`` or 1 none of their terms is left out.
    """
    documents = float(counts.documents.sum())
    if counts.documents.dtype.kind == "f" and (isinstance(min_df, str) or (isinstance(min_df, int) and min_df <= 1)):
        return 0
    return least_frequency(np.asarray(counts.containing.sum(axis=0), float), documents, min_df, least_terms)


def least_frequency(
    containing: Floats, documents: float, min_df: int | float | str, least_terms: float = LEAST_TERMS
) -> float:
    """min_df as a number of documents, from the document frequencies (V,) and the number of documents."""
    if isinstance(min_df, str):
        return found_min_df(containing, documents, least_terms)
    return min_df * documents if isinstance(min_df, float) else min_df


def select_terms(
    counts: ClassCounts,
    min_df: int | float | str = 1,
    max_df: int | float = 1.0,
    max_terms: int | None = None,
    least_terms: float = LEAST_TERMS,
) -> Codes:
    """Select the terms that at least min_df and at most max_df documents contain.

    Parameters
    ----------
    counts : ClassCounts
        Statistics with document frequencies.
    min_df, max_df : int, float or "auto"
        Numbers of documents; a float is a proportion of all documents. ``auto`` (min_df only) is 2, or 1 if that leaves
        fewer than ``least_terms`` distinct terms per document on average.
    max_terms : int, optional
        Keep at most this many, those in most documents; among equals the first by code point.
    least_terms : float
        See ``min_df``.

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
    containing = np.asarray(counts.containing.sum(axis=0))
    low = least_df(counts, min_df, least_terms)
    return columns_between(containing, counts.documents.sum(), low, max_df, max_terms)


def columns_between(
    containing: Floats, documents: float, low: float, max_df: int | float, max_terms: int | None
) -> Codes:
    """Columns of terms that at least ``low`` and at most max_df documents contain; ``select_terms`` has the parameters.

    containing: document frequency of each term, (V,); documents: their number.
    """
    high = max_df * documents if isinstance(max_df, float) else max_df
    columns = np.flatnonzero(
        (containing >= low * (1 - RELATIVE_ROUNDING)) & (containing <= high * (1 + RELATIVE_ROUNDING))
    )
    if max_terms is not None and len(columns) > max_terms:
        widespread = np.argsort(-containing[columns], kind="stable")[:max_terms]
        columns = np.sort(columns[widespread])
    return columns
