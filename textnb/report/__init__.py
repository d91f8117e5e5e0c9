"""Reports: one self-contained HTML page from plain values.

    page(Report(title, evaluation=..., models=..., ...), "ja")   ->  the page as a string

Charts (``textnb.evaluation.charts``) are drawn without a plotting library: three kinds of line chart need less code
than it takes to make the drawings of a library follow light and dark, keep Japanese as text, and pass a policy that
forbids inline styles.
"""

from typing import TYPE_CHECKING

from textnb.evaluation.charts import LearningCurve, learning_curve_svg
from textnb.extension import dir_of, names_of
from textnb.language import LANGUAGES, Language
from textnb.numerics import Estimate
from textnb.report.values import ExplainedDocument, Report, Table, Word

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    __getattr__ = names_of(__name__, {"page": "html_page"})

__dir__ = dir_of(__name__)
