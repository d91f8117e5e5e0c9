"""How good a classifier is, what it should answer given what mistakes cost, and what would flatter it."""

from textnb.evaluation.cost_evaluation import CostEvaluation
from textnb.evaluation.costs import Costs, read_costs
from textnb.evaluation.evaluation import Evaluation
from textnb.evaluation.giveaways import giveaways
from textnb.evaluation.near_duplicates import duplicate_groups
from textnb.evaluation.reliability import Reliability
from textnb.evaluation.risk_coverage import RiskCoverage

__all__ = [
    "CostEvaluation",
    "Costs",
    "Evaluation",
    "Reliability",
    "RiskCoverage",
    "duplicate_groups",
    "giveaways",
    "read_costs",
]
