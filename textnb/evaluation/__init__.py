"""How good a classifier is: metrics and the evaluation that gathers them."""

from textnb.evaluation.evaluation import Evaluation

__all__ = ["Evaluation"]
