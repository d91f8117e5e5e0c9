"""Which terms a model uses, derived from the statistics whenever a scorer is made."""

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.counts.vocabulary import Columns

_ROUNDING = 1e-9  # shares and sample weights are floats


def selected_columns(
    counts: ClassCounts, min_df: int | float = 1, max_df: int | float = 1.0, max_terms: int | None = None
) -> Columns:
    """The columns of terms that stand in at least min_df and at most max_df documents, in ascending order.

    A fraction is a share of all documents. Of more than max_terms the most widespread are kept; among equals the
    first by code point.

    >>> counts = ClassCounts.of([[1, 1, 0], [1, 0, 2], [1, 1, 0]], ["x", "y", "x"])
    >>> selected_columns(counts, min_df=2, max_df=0.7)
    array([1])
    """
    containing = counts.containing.sum(axis=0)
    total = counts.documents.sum()
    low, high = (limit * total if isinstance(limit, float) else limit for limit in (min_df, max_df))
    columns = np.flatnonzero((containing >= low * (1 - _ROUNDING)) & (containing <= high * (1 + _ROUNDING)))
    if max_terms is not None and len(columns) > max_terms:
        widespread = np.argsort(-containing[columns], kind="stable")[:max_terms]
        columns = np.sort(columns[widespread])
    return columns
