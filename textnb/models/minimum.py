"""The minimum of a smooth loss, to a tolerance: where |gradient| <= tol |gradient at the loss's own start|."""

from typing import Any, NamedTuple

import numpy as np

from textnb.errors import InputError
from textnb.models.logistic_solvers import SOLVERS
from textnb.models.smooth_loss import Loss
from textnb.numerics import Floats

_ROUNDING = 16 * np.finfo(float).eps


class Minimum(NamedTuple):
    """The point where a solver ended, the steps it took, and the norm that the gradient was to have: any, where it is
    known otherwise to be the minimum."""

    point: Any
    steps: int
    bound: float

    @property
    def trouble(self) -> str:
        """Why it is not the minimum; nothing where it is."""
        norm = self.point.gradient_norm
        if norm <= self.bound:
            return ""
        return (
            f"not converged after {self.steps} steps: the norm of the gradient is {norm:.3g}, not {self.bound:.3g}; "
            "use a larger max_iter or tol, or scale X"
        )


def bound(loss: Loss, tol: float) -> float:
    """The norm at which a gradient counts as 0: tol times that at the start, and never below rounding.

    At the start all weights are 0, so it is the same for every l2.
    """
    norm = loss.at(loss.start).gradient_norm
    if not np.isfinite(norm):
        raise InputError("the numbers in X are too large for their squares: scale its columns")
    return max(tol * float(norm), rounding(loss))


def rounding(loss: Loss) -> float:
    """A norm that the gradient may have by rounding alone."""
    total = loss.Z.weight.sum()
    return float(_ROUNDING * np.sqrt(total * (loss.Z.squares().sum() + total * loss.Z.mean @ loss.Z.mean)))


def minimum(loss: Loss, small: float, max_iter: int, theta: Floats | None = None, solver: str = "newton") -> Minimum:
    """Where the gradient's norm is at most ``small``, sought from theta (V+1, M), or else from the loss's own start."""
    point, steps = SOLVERS[solver](loss.at(loss.start if theta is None else theta), small, max_iter)
    return Minimum(point, steps, small)
