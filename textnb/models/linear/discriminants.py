"""Fisher's discriminant and the Gaussian discriminant: two linear scorers from class means and one covariance.

Both use S_W, the covariance within classes, shrunk (``covariance.py``), the class means m_k and the mean m of all
documents.

Fisher's discriminant finds the directions in which class means lie far apart, measured by the spread within classes:

    S_B = sum_k N_k (m_k - m)(m_k - m)' / N                                                        (V, V)     (1)
    J(w) = w' S_B w / w' S_W w       is largest at w ~ S_W^-1 (m_2 - m_1) for two classes                     (2)
    S_B w_d = J_d S_W w_d,   w_d' S_W w_d = 1,   J_1 >= J_2 >= ...    at most C - 1 of them        (V,)       (3)
    score_k(x) = u_k . W'(x - m) - |u_k|^2 / 2,   u_k = W'(m_k - m)                                (C,)       (4)

By (4) a document belongs to the class whose projected mean is nearest. For two classes that is a threshold half way
between the projected means, whatever the sizes of the classes: there is no prior. With all directions the scores are
those of the Gaussian discriminant with a uniform prior. With A = [sqrt(N_k / N) (m_k - m)] (V, C) and U = S_W^-1 A the
directions are U c / sqrt(J) for the eigenvectors c and eigenvalues J of A'U, which is only (C, C). A direction points
from the first class to the last. A class without documents has the score -inf; where class means do not differ there is
no direction, and every score is 0. scikit-learn's LinearDiscriminantAnalysis (``eigen``) has the same directions
without shrinkage; with it, that shrinks S_B as well.

In the Gaussian discriminant each class is a normal distribution about its own mean, with one covariance for all:

    p(x|k)  = N(x; m_k, S_W)                                                                                  (5)
    p(k|x)  = softmax_k(w_k x + b_k);  for two classes the sigmoid of the difference                          (6)
    w_k     = S_W^-1 (m_k - m)                                                                 (V,)           (7)
    b_k     = log p(k) - (m_k - m)' S_W^-1 (m_k - m) / 2 - m w_k                                              (8)

Subtracting m changes every score by the same amount, which the softmax does not see; so does leaving out the quadratic
x' S_W^-1 x. A class without documents has the score -inf, whatever the prior. One class has w = 0. The covariances
are weighted by their documents: maximum likelihood. LinearDiscriminantAnalysis (``lsqr``) weights them by the prior,
which is the same where the prior is empirical; its "auto" shrinks each class on its own, after standardising columns.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from textnb.errors import InputError
from textnb.models.linear.covariance import SharedCovariance
from textnb.models.model import Fit, Model, Need, Number, Option, Options, Statistics, by_name, weightings_from
from textnb.models.prior import Prior, log_prior
from textnb.models.scorer import LinearScorer
from textnb.numerics import Floats, check_number


def fit_covariance(covariance: SharedCovariance, prior: Prior = "empirical") -> LinearScorer:
    """Scorer of the Gaussian discriminant, eq. (6).

    >>> from textnb.models.rows import Labelled
    >>> rows = Labelled.of([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"])
    >>> scorer = fit_covariance(SharedCovariance.of_rows(rows, shrinkage=0))
    >>> scorer.weights.tolist(), scorer.bias.round(3).tolist()
    ([[-2.0], [2.0]], [3.307, -8.693])
    """
    log_priors = log_prior(prior, covariance.classes, covariance.documents)
    bias = np.where(covariance.documents > 0, log_priors, -np.inf)
    if np.isneginf(bias).all():
        raise InputError("the prior allows only classes that have no documents")
    by_term = covariance.inverse_times(covariance.apart.T)
    return LinearScorer(by_term, bias - offsets(covariance, by_term))


def offsets(covariance: SharedCovariance, by_term: Floats) -> Floats:
    """Scores (C,) of the points half way from m to m_k: (m_k - m)' w_k / 2 + m w_k."""
    halfway = covariance.apart / 2 + covariance.centre
    return np.asarray(np.einsum("kv,vk->k", halfway, by_term))


def fit_directions(covariance: SharedCovariance, W: Floats) -> LinearScorer:
    """Scorer of Fisher's discriminant, eq. (4), in the space of directions W (V, d).

    >>> from textnb.models.rows import Labelled
    >>> rows = Labelled.of([[0.0], [2.0], [4.0], [6.0]], ["x", "x", "y", "y"])
    >>> covariance = SharedCovariance.of_rows(rows, shrinkage=0)
    >>> scorer = fit_directions(covariance, directions(covariance))
    >>> scorer.joint_log_scores(np.array([[3.0], [3.5]])) @ [-1, 1]  # the threshold is 3
    array([0., 2.])
    """
    by_term = W @ (W.T @ covariance.apart.T)
    return LinearScorer(by_term, np.where(covariance.documents > 0, -offsets(covariance, by_term), -np.inf))


def directions(covariance: SharedCovariance, components: int | None = None) -> Floats:
    """Directions W of eq. (3), (V, d): ``components`` of them, or all.

    >>> from textnb.models.rows import Labelled
    >>> rows = Labelled.of([[0.0, 0], [2, 1], [4, 0], [6, 1]], ["x", "x", "y", "y"])
    >>> covariance = SharedCovariance.of_rows(rows, shrinkage=0.5)
    >>> directions(covariance).round(3).tolist()
    [[1.222], [-0.698]]
    """
    if components is not None:
        check_number(components, "components", low=1, whole=True)
    apart = (covariance.apart * np.sqrt(covariance.documents / covariance.documents.sum())[:, np.newaxis]).T
    U = covariance.inverse_times(apart)
    ratios, c = np.linalg.eigh(apart.T @ U)  # J, rising
    there = np.flatnonzero(ratios > len(c) * np.finfo(float).eps * max(ratios[-1], 0))[::-1]
    kept = there[: len(c) - 1][:components]
    W = U @ c[:, kept] / np.sqrt(ratios[kept])
    return np.asarray(np.where(_rise(covariance, W) < 0, -W, W))


def _rise(covariance: SharedCovariance, W: Floats) -> Floats:
    """Difference between the last and the first class mean along each direction, (d,)."""
    present = np.flatnonzero(covariance.documents > 0)
    return np.asarray((covariance.means[present[-1]] - covariance.means[present[0]]) @ W)


def _fit_fisher(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(statistics.documents, options["shrinkage"])
    scorer = fit_directions(covariance, directions(covariance)).in_single_precision
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

GAUSSIAN = replace(
    FISHER,
    name="gaussian-discriminant",
    help="normal distributions about the class means with one covariance (LDA)",
    fit=_fit_gaussian,
)
