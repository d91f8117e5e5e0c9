"""The loops over a CSR matrix X (D, V) that fitting and predicting of linear models need.

    table_kj = sum over rows i of class k of w_i x_ij                         (C, V)        class_table   (1)
    score_ik = sum_j x_ij weights_jk + bias_k                                 (D, C)        row_scores    (2)
    class_i  = the first k with the largest score_ik                          (D,)          row_classes   (3)
    log_jk   = log(unit table_kj + alpha) - log_total_k                       (V, C)        class_logs    (4)

The C extension runs them for float64, float32, int32 and int64, (1) to (3) on threads where there are many entries; the
functions ``plain_...`` give the same numbers to the bit without it. A class of (1) and a row of (2) are summed in the
order of their rows and entries, so the numbers do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR, add_at
from textnb.counts.rows import narrowed, with_entries
from textnb.extension import uses_extension
from textnb.numerics import Codes, Floats, log_of
from textnb.parallel import as_jobs, map_on_threads

MIN_ENTRIES_PER_THREAD = 1 << 18
MIN_SUMMED_PER_THREAD = 1 << 24  # sums wait for memory: a second thread slows those of 3 million entries down
_ENTRIES_PER_BLOCK = 1 << 17
_KNOWN_LOGS = 2048  # whole counts whose logarithms are looked up; in the processor's fastest cache
_MAX_OTHERS = 1 / 16  # of the cells; with more, looking up does not pay
_VALUES = tuple(map(np.dtype, (np.float64, np.float32, np.int32, np.int64)))
_INDICES = tuple(map(np.dtype, (np.int32, np.int64)))


def class_table(X: CSR, codes: Codes, n_classes: int, weight: Floats | None = None) -> NDArray[Any]:
    """Sums of the rows of each class, eq. (1); int64 if X is of integers and there are no weights, else float64.

    >>> from scipy import sparse
    >>> class_table(sparse.csr_array([[1, 2], [0, 1], [3, 0]]), np.array([0, 1, 0]), 2)
    array([[4, 2],
           [0, 1]])
    """
    if not _is_supported(X):
        return plain_class_table(X, codes, n_classes, weight)
    from textnb._native import class_sums

    table, codes = np.zeros((n_classes, X.shape[1]), _dtype(X, weight)), np.ascontiguousarray(codes, np.int64)

    def run(first: int, last: int) -> None:
        class_sums(X.indptr, X.indices, X.data, codes, weight, table, first, last, X.shape[1], n_classes)

    ends = np.concatenate([[0], np.cumsum(np.bincount(codes, np.diff(X.indptr), n_classes))])
    _on_threads(run, ends, MIN_SUMMED_PER_THREAD)
    return table


def plain_class_table(X: CSR, codes: Codes, n_classes: int, weight: Floats | None = None) -> NDArray[Any]:
    """``class_table`` without the extension, in blocks of entries that stay in cache."""
    n_documents, n_terms = X.shape
    dtype = _dtype(X, weight)
    table = np.zeros(n_classes * n_terms, dtype)
    index = np.int32 if max(len(table), X.nnz) < 2**31 else np.int64
    offsets, ends = (codes * n_terms).astype(index), X.indptr.astype(index, copy=False)
    cuts = np.unique([*np.searchsorted(ends, np.arange(0, X.nnz, _ENTRIES_PER_BLOCK)), n_documents])
    for first, last in pairwise(cuts):
        begin, end = ends[first], ends[last]
        lengths = np.diff(ends[first : last + 1])
        cells = np.repeat(offsets[first:last], lengths)
        cells += X.indices[begin:end]
        values = X.data[begin:end].astype(dtype, copy=False)
        add_at(table, cells, values if weight is None else values * np.repeat(weight[first:last], lengths))
    return table.reshape(n_classes, n_terms)


def class_logs(table: NDArray[Any], unit: float, alpha: float, log_totals: Floats) -> Floats:
    """Logarithms of smoothed class sums, eq. (4), (V, C); most sums are 0 or small, so their logarithms are looked up.

    >>> class_logs(np.array([[0, 1], [3, 1]]), 1.0, 1.0, np.log([3.0, 6.0])).round(3)
    array([[-1.099, -0.405],
           [-0.405, -1.099]])
    """
    if not uses_extension() or table.dtype not in (np.float64, np.int64) or table.size < _KNOWN_LOGS:
        return plain_class_logs(table, unit, alpha, log_totals)
    from textnb._native import table_logs

    logs, others = log_of(np.arange(_KNOWN_LOGS) * unit + alpha), np.empty(int(table.size * _MAX_OTHERS), np.int64)
    by_term = np.empty(table.shape[::-1])
    n_others = table_logs(np.ascontiguousarray(table), logs, log_totals, by_term, others, *table.shape)
    if n_others < 0:
        return plain_class_logs(table, unit, alpha, log_totals)
    term, of_class = np.divmod(others[:n_others], len(table))
    by_term[term, of_class] = log_of(table[of_class, term] * unit + alpha) - log_totals[of_class]
    return by_term


def plain_class_logs(table: NDArray[Any], unit: float, alpha: float, log_totals: Floats) -> Floats:
    """``class_logs`` without the extension."""
    by_term = np.empty(table.shape[::-1])
    np.add(table.T if unit == 1 else table.T * unit, alpha, out=by_term)
    with np.errstate(divide="ignore"):  # the logarithm of 0
        np.log(by_term, out=by_term)
    by_term -= log_totals
    return by_term


def row_scores(X: CSR, weights: Floats, bias: Floats) -> Floats:
    """Scores of the rows, eq. (2), with weights (V, C) and bias (C,); an entry of 0 adds nothing to -inf.

    >>> from scipy import sparse
    >>> row_scores(sparse.csr_array([[1, 2]]), np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([0.5, 0.0]))
    array([[1.5, 6. ]])
    """
    if not _is_supported(X):
        return plain_row_scores(X, weights, bias)
    from textnb._native import row_scores as fill

    scores = np.empty((X.shape[0], len(bias)))
    _fill_rows(fill, X, weights, bias, scores)
    return scores


def plain_row_scores(X: CSR, weights: Floats, bias: Floats) -> Floats:
    """``row_scores`` without the extension."""
    if not X.data.all():
        X = with_entries(X, X.data != 0)  # 0 times -inf is NaN
    X, columns = narrowed(X)
    return np.asarray(X @ weights[columns] + bias)


def row_classes(X: CSR, weights: Floats, bias: Floats) -> Codes:
    """Class with the largest score of each row, eq. (3); that of the bias if all scores are -inf.

    >>> from scipy import sparse
    >>> row_classes(sparse.csr_array([[1, 2], [3, 0]]), np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([0.5, 0.0]))
    array([1, 0])
    """
    if not _is_supported(X):
        return plain_row_classes(X, weights, bias)
    from textnb._native import row_classes as fill

    classes = np.empty(X.shape[0], np.int64)
    _fill_rows(fill, X, weights, bias, classes)
    return classes


def plain_row_classes(X: CSR, weights: Floats, bias: Floats) -> Codes:
    """``row_classes`` without the extension."""
    return best_classes(plain_row_scores(X, weights, bias), bias)


def best_classes(scores: Floats, bias: Floats) -> Codes:
    """Class with the largest of scores (D, C), (D,); a document impossible under every class gets that of the bias.

    >>> best_classes(np.array([[0.0, 1.0], [-np.inf, -np.inf]]), np.array([0.0, 1.0]))
    array([1, 1])
    """
    best = scores.argmax(axis=1)
    impossible = np.isneginf(scores[np.arange(len(best)), best])
    return np.asarray(np.where(impossible, bias.argmax(), best))


def n_threads() -> int:
    """Number of threads of the loops: ``OMP_NUM_THREADS``, which worker processes have set, or the processors."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, int(given)) if given.isdecimal() else as_jobs(None)


def _fill_rows(fill: Callable[..., None], X: CSR, weights: Floats, bias: Floats, out: NDArray[Any]) -> None:
    weights, bias = np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(bias, np.float64)
    shape = (X.shape[1], len(bias))
    _on_threads(
        lambda first, last: fill(X.indptr, X.indices, X.data, weights, bias, out, first, last, *shape),
        X.indptr,
        MIN_ENTRIES_PER_THREAD,
    )


def _on_threads(run: Callable[[int, int], None], ends: NDArray[Any], least: int) -> None:
    """Run a loop over ranges of about equal numbers of entries, ``least`` or more; ends (n + 1,): those before each."""
    n, n_entries = len(ends) - 1, int(ends[-1])
    jobs = min(n_threads(), n_entries // least)
    if jobs <= 1:
        run(0, n)
        return
    cuts = np.searchsorted(ends, np.arange(1, jobs) * (n_entries / jobs))
    ranges = list(pairwise(map(int, [0, *cuts, n])))
    list(map_on_threads(lambda part: run(*part), ranges, jobs))


def _dtype(X: CSR, weight: Floats | None) -> type:
    return np.int64 if weight is None and X.dtype.kind in "biu" else np.float64


def _is_supported(X: CSR) -> bool:
    """True if the extension may run over X."""
    indices = X.indices.dtype
    return uses_extension() and X.dtype in _VALUES and indices in _INDICES and X.indptr.dtype == indices
