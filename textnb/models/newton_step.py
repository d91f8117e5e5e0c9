"""Newton's direction d = -H^-1 g for a smooth loss: exactly, or by conjugate gradients.

Exactly: H is made and factorised. Where it is singular (l2 = 0 and columns that say the same) d is the shortest.
Truncated: preconditioned conjugate gradients on H d = -g, which see H through its products only, until
|H d + g| <= eta |g|.
"""

from typing import NamedTuple

import numpy as np

from textnb.models.smooth_loss import Point
from textnb.numerics import Floats

_SINGULAR = 1e-12


class Step(NamedTuple):
    """A direction (V+1, M), its scores Z direction (D, M), and the slope of the loss along it, direction' g."""

    direction: Floats
    scores: Floats
    slope: float

    @classmethod
    def along(cls, point: Point, direction: Floats, scores: Floats | None = None) -> "Step":
        """The step from a point; the scores are computed where they are not known."""
        scores = point.loss.Z.times(direction) if scores is None else scores
        return cls(direction, scores, float(np.vdot(direction, point.gradient)))


def exact(point: Point) -> Step:
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
    kept = values > _SINGULAR * values.max(initial=0)
    return np.asarray(vectors[:, kept] @ (vectors[:, kept].T @ g / values[kept]))


def truncated(point: Point, eta: float, most: int = 200) -> Step:
    """Newton's direction to a residual of eta |g|, by at most ``most`` products with the Hessian."""
    per_curvature = np.maximum(point.hessian_diagonal(), np.finfo(float).tiny ** 0.5)
    np.reciprocal(per_curvature, out=per_curvature)
    residual = -point.gradient
    direction, scores = np.zeros_like(residual), np.zeros_like(point.scores)
    conjugate = per_curvature * residual
    power = np.vdot(residual, conjugate)
    spare = np.empty_like(conjugate)  # arrays of the size of theta are large: as few as can be
    for _ in range(most):
        moved = point.loss.Z.times(conjugate)
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
