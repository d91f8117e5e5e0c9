"""Is a difference more than chance: tests of two classifiers on the same documents, and Holm's correction for many.

McNemar, exact. Of n documents that just one of the two gets right, b are the first one's. If neither were better, b
would be a fair coin's number of heads in n throws:

    p = min(1, 2 P(heads <= min(b, n - b)))                                                                     (1)

Corrected resampled t (Nadeau and Bengio 2003). d_j is the difference of accuracy in test fold j of J. Training sets of
different folds overlap, so the variance of the mean is larger than s^2 / J:

    t = mean(d) / sqrt((1/J + n_test / n_train) s^2),   Student's t with J - 1 degrees of freedom               (2)

Holm. With p_(1) <= ... <= p_(m): adjusted p_(i) = max over l <= i of min(1, (m - l + 1) p_(l)). Whatever is true, all
that is called significant at .05 is so with a probability of at least .95.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError


def mcnemar(first_only: int, second_only: int) -> float:
    """The p of eq. (1) for documents that only the first, or only the second classifier gets right.

    >>> round(mcnemar(1, 5), 12)
    0.21875
    """
    from scipy.special import bdtr

    n = first_only + second_only
    return min(1.0, 2.0 * float(bdtr(min(first_only, second_only), n, 0.5))) if n else 1.0


def corrected_t(differences: ArrayLike, test_share: float) -> float:
    """The two-sided p of eq. (2); test_share: n_test / n_train.

    1 for a mean of 0, whatever the variance; 0 if all differences are one other number.

    >>> round(corrected_t([0.02, 0.01, 0.03, 0.02, 0.01], 1 / 4), 4)
    0.0327
    """
    from scipy.special import stdtr

    d = np.asarray(differences, np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise InputError(f"a t-test needs differences of two folds or more, not an array of shape {d.shape}")
    mean, variance = float(d.mean()), float(d.var(ddof=1))
    if mean == 0:
        return 1.0
    spread = np.sqrt((1 / len(d) + test_share) * variance)
    return float(2 * stdtr(len(d) - 1, -abs(mean) / spread)) if spread > 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The adjusted p of each, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.minimum((len(p) - np.arange(len(p))) * p[order], 1.0))
    return [float(value) for value in adjusted]
