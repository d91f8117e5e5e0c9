"""Terms to numbers: vocabulary, count matrix, and the statistics that learning adds up."""

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
from textnb.counts.weighting import WEIGHTINGS, weighting

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
    "weighting",
]
