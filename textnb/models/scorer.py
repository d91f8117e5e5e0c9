"""Scorers: what a fitted model is. Prediction, probabilities and explanation are written once, here."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.errors import InputError
from textnb.numerics import Floats, log_softmax


class Scorer(Protocol):
    """A fitted model over the columns it was fitted on; X is (D, V) CSR, classes are numbers."""

    def joint_log_scores(self, X: CSR) -> Floats:
        """One score for each document and class, (D, C); the larger the likelier."""

    def log_posterior(self, X: CSR) -> Floats:
        """Log probabilities of the classes, (D, C); the exponentials of a row sum to one."""

    def differences(self, X: CSR, label: int, against: int) -> tuple[float, Floats]:
        """For a matrix of one row: the bias and what each stored entry adds to score(label) - score(against)."""


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
        if X.shape[1] != len(self.by_term):
            raise InputError(f"X has {X.shape[1]} columns, the model was fitted on {len(self.by_term)}")
        if self._impossible:
            X = X.copy()
            X.eliminate_zeros()  # 0 times -inf is no number
        return np.asarray(X @ self.by_term + self.bias)

    @cached_property
    def _impossible(self) -> bool:
        return bool(np.isneginf(self.by_term).any())

    def log_posterior(self, X: CSR) -> Floats:
        """The scores normalised; impossible documents get the prior."""
        scores = self.joint_log_scores(X)
        scores[np.isneginf(scores.max(axis=1))] = self.bias
        return log_softmax(scores)

    def differences(self, X: CSR, label: int, against: int) -> tuple[float, Floats]:
        """bias_label - bias_against and x_j (weights_label,j - weights_against,j); two -inf do not differ."""
        steps = _difference(self.by_term[X.indices, label], self.by_term[X.indices, against])
        with np.errstate(invalid="ignore"):
            values = np.where(X.data == 0, 0.0, X.data * steps)
        return float(_difference(self.bias[label], self.bias[against])), values


def _difference(a: Floats, b: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(a) & np.isneginf(b), 0.0, np.subtract(a, b))


def most_probable(log_posterior: Floats) -> NDArray[np.intp]:
    """The number of the likeliest class of each row; the first of equals."""
    return np.asarray(log_posterior.argmax(axis=1))
