"""Reports for people: one self-contained HTML page from plain values, and charts as SVG.

    page(Report(title, evaluation=..., models=..., ...), "ja")  ->  the page as a string

Charts are drawn here rather than with a plotting library: three kinds of line chart are shorter than the work of making
another library's drawings follow light and dark, keep Japanese as text, and pass a policy that forbids inline styles.
"""

from textnb.report.language import LANGUAGES, Language
from textnb.report.page import page
from textnb.report.values import Estimate, ExplainedDocument, LearningCurve, Report, Table, Word

__all__ = [
    "LANGUAGES",
    "Estimate",
    "ExplainedDocument",
    "Language",
    "LearningCurve",
    "Report",
    "Table",
    "Word",
    "page",
]
