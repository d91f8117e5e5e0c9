"""Multinomial logistic regression (maximum entropy).

    p(k|x) = exp(W_k x + b_k) / sum_l exp(W_l x + b_l)                                                  (1)
    L      = - sum_i w_i log p(y_i|x_i) + l2/2 |W|^2           W (C, V), b (C,); b is not penalised     (2)

Where the gradient is 0 and l2 = 0, the features summed over all rows with weights p(k|x_i) are those summed over the
rows of class k. ``loss.py`` has the loss and its derivatives, ``solvers.py`` the ways to its minimum. For l2 > 0 the
minimum is unique, up to a number added to all b_k; of all such b the one of sum 0 is taken. W has the sum 0 in every
column.

The model for texts finds l2 by cross-validation (``path.py``): ``cv``. idf is that of all documents; a fold knows
nothing else of its rows. As in a new document, terms that occur in no other fold are left out of a row, which is then
made of length 1 again if rows are divided by their length.

- A fit ends where |gradient| <= tol |gradient at the start| (all W = 0, p(k|x) the share of class k; features measured
  from their means), or says that it did not.
- One class: all weights are 0. A constant column: its weight is 0. A class of which no row has a weight: p = 0.
- l2 = 0 and rows that can be separated: the loss falls for ever, there is no minimum. The fit says so, and is left
  where the gradient had become small.
- No rows, weights that are all 0, numbers that are not finite: refused. Where no row can be left out, ``cv`` takes
  ``L2_WITHOUT_FOLDS``.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.matrix import CSR
from textnb.errors import ConvergenceWarning
from textnb.extension import sparse
from textnb.models.linear.least_squares import L2
from textnb.models.logistic import solvers
from textnb.models.logistic.loss import SoftmaxLoss, SoftmaxPoint
from textnb.models.logistic.path import STRENGTHS, Path, Problem, Search, cross_validated
from textnb.models.logistic.solvers import SOLVERS, bound, check_search, is_small, minimum
from textnb.models.model import (
    BALANCED,
    TRIED_L2,
    Fit,
    Model,
    Need,
    Number,
    Options,
    Statistics,
    by_name,
    weightings_from,
)
from textnb.models.prior import Prior, class_weighted
from textnb.models.rows import Labelled, dealt_folds
from textnb.models.scorer import LinearScorer
from textnb.numerics import Codes, Floats, check_choice, check_number

N_FOLDS = 4
SEARCH = Search(STRENGTHS, min_gain=0.02, n_rows=1000)
"""Strengths that ``cv`` tries and where it ends."""
L2_WITHOUT_FOLDS = 0.1
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


def solution(
    X: Any, y: Codes, weight: Floats, n_classes: int, settings: LogisticSettings, start: Floats | None = None
) -> LogisticFit:
    """Minimum of eq. (2) for checked rows X (D, V), classes by number y (D,) and weights (D,).

    start (V+1, M): a theta to start at, see ``loss.py``.

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
        found = minimum(loss, small, int(settings.max_iter), start, settings.solver)
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


class WeightedRows(NamedTuple):
    """Rows X (D, V) csr, classes by number (D,), weights in the loss (D,); whether rows are divided by their length."""

    X: CSR
    y: Codes
    weight: Floats
    n_classes: int
    is_normalised: bool

    @property
    def n_terms(self) -> int:
        """Number of terms, V."""
        return int(self.X.shape[1])

    def chosen(self, mask: NDArray[np.bool_]) -> "WeightedRows":
        """Rows selected by a mask (D,)."""
        return self._replace(X=self.X[np.flatnonzero(mask)], y=self.y[mask], weight=self.weight[mask])


@dataclass(frozen=True, eq=False)
class WeightedProblem(Problem):
    """The loss of eq. (2) over the terms that its rows contain."""

    rows: WeightedRows

    @classmethod
    def of(cls, rows: WeightedRows) -> "WeightedProblem":
        """Problem of the rows."""
        columns = np.unique(rows.X.indices)
        present, y = np.unique(rows.y, return_inverse=True)
        return cls(rows, columns, present, SoftmaxLoss.of(rows.X[:, columns], y, rows.weight, 1.0))

    def scaled(self, rows: WeightedRows) -> CSR:
        """Other rows without the terms that are not in use, (D, v); of length 1 if rows are divided by their length."""
        X = rows.X[:, self.columns]
        if not rows.is_normalised:
            return X
        lengths = np.sqrt(X.power(2).sum(axis=1))
        return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ X)


def searched(rows: WeightedRows, folds: Codes) -> tuple[LogisticFit, float, Path | None]:
    """Minimum of eq. (2) at the best of the strengths of ``SEARCH``, that strength, and the path to it.

    folds (D,): equal for rows left out together. The path has their left-out scores at that strength.
    """
    path, guess = cross_validated(rows, folds, WeightedProblem.of, SEARCH) or (None, None)
    l2 = L2_WITHOUT_FOLDS if path is None else path.strengths[path.best]
    return solution(rows.X, rows.y, rows.weight, rows.n_classes, LogisticSettings(l2), guess), l2, path


def _fit(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows, l2 = statistics.documents, options["l2"]
    weight, path = row_weights(rows, options), None
    if l2 == "cv":
        X = sparse.csr_array(rows.X)
        given = WeightedRows(X, rows.y, weight, len(rows.classes), statistics.is_normalised)
        found, l2, path = searched(given, dealt_folds(X, rows.y, N_FOLDS))
    else:
        found = solution(rows.X, rows.y, weight, len(rows.classes), LogisticSettings(l2))
    return Fit(
        found.scorer.in_single_precision,
        found={"l2": l2} if options["l2"] == "cv" else {},
        facts=fit_facts(found),
        includes_prior=not options["balanced"],
        left_out_scores=None if path is None else path.scores,
    )


MODEL = Model(
    name="logistic",
    help="multinomial logistic regression",
    fit=_fit,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS}),
    options=by_name(
        replace(
            L2,
            kind=Number(low=0, names=("cv",)),
            default="cv",
            help="strength of the L2 penalty, by cross-validation (cv) or a number",
            tried=("cv", *TRIED_L2),
        ),
        BALANCED,
    ),
)
