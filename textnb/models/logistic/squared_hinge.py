"""Squared hinge loss, one class against the rest, and its minimisation by dual coordinate descent.

The squared hinge is minimised here: by ``descended`` (Hsieh et al. 2008), or by Newton's method (``solvers.py``).

Rows x_i (V,) of class y_i and weight w_i, weights W (C, V), bias b (C,); t_ik is 1 where k = y_i, otherwise -1:

    f_ik = W_k x_i + b_k,   h_ik = max(0, 1 - t_ik f_ik)                                     (D, C)     (1)
    L    = sum_i w_i sum_k h_ik^2 + l2/2 |W|^2                                                          (2)
    dL/dW_k = -2 sum_i w_i t_ik h_ik x_i + l2 W_k,     dL/db_k = -2 sum_i w_i t_ik h_ik                 (3)
    (H U)_k = 2 sum_i w_i [h_ik > 0] a_ik x_i + l2 U_k                        a_i = U x_i + c           (4)
    (H c)_k = 2 sum_i w_i [h_ik > 0] a_ik

It is the loss of a linear support vector machine. L has one continuous derivative; H is its generalised second one,
which jumps where a row crosses its margin. Newton's method with a line search ends at the minimum all the same.
liblinear minimises L / l2 with C = 1 / l2, but penalises b.

The parameters are theta (V+1, M), of rows measured from their mean m (``linear/centred.py``), the last row for the
bias, one column per class. With two classes the second's scores are the first's negated, and theta has one column:

    W' = theta_w S,    b = (theta_b - m' theta_w) S            S (M, C): I, or (-1, 1) for two classes  (5)

There, L counts each row once and one vector is penalised. One class has no column.

Dual coordinate descent: with f_im = theta_m x_i + b_m and e_i = l2 / (2 w_i), at the minimum of L

    theta_m = sum_i alpha_im t_im x_i           alpha_im = max(0, 1 - t_im f_im) / e_i                  (6)
    sum_i alpha_im t_im = 0                     since the bias is free                                  (7)

A pass takes the rows in random order. Each alpha becomes the best that it can be while the others stay, as if the bias
were the weight of a column of ones, counted from where it was; theta follows, so that (6) holds on the left:

    alpha_im <- max(0, alpha_im - (t_im f_im - 1 + e_i alpha_im) / (|x_i|^2 + 1 + e_i))                 (8)
    theta_m += change t_im x_i,   b_m += change t_im                                                    (9)
    b_m += sum_i alpha_im t_im                  after each pass, until (7) holds                        (10)

(10) is the method of multipliers. Any alpha >= 0 for which (7) holds gives a lower bound of L, and L curves upwards by
l2 at least, which bounds the distance to the minimum. Where (7) does not hold yet, the larger of the two sides of a
column is made smaller.

    L* >= l2 (sum_im alpha_im - sum_im e_i alpha_im^2 / 2 - |theta|^2 / 2) = D                          (11)
    |theta - theta*|^2 <= 2 (L(theta, b) - D) / l2          b: the best for theta                       (12)

A pass reads every number of X twice, in a copy of X by rows that is kept. (8) and (9) are in C
(``textnb/native/hinge.c``). Without the extension, for dense rows, for a small Hessian, and where the passes do not
converge, Newton's method is used.
"""

from typing import NamedTuple

import numpy as np

from textnb.counts.matrix import CSR
from textnb.counts.rows import row_blocks, row_sums
from textnb.counts.unit_rows import UnitRows
from textnb.errors import InputError
from textnb.extension import cached_property, uses_extension
from textnb.models.logistic.loss import Loss, LossPoint
from textnb.models.logistic.solvers import TOO_LARGE, is_small
from textnb.numerics import Floats


class SquaredHingeLoss(Loss):
    """Squared hinge loss L of eq. (2) as a function of theta (V+1, M); every class has rows.

    >>> loss = SquaredHingeLoss.of(np.array([[1.0], [3.0]]), np.array([0, 1]), np.ones(2), l2=1.0)
    >>> loss.at(np.array([[0.5], [0.0]])).value
    0.625
    """

    @staticmethod
    def class_map(n_classes: int) -> Floats:
        """Map S of eq. (5), (M, C).

        >>> SquaredHingeLoss.class_map(2)
        array([[-1.,  1.]])
        """
        return np.array([[-1.0, 1.0]]) if n_classes == 2 else np.eye(n_classes)[n_classes == 1 :]

    @cached_property
    def targets(self) -> Floats:
        """Targets t of eq. (1), (D, M)."""
        return np.asarray(np.where(self.to_classes.T > 0, 1.0, -1.0)[self.y])

    @property
    def start_bias(self) -> Floats:
        """Mean target, (M,)."""
        return np.asarray(self.Z.weight @ self.targets / self.Z.weight.sum())

    def at(self, theta: Floats) -> "HingePoint":
        """Loss at theta."""
        return HingePoint(self, theta)


class HingePoint(LossPoint):
    """Squared hinge loss at one theta, with what is ``missing`` to the margins (D, M)."""

    loss: SquaredHingeLoss

    def __init__(self, loss: SquaredHingeLoss, theta: Floats, scores: Floats | None = None) -> None:
        super().__init__(loss, theta, scores)
        self.missing = missing_to_margins(self.scores, loss.targets)
        self.value = float(self.penalty + loss.Z.weight @ np.einsum("ij,ij->i", self.missing, self.missing))

    def slopes(self) -> Floats:
        """-2 w_i t_ik h_ik of eq. (3), (D, M)."""
        return np.asarray(-2 * self.loss.Z.weight[:, np.newaxis] * self.loss.targets * self.missing)

    def slope_changes(self, scores: Floats) -> Floats:
        """2 w_i [h_ik > 0] a_ik of eq. (4), (D, M), for a = scores."""
        return self._curvatures * scores

    def curvatures(self, a: int, b: int) -> Floats | None:
        """2 w_i [h_ia > 0], (D,); None where a is not b, since columns of theta do not meet in L."""
        return self._curvatures[:, a] if a == b else None

    @cached_property
    def _curvatures(self) -> Floats:
        """2 w_i [h_ik > 0], (D, M)."""
        return np.asarray(2 * self.loss.Z.weight[:, np.newaxis] * (self.missing > 0))


_FIRST_CHECK, _CHECK_EVERY = 3, 2  # a check takes as long as a pass
_MAX_PASSES = 200
_MAX_INT32 = np.iinfo(np.int32).max
_MAX_BIAS_STEPS = 20


class Passed(NamedTuple):
    """Point reached, number of passes, and whether it is as close to the minimum as wanted."""

    point: HingePoint
    passes: int
    is_close: bool


def is_for_passes(loss: SquaredHingeLoss) -> bool:
    """Whether to minimise by dual coordinate descent."""
    X = loss.Z.columns
    if not loss.Z.is_sparse or not loss.l2 > 0 or is_small(loss):
        return False
    return can_be_passed(X) and bool(np.isfinite(_slack(loss.Z.weight, loss.l2)).all())


def can_be_passed(X: CSR | UnitRows) -> bool:
    """Whether the extension is in use and has room for the numbers of X (D, V)."""
    return uses_extension() and max(X.nnz, *X.shape) <= _MAX_INT32


def descended(start: HingePoint, tol: float, max_iter: int) -> Passed:
    """Minimise by passes until eq. (12) is at most tol |theta|, for at most 200 passes or max_iter."""
    loss, descent = start.loss, Descent.at(start)
    del start  # its arrays, before the passes
    found, passes, is_close = descent.run(tol, min(_MAX_PASSES, max_iter))
    del descent
    found.theta[-1] = found.bias + loss.Z.means[0] @ found.weights
    return Passed(HingePoint(loss, found.theta, found.scores), passes, is_close)


class HingeRows(NamedTuple):
    """Rows X (D, V), targets (D, M), 1 or -1, weights (D,), and l2. A row of weight 0 is scored and not learnt from."""

    X: CSR | UnitRows
    targets: Floats
    weight: Floats
    l2: float


class Certified(NamedTuple):
    """A theta (V+1, M) for which eq. (7) holds, its best bias (M,), scores (D, M), the loss L, and eq. (12).

    The last row of theta has room for a bias.
    """

    theta: Floats
    bias: Floats
    scores: Floats
    value: float
    distance: float

    @property
    def weights(self) -> Floats:
        """Weights (V, M)."""
        return self.theta[:-1]

    def is_within(self, tol: float) -> bool:
        """Whether eq. (12) is at most tol |theta|."""
        return bool(self.distance <= tol * np.linalg.norm(self.weights))


class Descent:
    """State between passes: alpha (D, M), and theta (V+1, M) with the bias as its last row.

    theta has the type of X. If that is float32, passes take half the time, and eq. (12) is seen to about 0.001 |theta|.
    """

    def __init__(self, rows: HingeRows, alpha: Floats, bias: Floats, theta: Floats | None = None) -> None:
        """Start at alpha (D, M) and bias (M,); theta (V+1, M): that of alpha by eq. (6), which the passes change."""
        self.rows, X = rows, rows.X
        self.starts, self.columns = (numbers.astype(np.int32, copy=False) for numbers in (X.indptr, X.indices))
        self.slack = _slack(rows.weight, rows.l2)
        self.curvature = _squares(X) + 1 + self.slack
        self.alpha = np.ascontiguousarray(alpha, np.float64)
        if theta is None:
            theta = _theta(rows, self.alpha) if alpha.any() else np.zeros((X.shape[1] + 1, len(bias)), X.dtype)
        self.theta = theta
        self.theta[-1] = bias
        self.learnt = np.flatnonzero(rows.weight).astype(np.int32)
        self.chance = np.random.default_rng(0)

    @classmethod
    def at(cls, start: HingePoint) -> "Descent":
        """Start with the multiple of w_i max(0, 1 - t f) as alpha that gives a theta closest to that of ``start``."""
        loss, given = start.loss, start.theta[:-1]
        rows = HingeRows(loss.Z.by_rows, loss.targets, loss.Z.weight, loss.l2)
        alpha = loss.Z.weight[:, np.newaxis] * start.missing
        theta = _theta(rows, alpha)
        weights = theta[:-1]
        squares = np.einsum("ij,ij->j", weights, weights)
        share = np.maximum(np.einsum("ij,ij->j", weights, given), 0) / np.where(squares > 0, squares, 1.0)
        alpha *= share
        weights *= share
        return cls(rows, alpha, start.theta[-1] - loss.Z.means[0] @ given, theta)

    def run(self, tol: float, max_passes: int) -> tuple[Certified, int, bool]:
        """Make passes until eq. (12) is at most tol |theta|: the point, the number of passes, whether it is near."""
        for passes in range(1, max_passes):
            self.go_on()
            if passes >= _FIRST_CHECK and (passes - _FIRST_CHECK) % _CHECK_EVERY == 0:
                found = self.certified()
                if found.is_within(tol):
                    return found, passes, True
                del found  # before the next one is made
        self.go_on()
        found = self.certified()
        return found, max_passes, found.is_within(tol)

    def go_on(self) -> None:
        """Make one pass, eq. (8) to (10)."""
        from textnb._native import hinge_pass

        X, targets = self.rows.X, self.rows.targets
        order = self.chance.permutation(self.learnt)
        values, *scaling = (X.values, X.scale, X.norms) if isinstance(X, UnitRows) else (X.data,)
        of_rows = self.starts, self.columns, values, targets, self.slack, self.curvature
        sizes = X.shape[1], targets.shape[1], X.dtype.itemsize
        hinge_pass(*of_rows, order, self.alpha, self.theta, *sizes, *scaling)
        self.theta[-1] += np.einsum("ij,ij->j", self.alpha, targets)

    def certified(self) -> Certified:
        """Point with alpha balanced so that eq. (7) holds."""
        X, targets, weight, l2 = self.rows
        alpha = balanced(self.alpha, targets)
        theta = _theta(self.rows, alpha)
        weights = theta[:-1]
        squares = float(np.vdot(weights, weights))
        below = l2 * (alpha.sum() - (self.slack @ np.einsum("ij,ij->i", alpha, alpha) + squares) / 2)
        del alpha  # before more arrays of its size
        scores = np.asarray(X @ weights, np.float64)
        bias = best_bias(scores, targets, weight, self.theta[-1].astype(np.float64))
        scores += bias
        missing = missing_to_margins(scores, targets)
        value = float(l2 / 2 * squares + weight @ np.einsum("ij,ij->i", missing, missing))
        above = value - below
        distance = float(np.sqrt(2 * max(0.0, above) / l2)) if np.isfinite(above) else np.inf
        return Certified(theta, bias, scores, value, distance)


def _theta(rows: HingeRows, alpha: Floats) -> Floats:
    """Weights of eq. (6), on the left, and a bias of 0, (V+1, M)."""
    X, signed = rows.X, np.empty(alpha.shape, rows.X.dtype)
    np.multiply(alpha, rows.targets, out=signed, casting="same_kind")
    theta = np.zeros((X.shape[1] + 1, alpha.shape[1]), X.dtype)
    if isinstance(X, UnitRows):
        X.T.add_product(signed, theta[:-1])
    else:
        theta[:-1] = X.T @ signed
    return theta


def missing_to_margins(scores: Floats, targets: Floats, bias: Floats | float = 0.0) -> Floats:
    """Missing h = max(0, 1 - t (s + b)) of eq. (1), (D, M), for scores and targets (D, M); one array is made.

    >>> missing_to_margins(np.array([[0.5], [2.0]]), np.array([[-1.0], [1.0]])).tolist()
    [[1.5], [0.0]]
    """
    missing = np.add(scores, bias)
    missing *= targets
    np.subtract(1.0, missing, out=missing)
    return np.maximum(0.0, missing, out=missing)


def _slack(weight: Floats, l2: float) -> Floats:
    """Slack e_i = l2 / (2 w_i), (D,); 1 for a row of weight 0, which has no alpha."""
    with np.errstate(over="ignore"):
        return np.asarray(l2 / (2 * np.where(weight > 0, weight, l2 / 2)))


def _squares(X: CSR | UnitRows) -> Floats:
    """Squared lengths |x_i|^2 of the rows, (D,), refused if they are too large."""
    if isinstance(X, UnitRows):
        return X.squares
    squares = np.zeros(X.shape[0])
    for rows, entries in row_blocks(X.indptr):
        part = X.data[entries]
        squares[rows] = row_sums(X[rows], part * part)
    if not np.isfinite(squares).all():
        raise InputError(TOO_LARGE)
    return squares


def balanced(alpha: Floats, targets: Floats) -> Floats:
    """alpha (D, M) with the larger side of every column made smaller, so that eq. (7) holds.

    >>> balanced(np.array([[3.0], [1.0], [2.0]]), np.array([[1.0], [1.0], [-1.0]])).ravel()
    array([1.5, 0.5, 2. ])
    """
    above = targets > 0
    for_it, against = (alpha.sum(axis=0, where=side) for side in (above, ~above))
    least = np.minimum(for_it, against)
    shares = [np.divide(least, side, out=np.zeros_like(least), where=side > 0) for side in (for_it, against)]
    found = np.where(above, *shares)
    found *= alpha
    return np.asarray(found)


def best_bias(scores: Floats, targets: Floats, weight: Floats, bias: Floats) -> Floats:
    """Bias b (M,) that minimises sum_i w_i max(0, 1 - t_im (s_im + b_m))^2, by Newton's method from a bias near it.

    >>> best_bias(np.zeros((3, 1)), np.array([[1.0], [1.0], [-1.0]]), np.ones(3), np.zeros(1)).round(3)
    array([0.333])
    """
    for _ in range(_MAX_BIAS_STEPS):
        missing = missing_to_margins(scores, targets, bias)
        active = weight @ (missing > 0)
        missing *= targets
        step = weight @ missing / np.where(active > 0, active, 1.0)
        bias = bias + step
        if not step.any():
            break
    return bias
