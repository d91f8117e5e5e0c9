"""The strength of the penalty by cross-validation, along a path from strong to weak.

    lambda_0 > lambda_1 > ...                                                                           (1)
    theta_f(lambda_t) = argmin L_f(theta; lambda_t)     over the rows outside fold f                    (2)
    E(lambda) = sum_i w_i e(y_i, scores of row i without its fold) / sum_i w_i                          (3)

e is the loss of a row without penalty: -log p(y|x), or the sum of its squared hinges. Each minimum is sought from the
two before: where the path leads, if it goes on as it has. The path ends as soon as E has grown, and the strength of the least E is taken; of equals the strongest. All
folds go along together, so that memory holds the scaled rows of all of them: one copy of X less than there are folds.

On the path |theta - minimum| <= _CLOSE |theta|: with a penalty of lambda/2 |theta|^2 and a gradient g the minimum is no
farther than |g| / lambda.

A row whose class has no row outside its fold cannot be scored: its own class has the score -inf, and it is left out of
(3). Where that leaves nothing there is nothing to choose by, and the path has no losses.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.models.minimum import bound, minimum
from textnb.models.nb_problem import Problem, Rows
from textnb.models.nb_ratios import Numbers
from textnb.numerics import Floats, log_softmax

STRENGTHS = tuple(float(f"{10 ** (1 - step / 2):.3g}") for step in range(10))
"""10, 3.16, 1, ... 0.000316."""

_CLOSE = 0.3
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
        loss, norm = self.problem.loss, float(np.linalg.norm(self.theta[:-1]))
        small = _CLOSE * l2 * norm if norm else bound(loss, _CLOSE)
        ahead = 2 * self.theta - self.before if self.before[:-1].any() else self.theta
        self.theta, self.before = minimum(loss.with_l2(l2), small, _MAX_ITER, ahead).point.theta, self.theta

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
) -> Path | None:
    """The path over folds by number (D,); None where no row can be held out. ``make`` states the problem of some rows.
    With a share to prune to, the scores are those of pruned models."""
    used = np.unique(folds)
    if len(np.unique(rows.y)) < 2 or len(used) < 2:
        return None
    parts = [Fold(rows, folds == f, make) for f in used]
    losses: list[float] = []
    thetas: list[Floats] = []
    for l2 in strengths:
        for part in parts:
            part.solve(l2)
        losses.append(held_out_loss(rows, _scores(parts, rows), parts[0].problem.name))
        if len(losses) > 1 and not losses[-1] < losses[-2]:
            break
        thetas = [part.theta for part in parts]
    if np.isnan(losses[0]):
        return None
    best = int(np.argmin(losses))
    for part, theta in zip(parts, thetas, strict=True):
        part.theta = theta
        if prune is not None:
            part.prune(prune, strengths[best])
    return Path(tuple(strengths[: len(losses)]), tuple(losses), best, _scores(parts, rows))


def _scores(parts: list[Fold], rows: Rows) -> Floats:
    """Of every row by the model without its fold, (D, C)."""
    scores = np.empty((len(rows.y), rows.n_classes))
    for part in parts:
        linear = part.problem.linear(part.theta)
        scores[part.held] = part.Z @ linear.by_term + linear.bias
    return scores


def held_out_loss(rows: Rows, scores: Floats, loss: str) -> float:
    """E of eq. (3); NaN where no row can be scored."""
    own = scores[np.arange(len(scores)), rows.y]
    known = np.flatnonzero(np.isfinite(own))
    weight = rows.weight[known]
    if not weight.sum() > 0:
        return float("nan")
    return float(weight @ _LOSSES[loss](scores[known], rows.y[known]) / weight.sum())


def _log_losses(scores: Floats, y: Numbers) -> Floats:
    return -log_softmax(scores)[np.arange(len(y)), y]


def _squared_hinges(scores: Floats, y: Numbers) -> Floats:
    sides = np.where(np.arange(scores.shape[1]) == y[:, np.newaxis], 1.0, -1.0)
    return np.asarray((np.maximum(0.0, 1 - sides * scores) ** 2).sum(axis=1))


_LOSSES = {"logistic": _log_losses, "squared-hinge": _squared_hinges}
