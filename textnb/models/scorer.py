"""Scorers: immutable fitted models with one score for each document and class.

Prediction, probabilities, decisions, explanation and saving use only the members of ``Scorer``.

A linear scorer, and one of rows that are scaled term by term and then to length 1:

    score_k = bias_k + sum_j x_j weights_kj                                                             (1)
    z_j     = [x_j > 0] s_j / sqrt(sum over x_l > 0 of s_l^2),   score_k = bias_k + sum_j z_j weights_kj (2)

A row without terms of a scale above 0 has the score of the bias. Both have linear boundaries between classes k and l:

    y(x) = (w_k - w_l) x + (b_k - b_l)         is 0 on the boundary                                     (3)
    r    = y(x) / |w_k - w_l|                  distance of x from it, positive on the side of k         (4)

with x the input of the linear model: the weighted terms of a document, or z.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from textnb.counts.matrix import CSR
from textnb.counts.row_loops import best_classes, row_classes, row_scores
from textnb.counts.rows import Rows, narrowed, row_numbers, with_data
from textnb.errors import InputError
from textnb.extension import cached_property, sparse
from textnb.numerics import MAX_NUMBER, Codes, Floats, log_softmax


class Differences(NamedTuple):
    """Parts of score(label) - score(against) of one document: bias, stored entries (``values``) and absent terms."""

    bias: float
    values: Floats
    absent: float = 0.0

    @property
    def score(self) -> float:
        """Sum of the parts; NaN if it is inf - inf."""
        with np.errstate(invalid="ignore"):
            return self.bias + float(self.values.sum()) + self.absent


class Scorer(ABC):
    """A fitted model over the columns it was fitted on; X is (D, V) CSR, classes are numbers.

    ``bias`` (C,): the scores of a document without known terms; for generative models the log prior.
    """

    if TYPE_CHECKING:  # a property here would be the default of the field that dataclasses have

        @property
        def bias(self) -> Floats:
            """Score of a document without known terms, (C,)."""

    presence: ClassVar[bool] = False
    """True if the scorer reads only whether a term is present, not its count."""

    takes_rows: ClassVar[bool] = False
    """True if it scores ``Rows`` as well, and so answers without scipy."""

    kind: ClassVar[str] = ""
    """Name in the header of a model file (``registry.SCORERS``)."""

    axes: ClassVar[Mapping[str, str]] = {}
    """Axes of the arrays of ``arrays()`` that are checked: C classes, V terms, v terms or none, n anything."""

    @abstractmethod
    def joint_log_scores(self, X: CSR) -> Floats:
        """Score of each document and class, (D, C); larger is more probable."""

    @abstractmethod
    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Parts of score(label) - score(against), for a matrix of one row."""

    def log_posterior(self, X: CSR) -> Floats:
        """Log probabilities of the classes, (D, C); a document impossible under every class gets those of the bias."""
        return log_posterior(self.joint_log_scores(X), self.bias)

    def most_probable(self, X: CSR) -> Codes:
        """Class with the largest score of each document, (D,), the first of equals; by the bias if all are -inf."""
        return best_classes(self.joint_log_scores(X), self.bias)

    def distance(self, X: CSR, label: int, against: int, shift: float = 0.0) -> float | None:  # noqa: ARG002
        """Signed distance of one row from the boundary between two classes, eq. (4); None if it is not linear."""
        return None

    def arrays(self) -> dict[str, Any]:
        """Arrays that ``of`` rebuilds the scorer from, with all that is slow to compute from the others."""
        raise NotImplementedError

    def settings(self) -> dict[str, Any]:
        """Plain JSON values that ``of`` needs besides the arrays."""
        return {}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Scorer with these arrays and settings."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LinearScorer(Scorer):
    """Linear scorer of eq. (1); ``by_term`` (V, C) is the transpose of the weights.

    A weight may be -inf (a term that a class cannot produce). The posterior of a document that is impossible under
    every class is that of the bias alone, the prior.
    """

    by_term: Floats
    bias: Floats

    takes_rows = True
    kind = "linear"
    axes = MappingProxyType({"by_term": "VC", "bias": "C"})

    @property
    def weights(self) -> Floats:
        """Weights of the terms, (C, V)."""
        return self.by_term.T

    def joint_log_scores(self, X: CSR) -> Floats:
        """bias + X weights', (D, C)."""
        check_columns(X, len(self.by_term))
        if _is_by_rows(X) and isinstance(self.by_term, np.ndarray):
            X, weights = self._read(X)
            return row_scores(X, weights, self.bias)
        X, columns = narrowed(X)  # a table that follows corrections is computed row by row
        return np.asarray(X @ self.by_term[columns] + self.bias)

    def most_probable(self, X: CSR) -> Codes:
        """Class with the largest score of each document, (D,), found without storing the scores."""
        check_columns(X, len(self.by_term))
        if _is_by_rows(X) and isinstance(self.by_term, np.ndarray):
            X, weights = self._read(X)
            return row_classes(X, weights, self.bias)
        return super().most_probable(X)

    @property
    def in_single_precision(self) -> "LinearScorer":
        """Scorer with weights rounded to single precision; scores are still summed in double precision."""
        return LinearScorer(self.by_term.astype(np.float32, copy=False), self.bias)

    def _read(self, X: CSR) -> tuple[CSR, Floats]:
        """X and the weights as the loops read them; of weights in single precision no more than X needs."""
        if self.by_term.dtype == np.float64:
            return X, self._rows
        X, columns = narrowed(X)
        return X, np.ascontiguousarray(self.by_term[columns], np.float64)

    @cached_property
    def _rows(self) -> Floats:
        """Weights (V, C) in the order of memory that the loops read."""
        return np.ascontiguousarray(self.by_term, np.float64)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """bias_label - bias_against and x_j (weights_label,j - weights_against,j); two -inf do not differ."""
        own, other = (np.asarray(self.by_term[X.indices, k], np.float64) for k in (label, against))
        steps = difference(own, other)
        with np.errstate(invalid="ignore"):
            values = np.where(X.data == 0, 0.0, X.data * steps)
        return Differences(float(difference(self.bias[label], self.bias[against])), values)

    def distance(self, X: CSR, label: int, against: int, shift: float = 0.0) -> float | None:
        """Distance of eq. (4) for a matrix of one row; shift is added to y. None if there is no boundary.

        >>> scorer = LinearScorer(np.array([[3.0, 0.0], [4.0, 0.0]]), np.array([-10.0, 0.0]))
        >>> scorer.distance(sparse.csr_array([[2.0, 3.5]]), 0, 1)
        2.0
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            normal = np.subtract(self.by_term[:, label], self.by_term[:, against], dtype=np.float64)
            distance = (self.differences(X, label, against).score + shift) / np.linalg.norm(normal)
        return float(distance) if np.isfinite(distance) else None

    def arrays(self) -> dict[str, Floats]:
        """Weights and bias."""
        return {"by_term": self.by_term, "bias": self.bias}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays."""
        return cls(arrays["by_term"], arrays["bias"])


def _is_by_rows(X: Any) -> bool:
    """Return True for Rows and for scipy's CSR."""
    return isinstance(X, Rows) or bool(sparse.issparse(X) and X.format == "csr")


def check_columns(X: CSR, n_terms: int) -> None:
    """Refuse a matrix with another number of columns than the model."""
    if X.shape[1] != n_terms:
        raise InputError("X has {found} columns, the model was fitted on {n}", found=X.shape[1], n=n_terms)


def check_weights(scorer: Scorer) -> None:
    """Refuse a scorer with weights that are NaN, infinite or beyond 1e100; -inf is the logarithm of 0."""
    for name, value in vars(scorer).items():
        if isinstance(value, Scorer):
            check_weights(value)
        elif (
            isinstance(value, np.ndarray) and not ((np.abs(value) <= np.float64(MAX_NUMBER)) | np.isneginf(value)).all()
        ):
            template = "the weights of the model ({name}) exceed the range of floats; use less extreme parameters"
            raise InputError(template, name=name)


def log_posterior(scores: Floats, bias: Floats) -> Floats:
    """Log posterior of scores (D, C); a document impossible under every class gets the posterior of the bias alone."""
    impossible = np.isneginf(scores.max(axis=1))
    return log_softmax(np.where(impossible[:, np.newaxis], bias, scores))


def difference(a: Any, b: Any) -> Floats:
    """Difference a - b, which is 0 for two -inf."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(a) & np.isneginf(b), 0.0, np.subtract(a, b))


@dataclass(frozen=True, eq=False)
class ScaledScorer(Scorer):
    """Scorer of eq. (2), with ``scale`` (V,) and a linear scorer of z.

    >>> scorer = ScaledScorer(np.array([3.0, 4.0]), LinearScorer(np.array([[1.0, -1.0], [0.0, 0.0]]), np.zeros(2)))
    >>> scorer.joint_log_scores(sparse.csr_array([[7, 1], [2, 0], [0, 0]]))
    array([[ 0.6, -0.6],
           [ 1. , -1. ],
           [ 0. ,  0. ]])
    """

    scale: Floats
    linear: LinearScorer

    presence = True
    takes_rows = True
    kind = "scaled"
    axes = MappingProxyType({"scale": "V", **LinearScorer.axes})

    @property
    def bias(self) -> Floats:
        """Bias of the linear scorer, (C,)."""
        return self.linear.bias

    @property
    def weights(self) -> Floats:
        """Weights of the scaled terms, (C, V)."""
        return self.linear.weights

    @property
    def in_single_precision(self) -> "ScaledScorer":
        """Scorer with weights rounded to single precision; the scale stays as it is."""
        return ScaledScorer(self.scale, self.linear.in_single_precision)

    def scaled(self, X: CSR) -> CSR:
        """z of eq. (2), with the stored entries of X (D, V)."""
        check_columns(X, len(self.scale))
        if not isinstance(X, Rows):
            X = sparse.csr_array(X)
        if not X.has_canonical_format:  # a term that is stored twice counts once
            X = X.copy()
            X.sum_duplicates()
        data = np.where(X.data > 0, self.scale[X.indices], 0.0)
        of_entry = row_numbers(X)
        lengths = np.sqrt(np.bincount(of_entry, data * data, X.shape[0]))
        data /= np.where(lengths > 0, lengths, 1.0)[of_entry]
        return with_data(X, data)

    def joint_log_scores(self, X: CSR) -> Floats:
        """Eq. (2), (D, C)."""
        return self.linear.joint_log_scores(self.scaled(X))

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """What each stored entry of one row adds to score(label) - score(against)."""
        return self.linear.differences(self.scaled(X), label, against)

    def distance(self, X: CSR, label: int, against: int, shift: float = 0.0) -> float | None:
        """Distance of the scaled row from the boundary."""
        return self.linear.distance(self.scaled(X), label, against, shift)

    def on(self, before: Codes) -> "ScaledScorer":
        """Scorer on other columns; before: the column that each term had, -1 for a term without weight."""
        by_term = np.vstack([self.linear.by_term, np.zeros(len(self.bias))])[before]  # -1 is the row of zeros
        return ScaledScorer(np.append(self.scale, 0.0)[before], LinearScorer(by_term, self.bias))

    def arrays(self) -> dict[str, Floats]:
        """Scale, weights and bias."""
        return {"scale": self.scale, **self.linear.arrays()}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Scorer with these arrays."""
        return cls(arrays["scale"], LinearScorer.of(arrays, settings))
