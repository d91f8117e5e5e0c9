"""Minima of a smooth loss, by name; each solver starts at the same point and ends where |gradient| <= bound.

    gradient   theta <- theta - eta g                steepest descent                                   (1)
    newton     theta <- theta - eta H^-1 g           H exact where it is small, else truncated          (2)
    lbfgs      scipy's L-BFGS-B, in coordinates in which the diagonal of H at the start is about 1

eta is halved until the loss falls enough (Armijo): L(theta + eta d) <= L(theta) + 1e-4 eta d'g. In (1) the first eta is
that of the parabola along -g, in (2) it is 1. A trial costs no product with X, since Z (theta + eta d) = Z theta +
eta Z d. Where rounding hides the fall of the loss, the gradient must get shorter.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from textnb.models import newton_step
from textnb.models.newton_step import Step
from textnb.models.smooth_loss import Loss, Point
from textnb.numerics import Floats

Ended = tuple[Any, int]
"""The point where a solver ended, and after how many steps."""

_ENOUGH = 1e-4
_HALVINGS = 60
_ROUNDING = 64 * np.finfo(float).eps
_SMALL = 1_000  # parameters
_LITTLE_WORK = 1e10  # multiplications for one Hessian
_FORCING = 0.5


def newton(start: Point, bound: float, max_iter: int) -> Ended:
    """Eq. (2). Truncated directions are taken the further, the closer the minimum is.

    With exact directions one step more than the bound asks for is taken: it squares an error that is small already.
    """
    small = is_small(start.loss)

    def step(point: Point) -> Step:
        eta = min(_FORCING, (point.gradient_norm / start.gradient_norm) ** 0.5)
        return newton_step.exact(point) if small else newton_step.truncated(point, eta)

    point, steps = _descent(start, bound, max_iter, lambda point: (step(point), 1.0))
    if small and steps > 0 and point.gradient_norm <= bound:
        point = lowered(point, newton_step.exact(point), 1.0) or point
    return point, steps


def gradient(start: Point, bound: float, max_iter: int) -> Ended:
    """Eq. (1)."""

    def downhill(point: Point) -> tuple[Step, float]:
        step = Step.along(point, -point.gradient)
        curvature = point.curvature(step.direction, step.scores)
        return step, -step.slope / curvature if curvature > 0 else 1.0

    return _descent(start, bound, max_iter, downhill)


def lbfgs(start: Point, bound: float, max_iter: int) -> Ended:
    """scipy's L-BFGS-B on the same loss."""
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


Solver = Callable[[Point, float, int], Ended]
SOLVERS: dict[str, Solver] = {"newton": newton, "lbfgs": lbfgs, "gradient": gradient}


def is_small(loss: Loss) -> bool:
    """Whether the whole Hessian is worth making."""
    size = loss.shape[0] * loss.shape[1]
    return size <= _SMALL and loss.Z.shape[0] * size**2 <= _LITTLE_WORK


def lowered(point: Any, step: Step, eta: float) -> Any | None:
    """The first point along a step, eta halved and halved, where the loss has fallen enough; None if there is none."""
    for _ in range(_HALVINGS):
        new = point.moved(step.direction, step.scores, eta)
        if new.value <= point.value + _ENOUGH * eta * step.slope:
            return new
        hidden = abs(new.value - point.value) <= _ROUNDING * abs(point.value)
        if hidden and new.gradient_norm < point.gradient_norm:
            return new
        eta /= 2
    return None


def _descent(point: Point, bound: float, max_iter: int, step: Callable[[Point], tuple[Step, float]]) -> Ended:
    for steps in range(max_iter):
        if point.gradient_norm <= bound:
            return point, steps
        new = lowered(point, *step(point))
        if new is None:
            return point, steps
        point = new
    return point, max_iter
