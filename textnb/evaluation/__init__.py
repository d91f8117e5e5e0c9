"""How good a classifier is, and what it should answer given what mistakes cost."""

from textnb.evaluation.cost_evaluation import CostEvaluation
from textnb.evaluation.costs import Costs, read_costs
from textnb.evaluation.evaluation import Evaluation
from textnb.evaluation.risk_coverage import RiskCoverage

__all__ = ["CostEvaluation", "Costs", "Evaluation", "RiskCoverage", "read_costs"]
