"""Fisher's discriminant: the directions in which class means lie far apart, measured by the spread within classes.

    S_W = covariance within classes, as in ``shared_covariance``, shrunk                           (V, V)     (1)
    S_B = sum_k N_k (m_k - m)(m_k - m)' / N,   m the mean of all documents                         (V, V)     (2)
    J(w) = w' S_B w / w' S_W w       is largest at w ~ S_W^-1 (m_2 - m_1) for two classes                     (3)
    S_B w_d = J_d S_W w_d,   w_d' S_W w_d = 1,   J_1 >= J_2 >= ...    at most C - 1 of them        (V,)       (4)
    score_k(x) = u_k . W'(x - m) - |u_k|^2 / 2,   u_k = W'(m_k - m)                                (C,)       (5)

By (5) a document belongs to the class whose projected mean is nearest. For two classes that is a threshold half way
between the projected means, whatever the sizes of the classes: there is no prior. With all directions the scores are
those of the Gaussian discriminant with a uniform prior; with fewer of them the classes are compared in a smaller space.
scikit-learn's LinearDiscriminantAnalysis (``eigen``) has the same directions without shrinkage; with it, that shrinks
S_B as well.

With A = [sqrt(N_k / N) (m_k - m)] (V, C) and U = S_W^-1 A the directions are U c / sqrt(J) for the eigenvectors c and
eigenvalues J of A'U, which is only (C, C). A direction points from the first class to the last. A class without
documents has the score -inf; where class means do not differ there is no direction, and every score is 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError
from textnb.models.gaussian_discriminant import offsets
from textnb.models.scorer import LinearScorer
from textnb.models.shared_covariance import SharedCovariance
from textnb.numerics import Floats


def fit(
    X: Any,
    y: ArrayLike,
    classes: Sequence[Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    shrinkage: float | str = "auto",
    components: int | None = None,
) -> LinearScorer:
    """The scorer of eq. (5), from X (D, V), dense or sparse, with labels y (D,). components: how many directions.

    >>> scorer = fit([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"], shrinkage=0)
    >>> scorer.joint_log_scores(np.array([[3.0], [3.5]])) @ [-1, 1]  # the threshold is 3
    array([0., 2.])
    """
    covariance = SharedCovariance.of(X, y, classes, sample_weight, shrinkage)
    return fit_directions(covariance, directions(covariance, components))


def fit_directions(covariance: SharedCovariance, W: Floats) -> LinearScorer:
    """The scorer of eq. (5) in the space of directions W (V, d)."""
    by_term = W @ (W.T @ covariance.apart.T)
    return LinearScorer(by_term, np.where(covariance.documents > 0, -offsets(covariance, by_term), -np.inf))


def directions(covariance: SharedCovariance, components: int | None = None) -> Floats:
    """W of eq. (4), (V, d): ``components`` of them or as many as there are.

    >>> covariance = SharedCovariance.of([[0.0, 0], [2, 1], [4, 0], [6, 1]], ["x", "x", "y", "y"], shrinkage=0.5)
    >>> directions(covariance).round(3).tolist()
    [[1.222], [-0.698]]
    """
    components = as_components(components)
    apart = (covariance.apart * np.sqrt(covariance.documents / covariance.documents.sum())[:, np.newaxis]).T
    U = covariance.inverse_times(apart)
    ratios, c = np.linalg.eigh(apart.T @ U)  # J, rising
    there = np.flatnonzero(ratios > len(c) * np.finfo(float).eps * max(ratios[-1], 0))[::-1]
    kept = there[: len(c) - 1][:components]
    W = U @ c[:, kept] / np.sqrt(ratios[kept])
    return np.asarray(np.where(_rise(covariance, W) < 0, -W, W))


def _rise(covariance: SharedCovariance, W: Floats) -> Floats:
    """From the first class that has documents to the last, (d,)."""
    present = np.flatnonzero(covariance.documents > 0)
    return np.asarray((covariance.means[present[-1]] - covariance.means[present[0]]) @ W)


def as_components(components: Any) -> int | None:
    """A checked number of directions; None for all."""
    if components is None:
        return None
    if isinstance(components, bool) or not isinstance(components, (int, np.integer)) or components < 1:
        raise InputError(f"components must be None or a whole number from 1, not {components!r}")
    return int(components)
