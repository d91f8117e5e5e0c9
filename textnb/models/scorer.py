"""Scorers: what a fitted model is. Prediction, probabilities and explanation are written once, here.

A linear scorer of rows that are scaled term by term, and then to length 1.

    z_j     = [x_j > 0] s_j / sqrt(sum over x_l > 0 of s_l^2)                                           (1)
    score_k = bias_k + sum_j z_j weights_kj                                                             (2)

A row without terms of a scale above 0 has the score of the bias.

The geometry of linear models: how far a document lies from where two classes' scores are equal.

    y(x) = (w_k - w_l) x + (b_k - b_l)         is 0 on the boundary between classes k and l                    (1)
    r    = y(x) / |w_k - w_l|                  its distance from x, positive on the side of k                  (2)

x is the document as the linear model sees it: its weighted terms, scaled where the model scales them. What does not
lie on a straight line has no such distance.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

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


@dataclass(frozen=True, eq=False)
class ScaledScorer:
    """Eq. (2): ``scale`` (V,) and a linear scorer of z.

    >>> scorer = ScaledScorer(np.array([3.0, 4.0]), LinearScorer(np.array([[1.0, -1.0], [0.0, 0.0]]), np.zeros(2)))
    >>> scorer.joint_log_scores(sparse.csr_array([[7, 1], [2, 0], [0, 0]]))
    array([[ 0.6, -0.6],
           [ 1. , -1. ],
           [ 0. ,  0. ]])
    """

    scale: Floats
    linear: LinearScorer

    @property
    def bias(self) -> Floats:
        """(C,)."""
        return self.linear.bias

    @property
    def weights(self) -> Floats:
        """(C, V), of the scaled rows."""
        return self.linear.weights

    def scaled(self, X: CSR) -> CSR:
        """z of eq. (1), entry for entry of X (D, V)."""
        check_columns(X, len(self.scale))
        X = sparse.csr_array(X)
        if not X.has_canonical_format:  # a term that is stored twice is there once
            X = X.copy()
            X.sum_duplicates()
        data = np.where(X.data > 0, self.scale[X.indices], 0.0)
        of_entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        lengths = np.sqrt(np.bincount(of_entry, data * data, X.shape[0]))
        data /= np.where(lengths > 0, lengths, 1.0)[of_entry]
        return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)

    def joint_log_scores(self, X: CSR) -> Floats:
        """Eq. (2), (D, C)."""
        return self.linear.joint_log_scores(self.scaled(X))

    def log_posterior(self, X: CSR) -> Floats:
        """The scores normalised, (D, C): probabilities, where the linear scorer is that of a logistic model."""
        return log_posterior(self.joint_log_scores(X), self.bias)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """What each stored entry of one row adds to score(label) - score(against)."""
        return self.linear.differences(self.scaled(X), label, against)


def distance_to_boundary(scorer: Scorer, X: CSR, label: int, against: int, shift: float = 0.0) -> float | None:
    """r of eq. (2) for a matrix of one row; shift is added to y. None where there is no boundary, or no straight one.

    >>> from scipy import sparse
    >>> scorer = LinearScorer(np.array([[3.0, 0.0], [4.0, 0.0]]), np.array([-10.0, 0.0]))
    >>> distance_to_boundary(scorer, sparse.csr_array([[2.0, 3.5]]), 0, 1)
    2.0
    """
    if isinstance(scorer, ScaledScorer):
        X, scorer = scorer.scaled(X), scorer.linear
    if not isinstance(scorer, LinearScorer):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        normal = scorer.by_term[:, label] - scorer.by_term[:, against]
        distance = (scorer.differences(X, label, against).score + shift) / np.linalg.norm(normal)
    return float(distance) if np.isfinite(distance) else None
