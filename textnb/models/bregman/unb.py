"""Empirical U-NB: naive Bayes with a U-product over the attributes (Fujimoto and Murata).

    p(k)      = N_k / N                              N_k documents of class k, of N; not smoothed                  (1)
    p(v|k)    = (N_kjv + alpha) / (N_k + alpha M_j)  N_kjv: of class k with value v in column j, M_j values        (2)
    p(x, k)   = p(k) (x)_j p(x_j|k)                  the U-product over all columns                                (3)
    p(x, k)   = p(k) (x)_{j in S} p(x_j|k) prod_{j not in S} p(x_j|k)      over some, the others multiplied        (4)

(Eq. 16 to 19 of the paper.) The margins are those of naive Bayes; only the product differs. ex1 with pi = 1 is naive
Bayes. (The universal-set naive Bayes, also abbreviated UNB, is a different model.)

M_j counts the values seen in training. A column with any other value is summed out of the joint distribution; in (4) a
column outside S then has the factor 1, which is equivalent. A class in which a column has no value (alpha = 0, no
documents) has probability 0 for every row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from textnb.counts.contingency import Contingency
from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.models import categorical
from textnb.models.bregman.families import Family
from textnb.models.bregman.independence import EXACT, UIndependent
from textnb.models.bregman.normaliser import APPROXIMATED, ENUMERATED
from textnb.models.prior import Prior
from textnb.models.scorer import Differences, LinearScorer, Scorer, check_columns, difference
from textnb.numerics import Codes, Floats


def fit(
    tables: Contingency,
    family: Family,
    alpha: float = 1.0,
    attributes: Sequence[int] | None = None,
    norm: str = "u",
    prior: Prior = "empirical",
) -> "UNBScorer":
    """Scorer of eq. (3), or with ``attributes`` (columns from 0) of eq. (4), over ``tables.indicators(X)``.

    >>> from textnb.models.bregman import family_of
    >>> tables = Contingency.of([["a", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1])
    >>> np.exp(fit(tables, family_of("ex1", 0.5)).joint_log_scores(tables.indicators([["a", "x"]]))).round(4)
    array([[0.2778, 0.0219]])
    """
    columns = as_attributes(attributes, tables.n_features)
    linear = categorical.fit(tables, alpha, prior)
    starts = np.array([0, *accumulate(map(len, tables.values))])
    parts = tuple(_product(linear.weights[k], starts, columns, family, norm) for k in range(len(tables.classes)))
    return UNBScorer(_without(linear, starts, columns), starts, columns, parts)


def as_attributes(attributes: Any, n_features: int) -> tuple[int, ...]:
    """Column numbers, checked and sorted; all columns for None."""
    if attributes is None:
        return tuple(range(n_features))
    numbers = np.asarray(attributes)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise InputError("attributes must be numbers of columns, not {attributes!r}", attributes=attributes)
    columns = sorted(set(numbers.tolist()))
    for j in columns:
        if not 0 <= j < n_features:
            raise InputError("attributes name column {j}; the columns are 0 to {last}", j=j, last=n_features - 1)
    if len(columns) != numbers.size:
        raise InputError("attributes name a column twice: {attributes!r}", attributes=attributes)
    return tuple(columns)


def _product(log_p: Floats, starts: Codes, columns: Sequence[int], family: Family, norm: str) -> UIndependent | None:
    """Distribution p(x_S|k) of one class; None if a column has no value."""
    surprisals = [-log_p[starts[j] : starts[j + 1]] for j in columns]
    if any(np.isposinf(a).all() for a in surprisals):
        return None
    return UIndependent.of(surprisals, family, norm)


def _without(linear: LinearScorer, starts: Codes, columns: Sequence[int]) -> LinearScorer:
    """Ordinary product over the other columns."""
    by_term = linear.by_term.copy()
    for j in columns:
        by_term[starts[j] : starts[j + 1]] = 0.0
    return LinearScorer(by_term, linear.bias)


@dataclass(frozen=True, eq=False)
class UNBScorer(Scorer):
    """Scorer with ``rest``, p(k) times the ordinary product, and ``products``, p(x_S|k) of each class over ``columns``.

    ``starts`` (F + 1,): where the values of each column begin among the indicators.
    """

    rest: LinearScorer
    starts: Codes
    columns: tuple[int, ...]
    products: tuple[UIndependent | None, ...]

    @property
    def bias(self) -> Floats:
        """Log prior, (C,)."""
        return self.rest.bias

    @property
    def normaliser(self) -> str:
        """How the constants c were computed: ``approximated`` (for any class), ``enumerated``, or ``exact`` (none)."""
        ways = {product.normaliser for product in self.products if product is not None}
        return next((way for way in (APPROXIMATED, ENUMERATED) if way in ways), EXACT)

    def joint_log_scores(self, X: CSR) -> Floats:
        """Joint log probabilities log p(x, k), (D, C)."""
        check_columns(X, len(self.rest.by_term))
        codes = codes_of(X, self.starts)[:, self.columns]
        scores = self.rest.joint_log_scores(X)
        for k, product in enumerate(self.products):
            scores[:, k] += -np.inf if product is None else product.log_p(codes)
        return scores

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """log p(x_S|k), divided among the values in proportion to xi; what cannot be divided is in the bias."""
        score = self.joint_log_scores(X)[0]
        values = self.rest.differences(X, label, against).values + difference(
            self._shares(X, label), self._shares(X, against)
        )
        with np.errstate(invalid="ignore"):
            return Differences(float(difference(score[label], score[against]) - values.sum()), values)

    def _shares(self, X: CSR, k: int) -> Floats:
        """Part of log p(x_S|k) that belongs to each entry of a matrix of one row."""
        product, shares = self.products[k], np.zeros(X.nnz)
        if product is None:
            return shares
        codes = codes_of(X, self.starts)
        columns = np.searchsorted(self.starts, X.indices, side="right") - 1
        for j, a in zip(self.columns, product.surprisals, strict=True):
            shares[columns == j] = product.family.xi(np.exp(-a))[codes[0, j]]
        total = shares.sum()
        with np.errstate(invalid="ignore"):
            return shares * (product.log_p(codes[:, self.columns])[0] / total) if total != 0 else shares


def codes_of(X: CSR, starts: Codes) -> Codes:
    """Value number of each row and column, (D, F), from indicators; -1 for an unknown value."""
    codes = np.full((X.shape[0], len(starts) - 1), -1, np.intp)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    columns = np.searchsorted(starts, X.indices, side="right") - 1
    codes[rows, columns] = X.indices - starts[columns]
    return codes
