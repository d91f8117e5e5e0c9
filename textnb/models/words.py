"""The terms that speak for a class."""

import numpy as np

from textnb.counts.class_counts import ClassCounts
from textnb.models.scorer import LinearScorer, Scorer


def typical_terms(scorer: Scorer, counts: ClassCounts, label: int, top: int) -> list[tuple[int, float]]:
    """(column, value) of the terms that add most to a class's score, the weightiest first.

    value_j = (tau_kj / D_k) (weights_kj - mean over other classes of weights_k'j): the term's mean weight in a
    document of the class times its advantage. Infinite as soon as one other class could not have produced the term.

    >>> from textnb.models.multinomial import fit
    >>> counts = ClassCounts.of([[2, 1], [0, 1]], ["x", "y"])
    >>> [(column, round(value, 3)) for column, value in typical_terms(fit(counts), counts, 0, 1)]
    [(0, 1.176)]
    """
    if not isinstance(scorer, LinearScorer):
        raise TypeError(f"{type(scorer).__name__} has no weights a term")
    weights = scorer.weights
    row = counts.terms[[label]]
    columns = row.indices
    others = np.delete(weights[:, columns], label, axis=0)
    advantage = weights[label, columns] - (others.mean(axis=0) if len(others) else 0.0)
    values = row.data * counts.unit / max(counts.documents[label], 1) * advantage
    order = np.argsort(-values, kind="stable")[:top]
    return list(zip(columns[order].tolist(), values[order].tolist(), strict=True))
