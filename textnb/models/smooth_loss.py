"""What the solvers ask of a loss: values, gradients and products with the Hessian, from rows Z (D, V+1).

A loss is a function of theta (V+1, M), the last row for the bias: a sum over rows of something convex in their scores
Z theta (D, M), and l2/2 |theta_w|^2. ``softmax_loss.py`` and ``squared_hinge.py`` are such losses.
"""

from collections.abc import Callable
from typing import Any, Protocol, Self

from textnb.models.centred_rows import CentredRows
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats


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


class Point(Protocol):
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
