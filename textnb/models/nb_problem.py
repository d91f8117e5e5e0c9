"""Labelled rows, weighed by their log-count ratios, as something to be minimised.

Everything that is learnt is learnt here: which terms are in use, their scale (``nb_ratios.py``), and the weights (a
smooth loss). So a problem made of some rows knows nothing of the others.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.models.dual_hinge import descended, is_for_passes
from textnb.models.minimum import Minimum, bound, minimum, rounding
from textnb.models.nb_ratios import Numbers, Presence, largest_ratio, used_terms
from textnb.models.scorer import LinearScorer
from textnb.models.smooth_loss import Loss, LossOf
from textnb.models.softmax_loss import SoftmaxLoss
from textnb.models.squared_hinge import SquaredHingeLoss
from textnb.numerics import Floats

_COARSE = 0.1
LOSSES: dict[str, LossOf] = {"logistic": SoftmaxLoss.of, "squared-hinge": SquaredHingeLoss.of}


class Rows(NamedTuple):
    """What rows contain, their classes by number (D,), how many documents each stands for, and its weight in the loss:
    the same times the weight of its class."""

    presence: Presence
    y: Numbers
    documents: Floats
    weight: Floats
    n_classes: int

    def chosen(self, mask: NDArray[np.bool_]) -> "Rows":
        """Some of the rows, by a mask (D,)."""
        return Rows(self.presence.of_rows(mask), self.y[mask], self.documents[mask], self.weight[mask], self.n_classes)

    def of_terms(self, columns: Numbers) -> "Rows":
        """Some of the terms, by number."""
        return self._replace(presence=self.presence.of_terms(columns))


@dataclass(frozen=True, eq=False)
class Problem:
    """A loss over v terms in use, by number ``columns`` (v,), of ``scale`` (v,), and the classes that have rows."""

    rows: Rows
    name: str
    columns: Numbers
    scale: Floats
    present: Numbers
    loss: Loss

    @classmethod
    def of(cls, rows: Rows, loss: str, a: float, min_df: float) -> "Problem":
        """The loss of that name over the rows."""
        present, y = np.unique(rows.y, return_inverse=True)
        columns, counts = used_terms(rows.presence, y, rows.documents, len(present), min_df)
        return cls._scaled(rows, loss, columns, largest_ratio(counts, a))

    @classmethod
    def _scaled(cls, rows: Rows, loss: str, columns: Numbers, scale: Floats) -> "Problem":
        columns, scale = columns[scale > 0], scale[scale > 0]
        present, y = np.unique(rows.y, return_inverse=True)
        Z = rows.presence.of_terms(columns).scaled(scale)
        return cls(rows, loss, columns, scale, present, LOSSES[loss](Z, y, rows.weight, 1.0))

    @property
    def is_for_passes(self) -> bool:
        """Whether its minima are found by passes over the rows."""
        return isinstance(self.loss, SquaredHingeLoss) and is_for_passes(self.loss)

    def minimum(self, l2: float, tol: float, max_iter: int, theta: Floats | None = None) -> Minimum:
        """The minimum at a strength, sought from theta (v+1, M): |theta - minimum| <= tol |theta|.

        With a penalty of l2/2 |theta|^2 and a gradient g the minimum is no farther than |g| / l2; |theta| is that of a
        first, coarse minimum, unless theta is near enough to tell it. Passes (``dual_hinge.py``) have a closer bound.
        """
        loss, passes, steps = self.loss.with_l2(l2), 0, 0
        near = bound(loss, max(tol, _COARSE)) if theta is None else 0.0
        if self.is_for_passes:
            passed = descended(loss.at(loss.start if theta is None else theta), tol, max_iter)
            if passed.is_close:
                return Minimum(passed.point, passed.passes, np.inf)
            theta, passes = passed.point.theta, passed.passes
        if theta is None:
            coarse = minimum(loss, near, max_iter)
            theta, steps = coarse.point.theta, coarse.steps
        small = max(tol * l2 * float(np.linalg.norm(theta[:-1])), rounding(loss))
        found = minimum(loss, small, max_iter - steps, theta)
        return found._replace(steps=passes + steps + found.steps)

    def pruned(self, theta: Floats, share: float) -> "Problem":
        """The same over a share of the terms: those with the largest weight in any class; of equals the first."""
        largest = np.abs(self.loss.scorer(theta).by_term).max(axis=1, initial=0.0)
        kept = np.sort(np.argsort(-largest, kind="stable")[: int(np.ceil(share * len(largest)))])
        return self._scaled(self.rows, self.name, self.columns[kept], self.scale[kept])

    def scaled(self, presence: Presence) -> Any:
        """Other rows on the terms and the scale of this problem, csc (D, v)."""
        return presence.of_terms(self.columns).scaled(self.scale)

    def linear(self, theta: Floats) -> LinearScorer:
        """The scorer of scaled rows, (v, C); a class that has no rows is impossible."""
        found, n_classes = self.loss.scorer(theta), self.rows.n_classes
        if len(self.present) == n_classes:
            return found
        by_term, bias = np.zeros((len(self.columns), n_classes)), np.full(n_classes, -np.inf)
        by_term[:, self.present], bias[self.present] = found.by_term, found.bias
        return LinearScorer(by_term, bias)
