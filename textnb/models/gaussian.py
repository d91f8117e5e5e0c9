"""Gaussian naive Bayes: every feature is normally distributed in a class, independently of the others.

    mu_kj    = mean of feature j over the documents of class k                                         (1)
    s2_kj    = mean over documents of (x_j - mu_kj)^2 + e               variance="feature"             (2)
    s2_kj    = mean over documents and features of (x - mu_k)^2 + e     variance="class"               (3)
    e        = floor * the largest variance of a feature over all documents (floor * 1 if that is 0)   (4)
    score_k  = log p(k) - sum_j [log(2 pi s2_kj) + (x_j - mu_kj)^2 / s2_kj] / 2                        (5)

A class without documents has no density: its score is -inf, whatever the prior. With weighted documents the means in
(1) to (4) are weighted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np

from textnb.counts.matrix import CSR, with_columns
from textnb.counts.moments import ClassMoments
from textnb.counts.rows import narrowed
from textnb.errors import InputError
from textnb.extension import cached_property, sparse
from textnb.models.changes import Changes
from textnb.models.model import WHOLE_WEIGHTINGS, Choice, Fit, Model, Need, Option, Options, Statistics, by_name
from textnb.models.prior import Prior, log_prior
from textnb.models.scorer import Differences, Scorer, check_columns, difference
from textnb.numerics import Codes, Floats, as_number, check_choice

VARIANCES = ("feature", "class")
_MAX_BLOCK = 1 << 20  # cells held at once
_MIN_FAR = 1e3  # squared mean per variance of columns that are scored as dense


def fit(
    moments: ClassMoments, variance: str = "feature", floor: float = 1e-9, prior: Prior = "empirical"
) -> "GaussianScorer":
    """Scorer of eq. (5).

    >>> scorer = fit(ClassMoments.of([[0.0], [2.0], [5.0], [7.0]], ["x", "x", "y", "y"]), floor=0)
    >>> scorer.means.tolist(), scorer.variances.tolist()
    ([[1.0], [6.0]], [[1.0], [1.0]])
    """
    return fit_variances(moments, class_variances(moments, variance) + added_variance(moments, floor), prior)


def class_variances(moments: ClassMoments, variance: str) -> Floats:
    """Variances of eq. (2) or (3) without e, (C, F)."""
    check_choice(variance, "variance", VARIANCES)
    variances = moments.squares / np.where(moments.documents > 0, moments.documents, 1)[:, np.newaxis]
    if variance == "class" and moments.n_features:
        variances[:] = variances.mean(axis=1, keepdims=True)
    return np.asarray(variances)


def added_variance(moments: ClassMoments, floor: float) -> float:
    """e of eq. (4)."""
    return float(as_number(floor, "floor", low=0) * (moments.variances_of_all.max(initial=0) or 1.0))


def fit_variances(moments: ClassMoments, variances: Floats, prior: Prior) -> "GaussianScorer":
    """Scorer of eq. (5) with these variances, (C, F)."""
    learnt = moments.documents > 0
    for k, j in np.argwhere((variances == 0) & learnt[:, np.newaxis]):
        template = "column {j} is constant in class {name!r}: its variance is 0; use floor > 0"
        raise InputError(template, j=j, name=moments.classes[k])
    bias = np.where(learnt, log_prior(prior, moments.classes, moments.documents), -np.inf)
    if np.isneginf(bias).all():
        raise InputError("the prior allows only classes that have no documents")
    return GaussianScorer(moments.means, np.where(learnt[:, np.newaxis], variances, 1.0), bias)


@dataclass(frozen=True, eq=False)
class GaussianScorer(Scorer):
    """Eq. (5) with ``means`` and ``variances`` (C, F) and the log prior ``bias`` (C,), over dense or sparse rows.

    For a sparse row only the stored entries are visited, (x - mu)^2 = mu^2 - x (2 mu - x). This loses digits if mu is
    many standard deviations from 0; hardly any row of the class has a zero there, so such columns are scored as dense.
    """

    means: Floats
    variances: Floats
    bias: Floats

    kind = "gaussian"
    axes = MappingProxyType(
        {"means": "CV", "variances": "CV", "bias": "C", "peaks": "C", "near_squares": "C", "far": "n"}
    )

    def joint_log_scores(self, X: Any) -> Floats:
        """(D, C)."""
        check_columns(X, self.means.shape[1])
        with np.errstate(over="ignore"):  # the density of a distant row may be 0
            exponents = self._sparse(X) if sparse.issparse(X) else self._dense(X, slice(None))
        return np.asarray(self.peaks - exponents / 2)

    @cached_property
    def peaks(self) -> Floats:
        """Scores at the means, (C,)."""
        return np.asarray(self.bias - np.log(2 * np.pi * self.variances).sum(axis=1) / 2)

    def differences(self, X: CSR, label: int, against: int) -> Differences:
        """Score difference of a row of zeros, and what each stored entry of the row adds."""
        nothing = self.joint_log_scores(sparse.csr_array((1, self.means.shape[1])))[0]
        mu, s2 = self.means[:, X.indices], self.variances[:, X.indices]
        added = X.data * (2 * mu - X.data) / s2 / 2
        return Differences(float(difference(nothing[label], nothing[against])), added[label] - added[against])

    def _dense(self, X: Any, columns: Any) -> Floats:
        """sum_j (x_j - mu_kj)^2 / s2_kj over these columns, (D, C); X has only them."""
        means, precisions = self.means[:, columns], 1 / self.variances[:, columns]
        sums = np.empty((X.shape[0], len(means)))
        for rows in _blocks(*X.shape):
            block = X[rows].toarray() if sparse.issparse(X) else X[rows]
            for k, (mean, precision) in enumerate(zip(means, precisions, strict=True)):
                sums[rows, k] = (block - mean) ** 2 @ precision
        return sums

    def _sparse(self, X: CSR) -> Floats:
        far = self.far
        X_near, columns = narrowed(with_columns(X, self._near) if len(far) else X)
        columns = self._near[columns] if len(far) else columns
        means, precisions = self.means[:, columns], 1 / self.variances[:, columns]
        sums = self.near_squares - 2 * (X_near @ (means * precisions).T)
        sums += X_near.multiply(X_near).tocsr() @ precisions.T
        return np.asarray(sums + self._dense(X[:, far], far) if len(far) else sums)

    @cached_property
    def near_squares(self) -> Floats:
        """Sums of mu^2 / s2 over the columns that are not far, (C,)."""
        near = self._near
        return np.asarray((self.means[:, near] ** 2 / self.variances[:, near]).sum(axis=1))

    @cached_property
    def far(self) -> Codes:
        """Columns whose mean is many standard deviations from 0."""
        return np.flatnonzero((self.means**2 / self.variances > _MIN_FAR).any(axis=0))

    @property
    def _near(self) -> Codes:
        return np.delete(np.arange(self.means.shape[1]), self.far)

    def arrays(self) -> dict[str, Any]:
        """Means, variances, bias, and what is computed from them once."""
        return {name: getattr(self, name) for name in self.axes}

    @classmethod
    def of(cls, arrays: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:  # noqa: ARG003  # as of every scorer
        """Scorer with these arrays."""
        far = arrays["far"]
        if far.dtype.kind != "i" or (len(far) and not 0 <= far.min() <= far.max() < arrays["means"].shape[1]):
            raise InputError("the array 'scorer.far' does not hold columns")
        scorer = cls(arrays["means"], arrays["variances"], arrays["bias"])
        scorer.__dict__.update({name: arrays[name] for name in ("peaks", "near_squares", "far")})
        return scorer


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _MAX_BLOCK // max(1, n_columns))
    return (slice(start, start + step) for start in range(0, n_rows, step))


FLOOR_OF_COUNTS = {"feature": 1e-3, "class": 1e-9}
"""Floors for counts: most terms never occur in most classes, and a variance of about 0 would make them decide alone."""


def _fit(statistics: Statistics, _: Any, prior: Prior, options: Options) -> Fit:
    moments = ClassMoments.of_histograms(statistics.of_documents).selected(statistics.columns)
    variance, floor = options["variance"], FLOOR_OF_COUNTS[options["variance"]]
    return Fit(fit(moments, variance, floor, prior), facts={"added_variance": added_variance(moments, floor)})


def _follow(fit: Fit, changes: Changes, bias: Floats, options: Options) -> GaussianScorer | None:
    """Scorer of all terms again, since each document is one of the mean of every term; e of eq. (4) stays."""
    if "added_variance" not in fit.facts:
        return None
    scorer, e = cast("GaussianScorer", fit.scorer), fit.facts["added_variance"]
    n_features = scorer.means.shape[1]
    before, after = changes.before[:, np.newaxis], changes.documents[:, np.newaxis]
    sums, squares = (changes.added_to_all(each, n_features).T for each in (changes.weights, changes.squares))
    means = (before * scorer.means + sums) / after
    deviations = before * (scorer.variances - e) + squares + before * scorer.means**2 - after * means**2
    if options["variance"] == "class" and n_features:
        deviations[:] = deviations.mean(axis=1, keepdims=True)
    return GaussianScorer(means, np.maximum(deviations, 0.0) / after + e, bias)


MODEL = Model(
    name="gaussian",
    help="Gaussian naive Bayes: the weight of every term is normally distributed in a class",
    fit=_fit,
    follow=_follow,
    weightings=WHOLE_WEIGHTINGS,
    needs=frozenset({Need.COUNTS, Need.HISTOGRAMS}),
    options=by_name(Option("variance", Choice(VARIANCES), "feature", "one variance per term, or per class", VARIANCES)),
    scores_absence=True,
    tried_weightings=WHOLE_WEIGHTINGS,
)
