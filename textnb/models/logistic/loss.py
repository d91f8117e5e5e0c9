"""Losses that the solvers minimise: their shared part, and the loss of multinomial logistic regression.

A loss is a function of theta (V+1, M), the last row for the bias: a sum over rows of something convex in their scores
Z theta (D, M), and l2/2 |theta_w|^2. ``SoftmaxLoss`` and ``SquaredHingeLoss`` (``squared_hinge.py``) are such losses.

Rows x_i (V,) of class y_i and weight w_i, weights W (C, V), bias b (C,); t_ik is 1 where k = y_i, otherwise 0:

    p_ik = exp(W_k x_i + b_k) / sum_l exp(W_l x_i + b_l)                                     (D, C)     (1)
    L    = - sum_i w_i log p_i,y_i + l2/2 |W|^2                                                         (2)
    dL/dW_k = sum_i w_i (p_ik - t_ik) x_i + l2 W_k,    dL/db_k = sum_i w_i (p_ik - t_ik)                (3)
    (H U)_k = sum_i w_i p_ik (a_ik - sum_l p_il a_il) x_i + l2 U_k        a_i = U x_i + c               (4)
    (H c)_k = sum_i w_i p_ik (a_ik - sum_l p_il a_il)

Adding one vector to all W_k, or one number to all b_k, changes no probability. So the parameters are theta (V+1, M),
M = C - 1, on M orthonormal contrasts Q (C, M) of the classes (Q' 1 = 0), and of rows measured from their mean m
(``linear/centred.py``), the last row of theta for the bias:

    W' = theta_w Q',    b = Q (theta_b - theta_w' m),    |W|^2 = |theta_w|^2                            (5)

It is the same loss, without the directions in which nothing changes: two classes have one column.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from textnb.models.linear.centred import CentredRows
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, log_softmax


class Loss(ABC):
    """A convex function of theta (V+1, M), over rows Z and with a penalty of strength l2."""

    Z: CentredRows
    l2: float

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Shape of theta: (V+1, M)."""

    @property
    @abstractmethod
    def start(self) -> Floats:
        """Best theta of which all weights are 0."""

    @abstractmethod
    def at(self, theta: Floats) -> Any:
        """Loss at theta, a LossPoint."""

    @abstractmethod
    def scorer(self, theta: Floats) -> LinearScorer:
        """Scorer of the classes with the weights that theta has."""

    def with_l2(self, l2: float) -> Self:
        """Loss with another strength of the penalty."""
        return replace(self, l2=l2)  # type: ignore[type-var]  # losses are dataclasses


class LossPoint(ABC):
    """A loss at one theta (V+1, M), with ``scores`` = Z theta (D, M); what the rows say is computed once.

    A loss says three things of its rows: their slopes, how these change along a direction, and the mean of that.
    """

    value: float

    def __init__(self, loss: Any, theta: Floats, scores: Floats) -> None:
        self.loss, self.theta, self.scores = loss, theta, scores

    @abstractmethod
    def _slopes(self) -> Floats:
        """Derivatives of the loss by the scores, (D, M)."""

    @abstractmethod
    def _slope_changes(self, scores: Floats) -> Floats:
        """Changes of the slopes along a direction with scores Z direction (D, M), (D, M)."""

    @abstractmethod
    def _mean_curvature(self) -> Floats:
        """Mean over the rows of the second derivative by each score, (M,)."""

    @abstractmethod
    def _hessian_of_rows(self) -> Floats:
        """Hessian without the penalty, (V+1, M, V+1, M)."""

    @property
    def penalty(self) -> float:
        """l2/2 |theta_w|^2."""
        return float(self.loss.l2 / 2 * np.vdot(self.theta[:-1], self.theta[:-1]))

    @cached_property
    def gradient(self) -> Floats:
        """Gradient, (V+1, M)."""
        return self._penalised(self.loss.Z.transposed_times(self._slopes()), self.theta)

    @cached_property
    def gradient_norm(self) -> float:
        """Euclidean norm of the gradient."""
        return float(np.linalg.norm(self.gradient))

    def moved(self, direction: Floats, scores: Floats, step: float) -> Self:
        """Point at theta + step direction; ``scores`` = Z direction, (D, M)."""
        return type(self)(self.loss, self.theta + step * direction, self.scores + step * scores)

    def hessian_times(self, direction: Floats, scores: Floats | None = None) -> Floats:
        """H direction, (V+1, M); ``scores`` = Z direction, where they are known."""
        scores = self.loss.Z.times(direction) if scores is None else scores
        return self._penalised(self.loss.Z.transposed_times(self._slope_changes(scores)), direction)

    def curvature(self, direction: Floats, scores: Floats) -> float:
        """direction' H direction, from ``scores`` = Z direction."""
        own = direction[:-1]
        return float(np.vdot(scores, self._slope_changes(scores)) + self.loss.l2 * np.vdot(own, own))

    def hessian_diagonal(self) -> Floats:
        """Diagonal of H, (V+1, M), as if every row had the mean curvature."""
        diagonal = np.outer(self.loss.Z.squares(), self._mean_curvature())
        diagonal[:-1] += self.loss.l2
        return diagonal

    def hessian(self) -> Floats:
        """H itself, ((V+1) M, (V+1) M), in the order of theta.ravel()."""
        n_rows, n_columns = self.loss.shape
        H = self._hessian_of_rows().reshape(n_rows * n_columns, -1)
        penalised = np.arange((n_rows - 1) * n_columns)
        H[penalised, penalised] += self.loss.l2
        return H

    def _penalised(self, product: Floats, theta: Floats) -> Floats:
        if self.loss.l2:
            product[:-1] += self.loss.l2 * theta[:-1]
        return product


LossOf = Callable[[Any, Any, Floats, float], Loss]
"""Makes a loss of X (D, V), classes by number (D,), weights (D,) and l2."""


@dataclass(frozen=True, eq=False)
class SoftmaxLoss(Loss):
    """L of eq. (2) as a function of theta (V+1, M); every class has rows.

    >>> loss = SoftmaxLoss.of(np.array([[1.0], [3.0]]), np.array([0, 1]), np.ones(2), l2=1.0)
    >>> loss.at(np.zeros(loss.shape)).value / 2, float(np.log(2))
    (0.693147180559945..., 0.693147180559945...)
    """

    Z: CentredRows
    y: Codes
    contrasts: Floats
    l2: float

    @classmethod
    def of(cls, X: Any, y: Codes, weight: Floats, l2: float) -> "SoftmaxLoss":
        """X (D, V) sparse or dense, classes by number y (D,), 0 to C-1, weight (D,) positive."""
        return cls(CentredRows.of(X, weight), y, contrasts(int(y.max()) + 1), l2)

    @property
    def shape(self) -> tuple[int, int]:
        """Of theta: (V+1, M)."""
        return self.Z.shape[1], self.contrasts.shape[1]

    @property
    def start(self) -> Floats:
        """The theta that knows how frequent the classes are, and nothing else."""
        theta = np.zeros(self.shape)
        theta[-1] = np.log(np.bincount(self.y, self.Z.weight)) @ self.contrasts
        return theta

    def at(self, theta: Floats) -> "SoftmaxPoint":
        """The loss at theta."""
        return SoftmaxPoint(self, theta, self.Z.times(theta))

    def scorer(self, theta: Floats) -> LinearScorer:
        """Eq. (5)."""
        by_term = theta[:-1] @ self.contrasts.T
        return LinearScorer(by_term, (theta[-1] - self.Z.mean @ theta[:-1]) @ self.contrasts.T)

    @property
    def squares(self) -> Floats:
        """sum_i w_i z_ij^2, (V+1,)."""
        return self.Z.squares()


class SoftmaxPoint(LossPoint):
    """Softmax loss at one theta, with probabilities ``p`` (D, C) and ``log_p_true`` (D,) of the rows' classes."""

    loss: SoftmaxLoss

    def __init__(self, loss: SoftmaxLoss, theta: Floats, scores: Floats) -> None:
        super().__init__(loss, theta, scores)
        log_p = log_softmax(scores @ loss.contrasts.T)
        self.log_p_true = log_p[np.arange(len(log_p)), loss.y]
        self.p = np.exp(log_p)
        self.value = float(self.penalty - loss.Z.weight @ self.log_p_true)

    def _slopes(self) -> Floats:
        """w_i (p_ik - t_ik) of eq. (3) on the contrasts, (D, M)."""
        residuals = self.p.copy()
        residuals[np.arange(len(residuals)), self.loss.y] -= 1
        residuals *= self.loss.Z.weight[:, np.newaxis]
        return np.asarray(residuals @ self.loss.contrasts)

    def _slope_changes(self, scores: Floats) -> Floats:
        """w_i p_ik (a_ik - sum_l p_il a_il) of eq. (4) on the contrasts, (D, M), for a = scores Q'."""
        Q = self.loss.contrasts
        q = scores @ Q.T
        q -= np.einsum("ij,ij->i", self.p, q)[:, np.newaxis]
        q *= self.p
        q *= self.loss.Z.weight[:, np.newaxis]
        return np.asarray(q @ Q)

    def _mean_curvature(self) -> Floats:
        Q, weight = self.loss.contrasts, self.loss.Z.weight
        return np.asarray(weight @ (self.p @ Q**2 - (self.p @ Q) ** 2) / weight.sum())

    def _hessian_of_rows(self) -> Floats:
        (n_rows, n_contrasts), Q = self.loss.shape, self.loss.contrasts
        H: Floats = np.zeros((n_rows, n_contrasts, n_rows, n_contrasts))
        centred = self.p @ Q
        for rows, Z in self.loss.Z.blocks():
            p, mean, weight = self.p[rows], centred[rows], self.loss.Z.weight[rows]
            for a in range(n_contrasts):
                for b in range(a + 1):
                    spread = weight * (p @ (Q[:, a] * Q[:, b]) - mean[:, a] * mean[:, b])
                    H[:, a, :, b] += Z.T @ (spread[:, np.newaxis] * Z)
        for a in range(n_contrasts):
            for b in range(a):
                H[:, b, :, a] = H[:, a, :, b]
        return H


def contrasts(n_classes: int) -> Floats:
    """Orthonormal columns, each of sum 0: Helmert's, (C, C-1).

    >>> contrasts(2).round(4)
    array([[ 0.7071],
           [-0.7071]])
    """
    Q = np.zeros((n_classes, n_classes - 1))
    for k in range(1, n_classes):
        Q[:k, k - 1], Q[k, k - 1] = 1, -k
        Q[:, k - 1] /= np.sqrt(k * (k + 1))
    return Q
