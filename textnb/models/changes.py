"""Changes: what pending corrections add to the counts of a fit, and tables of weights that follow them.

Until a model is fitted again, its counts follow the corrections, while smoothing, selection of terms, calibration and
weights that were fitted to documents stay as they are. Each model says how, by ``Model.follow``. Proportions of counts,
such as those of multinomial naive Bayes, follow by

    p'_kj = (p_kj T_k + d_kj) / (T_k + d_k),        d_k = sum_j d_kj                                             (1)

with T_k the sum of the smoothed counts of class k, and d_kj what the corrections add to the count of term j.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from textnb.numerics import Codes, Floats, log_of


class Changes(NamedTuple):
    """What corrections add to the counts of a fit.

    columns: terms in use that change, ascending, (n,). weights, squares, containing: what is added to their weighted
    counts, to the squares of these in each document, and to the documents that contain them, (n, C) each. before,
    documents: numbers of documents without and with the corrections, (C,) each; none of them is 0.
    """

    columns: Codes
    weights: Floats
    squares: Floats
    containing: Floats
    before: Floats
    documents: Floats

    def added(self, rows: Codes, values: Floats) -> Floats:
        """Rows of ``values`` (n, C), such as ``weights``, of these terms; 0 for terms that do not change."""
        found = np.zeros((len(rows), values.shape[1]))
        if len(self.columns):
            places = np.minimum(np.searchsorted(self.columns, rows), len(self.columns) - 1)
            hit = self.columns[places] == rows
            found[hit] = values[places[hit]]
        return found

    def added_to_all(self, values: Floats, n_terms: int) -> Floats:
        """Rows of ``values`` (n, C) of all terms, (V, C)."""
        found = np.zeros((n_terms, values.shape[1]))
        found[self.columns] = values
        return found


class RowTable:
    """Table (V, C) whose rows are computed when they are asked for; it is indexed as an array.

    So opening a model takes time for its corrections only, and an answer for the terms that it asks for.
    """

    def __init__(self, rows: Callable[[Codes], Floats], shape: tuple[int, ...]) -> None:
        self._rows, self.shape = rows, shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        rows, rest = key if isinstance(key, tuple) else (key, slice(None))
        return self._rows(np.arange(self.shape[0])[rows] if isinstance(rows, slice) else rows)[:, rest]

    @property
    def T(self) -> Floats:  # noqa: N802  # as of an array
        """All of it, transposed."""
        return cast("Floats", self[:].T)


def row_table(rows: Callable[[Codes], Floats], shape: tuple[int, ...]) -> Floats:
    """RowTable (V, C) in the place of an array."""
    return cast("Floats", RowTable(rows, shape))


def log_proportions(log_p: Floats, totals: Sequence[float] | None, changes: Changes, added: Floats) -> Floats | None:
    """Table of log p' of eq. (1), a RowTable (V, C); None if a total is unknown or not positive.

    log_p: (V, C). totals: T of eq. (1). added: d of the terms that change, (n, C).
    """
    if totals is None:
        return None
    before = np.array(totals)
    after = before + added.sum(axis=0)
    if (np.minimum(before, after) <= 0).any():
        return None
    log_growth = np.log(after) - np.log(before)

    def rows(columns: Codes) -> Floats:
        found = np.array(log_p[columns], np.float64)
        here = changes.added(columns, added)
        changed = here != 0
        found[changed] = log_of(np.maximum(np.exp(found[changed]) + (here / before)[changed], 0.0))
        return np.asarray(found - log_growth)

    return row_table(rows, (len(log_p), len(before)))
