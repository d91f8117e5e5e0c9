"""The strength of the penalty by cross-validation, along a path from strong to weak.

    lambda_0 > lambda_1 > ...                                                                           (1)
    theta_f(lambda_t) = argmin L_f(theta; lambda_t)     over the rows outside fold f                    (2)
    E(lambda) = log loss of the rows, each by the model without its fold, at the best temperature       (3)

(3) stands in ``temperature.py``. The plain log loss asks for larger scores as much as for better ones, and on articles
falls on to the end of the path. Errors alone are few, and jump. A temperature takes the size of the scores out, and
serves losses without probabilities too.

The path ends as soon as E has fallen by less than 1 %, or grown; the strength of the least E is taken, of equals the
strongest. Each minimum is sought from where the two before point to, or from the one before where rows are passed one
by one (``dual_hinge.py``), and found to |theta - minimum| <= 0.3 |theta|. All folds go along together, so that memory
holds the scaled rows of all of them: one copy of X less than there are folds, and where
rows are passed twice as much.

A row whose class has no row outside its fold cannot be scored: its own class has the score -inf, and it is left out of
(3). Where that leaves no row, or there is one class or fold, there is nothing to choose by, and no path.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.models.nb_problem import Problem, Rows
from textnb.models.nb_ratios import Numbers
from textnb.models.temperature import best_log_loss
from textnb.numerics import Floats

STRENGTHS = tuple(float(f"{10 ** (1 - step / 2):.3g}") for step in range(10))
"""10, 3.16, 1, ... 0.000316."""

_CLOSE = 0.3
_ENOUGH = 0.99
_MAX_ITER = 100


class Path(NamedTuple):
    """The strengths that were tried (T,), E of each (T,), the number of the best, and the scores there, (D, C)."""

    strengths: tuple[float, ...]
    losses: tuple[float, ...]
    best: int
    scores: Floats


class Fold:
    """Some rows held out, by a mask (D,), and the problem of all others; ``theta`` is the
    minimum found last."""

    def __init__(self, rows: Rows, held: NDArray[np.bool_], make: Callable[[Rows], Problem]) -> None:
        self.held, self.presence = held, rows.presence.of_rows(held)
        self.problem = make(rows.chosen(~held))
        self.Z = self.problem.scaled(self.presence)
        self.theta = self.before = self.problem.loss.start

    def solve(self, l2: float) -> None:
        """Go on to the next strength."""
        on_a_line = self.before[:-1].any() and not self.problem.is_for_passes
        ahead = 2 * self.theta - self.before if on_a_line else self.theta
        found = self.problem.minimum(l2, _CLOSE, _MAX_ITER, ahead if ahead[:-1].any() else None)
        self.theta, self.before = found.point.theta, self.theta

    def prune(self, share: float, l2: float) -> None:
        """Keep a share of the terms."""
        self.problem = self.problem.pruned(self.theta, share)
        self.Z, self.theta = self.problem.scaled(self.presence), self.problem.loss.start
        self.before = self.theta
        self.solve(l2)


def cross_validated(
    rows: Rows,
    folds: Numbers,
    make: Callable[[Rows], Problem],
    strengths: Sequence[float],
    prune: float | None = None,
) -> tuple[Path, Floats | None] | None:
    """The path over folds by number (D,), and about where the minimum of all rows is at the best strength,
    (V+1, M), or None where that cannot be told; None alone where no row can be held out.

    ``make`` states the problem of some rows. With a share to prune to, the scores are those of pruned models.
    """
    used = np.unique(folds)
    if len(np.unique(rows.y)) < 2 or len(used) < 2:
        return None
    parts = [Fold(rows, folds == f, make) for f in used]
    losses: list[float] = []
    thetas: list[Floats] = []
    for l2 in strengths:
        for part in parts:
            part.solve(l2)
        losses.append(held_out_loss(rows, _scores(parts, rows)))
        if losses[-1] <= min(losses):
            thetas = [part.theta for part in parts]
        if len(losses) > 1 and not losses[-1] < _ENOUGH * losses[-2]:
            break
    if np.isnan(losses[0]):
        return None
    best = int(np.argmin(losses))
    for part, theta in zip(parts, thetas, strict=True):
        part.theta = theta
    guess = _mean_theta(parts, rows)
    if prune is not None:
        for part in parts:
            part.prune(prune, strengths[best])
    return Path(tuple(strengths[: len(losses)]), tuple(losses), best, _scores(parts, rows)), guess


def _mean_theta(parts: list[Fold], rows: Rows) -> Floats | None:
    """The mean of the folds' theta on all terms; None where a fold lacks a class."""
    if any(len(part.problem.present) < len(np.unique(rows.y)) for part in parts):
        return None
    mean = np.zeros((rows.presence.n_terms + 1, parts[0].theta.shape[1]))
    for part in parts:
        mean[np.append(part.problem.columns, -1)] += part.theta / len(parts)
    return mean


def _scores(parts: list[Fold], rows: Rows) -> Floats:
    """Of every row by the model without its fold, (D, C)."""
    scores = np.empty((len(rows.y), rows.n_classes))
    for part in parts:
        linear = part.problem.linear(part.theta)
        scores[part.held] = part.Z @ linear.by_term + linear.bias
    return scores


def held_out_loss(rows: Rows, scores: Floats) -> float:
    """E of eq. (3); NaN where no row can be scored."""
    known = np.flatnonzero(np.isfinite(scores[np.arange(len(scores)), rows.y]))
    return best_log_loss(scores[known], rows.y[known], rows.weight[known]) if len(known) else float("nan")
