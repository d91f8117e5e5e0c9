"""Terms to numbers: vocabulary, count matrix, and the statistics that learning adds up."""

from typing import TYPE_CHECKING

from textnb.extension import names_of

if TYPE_CHECKING:
    from textnb.counts.class_counts import ClassCounts
    from textnb.counts.contingency import Contingency
    from textnb.counts.counting import Counted, counted
    from textnb.counts.documents import CountedWhereRead, TermsOf
    from textnb.counts.examples import Digests, Examples
    from textnb.counts.histograms import DocumentHistogram
    from textnb.counts.learnt import Learnt
    from textnb.counts.matrix import as_counts, count_matrix
    from textnb.counts.moments import ClassMoments
    from textnb.counts.selection import selected_columns
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
        "CountedWhereRead": "documents",
        "Digests": "examples",
        "DocumentHistogram": "histograms",
        "Examples": "examples",
        "Learnt": "learnt",
        "TermsOf": "documents",
        "Vocabulary": "vocabulary",
        "as_counts": "matrix",
        "count_matrix": "matrix",
        "counted": "counting",
        "selected_columns": "selection",
    },
)
