"""Scorers: what a fitted model is. Prediction, probabilities and explanation are written once, here."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.numerics import Floats, log_softmax


class Differences(NamedTuple):
    """score(label) - score(against) of one document: ``bias``, what each stored entry adds, and the absent terms."""

    bias: float
    values: Floats
    absent: float = 0.0

    @property
    def score(self) -> float:
        """Their sum; NaN where infinite ones point both ways."""
        with np.errstate(invalid="ignore"):
            return self.bias + float(self.values.sum()) + self.absent


class Scorer(Protocol):
    """A fitted model over the columns it was fitted on; X is (D, V) CSR, classes are numbers."""

    @property
    def bias(self) -> Floats:
        """The score of a document of which nothing is known, (C,); for generative models the log prior."""

    def joint_log_scores(self, X: CSR) -> Floats:
        """One score for each document and class, (D, C); the larger the likelier."""

    def log_posterior(self, X: CSR) -> Floats:
        """Log probabilities of the classes, (D, C); the exponentials of a row sum to one."""

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """For a matrix of one row: what makes up score(label) - score(against)."""


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """score_k(x) = bias_k + sum_j x_j weights_kj, with ``by_term`` (V, C) the weights transposed.

    A weight may be -inf (a term that a class cannot produce). A document impossible under every class has no
    likelihood to speak with: its posterior is that of the bias alone, the prior.
    """

    by_term: Floats
    bias: Floats

    @property
    def weights(self) -> Floats:
        """(C, V)."""
        return self.by_term.T

    def joint_log_scores(self, X: CSR) -> Floats:
        """bias + X weights', (D, C)."""
        check_columns(X, len(self.by_term))
        if self._impossible:
            X = X.copy()
            X.eliminate_zeros()  # 0 times -inf is no number
        return np.asarray(X @ self.by_term + self.bias)

    @cached_property
    def _impossible(self) -> bool:
        return bool(np.isneginf(self.by_term).any())

    def log_posterior(self, X: CSR) -> Floats:
        """The scores normalised; impossible documents get the prior."""
        return log_posterior(self.joint_log_scores(X), self.bias)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """bias_label - bias_against and x_j (weights_label,j - weights_against,j); two -inf do not differ."""
        steps = difference(self.by_term[X.indices, label], self.by_term[X.indices, against])
        with np.errstate(invalid="ignore"):
            values = np.where(X.data == 0, 0.0, X.data * steps)
        return Differences(float(difference(self.bias[label], self.bias[against])), values)


def check_columns(X: CSR, n_terms: int) -> None:
    """Refuse a matrix of another width than the model's."""
    if X.shape[1] != n_terms:
        raise InputError(f"X has {X.shape[1]} columns, the model was fitted on {n_terms}")


def log_posterior(scores: Floats, bias: Floats) -> Floats:
    """Scores (D, C) normalised; a document impossible under every class gets the posterior of the bias alone."""
    impossible = np.isneginf(scores.max(axis=1))
    return log_softmax(np.where(impossible[:, np.newaxis], bias, scores))


def difference(a: Any, b: Any) -> Floats:
    """a - b, where two -inf do not differ."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(a) & np.isneginf(b), 0.0, np.subtract(a, b))


def most_probable(log_posterior: Floats) -> NDArray[np.intp]:
    """The number of the likeliest class of each row; the first of equals."""
    return np.asarray(log_posterior.argmax(axis=1))
