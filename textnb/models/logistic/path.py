"""Strength of the penalty by cross-validation, along a path from strong to weak.

    lambda_0 > lambda_1 > ...                                                                           (1)
    theta_f(lambda_t) = argmin L_f(theta; lambda_t)     over the rows outside fold f                    (2)
    E(lambda) = log loss of the rows, each by the model without its fold, at the best temperature       (3)

The plain log loss rewards larger scores as much as better ones, and on articles falls to the end of the path. Errors
alone are few, and jump. A temperature takes the size of the scores out, and serves losses without probabilities too:

    E = min over t, 0 <= t <= t_max, of  - sum_i w_i log p_i,y_i(t) / sum_i w_i,    p_i(t) = softmax(t s_i)     (4)
    dE/dt = sum_i w_i (sum_k p_ik s_ik - s_i,y_i) / sum_i w_i                                                   (5)

E is convex in t, so (5) crosses 0 at most once. At t = 0, where scores say nothing or mislead, E is the logarithm of
the number of classes. Where every row is right the best t is infinite; t_max is 100 over the deviation of the scores
from the means of their rows.

The path ends as soon as E has fallen by less than 1 %, or grown; the strength of the least E is taken, of equals the
strongest. Each minimum is sought from where the two before point to, or from the one before where rows are passed one
by one (``squared_hinge.py``), and found to |theta - minimum| <= 0.3 |theta|. All folds advance together, so that memory
holds the scaled rows of all of them: one copy of X less than there are folds, and twice as much where rows are passed.

A ``Problem`` learns all from its own rows: which terms are in use, their scale (``ratios.py``) and the weights.
So a problem made of some rows knows nothing of the others. A row whose class has no row outside its fold cannot be
scored: its own class has the score -inf, and it is left out of (3). Where that leaves no row, or there is one class or
fold, there is nothing to choose by, and no path.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.models.logistic.loss import Loss, SoftmaxLoss
from textnb.models.logistic.ratios import Presence, largest_ratio, used_terms
from textnb.models.logistic.solvers import Minimum, bound, minimum, rounding
from textnb.models.logistic.squared_hinge import SquaredHingeLoss, descended, is_for_passes
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, bracketed_root, log_softmax

_MAX_TEMPERATURE = 100.0
_TEMPERATURE_TOL = 1e-9


def best_log_loss(scores: Floats, y: Codes, weight: Floats) -> float:
    """Log loss at the best temperature, eq. (4), for scores (D, C), classes by number y (D,) and weights (D,).

    A score may be -inf, but not that of the row's own class.

    >>> scores = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> y, weight = np.array([0, 0, 1, 1]), np.ones(4)
    >>> best_log_loss(scores, y, weight) == best_log_loss(10 * scores, y, weight) < float(np.log(2))
    True
    """
    shares, rows = weight / weight.sum(), np.arange(len(y))
    possible = np.isfinite(scores)
    s = np.where(possible, scores, 0.0)
    s -= (s.sum(axis=1) / possible.sum(axis=1))[:, np.newaxis]
    spread = float(np.sqrt(shares @ np.where(possible, s * s, 0.0).sum(axis=1)))
    s /= spread or 1.0

    def log_p(t: float) -> Floats:
        return log_softmax(np.where(possible, t * s, -np.inf))

    def slope(t: float) -> float:
        return float(shares @ ((np.exp(log_p(t)) * s).sum(axis=1) - s[rows, y]))

    if slope(0.0) >= 0:
        best = 0.0
    else:
        best = (
            _MAX_TEMPERATURE
            if slope(_MAX_TEMPERATURE) <= 0
            else bracketed_root(slope, 0.0, _MAX_TEMPERATURE, _TEMPERATURE_TOL)
        )
    return float(-shares @ log_p(best)[rows, y])


_COARSE_TOL = 0.1
LOSSES: dict[str, type[Loss]] = {"logistic": SoftmaxLoss, "squared-hinge": SquaredHingeLoss}


class PresenceRows(NamedTuple):
    """Terms of rows, classes by number (D,), number of documents of each row, and its weight in the loss (D,)."""

    presence: Presence
    y: Codes
    documents: Floats
    weight: Floats
    n_classes: int

    def chosen(self, mask: NDArray[np.bool_]) -> "PresenceRows":
        """Rows selected by a mask (D,)."""
        parts = (self.y[mask], self.documents[mask], self.weight[mask])
        return PresenceRows(self.presence.of_rows(mask), *parts, self.n_classes)


def near_minimum(loss: Loss, tol: float, max_iter: int, theta: Floats | None = None) -> Minimum:
    """Minimum of a loss with l2 > 0, starting at theta (V+1, M): |theta - minimum| <= tol |theta|.

    With a penalty of l2/2 |theta|^2 and a gradient g the minimum is no farther than |g| / l2; |theta| is that of a
    first, coarse minimum, unless theta is near enough to tell it. Passes over rows have a closer bound.
    """
    passes, steps = 0, 0
    near = bound(loss, max(tol, _COARSE_TOL)) if theta is None else 0.0
    if isinstance(loss, SquaredHingeLoss) and is_for_passes(loss):
        passed = descended(loss.at(loss.start if theta is None else theta), tol, max_iter)
        if passed.is_close:
            return Minimum(passed.point, passed.passes, np.inf)
        theta, passes = passed.point.theta, passed.passes
    if theta is None:
        coarse = minimum(loss, near, max_iter)
        theta, steps = coarse.point.theta, coarse.steps
    small = max(tol * loss.l2 * float(np.linalg.norm(theta[:-1])), rounding(loss))
    found = minimum(loss, small, max_iter - steps, theta)
    return found._replace(steps=passes + steps + found.steps)


@dataclass(frozen=True, eq=False)
class Problem:
    """A loss over v terms in use, by number ``columns`` (v,), of ``scale`` (v,), and the classes that have rows."""

    rows: PresenceRows
    name: str
    columns: Codes
    scale: Floats
    present: Codes
    loss: Loss

    @classmethod
    def of(cls, rows: PresenceRows, loss: str, a: float, min_df: float) -> "Problem":
        """Problem of the named loss over the rows."""
        present, y = np.unique(rows.y, return_inverse=True)
        columns, counts = used_terms(rows.presence, y, rows.documents, len(present), min_df)
        return cls._scaled(rows, loss, columns, largest_ratio(counts, a))

    @classmethod
    def _scaled(cls, rows: PresenceRows, loss: str, columns: Codes, scale: Floats) -> "Problem":
        columns, scale = columns[scale > 0], scale[scale > 0]
        present, y = np.unique(rows.y, return_inverse=True)
        Z = rows.presence.of_terms(columns).scaled(scale)
        return cls(rows, loss, columns, scale, present, LOSSES[loss].of(Z, y, rows.weight, 1.0))

    @property
    def is_for_passes(self) -> bool:
        """Whether minima are found by dual coordinate descent."""
        return isinstance(self.loss, SquaredHingeLoss) and is_for_passes(self.loss)

    def minimum(self, l2: float, tol: float, max_iter: int, theta: Floats | None = None) -> Minimum:
        """Minimum at a strength, see ``near_minimum``."""
        return near_minimum(replace(self.loss, l2=l2), tol, max_iter, theta)

    def pruned(self, theta: Floats, share: float) -> "Problem":
        """Problem over a proportion of the terms: those with the largest weight in any class; of equals the first."""
        largest = np.abs(self.loss.scorer(theta).by_term).max(axis=1, initial=0.0)
        kept = np.sort(np.argsort(-largest, kind="stable")[: int(np.ceil(share * len(largest)))])
        return self._scaled(self.rows, self.name, self.columns[kept], self.scale[kept])

    def scaled(self, presence: Presence) -> Any:
        """Rows scaled by the terms and the scale of this problem, csc (D, v)."""
        return presence.of_terms(self.columns).scaled(self.scale)

    def linear(self, theta: Floats) -> LinearScorer:
        """Scorer of scaled rows, (v, C); a class that has no rows is impossible."""
        return self.loss.scorer_among(theta, self.present, self.rows.n_classes)


STRENGTHS = tuple(float(f"{10 ** (1 - step / 2):.3g}") for step in range(10))
"""10, 3.16, 1, ... 0.000316."""

_PATH_TOL = 0.3
_MAX_LOSS_RATIO = 0.99
_MAX_ITER = 100


class Path(NamedTuple):
    """Strengths tried (T,), E of each (T,), the index of the best, and the held-out scores there, (D, C)."""

    strengths: tuple[float, ...]
    losses: tuple[float, ...]
    best: int
    scores: Floats


class Fold:
    """Rows held out, by a mask (D,), and the problem of all others; ``theta`` is the last minimum."""

    def __init__(self, rows: PresenceRows, held: NDArray[np.bool_], make: Callable[[PresenceRows], Problem]) -> None:
        self.held, self.presence = held, rows.presence.of_rows(held)
        self.problem = make(rows.chosen(~held))
        self.Z = self.problem.scaled(self.presence)
        self.theta = self.before = self.problem.loss.start

    def solve(self, l2: float) -> None:
        """Minimise at the next strength."""
        on_a_line = self.before[:-1].any() and not self.problem.is_for_passes
        ahead = 2 * self.theta - self.before if on_a_line else self.theta
        found = self.problem.minimum(l2, _PATH_TOL, _MAX_ITER, ahead if ahead[:-1].any() else None)
        self.theta, self.before = found.point.theta, self.theta

    def prune(self, share: float, l2: float) -> None:
        """Keep a proportion of the terms and minimise again."""
        self.problem = self.problem.pruned(self.theta, share)
        self.Z, self.theta = self.problem.scaled(self.presence), self.problem.loss.start
        self.before = self.theta
        self.solve(l2)


def cross_validated(
    rows: PresenceRows,
    folds: Codes,
    make: Callable[[PresenceRows], Problem],
    strengths: Sequence[float],
    prune: float | None = None,
) -> tuple[Path, Floats | None] | None:
    """Path over folds by number (D,), and a start for the minimum of all rows at the best strength.

    The start (V+1, M) is None where a fold lacks a class; None alone is returned where no row can be held out. ``make``
    makes the problem of some rows. With ``prune`` the scores are those of pruned models.
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
        losses.append(left_out_loss(rows, _scores(parts, rows)))
        if losses[-1] <= min(losses):
            thetas = [part.theta for part in parts]
        if len(losses) > 1 and not losses[-1] < _MAX_LOSS_RATIO * losses[-2]:
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


def _mean_theta(parts: list[Fold], rows: PresenceRows) -> Floats | None:
    """Mean theta of the folds on all terms; None where a fold lacks a class."""
    if any(len(part.problem.present) < len(np.unique(rows.y)) for part in parts):
        return None
    mean = np.zeros((rows.presence.n_terms + 1, parts[0].theta.shape[1]))
    for part in parts:
        mean[np.append(part.problem.columns, -1)] += part.theta / len(parts)
    return mean


def _scores(parts: list[Fold], rows: PresenceRows) -> Floats:
    """Scores of every row by the model without its fold, (D, C)."""
    scores = np.empty((len(rows.y), rows.n_classes))
    for part in parts:
        linear = part.problem.linear(part.theta)
        scores[part.held] = part.Z @ linear.by_term + linear.bias
    return scores


def left_out_loss(rows: PresenceRows, scores: Floats) -> float:
    """Held-out loss E of eq. (3); NaN where no row can be scored."""
    known = np.flatnonzero(np.isfinite(scores[np.arange(len(scores)), rows.y]))
    return best_log_loss(scores[known], rows.y[known], rows.weight[known]) if len(known) else float("nan")
