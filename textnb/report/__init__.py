"""Reports for people: one self-contained HTML page from plain values, and charts as SVG.

    page(Report(title, evaluation=..., models=..., ...), "ja")  ->  the page as a string

Charts are drawn here rather than with a plotting library: three kinds of line chart are shorter than the work of making
another library's drawings follow light and dark, keep Japanese as text, and pass a policy that forbids inline styles.
"""

from typing import TYPE_CHECKING, Any

from textnb.report.language import LANGUAGES, Language
from textnb.report.values import Estimate, ExplainedDocument, LearningCurve, Report, Table, Word

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
    "page",
]


def __getattr__(name: str) -> Any:
    """The page is loaded when first asked for: most commands write none."""
    if name != "page":
        raise AttributeError(f"module 'textnb.report' has no attribute {name!r}")
    from textnb.report.html_page import page

    return page
