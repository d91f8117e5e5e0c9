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

The Gaussian discriminant: each class is a normal distribution about its own mean, with one covariance for all.

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
from textnb.models.linear.covariance import SharedCovariance
from textnb.models.model import Fit, Model, Need, Number, Option, Options, Statistics, by_name, weightings_from
from textnb.models.prior import Prior, log_prior
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats, as_number


def fit_gaussian(
    X: Any,
    y: ArrayLike,
    classes: Sequence[Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    shrinkage: float | str = "auto",
    prior: Prior = "empirical",
) -> LinearScorer:
    """The scorer of eq. (2), from X (D, V), dense or sparse, with labels y (D,).

    >>> scorer = fit_gaussian([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"], shrinkage=0)
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


def fit_fisher(
    X: Any,
    y: ArrayLike,
    classes: Sequence[Any] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    shrinkage: float | str = "auto",
    components: int | None = None,
) -> LinearScorer:
    """The scorer of eq. (5), from X (D, V), dense or sparse, with labels y (D,). components: how many directions.

    >>> scorer = fit_fisher([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"], shrinkage=0)
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
    if components is not None:
        as_number(components, "components", low=1, whole=True)
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


def _fit_fisher(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(statistics.documents, options["shrinkage"])
    scorer = fit_directions(covariance, directions(covariance))
    return Fit(scorer, found={"shrinkage": covariance.shrinkage}, includes_prior=False)


def _fit_gaussian(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(statistics.documents, options["shrinkage"])
    return Fit(fit_covariance(covariance), found={"shrinkage": covariance.shrinkage})


SHRINKAGE = Option(
    "shrinkage",
    Number(low=0, high=1, names=("auto",)),
    "auto",
    "shrinkage of the covariance towards a multiple of the identity",
    ("auto", 0.1, 0.3, 0.5, 0.7, 0.9),
)

FISHER = Model(
    name="fisher",
    help="Fisher's linear discriminant: the nearest class mean in the directions that separate the classes",
    fit=_fit_fisher,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS}),
    options=by_name(SHRINKAGE),
)

GAUSSIAN = Model(
    name="gaussian-discriminant",
    help="normal distributions about the class means with one covariance (LDA)",
    fit=_fit_gaussian,
    weightings=weightings_from("tfidf-l2"),
    needs=frozenset({Need.ROWS}),
    options=by_name(SHRINKAGE),
)
