"""The Gaussian discriminant: each class is a normal distribution about its own mean, with one covariance for all.

    p(x|k)  = N(x; mu_k, S)         mu_k the mean of class k, S as in ``shared_covariance``, shrunk           (1)
    p(k|x)  = softmax_k(w_k x + b_k);  of two classes it is the sigmoid of the difference                     (2)
    w_k     = S^-1 (mu_k - m),      m the mean of all documents                                (V,)           (3)
    b_k     = log p(k) - (mu_k - m)' S^-1 (mu_k - m) / 2 - m w_k                                              (4)

Subtracting m changes every score by the same amount, which the softmax does not see. The scores are log p(x, k) up to
that: the quadratic x' S^-1 x is common to all classes. A class without documents has no density: its score is -inf,
whatever the prior. One class has w = 0.

The class covariances are weighted by their documents: maximum likelihood. scikit-learn's LinearDiscriminantAnalysis
(``lsqr``) weights them by the prior, which is the same where the prior is empirical; its "auto" shrinks each class on
its own, after standardising the columns.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError
from textnb.models.prior import Prior, log_prior
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
    prior: Prior = "empirical",
) -> LinearScorer:
    """The scorer of eq. (2), from X (D, V), dense or sparse, with labels y (D,).

    >>> scorer = fit([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"], shrinkage=0)
    >>> scorer.weights.tolist(), scorer.bias.round(3).tolist()
    ([[-2.0], [2.0]], [3.307, -8.693])
    """
    return fit_covariance(SharedCovariance.of(X, y, classes, sample_weight, shrinkage), prior)


def fit_covariance(covariance: SharedCovariance, prior: Prior = "empirical") -> LinearScorer:
    """The same, from the covariance."""
    log_priors = log_prior(prior, covariance.classes, covariance.documents)
    bias = np.where(covariance.documents > 0, log_priors, -np.inf)
    if np.isneginf(bias).all():
        raise InputError("the prior allows only classes that have no documents")
    by_term = covariance.inverse_times(covariance.apart.T)
    return LinearScorer(by_term, bias - offsets(covariance, by_term))


def offsets(covariance: SharedCovariance, by_term: Floats) -> Floats:
    """(mu_k - m)' w_k / 2 + m w_k, (C,): the score of the point half way from m to mu_k."""
    halfway = covariance.apart / 2 + covariance.centre
    return np.asarray(np.einsum("kv,vk->k", halfway, by_term))
