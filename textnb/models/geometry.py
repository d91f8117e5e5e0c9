"""The geometry of linear models: how far a document lies from where two classes' scores are equal.

    y(x) = (w_k - w_l) x + (b_k - b_l)         is 0 on the boundary between classes k and l                    (1)
    r    = y(x) / |w_k - w_l|                  its distance from x, positive on the side of k                  (2)

x is the document as the linear model sees it: its weighted terms, scaled where the model scales them. What does not
lie on a straight line has no such distance.
"""

import numpy as np

from textnb.counts.matrix import CSR
from textnb.models.scaled_scorer import ScaledScorer
from textnb.models.scorer import LinearScorer, Scorer


def distance_to_boundary(scorer: Scorer, X: CSR, label: int, against: int, shift: float = 0.0) -> float | None:
    """r of eq. (2) for a matrix of one row; shift is added to y. None where there is no boundary, or no straight one.

    >>> from scipy import sparse
    >>> scorer = LinearScorer(np.array([[3.0, 0.0], [4.0, 0.0]]), np.array([-10.0, 0.0]))
    >>> distance_to_boundary(scorer, sparse.csr_array([[2.0, 3.5]]), 0, 1)
    2.0
    """
    if isinstance(scorer, ScaledScorer):
        X, scorer = scorer.scaled(X), scorer.linear
    if not isinstance(scorer, LinearScorer):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        normal = scorer.by_term[:, label] - scorer.by_term[:, against]
        distance = (scorer.differences(X, label, against).score + shift) / np.linalg.norm(normal)
    return float(distance) if np.isfinite(distance) else None
