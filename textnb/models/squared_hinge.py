"""The squared hinge loss, one class against the rest: that of a linear support vector machine.

Rows x_i (V,) of class y_i and weight w_i, weights W (C, V), bias b (C,); t_ik is 1 where k = y_i, otherwise -1:

    f_ik = W_k x_i + b_k,   h_ik = max(0, 1 - t_ik f_ik)                                     (D, C)     (1)
    L    = sum_i w_i sum_k h_ik^2 + l2/2 |W|^2                                                          (2)
    dL/dW_k = -2 sum_i w_i t_ik h_ik x_i + l2 W_k,     dL/db_k = -2 sum_i w_i t_ik h_ik                 (3)
    (H U)_k = 2 sum_i w_i [h_ik > 0] a_ik x_i + l2 U_k                        a_i = U x_i + c           (4)
    (H c)_k = 2 sum_i w_i [h_ik > 0] a_ik

L has one continuous derivative; H is its generalised second one, which jumps where a row crosses its margin. Newton's
method with a line search ends at the minimum all the same. liblinear minimises L / l2 with C = 1 / l2, but penalises b.

The parameters are theta (V+1, M), of rows measured from their mean m (``centred_rows.py``), the last row for the bias,
one column a class. Of two classes the second's scores are the first's negated, and theta has one column:

    W' = theta_w S,    b = (theta_b - m' theta_w) S            S (M, C): I, or (-1, 1) for two classes  (5)

There, L counts each row once and one vector is penalised. One class has no column.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textnb.models.centred_rows import CentredRows
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats


@dataclass(frozen=True, eq=False)
class SquaredHingeLoss:
    """L of eq. (2) as a function of theta (V+1, M); every class has rows.

    >>> loss = SquaredHingeLoss.of(np.array([[1.0], [3.0]]), np.array([0, 1]), np.ones(2), l2=1.0)
    >>> loss.at(np.array([[0.5], [0.0]])).value
    0.625
    """

    Z: CentredRows
    targets: Floats
    to_classes: Floats
    l2: float

    @classmethod
    def of(cls, X: Any, y: NDArray[np.intp], weight: Floats, l2: float) -> "SquaredHingeLoss":
        """X (D, V) sparse or dense, classes by number y (D,), 0 to C-1, weight (D,) positive."""
        to_classes = against_the_rest(int(y.max()) + 1)
        return cls(CentredRows.of(X, weight), np.where(to_classes.T > 0, 1.0, -1.0)[y], to_classes, l2)

    @property
    def shape(self) -> tuple[int, int]:
        """Of theta: (V+1, M)."""
        return self.Z.shape[1], self.targets.shape[1]

    @property
    def start(self) -> Floats:
        """Weights of 0; of them the best bias is the mean target."""
        theta = np.zeros(self.shape)
        theta[-1] = self.Z.weight @ self.targets / self.Z.weight.sum()
        return theta

    def at(self, theta: Floats) -> "HingePoint":
        """The loss at theta."""
        return HingePoint(self, theta, self.Z.times(theta))

    def with_l2(self, l2: float) -> "SquaredHingeLoss":
        """The same with another penalty."""
        return replace(self, l2=l2)

    def scorer(self, theta: Floats) -> LinearScorer:
        """Eq. (5)."""
        bias = theta[-1] - self.Z.mean @ theta[:-1]
        return LinearScorer(theta[:-1] @ self.to_classes, bias @ self.to_classes)


class HingePoint:
    """The loss at one theta; what is missing to the margins serves the value, the gradient and the Hessian."""

    def __init__(self, loss: SquaredHingeLoss, theta: Floats, scores: Floats) -> None:
        """``scores`` = Z theta, (D, M)."""
        self.loss, self.theta, self.scores = loss, theta, scores
        self.missing = np.maximum(0.0, 1 - loss.targets * scores)
        penalty = loss.l2 / 2 * np.vdot(theta[:-1], theta[:-1])
        self.value = float(penalty + loss.Z.weight @ np.einsum("ij,ij->i", self.missing, self.missing))

    @cached_property
    def gradient(self) -> Floats:
        """Eq. (3), (V+1, M)."""
        slopes = -2 * self.loss.Z.weight[:, np.newaxis] * self.loss.targets * self.missing
        return self._penalised(self.loss.Z.transposed_times(slopes), self.theta)

    @cached_property
    def gradient_norm(self) -> float:
        """The Euclidean norm of the gradient."""
        return float(np.linalg.norm(self.gradient))

    def moved(self, direction: Floats, scores: Floats, step: float) -> "HingePoint":
        """The point at theta + step direction; ``scores`` = Z direction, (D, M)."""
        return HingePoint(self.loss, self.theta + step * direction, self.scores + step * scores)

    def hessian_times(self, direction: Floats, scores: Floats | None = None) -> Floats:
        """Eq. (4), (V+1, M); ``scores`` = Z direction, where they are known."""
        scores = self.loss.Z.times(direction) if scores is None else scores
        return self._penalised(self.loss.Z.transposed_times(self._curvatures * scores), direction)

    def curvature(self, direction: Floats, scores: Floats) -> float:
        """direction' H direction, from ``scores`` = Z direction."""
        own = direction[:-1]
        return float(np.vdot(scores, self._curvatures * scores) + self.loss.l2 * np.vdot(own, own))

    def hessian_diagonal(self) -> Floats:
        """About the diagonal of H, (V+1, M): as if every row had the mean curvature."""
        diagonal = np.outer(self.loss.Z.squares(), self._curvatures.sum(axis=0) / self.loss.Z.weight.sum())
        diagonal[:-1] += self.loss.l2
        return diagonal

    def hessian(self) -> Floats:
        """H itself, ((V+1) M, (V+1) M), in the order of theta.ravel(); columns of theta do not meet in it."""
        n_rows, n_columns = self.loss.shape
        H: Floats = np.zeros((n_rows, n_columns, n_rows, n_columns))
        for rows, Z in self.loss.Z.blocks():
            for m in range(n_columns):
                H[:, m, :, m] += Z.T @ (self._curvatures[rows, m, np.newaxis] * Z)
        H = H.reshape(n_rows * n_columns, -1)
        penalised = np.arange((n_rows - 1) * n_columns)
        H[penalised, penalised] += self.loss.l2
        return H

    @cached_property
    def _curvatures(self) -> Floats:
        """2 w_i [h_ik > 0], (D, M)."""
        return 2 * self.loss.Z.weight[:, np.newaxis] * (self.missing > 0)

    def _penalised(self, product: Floats, theta: Floats) -> Floats:
        if self.loss.l2:
            product[:-1] += self.loss.l2 * theta[:-1]
        return product


def against_the_rest(n_classes: int) -> Floats:
    """S of eq. (5), (M, C).

    >>> against_the_rest(2)
    array([[-1.,  1.]])
    """
    if n_classes < 3:
        return np.array([[-1.0, 1.0]]) if n_classes == 2 else np.zeros((0, 1))
    return np.eye(n_classes)
