"""Categorical naive Bayes as an estimator."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.counts.contingency import Contingency, as_categories, kind_of
from textnb.counts.matrix import CSR
from textnb.errors import FitWarning, InputError, ParameterError
from textnb.estimators.learner import CategoryRows
from textnb.estimators.scikit_learn import caller_level
from textnb.estimators.smoothed import SmoothedNB
from textnb.models import categorical
from textnb.models.prior import Prior
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats, check_choice

CATEGORIES = ("numbered", "seen")
_MAX_CATEGORIES = 2**24  # of one column
_FRACTION = "column {j} holds {value}, a fraction, which counts as {whole}; use categories='seen' to keep fractions"
_TOO_LARGE = "column {j} holds the category number {value}, which is too large; use categories='seen'"


class CategoricalNB(CategoryRows, SmoothedNB):
    """Categorical naive Bayes over tables of strings or numbers, X (D, F).

        p(v|k) = (N_kjv + alpha) / (N_k + alpha M_j)    N_kjv: documents of class k with value v in column j,
                                                        N_k: documents of class k, M_j: values of column j
        p(k|x) ~ p(k) prod_j p(x_j|k)

    A value outside the M_j values of its column is ignored: its factor is 1 for every class. Missing values (None, NaN)
    are refused, with their row and column.

    Parameters
    ----------
    alpha : float
        Smoothing, not negative; 0 is maximum likelihood.
    force_alpha, fit_prior, class_prior, prior
        As in ``MultinomialNB``.
    min_categories : int or array-like (F,), optional
        M_j is at least this, for columns of numbers.
    categories : {"numbered", "seen"}
        ``numbered`` gives a column of numbers the values 0, 1, 2, ... to the largest one seen, as scikit-learn does;
        negative numbers are refused, and fractions lose their part after the point, with a warning. ``seen`` gives it
        the numbers that were seen, whatever they are. A column of strings has the strings that were seen.

    Attributes
    ----------
    class_count_, class_log_prior_ : array (C,)
        As in ``MultinomialNB``.
    category_count_, feature_log_prob_ : list of F arrays (C, M_j)
        N_kjv, and log p(v|k).
    n_categories_ : array (F,)
        M_j.
    statistics_ : Contingency
        What has been learnt.
    tables_ : Contingency
        N_kjv; the values of each column are ``tables_.values``.
    scorer_ : LinearScorer
        The fitted model.

    Notes
    -----
    The parameters that scikit-learn has too mean the same and have the same defaults, and the same call gives the same
    numbers. Differences: strings; a value that is too large is no error in prediction; ``n_categories_`` counts all
    parts after ``partial_fit``, where scikit-learn counts the last.

    Examples
    --------
    >>> X = [["sunny", "hot"], ["rain", "cool"], ["sunny", "cool"], ["rain", "hot"]]
    >>> model = CategoricalNB().fit(X, ["out", "in", "out", "in"])
    >>> model.predict_proba([["sunny", "hot"], ["snow", "hot"]]).round(3)
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    >>> CategoricalNB().fit([[1, 4], [2, 5]], [0, 1]).n_categories_
    array([3, 6])
    """

    alpha: float
    tables_: Contingency
    scorer_: LinearScorer

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        min_categories: ArrayLike | None = None,
        categories: str = "numbered",
        prior: Prior | None = None,
    ) -> None:
        self.alpha, self.force_alpha, self.fit_prior, self.class_prior = alpha, force_alpha, fit_prior, class_prior
        self.min_categories, self.categories, self.prior = min_categories, categories, prior

    @property
    def category_count_(self) -> list[Floats]:
        """Weight of the documents of each class with each value, (C, M_j) for each column."""
        self._check_fitted()
        return [np.asarray(table, np.float64) for table in self.tables_.tables]

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """log p(v|k), (C, M_j) for each column."""
        self._check_fitted()
        return np.split(self.scorer_.weights, np.cumsum(self.n_categories_)[:-1], axis=1)

    @property
    def n_categories_(self) -> NDArray[np.int64]:
        """Number of values of each column, (F,)."""
        self._check_fitted()
        return np.array([len(values) for values in self.tables_.values], np.int64)

    def _as_rows(self, matrix: Any) -> NDArray[Any]:
        check_choice(self.categories, "categories", CATEGORIES)
        table = as_categories(matrix)
        if self.categories == "numbered":
            table = with_numbers(table, type(self).__name__)
        return table

    def _fitted(self, statistics: Contingency) -> dict[str, Any]:
        tables = self._tables(statistics)
        alpha: Any = self._as_forced()
        scorer = replace(categorical.fit(tables, alpha, "uniform"), bias=self._log_prior(statistics))
        return {"tables_": tables, "scorer_": scorer}

    def _tables(self, statistics: Contingency) -> Contingency:
        if self.categories == "numbered":
            return numbered(statistics, self.min_categories)
        if self.min_categories is not None:
            raise ParameterError("min_categories contradicts categories='seen'; use categories='numbered'")
        return statistics

    def _as_scored(self, rows: NDArray[Any]) -> CSR:
        return self.tables_.indicators(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.categories == "numbered"
        return tags


def with_numbers(table: NDArray[Any], estimator: str) -> NDArray[Any]:
    """Table of categories whose columns of numbers hold category numbers, 0, 1, 2, ...

    >>> with_numbers(np.array([[1.0, 0.0]]), "CategoricalNB")
    array([[1, 0]])
    """
    columns = [_category_numbers(j, table[:, j], estimator) for j in range(table.shape[1])]
    _warn_of_fraction(table, columns)
    if table.dtype.kind != "O":
        return np.column_stack(columns)
    whole = table.copy()
    for j, column in enumerate(columns):
        whole[:, j] = column
    return whole


def _category_numbers(j: int, column: NDArray[Any], estimator: str) -> NDArray[Any]:
    """One column as category numbers; strings as they are."""
    if not len(column) or (column.dtype.kind == "O" and kind_of(column[0]) == "string"):
        return column
    values = column.astype(np.float64)
    for value in values[values < 0][:1]:
        template = "Negative values in data passed to {name} (input X): column {j} holds {value:g}"
        raise InputError(template, name=estimator, j=j, value=value)
    if values.max() >= _MAX_CATEGORIES:
        raise InputError(_TOO_LARGE, j=j, value=f"{values.max():g}")
    return values.astype(np.int64)


def _warn_of_fraction(table: NDArray[Any], columns: list[NDArray[Any]]) -> None:
    """Warn of the first cell that is not its category number."""
    for j, column in enumerate(columns):
        for i in np.flatnonzero(table[:, j] != column)[:1]:
            message = _FRACTION.format(j=j, value=f"{table[i, j]:g}", whole=column[i])
            warnings.warn(message, FitWarning, stacklevel=caller_level())
            return


def numbered(statistics: Contingency, min_categories: ArrayLike | None = None) -> Contingency:
    """Tables on the values 0, 1, 2, ... to the largest one, at least ``min_categories``, in columns of numbers."""
    least = _min_categories(min_categories, statistics.n_features)
    values, tables = [], []
    for j, (own, table) in enumerate(zip(statistics.values, statistics.tables, strict=True)):
        if own and kind_of(own[0]) == "string":
            if min_categories is not None:
                raise InputError("min_categories is for columns of numbers, but column {j} holds strings", j=j)
            values.append(own)
            tables.append(table)
            continue
        n = max([least[j], *(int(value) + 1 for value in own[-1:])])
        wider = np.zeros((len(table), n), table.dtype)
        wider[:, np.array(own, np.intp)] = table
        values.append(tuple(range(n)))
        tables.append(wider)
    return Contingency(statistics.classes, statistics.documents, tuple(values), tuple(tables))


def _min_categories(given: ArrayLike | None, n_features: int) -> list[int]:
    """Smallest number of values of each column."""
    if given is None:
        return [0] * n_features
    least = np.asarray(given)
    if least.dtype.kind not in "iu":
        template = "'min_categories' should have integral type. Got {dtype} instead."
        raise ParameterError(template, dtype=least.dtype)
    if least.shape not in ((), (n_features,)):
        template = "'min_categories' should have shape ({n},) when an array-like is provided. Got {shape} instead."
        raise InputError(template, n=n_features, shape=least.shape)
    if not (least >= 1).all() or (least > _MAX_CATEGORIES).any():
        template = "min_categories must be from 1 to {most}, not {given}"
        raise ParameterError(template, most=_MAX_CATEGORIES, given=least.tolist())
    return [int(number) for number in np.broadcast_to(least, n_features)]
