"""Terms to numbers: vocabulary, count matrix, and the statistics that learning adds up."""

from typing import TYPE_CHECKING

from textnb.lazily import names_of

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

__getattr__ = names_of(
    __name__,
    {
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
    },
)
