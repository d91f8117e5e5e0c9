"""Multinomial logistic regression (maximum entropy).

    p(k|x) = exp(W_k x + b_k) / sum_l exp(W_l x + b_l)                                                  (1)
    L      = - sum_i w_i log p(y_i|x_i) + l2/2 |W|^2           W (C, V), b (C,); b is not penalised     (2)

Where the gradient is 0 and l2 = 0, the features summed over all rows with weights p(k|x_i) are those summed over the
rows of class k. ``loss.py`` has the loss and its derivatives, ``solvers.py`` the ways to its minimum. For l2 > 0 the
minimum is unique, up to a number added to all b_k; of all such b the one of sum 0 is taken. W has the sum 0 in every
column.

- A fit ends where |gradient| <= tol |gradient at the start| (all W = 0, p(k|x) the share of class k; features measured
  from their means), or says that it did not.
- One class: all weights are 0. A constant column: its weight is 0. A class of which no row has a weight: p = 0.
- l2 = 0 and rows that can be separated: the loss falls for ever, there is no minimum. The fit says so, and is left
  where the gradient had become small.
- No rows, weights that are all 0, numbers that are not finite: refused.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textnb.errors import ConvergenceWarning
from textnb.models.linear.least_squares import L2
from textnb.models.logistic import solvers
from textnb.models.logistic.loss import SoftmaxLoss, SoftmaxPoint
from textnb.models.logistic.solvers import SOLVERS, bound, check_search, is_small, minimum
from textnb.models.model import BALANCED, Fit, Model, Need, Options, Statistics, by_name, weightings_from
from textnb.models.prior import Prior, class_weighted
from textnb.models.rows import Labelled
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, check_choice, check_number

_STILL_MOVING = 0.1
NO_MINIMUM = (
    "there is no finite optimum: the rows can be separated and l2 is 0; use l2 > 0 (norm of the gradient: {norm:.3g})"
)


@dataclass(frozen=True)
class LogisticSettings:
    """Settings of the fit: l2 >= 0; solver ``newton``, ``lbfgs`` or ``gradient``; tol > 0; max_iter >= 1."""

    l2: float = 1.0
    solver: str = "newton"
    tol: float = 1e-5
    max_iter: int = 1000

    def __post_init__(self) -> None:
        check_number(self.l2, "l2", low=0)
        check_choice(self.solver, "solver", SOLVERS)
        check_search(self.tol, self.max_iter)


@dataclass(frozen=True, eq=False)
class Minimised:
    """Scorer at the minimum of a loss, the loss there, the number of steps, and what is wrong ("" if nothing is)."""

    scorer: Any
    value: float
    iterations: int
    trouble: str

    @property
    def converged(self) -> bool:
        """Whether the minimum was reached, to the tolerance."""
        return not self.trouble


@dataclass(frozen=True, eq=False)
class LogisticFit(Minimised):
    """Minimum of eq. (2), and the norm of the gradient there."""

    scorer: LinearScorer
    gradient_norm: float


def solution(X: Any, y: Codes, weight: Floats, n_classes: int, settings: LogisticSettings) -> LogisticFit:
    """Minimum of eq. (2) for checked rows X (D, V), classes by number y (D,) and weights (D,).

    >>> found = solution(np.arange(4.0)[:, np.newaxis], np.array([0, 0, 1, 1]), np.ones(4), 2, LogisticSettings())
    >>> found.scorer.weights.round(4), found.scorer.bias.round(4)
    (array([[-0.6807],
           [ 0.6807]]), array([ 1.021, -1.021]))
    """
    weighty = np.flatnonzero(weight > 0)
    if len(weighty) < len(weight):
        X, y, weight = X[weighty], y[weighty], weight[weighty]
    present, y = np.unique(y, return_inverse=True)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused, or a step that is not taken
        loss = SoftmaxLoss.of(X, y, weight, float(settings.l2))
        small = bound(loss, float(settings.tol))
        found = minimum(loss, small, int(settings.max_iter), solver=settings.solver)
        point: SoftmaxPoint = found.point
        no_minimum = loss.l2 == 0 and _has_no_minimum(point, small)
    trouble = NO_MINIMUM.format(norm=point.gradient_norm) if no_minimum else found.trouble
    scorer = loss.scorer_among(point.theta, present, n_classes)
    return LogisticFit(scorer, point.value, found.steps, trouble, point.gradient_norm)


def _has_no_minimum(point: SoftmaxPoint, small: float) -> bool:
    """Whether a loss without penalty has no minimum: larger weights are always better.

    Either every row has its own class above the others, or the gradient is small and Newton's step still moves scores.
    """
    if point.loss.shape[1] == 0:
        return False
    own = np.exp(point.log_p_true)
    others = point.p.copy()
    others[np.arange(len(own)), point.loss.y] = 0
    if (own > others.max(axis=1)).all():
        return True
    if not point.gradient_norm <= small:
        return False
    step = solvers.exact(point) if is_small(point.loss) else solvers.truncated(point, 0.1)
    return bool(np.abs(step.scores).max() > _STILL_MOVING)


def row_weights(rows: Labelled, options: Options) -> Floats:
    """Weights (D,) of the rows in the loss, with classes balanced where the option says so."""
    return class_weighted(rows.weight, rows.y, rows.classes, "balanced" if options["balanced"] else None)


def fit_facts(found: Minimised) -> dict[str, Any]:
    """Facts of a fit for `info`; warns where it did not converge."""
    if found.trouble:
        warnings.warn(found.trouble, ConvergenceWarning, stacklevel=3)
    return {"steps": found.iterations, "loss": found.value}


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows = statistics.documents
    weight, settings = row_weights(rows, options), LogisticSettings(l2=options["l2"])
    found = solution(rows.X, rows.y, weight, len(rows.classes), settings)
    return Fit(found.scorer, facts=fit_facts(found), includes_prior=not options["balanced"])


MODEL = Model(
    name="logistic",
    help="multinomial logistic regression",
    fit=_fit,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS}),
    options=by_name(replace(L2, default=0.003), BALANCED),
)
