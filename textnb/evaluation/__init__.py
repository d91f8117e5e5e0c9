"""Evaluation of classifiers: metrics with intervals, reliability of probabilities, costs of decisions, folds."""

from typing import TYPE_CHECKING

from textnb.decisions import Costs, read_costs
from textnb.extension import dir_of, names_of

if TYPE_CHECKING:
    from textnb.evaluation.evaluation import CostEvaluation, Evaluation, KeptAnswers
    from textnb.evaluation.reliability import Reliability, RiskCoverage

__all__ = [
    "CostEvaluation",
    "Costs",
    "Evaluation",
    "KeptAnswers",
    "Reliability",
    "RiskCoverage",
    "read_costs",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "CostEvaluation": "evaluation",
            "Evaluation": "evaluation",
            "KeptAnswers": "evaluation",
            "Reliability": "reliability",
            "RiskCoverage": "reliability",
        },
    )

__dir__ = dir_of(__name__)
