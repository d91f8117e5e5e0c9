"""Recipes side by side: cross-validation, learning curves, tuning; each text is cut into terms once."""

from textnb.comparison.comparison import Compared, Comparison, compare
from textnb.comparison.cross_validation import CrossValidated, Tokenised, cross_validated
from textnb.comparison.curve import Curve, learning_curve
from textnb.comparison.recipes import read_recipes
from textnb.comparison.tuning import Tuned, candidates, tune

__all__ = [
    "Compared",
    "Comparison",
    "CrossValidated",
    "Curve",
    "Tokenised",
    "Tuned",
    "candidates",
    "compare",
    "cross_validated",
    "learning_curve",
    "read_recipes",
    "tune",
]
