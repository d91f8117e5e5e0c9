"""Solvers that minimise a smooth loss, from a given point to where |gradient| <= bound.

    gradient   theta <- theta - eta g                steepest descent                                   (1)
    newton     theta <- theta - eta H^-1 g           H exact where it is small, else truncated          (2)
    lbfgs      scipy's L-BFGS-B, in coordinates in which the diagonal of H at the start is about 1

eta is halved until the loss falls enough (Armijo): L(theta + eta d) <= L(theta) + 1e-4 eta d'g. In (1) the first eta is
that of the parabola along -g, in (2) it is 1. A trial costs no product with X, since Z (theta + eta d) = Z theta +
eta Z d. Where rounding hides the fall of the loss, the gradient must get shorter.

Newton's direction d = -H^-1 g is computed exactly, by factorising H, or truncated. Where H is singular (l2 = 0 and
columns that say the same) the exact d is the shortest one. The truncated d is that of preconditioned conjugate
gradients on H d = -g, which need only products with H, until |H d + g| <= eta |g|.

``bound`` makes a tolerance relative to the gradient at the loss's own start.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from textnb.errors import InputError
from textnb.models.logistic.loss import Loss, LossPoint
from textnb.numerics import Floats, check_number

_MIN_RELATIVE_EIGENVALUE = 1e-12


class Step(NamedTuple):
    """A direction (V+1, M), its scores Z direction (D, M), and the slope of the loss along it, direction' g."""

    direction: Floats
    scores: Floats
    slope: float

    @classmethod
    def along(cls, point: LossPoint, direction: Floats, scores: Floats | None = None) -> "Step":
        """Step from a point; computes the scores if they are not given."""
        scores = point.loss.scores(direction) if scores is None else scores
        return cls(direction, scores, float(np.vdot(direction, point.gradient)))


def exact(point: LossPoint) -> Step:
    """Newton's direction from the whole Hessian."""
    from scipy import linalg

    H, g = point.hessian(), point.gradient
    try:
        d = linalg.cho_solve(linalg.cho_factor(H), g.ravel()) if point.loss.l2 else _shortest(H, g.ravel())
    except linalg.LinAlgError:  # all but certain rows give a curvature of about 0
        d = _shortest(H, g.ravel())
    return Step.along(point, -d.reshape(g.shape))


def _shortest(H: Floats, g: Floats) -> Floats:
    values, vectors = np.linalg.eigh(H)
    kept = values > _MIN_RELATIVE_EIGENVALUE * values.max(initial=0)
    return np.asarray(vectors[:, kept] @ (vectors[:, kept].T @ g / values[kept]))


def truncated(point: LossPoint, eta: float, most: int = 200) -> Step:
    """Newton's direction to a residual of eta |g|, by at most ``most`` products with the Hessian."""
    per_curvature = np.maximum(point.hessian_diagonal(), np.finfo(float).tiny ** 0.5)
    np.reciprocal(per_curvature, out=per_curvature)
    residual = -point.gradient
    direction, scores = np.zeros_like(residual), np.zeros_like(point.scores)
    conjugate = per_curvature * residual
    power = np.vdot(residual, conjugate)
    spare = np.empty_like(conjugate)  # arrays of the size of theta are large: as few as can be
    for _ in range(most):
        moved = point.loss.scores(conjugate)
        product = point.hessian_times(conjugate, moved)
        curvature = np.vdot(conjugate, product)
        if not curvature > 0:
            break
        length = power / curvature
        scores += length * moved
        direction += np.multiply(conjugate, length, out=spare)
        product *= length
        residual -= product
        if np.linalg.norm(residual) <= eta * point.gradient_norm:
            break
        preconditioned = np.multiply(per_curvature, residual, out=spare)
        power, before = np.vdot(residual, preconditioned), power
        conjugate *= power / before
        conjugate += preconditioned
    return Step.along(point, direction, scores)


Ended = tuple[Any, int]
"""The point where a solver ended, and after how many steps."""

_ARMIJO_FRACTION = 1e-4
_MAX_HALVINGS = 60
_ROUNDING = 64 * np.finfo(float).eps
_MAX_HESSIAN_SIZE = 1_000  # parameters
_MAX_HESSIAN_WORK = 1e10  # multiplications for one Hessian
_MAX_FORCING = 0.5


def newton(start: LossPoint, bound: float, max_iter: int) -> Ended:
    """Minimise by Newton's method, eq. (2); truncated directions become more exact near the minimum.

    With exact directions one more step is taken than the bound asks for: it squares an error that is already small.
    """
    small = is_small(start.loss)

    def step(point: LossPoint) -> Step:
        eta = min(_MAX_FORCING, (point.gradient_norm / start.gradient_norm) ** 0.5)
        return exact(point) if small else truncated(point, eta)

    point, steps = _descent(start, bound, max_iter, lambda point: (step(point), 1.0))
    if small and steps > 0 and point.gradient_norm <= bound:
        point = lowered(point, exact(point), 1.0) or point
    return point, steps


def gradient(start: LossPoint, bound: float, max_iter: int) -> Ended:
    """Minimise by steepest descent, eq. (1)."""

    def downhill(point: LossPoint) -> tuple[Step, float]:
        step = Step.along(point, -point.gradient)
        curvature = point.curvature(step.direction, step.scores)
        return step, -step.slope / curvature if curvature > 0 else 1.0

    return _descent(start, bound, max_iter, downhill)


def lbfgs(start: LossPoint, bound: float, max_iter: int) -> Ended:
    """Minimise by scipy's L-BFGS-B."""
    from scipy import optimize

    diagonal = start.hessian_diagonal()
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    last = start

    def loss_of(scaled: Floats) -> tuple[float, Floats]:
        nonlocal last
        last = start.loss.at(scaled.reshape(scale.shape) / scale)
        return last.value, (last.gradient / scale).ravel()

    def stop(intermediate_result: Any) -> None:
        if intermediate_result.fun == last.value and last.gradient_norm <= bound:
            raise StopIteration

    if start.gradient_norm <= bound:
        return start, 0
    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 0.0, "gtol": 0.0}
    given = {"jac": True, "method": "L-BFGS-B", "callback": stop, "options": options}
    found = optimize.minimize(loss_of, (start.theta * scale).ravel(), **given)
    return start.loss.at(found.x.reshape(scale.shape) / scale), int(found.nit)


Solver = Callable[[LossPoint, float, int], Ended]
SOLVERS: dict[str, Solver] = {"newton": newton, "lbfgs": lbfgs, "gradient": gradient}


def is_small(loss: Loss) -> bool:
    """Whether to compute the whole Hessian."""
    size = loss.shape[0] * loss.shape[1]
    return size <= _MAX_HESSIAN_SIZE and loss.Z.shape[0] * size**2 <= _MAX_HESSIAN_WORK


def lowered(point: Any, step: Step, eta: float) -> Any | None:
    """First point along a step, halving eta, where the loss has fallen enough; None if there is none."""
    for _ in range(_MAX_HALVINGS):
        new = point.moved(step.direction, step.scores, eta)
        if new.value <= point.value + _ARMIJO_FRACTION * eta * step.slope:
            return new
        hidden = abs(new.value - point.value) <= _ROUNDING * abs(point.value)
        if hidden and new.gradient_norm < point.gradient_norm:
            return new
        eta /= 2
    return None


def _descent(point: LossPoint, bound: float, max_iter: int, step: Callable[[LossPoint], tuple[Step, float]]) -> Ended:
    for steps in range(max_iter):
        if point.gradient_norm <= bound:
            return point, steps
        new = lowered(point, *step(point))
        if new is None:
            return point, steps
        point = new
    return point, max_iter


NOT_CONVERGED = (
    "not converged after {steps} steps: the norm of the gradient is {norm:.3g}, not {bound:.3g}; "
    "use a larger max_iter or tol, or scale X"
)
_ROUNDING_ERROR = 16 * np.finfo(float).eps


class Minimum(NamedTuple):
    """Point where a solver ended, its steps, and the wanted norm of the gradient (inf if it is known to be close)."""

    point: Any
    steps: int
    bound: float

    @property
    def trouble(self) -> str:
        """Why the minimum was not reached; empty if it was."""
        if self.bound == np.inf or self.point.gradient_norm <= self.bound:
            return ""
        norm = self.point.gradient_norm
        return NOT_CONVERGED.format(steps=self.steps, norm=norm, bound=self.bound)


TOO_LARGE = "the numbers in X are too large for their squares: scale its columns"


def bound(loss: Loss, tol: float) -> float:
    """Norm at which a gradient counts as 0: tol times the norm at the start, and never below rounding.

    At the start all weights are 0, so it is the same for every l2.
    """
    return max(tol * gradient_norm_at_start(loss), rounding(loss))


def gradient_norm_at_start(loss: Loss) -> float:
    """Norm of the gradient where all weights are 0; refuses numbers whose squares are too large."""
    norm = float(loss.at(loss.start).gradient_norm)
    if not np.isfinite(norm):
        raise InputError(TOO_LARGE)
    return norm


def check_search(tol: Any, max_iter: Any) -> None:
    """Refuse a tolerance that is not above 0, or a number of steps that is not whole and at least 1."""
    check_number(tol, "tol", above=0)
    check_number(max_iter, "max_iter", low=1, whole=True)


def rounding(loss: Loss) -> float:
    """Norm that the gradient may have by rounding alone."""
    total = loss.Z.weight.sum()
    return float(_ROUNDING_ERROR * np.sqrt(total * (loss.squares.sum() + total * (loss.Z.means**2).sum())))


def minimum(loss: Loss, small: float, max_iter: int, theta: Floats | None = None, solver: str = "newton") -> Minimum:
    """Minimum where the gradient's norm is at most ``small``, starting at theta (V+1, M) or at the loss's start."""
    point, steps = SOLVERS[solver](loss.at(loss.start if theta is None else theta), small, max_iter)
    return Minimum(point, steps, small)
