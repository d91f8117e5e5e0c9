"""What decisions have cost on labelled documents."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textnb.errors import InputError
from textnb.evaluation.costs import Costs
from textnb.evaluation.decision import UNSURE
from textnb.evaluation.metrics import numbered
from textnb.models.scorer import most_probable
from textnb.numerics import Floats


@dataclass(frozen=True)
class CostEvaluation:
    """The mean cost of a document, decided by least expected cost and, beside it, always for the most probable class.

    ``unsure`` documents had no answer; ``changed`` ones had another answer than the most probable class, or none.

    >>> P = np.array([[0.4, 0.6], [0.1, 0.9]])
    >>> CostEvaluation.of(["ham", "spam"], P, Costs({"ham": {"spam": 10}}), ["ham", "spam"])
    CostEvaluation(mean_cost=0.5, mean_cost_of_most_probable=5.0, unsure=0, changed=2)
    """

    mean_cost: float
    mean_cost_of_most_probable: float
    unsure: int
    changed: int

    @classmethod
    def of(cls, labels: Sequence[str], probabilities: Floats, costs: Costs, classes: Sequence[str]) -> "CostEvaluation":
        """The costs of probabilities (D, C). Any answer to a label that the model does not know costs the default."""
        if not len(labels):
            raise InputError("there are no documents to test on")
        y, likeliest = numbered(labels, classes), most_probable(probabilities)
        decided = costs.rule(classes)(probabilities)
        outcomes = _outcomes(costs, classes)
        return cls(
            float(outcomes[y, decided].mean()),
            float(outcomes[y, likeliest].mean()),
            int((decided == UNSURE).sum()),
            int((decided != likeliest).sum()),
        )

    @property
    def json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return asdict(self)


def _outcomes(costs: Costs, classes: Sequence[str]) -> Floats:
    """Costs (C + 1, C + 1): the last row is of labels that the model does not know, the last column (-1) of UNSURE."""
    known = np.vstack([costs.matrix(classes), np.full(len(classes), costs.default)])
    unsure = math.inf if costs.unsure is None else costs.unsure
    return np.column_stack([known, np.full(len(known), unsure)])
