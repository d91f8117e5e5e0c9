"""Reports for people: one self-contained HTML page from plain values, and charts as SVG.

    page(Report(title, evaluation=..., models=..., ...), "ja")   ->  the page as a string
    learning_curve_svg("accuracy", [LearningCurve(...), ...])    ->  one chart as a file

Charts are drawn here rather than with a plotting library: three kinds of line chart are shorter than the work of making
another library's drawings follow light and dark, keep Japanese as text, and pass a policy that forbids inline styles.
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

__getattr__ = names_of(  # what draws and writes, which most commands do not need
    __name__,
    {"learning_curve_svg": "charts", "page": "html_page"},
)
