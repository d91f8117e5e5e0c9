"""Giveaways: terms in many documents of one class and almost no others.

Such a term usually shows where the documents come from (the name of a site, a footer) and not what the class is about,
so a model that relies on it fails on documents from elsewhere. Of the D documents, D_k of class k, term j is in

             class k    elsewhere
    with        a           c            recall = a / D_k     precision = a / (a + c)                 (1)
    without     b           d

Terms with high recall and precision are sorted by the lower end of the 95 % interval (Woolf) of the log odds ratio,
with 1/2 added to each cell,

    log (a + 1/2)(d + 1/2) / ((b + 1/2)(c + 1/2)) - 1.96 sqrt(sum over cells of 1 / (cell + 1/2))     (2)
"""

from typing import Any, NamedTuple

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.errors import ParameterError
from textnb.numerics import Floats, is_number

MIN_PRECISION, MIN_RECALL = 0.95, 0.2
_NORMAL_QUANTILE_975 = 1.959963984540054


class Giveaway(NamedTuple):
    """Term that gives a class away, with eq. (1) and (2), and the number of documents in the class and elsewhere.

    The term is the number of its column if the counts have no vocabulary.
    """

    label: Any
    term: Any
    recall: float
    precision: float
    log_odds: float
    documents: int
    elsewhere: int


def find_giveaways(
    counts: ClassCounts, *, precision: float = MIN_PRECISION, recall: float = MIN_RECALL
) -> list[Giveaway]:
    """Find the terms with at least this precision and recall, class by class, the highest eq. (2) first.

    Parameters
    ----------
    counts : ClassCounts
        Number of documents per class that contain each term. One class has no giveaways.
    precision, recall : float
        Smallest values of eq. (1), above 0 and at most 1.

    Examples
    --------
    >>> counts = ClassCounts.of([[1, 1], [2, 0], [0, 1], [0, 1]], ["x", "x", "y", "y"])
    >>> [(found.label, found.term, found.recall) for found in find_giveaways(counts)]
    [('x', 0, 1.0)]
    """
    for name, share in (("precision", precision), ("recall", recall)):
        if not is_number(share) or not 0 < share <= 1:
            raise ParameterError("{name} must be above 0 and at most 1, not {given!r}", name=name, given=share)
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
    return np.asarray(np.log(a * d / (b * c)) - _NORMAL_QUANTILE_975 * np.sqrt(1 / a + 1 / b + 1 / c + 1 / d))


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
