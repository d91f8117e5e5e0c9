"""Reports: one self-contained HTML page from plain values.

    page(Report(title, evaluation=..., models=..., ...), "ja")   ->  the page as a string

Charts are drawn without a plotting library: three kinds of line chart need less code than it takes to make the drawings
of a library follow light and dark, keep Japanese as text, and pass a policy that forbids inline styles.
"""

from typing import TYPE_CHECKING

from textnb.extension import names_of
from textnb.language import LANGUAGES, Language
from textnb.numerics import Estimate
from textnb.report.values import ExplainedDocument, LearningCurve, Report, Table, Word

if TYPE_CHECKING:
    from textnb.report.charts import learning_curve_svg
    from textnb.report.html_page import page

__all__ = [
    "LANGUAGES",
    "Estimate",
    "ExplainedDocument",
    "Language",
    "LearningCurve",
    "Report",
    "Table",
    "Word",
    "learning_curve_svg",
    "page",
]

__getattr__ = names_of(
    __name__,
    {"learning_curve_svg": "charts", "page": "html_page"},
)
