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

The path ends as soon as E has fallen by less than a given proportion, or grown; the strength of the least E is taken,
of equals the strongest, and in a strict search only if E has fallen by that proportion. Each minimum is sought from
where the two before point to, or from the one before where rows are passed one by one (``squared_hinge.py``), and found
to |theta - minimum| <= 0.3 |theta|.

A ``Search`` says how many rows E needs. The folds that hold so many advance together. The others are fitted at the
chosen strength only, each from the mean of those before, and one at a time, so that memory holds the rows of one.

A ``Problem`` learns all from its own rows: which terms are in use, their scale (``ratios.py``) and the weights.
So a problem made of some rows knows nothing of the others. A row whose class has no row outside its fold cannot be
scored: its own class has the score -inf, and it is left out of (3). Where that leaves no row, or there is one class,
there is nothing to choose by, and no path.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.extension import return_memory, uses_extension
from textnb.models.logistic.loss import Loss, SoftmaxLoss
from textnb.models.logistic.ratios import Presence, frequent, largest_ratio
from textnb.models.logistic.solvers import Minimum, bound, gradient_norm_at_start, minimum, rounding
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
_SINGLE_FROM = 1 << 20
"""Entries from which on the squared hinge takes rows in single precision, with half the memory, to wide tolerances."""
LOSSES: dict[str, type[Loss]] = {"logistic": SoftmaxLoss, "squared-hinge": SquaredHingeLoss}


class PresenceRows(NamedTuple):
    """Terms of rows, classes by number (D,), number of documents of each row, and its weight in the loss (D,).

    A row of weight 0 is not there, for the model.
    """

    presence: Presence
    y: Codes
    documents: Floats
    weight: Floats
    n_classes: int

    def chosen(self, mask: NDArray[np.bool_]) -> "PresenceRows":
        """Rows selected by a mask (D,); the others stay, with the weight 0."""
        return self._replace(documents=self.documents * mask, weight=self.weight * mask)

    @property
    def n_terms(self) -> int:
        """Number of terms, V."""
        return self.presence.n_terms


def near_minimum(loss: Loss, tol: float, max_iter: int, theta: Floats | None = None) -> Minimum:
    """Minimum of a loss with l2 > 0, starting at theta (V+1, M): |theta - minimum| <= tol |theta|.

    With a penalty of l2/2 |theta|^2 and a gradient g the minimum is no farther than |g| / l2; |theta| is that of a
    first, coarse minimum, unless theta is near enough to tell it. Passes over rows have a closer bound.
    """
    passes, steps = 0, 0
    if isinstance(loss, SquaredHingeLoss) and is_for_passes(loss):
        passed = descended(loss.at(loss.start if theta is None else theta), tol, max_iter)
        if passed.is_close:
            return Minimum(passed.point, passed.passes, np.inf)
        theta, passes = passed.point.theta, passed.passes
        gradient_norm_at_start(loss)
    loss = replace(loss, Z=loss.Z.stored)
    if theta is None:
        coarse = minimum(loss, bound(loss, max(tol, _COARSE_TOL)), max_iter)
        theta, steps = coarse.point.theta, coarse.steps
    small = max(tol * loss.l2 * float(np.linalg.norm(theta[:-1])), rounding(loss))
    found = minimum(loss, small, max_iter - steps, theta)
    return found._replace(steps=passes + steps + found.steps)


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """A loss over rows: of the terms in use, by number ``columns`` (v,), and the classes ``present`` that have rows.

    theta has a row for each term in use, or for each term.

    ``rows`` are those of a model: they have y, weight, n_classes, n_terms and ``chosen``, which selects by a mask (D,).
    """

    rows: Any
    columns: Codes
    present: Codes
    loss: Loss

    @abstractmethod
    def scaled(self, rows: Any) -> Any:
        """Other rows as the loss takes them, (D, v)."""

    @property
    def places(self) -> Codes | slice:
        """Places of the rows of theta among those of a theta (V+1, M) on all terms."""
        if self.loss.shape[0] == self.rows.n_terms + 1:
            return slice(None)
        return np.append(self.columns, -1)

    @property
    def is_for_passes(self) -> bool:
        """Whether minima are found by dual coordinate descent."""
        return isinstance(self.loss, SquaredHingeLoss) and is_for_passes(self.loss)

    def minimum(self, l2: float, tol: float, max_iter: int, theta: Floats | None = None) -> Minimum:
        """Minimum at a strength, see ``near_minimum``."""
        return near_minimum(replace(self.loss, l2=l2), tol, max_iter, theta)

    def linear(self, theta: Floats) -> LinearScorer:
        """Scorer of scaled rows, (v, C); a class that has no rows is impossible."""
        return self.loss.scorer_among(theta, self.present, self.rows.n_classes)


@dataclass(frozen=True, eq=False)
class PresenceProblem(Problem):
    """A loss over terms of ``scale`` (V,) that are present or not; a term that is not in use has the scale 0."""

    rows: PresenceRows
    name: str
    scale: Floats

    @classmethod
    def of(cls, rows: PresenceRows, loss: str, a: float, min_df: float, *, single: bool = False) -> "PresenceProblem":
        """Problem of the named loss over the rows, in single precision if that is enough and they are many."""
        present, y = _numbered(rows)
        counts = rows.presence.by_class(y, rows.documents, len(present))
        used, scale = frequent(counts.sum(axis=1), min_df), np.zeros(len(counts))
        scale[used] = largest_ratio(counts if len(used) == len(counts) else counts[used], a)
        del counts  # before the scaled rows are made
        is_single = single and loss == "squared-hinge" and len(rows.presence.columns) >= _SINGLE_FROM
        return cls._scaled(rows, loss, scale, np.float32 if is_single else np.float64)

    @classmethod
    def _scaled(cls, rows: PresenceRows, loss: str, scale: Floats, dtype: Any) -> "PresenceProblem":
        present, y = _numbered(rows)
        is_made = dtype == np.float32 and uses_extension() and rows.presence.columns.dtype == np.int32
        Z = rows.presence.unit_rows(scale) if is_made else rows.presence.scaled(scale, dtype)
        return cls(rows, np.flatnonzero(scale), present, LOSSES[loss].of(Z, y, rows.weight, 1.0), loss, scale)

    def pruned(self, theta: Floats, share: float) -> "PresenceProblem":
        """Problem over a proportion of the terms: those with the largest weight in any class; of equals the first."""
        largest = np.abs(self.loss.scorer(theta).by_term[self.columns]).max(axis=1, initial=0.0)
        kept = np.argsort(-largest, kind="stable")[: int(np.ceil(share * len(largest)))]
        scale = np.zeros_like(self.scale)
        scale[self.columns[kept]] = self.scale[self.columns[kept]]
        return self._scaled(self.rows, self.name, scale, self.loss.Z.columns.dtype)

    def scaled(self, rows: PresenceRows) -> Any:
        """Rows of weight above 0 scaled by the scale of this problem, csr (d, V)."""
        return self.loss.Z.by_rows[np.flatnonzero(rows.weight)]


def _numbered(rows: PresenceRows) -> tuple[Codes, Codes]:
    """Classes that have rows of weight above 0, and their numbers among these, (D,); 0 for rows of other classes."""
    present = np.unique(rows.y[rows.weight > 0])
    numbers = np.zeros(rows.n_classes, np.intp)
    numbers[present] = np.arange(len(present))
    return present, numbers[rows.y]


STRENGTHS = tuple(float(f"{10 ** (1 - step / 2):.3g}") for step in range(10))
"""10, 3.16, 1, ... 0.000316."""

_PATH_TOL = 0.3
_MAX_ITER = 100


class Search(NamedTuple):
    """Strengths to try, strongest first; the proportion by which E must fall to go on; the number of rows for E.

    is_strict: True to take a weaker strength only if E has fallen by that proportion.
    """

    strengths: tuple[float, ...]
    min_gain: float = 0.01
    n_rows: float = np.inf
    is_strict: bool = False


class Path(NamedTuple):
    """Strengths tried (T,), E of each (T,), the index of the best, and the held-out scores there, (D, C)."""

    strengths: tuple[float, ...]
    losses: tuple[float, ...]
    best: int
    scores: Floats


class Fold:
    """Rows held out, by a mask (D,), and the problem of all others; ``theta`` is the last minimum."""

    def __init__(self, rows: Any, held: NDArray[np.bool_], make: Callable[[Any], Any]) -> None:
        return_memory()  # of the fold before
        self.held, self.rows = held, rows.chosen(held)
        self.problem = make(rows.chosen(~held))
        self.theta = self.problem.loss.start
        self.before: Floats | None = None

    def solve(self, l2: float) -> None:
        """Minimise at the next strength."""
        ahead = self.theta if self.before is None else 2 * self.theta - self.before
        found = self.problem.minimum(l2, _PATH_TOL, _MAX_ITER, ahead if ahead[:-1].any() else None)
        is_on_a_line = bool(self.theta[:-1].any()) and not self.problem.is_for_passes
        self.theta, self.before = found.point.theta, self.theta if is_on_a_line else None

    def prune(self, share: float, l2: float) -> None:
        """Keep a proportion of the terms and minimise again."""
        self.problem = self.problem.pruned(self.theta, share)
        self.theta, self.before = self.problem.loss.start, None
        self.solve(l2)

    @property
    def scores(self) -> Floats:
        """Scores of the rows held out, (d, C)."""
        linear = self.problem.linear(self.theta)
        return np.asarray(self.problem.scaled(self.rows) @ linear.by_term + linear.bias)


class MeanTheta:
    """Mean theta of the folds added so far, on all terms (V+1, M); None if there is none, or a fold lacks a class."""

    def __init__(self, rows: Any) -> None:
        self.n_terms, self.n_classes = rows.n_terms, len(np.unique(rows.y))
        self.sum: Floats | None = None
        self.n_folds = 0

    def add(self, part: Fold) -> None:
        """Add the theta of a fold."""
        self.n_folds += 1
        if len(part.problem.present) < self.n_classes:
            self.sum = None
        elif self.n_folds == 1:
            self.sum = np.zeros((self.n_terms + 1, part.theta.shape[1]), part.theta.dtype)
        if self.sum is not None:
            self.sum[part.problem.places] += part.theta

    @property
    def value(self) -> Floats | None:
        """Mean theta."""
        return None if self.sum is None else self.sum / self.n_folds

    def on(self, problem: Problem, otherwise: Floats) -> Floats:
        """Mean theta on the terms of a problem; ``otherwise`` if there is none, or the problem lacks a class."""
        if self.sum is None or len(problem.present) < self.n_classes:
            return otherwise
        return np.asarray(self.sum[problem.places] / self.n_folds)


def cross_validated(
    rows: Any, folds: Codes, make: Callable[[Any], Problem], search: Search, prune: float | None = None
) -> tuple[Path, Floats | None] | None:
    """Path over folds by number (D,), and a start for the minimum of all rows at the best strength.

    The start (V+1, M) is None where a fold lacks a class; None alone is returned where no row can be held out. ``make``
    makes the problem of some rows. With ``prune`` the scores are those of pruned models.
    """
    held = [folds == f for f in np.unique(folds)]
    n_scored = np.cumsum([_n_scored(rows, each) for each in held])
    if len(np.unique(rows.y)) < 2 or not n_scored[-1]:
        return None
    n_searched = min(1 + int(np.searchsorted(n_scored, search.n_rows)), len(held))
    parts = [Fold(rows, each, make) for each in held[:n_searched]]
    losses, best = _searched(parts, rows, search)
    scores, mean = np.empty((len(rows.y), rows.n_classes)), MeanTheta(rows)

    def settle(part: Fold) -> None:
        mean.add(part)
        if prune is not None:
            part.prune(prune, search.strengths[best])
        scores[part.held] = part.scores

    while parts:
        settle(parts.pop(0))
    for each in held[n_searched:]:
        part = Fold(rows, each, make)
        part.theta = mean.on(part.problem, part.theta)
        part.solve(search.strengths[best])
        settle(part)
        del part  # before the next one is made
    return Path(search.strengths[: len(losses)], losses, best, scores), mean.value


def _n_scored(rows: Any, held: NDArray[np.bool_]) -> int:
    """Number of the rows of a fold, given by a mask (D,), whose class has rows outside it."""
    return int(np.isin(rows.y[held], rows.y[~held]).sum())


def _searched(parts: list[Fold], rows: Any, search: Search) -> tuple[tuple[float, ...], int]:
    """Losses E along the path and the index of the strength taken; leaves each fold there."""
    losses: list[float] = []
    thetas: list[Floats] = []
    best = 0
    y, weight = (np.concatenate([array[part.held] for part in parts]) for array in (rows.y, rows.weight))
    for l2 in search.strengths:
        for part in parts:
            part.solve(l2)
        losses.append(left_out_loss(y, weight, np.concatenate([part.scores for part in parts])))
        has_gained = len(losses) == 1 or losses[-1] < (1 - search.min_gain) * losses[-2]
        if len(losses) == 1 or (losses[-1] < losses[best] and (has_gained or not search.is_strict)):
            thetas, best = [part.theta for part in parts], len(losses) - 1
        if not has_gained:
            break
    for part, theta in zip(parts, thetas, strict=True):
        part.theta = theta
    return tuple(losses), best


def left_out_loss(y: Codes, weight: Floats, scores: Floats) -> float:
    """Held-out loss E of eq. (3) of rows with scores (D, C); NaN where no row can be scored."""
    known = np.flatnonzero(np.isfinite(scores[np.arange(len(scores)), y]))
    return best_log_loss(scores[known], y[known], weight[known]) if len(known) else float("nan")
