"""Comparison as HTML for notebooks: the table of recipes, the best first."""

from typing import Any

from textnb.display import cut, display, pairs
from textnb.evaluation.intervals import MEASURE_NAMES, MEASURES
from textnb.language import Language
from textnb.markup import Cell, Html, element, table
from textnb.numerics import Estimate

_FIRST, _OTHERS = MEASURES[:3], MEASURES[3:]
"""Measures before and after the p-values, so that a narrow notebook shows these."""

_NOTE = (
    "95 % intervals. The p-values are against the first recipe, which was chosen on the same documents; they are "
    "corrected for that by testing all pairs of recipes (Holm)."
)


def comparison_html(comparison: Any) -> Html:
    """Markup of a Comparison."""
    first, others = ([MEASURE_NAMES.get(name, name) for name in some] for some in (_FIRST, _OTHERS))
    columns = ["recipe", *first, "p, McNemar", "p, corrected t", *others, "fit, s", "predict, s"]
    facts = [(name, f"{getattr(comparison, name):,}") for name in ("documents", "groups", "folds", "repeats")]
    rows = [_row(row) for row in comparison.rows]
    return display(
        element("p", element("strong", "Comparison")),
        pairs([*facts, ("seed", str(comparison.seed))]),
        table("Models", columns, rows, Language("en")),
        element("p", element("small", _NOTE)),
    )


def _row(row: Any) -> tuple[Cell, ...]:
    first, others = ([Estimate(*row.measures[name]) for name in some] for some in (_FIRST, _OTHERS))
    return cut(row.name), *first, row.mcnemar, row.corrected_t, *others, row.fit_seconds, row.predict_seconds
