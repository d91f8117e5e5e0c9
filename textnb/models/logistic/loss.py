"""What the solvers ask of a loss: values, gradients and products with the Hessian, from rows Z (D, V+1).

A loss is a function of theta (V+1, M), the last row for the bias: a sum over rows of something convex in their scores
Z theta (D, M), and l2/2 |theta_w|^2. ``softmax_loss.py`` and ``squared_hinge.py`` are such losses.

The loss of multinomial logistic regression, with its gradient and its Hessian.

Rows x_i (V,) of class y_i and weight w_i, weights W (C, V), bias b (C,); t_ik is 1 where k = y_i, otherwise 0:

    p_ik = exp(W_k x_i + b_k) / sum_l exp(W_l x_i + b_l)                                     (D, C)     (1)
    L    = - sum_i w_i log p_i,y_i + l2/2 |W|^2                                                         (2)
    dL/dW_k = sum_i w_i (p_ik - t_ik) x_i + l2 W_k,    dL/db_k = sum_i w_i (p_ik - t_ik)                (3)
    (H U)_k = sum_i w_i p_ik (a_ik - sum_l p_il a_il) x_i + l2 U_k        a_i = U x_i + c               (4)
    (H c)_k = sum_i w_i p_ik (a_ik - sum_l p_il a_il)

Adding one vector to all W_k, or one number to all b_k, changes no probability, and costs a penalty. So the parameters
are theta (V+1, M), M = C - 1, on M orthonormal contrasts Q (C, M) of the classes (Q' 1 = 0), and of rows measured from
their mean m (``centred_rows.py``), the last row of theta for the bias:

    W' = theta_w Q',    b = Q (theta_b - theta_w' m),    |W|^2 = |theta_w|^2                            (5)

It is the same loss, without the directions in which nothing changes: two classes have one column.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from textnb.models.linear.centred import CentredRows
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, log_softmax


class Loss(Protocol):
    """A convex function of theta (V+1, M)."""

    @property
    def Z(self) -> CentredRows:  # noqa: N802  # the letter of the formulas
        """The rows, with their weights."""

    @property
    def l2(self) -> float:
        """The strength of the penalty."""

    @property
    def shape(self) -> tuple[int, int]:
        """Of theta: (V+1, M)."""

    @property
    def start(self) -> Floats:
        """The best theta of which all weights are 0."""

    def at(self, theta: Floats) -> Any:
        """The loss at theta, a Point."""

    def with_l2(self, l2: float) -> Self:
        """The same loss with another penalty."""

    def scorer(self, theta: Floats) -> LinearScorer:
        """The scores of the classes that theta stands for."""


class LossPoint(Protocol):
    """A loss at one theta."""

    @property
    def loss(self) -> Loss:
        """Whose value it is."""

    @property
    def theta(self) -> Floats:
        """(V+1, M)."""

    @property
    def scores(self) -> Floats:
        """Z theta, (D, M)."""

    @property
    def value(self) -> float:
        """The loss."""

    @property
    def gradient(self) -> Floats:
        """(V+1, M)."""

    @property
    def gradient_norm(self) -> float:
        """Its Euclidean norm."""

    def moved(self, direction: Floats, scores: Floats, step: float) -> Self:
        """The point at theta + step direction; ``scores`` = Z direction."""

    def hessian_times(self, direction: Floats, scores: Floats | None = None) -> Floats:
        """H direction, (V+1, M)."""

    def curvature(self, direction: Floats, scores: Floats) -> float:
        """direction' H direction."""

    def hessian_diagonal(self) -> Floats:
        """About the diagonal of H, (V+1, M)."""

    def hessian(self) -> Floats:
        """H itself, ((V+1) M, (V+1) M)."""


LossOf = Callable[[Any, Any, Floats, float], Loss]
"""Makes a loss of X (D, V), classes by number (D,), weights (D,) and l2."""


@dataclass(frozen=True, eq=False)
class SoftmaxLoss:
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

    def with_l2(self, l2: float) -> "SoftmaxLoss":
        """The same with another penalty."""
        return replace(self, l2=l2)

    def scorer(self, theta: Floats) -> LinearScorer:
        """Eq. (5)."""
        by_term = theta[:-1] @ self.contrasts.T
        return LinearScorer(by_term, (theta[-1] - self.Z.mean @ theta[:-1]) @ self.contrasts.T)

    @property
    def squares(self) -> Floats:
        """sum_i w_i z_ij^2, (V+1,)."""
        return self.Z.squares()


class SoftmaxPoint:
    """The loss at one theta; probabilities are computed once, and serve the value, the gradient and the Hessian."""

    def __init__(self, loss: SoftmaxLoss, theta: Floats, scores: Floats) -> None:
        """``scores`` = Z theta, (D, M)."""
        self.loss, self.theta, self.scores = loss, theta, scores
        log_p = log_softmax(scores @ loss.contrasts.T)
        self.log_p_true = log_p[np.arange(len(log_p)), loss.y]
        self.p = np.exp(log_p)
        penalty = loss.l2 / 2 * np.vdot(theta[:-1], theta[:-1])
        self.value = float(penalty - loss.Z.weight @ self.log_p_true)

    @cached_property
    def gradient(self) -> Floats:
        """Eq. (3), (V+1, M)."""
        residuals = self.p.copy()
        residuals[np.arange(len(residuals)), self.loss.y] -= 1
        residuals *= self.loss.Z.weight[:, np.newaxis]
        return self._penalised(self.loss.Z.transposed_times(residuals @ self.loss.contrasts), self.theta)

    @cached_property
    def gradient_norm(self) -> float:
        """The Euclidean norm of the gradient."""
        return float(np.linalg.norm(self.gradient))

    def moved(self, direction: Floats, scores: Floats, step: float) -> "SoftmaxPoint":
        """The point at theta + step direction; ``scores`` = Z direction, (D, M)."""
        return SoftmaxPoint(self.loss, self.theta + step * direction, self.scores + step * scores)

    def hessian_times(self, direction: Floats, scores: Floats | None = None) -> Floats:
        """Eq. (4), (V+1, M); ``scores`` = Z direction, where they are known."""
        scores = self.loss.Z.times(direction) if scores is None else scores
        return self._penalised(self.loss.Z.transposed_times(self._spread(scores)), direction)

    def curvature(self, direction: Floats, scores: Floats) -> float:
        """direction' H direction, from ``scores`` = Z direction."""
        own = direction[:-1]
        return float(np.vdot(scores, self._spread(scores)) + self.loss.l2 * np.vdot(own, own))

    def hessian_diagonal(self) -> Floats:
        """About the diagonal of H, (V+1, M): as if the rows were alike in their probabilities."""
        Q, weight = self.loss.contrasts, self.loss.Z.weight
        spread = weight @ (self.p @ Q**2 - (self.p @ Q) ** 2) / weight.sum()  # (M,)
        diagonal = np.outer(self.loss.squares, spread)
        diagonal[:-1] += self.loss.l2
        return diagonal

    def hessian(self) -> Floats:
        """H itself, ((V+1) M, (V+1) M), in the order of theta.ravel()."""
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
        H = H.reshape(n_rows * n_contrasts, -1)
        penalised = np.arange((n_rows - 1) * n_contrasts)
        H[penalised, penalised] += self.loss.l2
        return H

    def _spread(self, scores: Floats) -> Floats:
        """w_i p_ik (a_ik - sum_l p_il a_il) on the contrasts, (D, M), for a = scores Q'."""
        Q = self.loss.contrasts
        q = scores @ Q.T
        q -= np.einsum("ij,ij->i", self.p, q)[:, np.newaxis]
        q *= self.p
        q *= self.loss.Z.weight[:, np.newaxis]
        return q @ Q

    def _penalised(self, product: Floats, theta: Floats) -> Floats:
        if self.loss.l2:
            product[:-1] += self.loss.l2 * theta[:-1]
        return product


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
