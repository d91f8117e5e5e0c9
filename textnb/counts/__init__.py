"""Terms to numbers: vocabulary, count matrix, and the statistics that learning adds up."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textnb.counts.class_counts import ClassCounts
    from textnb.counts.contingency import Contingency
    from textnb.counts.counted_documents import CountedWhereRead
    from textnb.counts.counting import Counted, counted
    from textnb.counts.digests import Digests
    from textnb.counts.examples import Examples
    from textnb.counts.histogram import DocumentHistogram
    from textnb.counts.learnt import Learnt
    from textnb.counts.matrix import as_counts, count_matrix
    from textnb.counts.moments import ClassMoments
    from textnb.counts.selection import selected_columns
    from textnb.counts.terms import TermsOf
    from textnb.counts.vocabulary import Vocabulary
    from textnb.counts.weighting import WEIGHTINGS

__all__ = [
    "WEIGHTINGS",
    "ClassCounts",
    "ClassMoments",
    "Contingency",
    "Counted",
    "CountedWhereRead",
    "Digests",
    "DocumentHistogram",
    "Examples",
    "Learnt",
    "TermsOf",
    "Vocabulary",
    "as_counts",
    "count_matrix",
    "counted",
    "selected_columns",
]

_HOME = {
    "WEIGHTINGS": "weighting",
    "ClassCounts": "class_counts",
    "ClassMoments": "moments",
    "Contingency": "contingency",
    "Counted": "counting",
    "CountedWhereRead": "counted_documents",
    "Digests": "digests",
    "DocumentHistogram": "histogram",
    "Examples": "examples",
    "Learnt": "learnt",
    "TermsOf": "terms",
    "Vocabulary": "vocabulary",
    "as_counts": "matrix",
    "count_matrix": "matrix",
    "counted": "counting",
    "selected_columns": "selection",
}


def __getattr__(name: str) -> Any:
    """Each name, loaded when first used: a process that only reads and counts documents need not wait for scipy."""
    if name not in _HOME:
        raise AttributeError(f"module 'textnb.counts' has no attribute {name!r}")
    value = getattr(import_module(f"textnb.counts.{_HOME[name]}"), name)
    globals()[name] = value
    return value
