"""What learners of measurements share that need the rows themselves."""

from typing import Any

from numpy.typing import ArrayLike

from textnb.counts.moments import as_reals
from textnb.estimators.classifier import Learner
from textnb.models.labelled import Labelled


class RealRows(Learner):
    """A learner of X (D, V), dense or sparse, of either sign."""

    def _as_rows(self, matrix: Any) -> Any:
        return as_reals(matrix)

    def _statistics(self, rows: Any, y: Any, sample_weight: ArrayLike | None) -> Labelled:
        return Labelled.of_checked(rows, y, None, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
