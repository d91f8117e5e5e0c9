"""How good a classifier is, what it should answer given what mistakes cost, and what would flatter it."""

from textnb.decisions import Costs, read_costs
from textnb.evaluation.evaluation import CostEvaluation, Evaluation
from textnb.evaluation.reliability import Reliability, RiskCoverage

__all__ = [
    "CostEvaluation",
    "Costs",
    "Evaluation",
    "Reliability",
    "RiskCoverage",
    "read_costs",
]
