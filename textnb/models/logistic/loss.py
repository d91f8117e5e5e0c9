"""Loss functions: what all losses share, and the softmax loss of multinomial logistic regression.

A loss is a function of theta (V+1, M), the last row for the bias: a sum over rows of something convex in their scores
[Z, 1] theta (D, M), plus l2/2 |theta_w|^2. The other loss is ``SquaredHingeLoss`` (``squared_hinge.py``).

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

This removes the directions in which the loss is constant: two classes have one column.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.models.linear.centred import Centred
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, log_softmax


@dataclass(frozen=True, eq=False)
class Loss(ABC):
    """A convex function of theta (V+1, M): rows ``Z`` of classes ``y`` (D,), S ``to_classes`` (M, C), and l2.

    Every class has rows. ``scorer`` maps the M columns of theta to C classes by S: W' = theta_w S.
    """

    Z: Centred
    y: Codes
    to_classes: Floats
    l2: float

    @classmethod
    def of(cls, X: Any, y: Codes, weight: Floats, l2: float) -> Self:
        """Loss over X (D, V) sparse or dense, classes by number y (D,), 0 to C-1, weight (D,) positive."""
        if not len(y):
            raise InputError("there is nothing to learn from: no rows, or every sample_weight is zero")
        return cls(Centred.of(X, weight), y, cls.class_map(int(y.max()) + 1), l2)

    @staticmethod
    @abstractmethod
    def class_map(n_classes: int) -> Floats:
        """Map S from columns of theta to classes, (M, C)."""

    @property
    @abstractmethod
    def start_bias(self) -> Floats:
        """Best bias where all weights are 0, (M,)."""

    @abstractmethod
    def at(self, theta: Floats) -> Any:
        """Loss at theta, a LossPoint."""

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of theta: (V+1, M)."""
        return self.Z.shape[1] + 1, len(self.to_classes)

    @property
    def start(self) -> Floats:
        """Best theta of which all weights are 0."""
        theta = np.zeros(self.shape)
        theta[-1] = self.start_bias
        return theta

    @property
    def squares(self) -> Floats:
        """Weighted squares sum_i w_i z_ij^2 of the columns of [Z, 1], (V+1,)."""
        return np.append(self.Z.squares, self.Z.weight.sum())

    def scores(self, theta: Floats) -> Floats:
        """Scores [Z, 1] theta, (D, M)."""
        return self.Z.times(theta[:-1], theta[-1])

    def gradient(self, slopes: Floats, theta: Floats) -> Floats:
        """Gradient [Z, 1]' slopes + l2 theta_w, (V+1, M), from the derivatives by the scores (D, M)."""
        product = np.empty(self.shape)
        product[-1] = slopes.sum(axis=0)
        self.Z.transposed_times(slopes, product[:-1])
        if self.l2:
            product[:-1] += self.l2 * theta[:-1]
        return product

    def scorer(self, theta: Floats) -> LinearScorer:
        """Scorer of the classes with the weights that theta has."""
        bias = theta[-1].astype(np.float64) - self.Z.means[0] @ theta[:-1]
        return LinearScorer(theta[:-1] @ self.to_classes.astype(theta.dtype), bias @ self.to_classes)

    def scorer_among(self, theta: Floats, present: Codes, n_classes: int) -> LinearScorer:
        """Scorer of n_classes of which those by number ``present`` have rows; the others are impossible."""
        found = self.scorer(theta)
        if len(present) == n_classes:
            return found
        by_term, bias = np.zeros((len(found.by_term), n_classes), theta.dtype), np.full(n_classes, -np.inf)
        by_term[:, present], bias[present] = found.by_term, found.bias
        return LinearScorer(by_term, bias)


class LossPoint(ABC):
    """A loss at one theta (V+1, M), with ``scores`` = [Z, 1] theta (D, M).

    A loss defines three functions of its rows: slopes, the change of slopes along a direction, and second derivatives.
    """

    value: float

    def __init__(self, loss: Any, theta: Floats, scores: Floats | None = None) -> None:
        self.loss, self.theta, self.scores = loss, theta, loss.scores(theta) if scores is None else scores
        self.penalty = float(loss.l2 / 2 * np.vdot(theta[:-1], theta[:-1]))

    @abstractmethod
    def slopes(self) -> Floats:
        """Derivatives of the loss by the scores, (D, M)."""

    @abstractmethod
    def slope_changes(self, scores: Floats) -> Floats:
        """Changes of the slopes along a direction with scores [Z, 1] direction (D, M), (D, M)."""

    @abstractmethod
    def curvatures(self, a: int, b: int) -> Floats | None:
        """Second derivatives by the scores of columns a and b, (D,); None where all are 0."""

    @cached_property
    def gradient(self) -> Floats:
        """Gradient, (V+1, M)."""
        return np.asarray(self.loss.gradient(self.slopes(), self.theta))

    @cached_property
    def gradient_norm(self) -> float:
        """Euclidean norm of the gradient."""
        return float(np.linalg.norm(self.gradient))

    def moved(self, direction: Floats, scores: Floats, step: float) -> Self:
        """Point at theta + step direction; ``scores`` = [Z, 1] direction, (D, M)."""
        return type(self)(self.loss, self.theta + step * direction, self.scores + step * scores)

    def hessian_times(self, direction: Floats, scores: Floats | None = None) -> Floats:
        """Product H direction, (V+1, M); ``scores`` = [Z, 1] direction, where they are known."""
        scores = self.loss.scores(direction) if scores is None else scores
        return np.asarray(self.loss.gradient(self.slope_changes(scores), direction))

    def curvature(self, direction: Floats, scores: Floats) -> float:
        """Curvature direction' H direction, from ``scores`` = [Z, 1] direction."""
        own = direction[:-1]
        return float(np.vdot(scores, self.slope_changes(scores)) + self.loss.l2 * np.vdot(own, own))

    def hessian_diagonal(self) -> Floats:
        """Diagonal of H, (V+1, M), as if every row had the mean curvature."""
        sums = [np.sum(self.curvatures(m, m)) for m in range(self.loss.shape[1])]  # type: ignore[arg-type]  # not None
        diagonal = np.asarray(np.outer(self.loss.squares, sums) / self.loss.Z.weight.sum())
        diagonal[:-1] += self.loss.l2
        return diagonal

    def hessian(self) -> Floats:
        """Hessian H, ((V+1) M, (V+1) M), in the order of theta.ravel()."""
        n_rows, n_columns = self.loss.shape
        every = {(a, b): self.curvatures(a, b) for a in range(n_columns) for b in range(a + 1)}
        pairs = {pair: spread[:, np.newaxis] for pair, spread in every.items() if spread is not None}
        H: Floats = np.zeros((n_rows, n_columns, n_rows, n_columns))
        for rows, Z in self.loss.Z.blocks():
            for (a, b), spread in pairs.items():
                H[:, a, :, b] += Z.T @ (spread[rows] * Z)
        for a, b in pairs:
            H[:, b, :, a] = H[:, a, :, b]
        H = H.reshape(n_rows * n_columns, -1)
        penalised = np.arange((n_rows - 1) * n_columns)
        H[penalised, penalised] += self.loss.l2
        return H


class SoftmaxLoss(Loss):
    """Softmax loss L of eq. (2) as a function of theta (V+1, M); every class has rows.

    >>> loss = SoftmaxLoss.of(np.array([[1.0], [3.0]]), np.array([0, 1]), np.ones(2), l2=1.0)
    >>> loss.at(np.zeros(loss.shape)).value / 2, float(np.log(2))
    (0.693147180559945..., 0.693147180559945...)
    """

    @staticmethod
    def class_map(n_classes: int) -> Floats:
        """Contrasts Q' of eq. (5), (M, C)."""
        return contrasts(n_classes).T

    @property
    def contrasts(self) -> Floats:
        """Contrasts Q, (C, M)."""
        return self.to_classes.T

    @property
    def start_bias(self) -> Floats:
        """Logarithms of the class frequencies on the contrasts, (M,)."""
        return np.asarray(np.log(np.bincount(self.y, self.Z.weight)) @ self.contrasts)

    def at(self, theta: Floats) -> "SoftmaxPoint":
        """Loss at theta."""
        return SoftmaxPoint(self, theta)


class SoftmaxPoint(LossPoint):
    """Softmax loss at one theta, with probabilities ``p`` (D, C) and ``log_p_true`` (D,) of the rows' classes."""

    loss: SoftmaxLoss

    def __init__(self, loss: SoftmaxLoss, theta: Floats, scores: Floats | None = None) -> None:
        super().__init__(loss, theta, scores)
        log_p = log_softmax(self.scores @ loss.to_classes)
        self.log_p_true = log_p[np.arange(len(log_p)), loss.y]
        self.p = np.exp(log_p)
        self.value = float(self.penalty - loss.Z.weight @ self.log_p_true)

    def slopes(self) -> Floats:
        """w_i (p_ik - t_ik) of eq. (3) on the contrasts, (D, M)."""
        residuals = self.p.copy()
        residuals[np.arange(len(residuals)), self.loss.y] -= 1
        residuals *= self.loss.Z.weight[:, np.newaxis]
        return np.asarray(residuals @ self.loss.contrasts)

    def slope_changes(self, scores: Floats) -> Floats:
        """w_i p_ik (a_ik - sum_l p_il a_il) of eq. (4) on the contrasts, (D, M), for a = scores Q'."""
        q = scores @ self.loss.to_classes
        q -= np.einsum("ij,ij->i", self.p, q)[:, np.newaxis]
        q *= self.p
        q *= self.loss.Z.weight[:, np.newaxis]
        return np.asarray(q @ self.loss.contrasts)

    def curvatures(self, a: int, b: int) -> Floats:
        """w_i Q_a' (diag(p_i) - p_i p_i') Q_b, (D,)."""
        Q = self.loss.contrasts
        return np.asarray(self.loss.Z.weight * (self.p @ (Q[:, a] * Q[:, b]) - (self.p @ Q[:, a]) * (self.p @ Q[:, b])))


def contrasts(n_classes: int) -> Floats:
    """Helmert contrasts: orthonormal columns, each with sum 0, (C, C-1).

    >>> contrasts(2).round(4)
    array([[ 0.7071],
           [-0.7071]])
    """
    Q = np.zeros((n_classes, n_classes - 1))
    for k in range(1, n_classes):
        Q[:k, k - 1], Q[k, k - 1] = 1, -k
        Q[:, k - 1] /= np.sqrt(k * (k + 1))
    return Q
