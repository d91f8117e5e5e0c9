"""Terms that alone give a class away: in many documents of one class, and almost nowhere else.

Such a term is seldom what a class is about; mostly it is where its documents come from (the name of a site, a footer),
and a model that leans on it fails on documents from elsewhere. Of the D documents, D_k of class k, term j is in

             class k    elsewhere
    with        a           c            recall = a / D_k     precision = a / (a + c)                 (1)
    without     b           d

Terms with both shares high enough are given, ordered by how sure it is that they are: by the lower end of the 95 %
interval (Woolf) of the logarithm of the odds ratio, 1/2 added to each cell,

    log (a + 1/2)(d + 1/2) / ((b + 1/2)(c + 1/2)) - 1.96 sqrt(sum over cells of 1 / (cell + 1/2))     (2)
"""

from typing import Any, NamedTuple

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.errors import InputError
from textnb.numerics import Floats, is_number

PRECISION, RECALL = 0.95, 0.2
_TWO_SIDED_95 = 1.959963984540054


class Giveaway(NamedTuple):
    """A class and a term that gives it away, eq. (1) and (2), and the documents with it, in the class and elsewhere.

    The term is a number, that of its column, where the counts have no vocabulary.
    """

    label: Any
    term: Any
    recall: float
    precision: float
    log_odds: float
    documents: int
    elsewhere: int


def giveaways(counts: ClassCounts, *, precision: float = PRECISION, recall: float = RECALL) -> list[Giveaway]:
    """The terms with at least this precision and recall, class by class, the surest first.

    With one class alone there is no elsewhere, and nothing to give away.

    >>> counts = ClassCounts.of([[1, 1], [2, 0], [0, 1], [0, 1]], ["x", "x", "y", "y"])
    >>> [(found.label, found.term, found.recall) for found in giveaways(counts)]
    [('x', 0, 1.0)]
    """
    for name, share in (("precision", precision), ("recall", recall)):
        if not is_number(share) or not 0 < share <= 1:
            raise InputError(f"the {name} of a giveaway must be above 0 and at most 1, not {share!r}")
    if counts.n_classes < 2:
        return []
    totals = np.asarray(counts.containing.sum(axis=0))
    return [found for k in range(counts.n_classes) for found in _of_class(counts, totals, k, precision, recall)]


def log_odds_at_least(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Eq. (2).

    >>> float(log_odds_at_least(*np.array([9.5, 9.5, 9.5, 9.5])).round(3))
    -1.24
    """
    a, b, c, d = (cell + 0.5 for cell in (a, b, c, d))
    return np.asarray(np.log(a * d / (b * c)) - _TWO_SIDED_95 * np.sqrt(1 / a + 1 / b + 1 / c + 1 / d))


def _of_class(counts: ClassCounts, totals: Floats, k: int, precision: float, recall: float) -> list[Giveaway]:
    row = counts.containing[[k]]
    mine, others = counts.documents[k], counts.documents.sum() - counts.documents[k]
    share = row.data / totals[row.indices]
    kept = (row.data / mine >= recall) & (share >= precision)
    columns, a = row.indices[kept], row.data[kept]
    c = totals[columns] - a
    sure = log_odds_at_least(a, mine - a, c, others - c)
    order = np.argsort(-sure, kind="stable")
    names = columns[order].tolist()
    terms = names if counts.vocabulary is None else [counts.vocabulary.terms[column] for column in names]
    numbers = (part[order].tolist() for part in (a / mine, share[kept], sure, a, c))
    return [Giveaway(counts.classes[k], *cells) for cells in zip(terms, *numbers, strict=True)]
