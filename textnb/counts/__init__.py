"""Terms to numbers: vocabulary, count matrix, and the statistics that learning adds up."""

from typing import TYPE_CHECKING

from textnb.extension import dir_of, names_of

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
    from textnb.counts.selection import select_terms
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
    "select_terms",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "ClassCounts": "class_counts",
            "Contingency": "contingency",
            **dict.fromkeys(("Counted", "counted"), "counting"),
            **dict.fromkeys(("CountedWhereRead", "TermsOf"), "documents"),
            **dict.fromkeys(("Digests", "Examples"), "examples"),
            "DocumentHistogram": "histograms",
            "Learnt": "learnt",
            **dict.fromkeys(("as_counts", "count_matrix"), "matrix"),
            "ClassMoments": "moments",
            "select_terms": "selection",
            "Vocabulary": "vocabulary",
            "WEIGHTINGS": "weighting",
        },
    )

__dir__ = dir_of(__name__)
