"""Comparison of recipes: cross-validation, learning curves, tuning; each text is tokenized once."""

from typing import TYPE_CHECKING

from textnb.extension import dir_of, names_of

if TYPE_CHECKING:
    from textnb.comparison.comparison import Compared, Comparison, compare
    from textnb.comparison.cross_validation import CrossValidated, TokenizedDocuments, cross_validated
    from textnb.comparison.curve import Curve, learning_curve
    from textnb.comparison.rare_classes import ChosenClasses, choose_classes
    from textnb.comparison.recipes import read_recipes
    from textnb.comparison.tuning import Tuned, candidates, tune

__all__ = [
    "ChosenClasses",
    "Compared",
    "Comparison",
    "CrossValidated",
    "Curve",
    "TokenizedDocuments",
    "Tuned",
    "candidates",
    "choose_classes",
    "compare",
    "cross_validated",
    "learning_curve",
    "read_recipes",
    "tune",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            **dict.fromkeys(("Compared", "Comparison", "compare"), "comparison"),
            **dict.fromkeys(("CrossValidated", "TokenizedDocuments", "cross_validated"), "cross_validation"),
            **dict.fromkeys(("Curve", "learning_curve"), "curve"),
            **dict.fromkeys(("ChosenClasses", "choose_classes"), "rare_classes"),
            "read_recipes": "recipes",
            **dict.fromkeys(("Tuned", "candidates", "tune"), "tuning"),
        },
    )

__dir__ = dir_of(__name__)
