"""Gaussian naive Bayes as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from textnb.counts.labels import Labels, Weights
from textnb.counts.moments import ClassMoments
from textnb.errors import InputError, ParameterError
from textnb.estimators.learner import Classifier, Incremental, RealRows
from textnb.models import gaussian
from textnb.models.prior import Prior
from textnb.numerics import Floats, as_number

_DEFAULT_SMOOTHING = 1e-9


class GaussianNB(RealRows, Incremental, Classifier):
    """Gaussian naive Bayes over measurements X (D, F), dense or sparse.

        p(k|x) ~ p(k) prod_j N(x_j; mu_kj, s2_kj)

    Parameters
    ----------
    priors : array-like (C,), optional
        Probability of each class, in the order of ``classes_``, in place of its frequency.
    var_smoothing : float
        This times the largest variance of a column is added to every s2. As in scikit-learn that variance is of the
        rows of the last call, without weights.
    variance : {"feature", "class"}
        One s2 per class and feature, or one per class: the mean of (x - mu)^2 over its documents and features.
    floor : float, optional
        In place of ``var_smoothing``: this times the largest variance of a column over all rows so far, by weight, is
        added to every s2 (this itself if all columns are constant); 0 refuses constant columns. With ``floor``,
        ``partial_fit`` in parts gives what ``fit`` gives on the whole.
    prior : str, mapping or sequence, optional
        ``empirical`` (class frequencies), ``uniform``, or the probability of each class; in place of ``priors``.

    Attributes
    ----------
    class_count_, class_prior_ : array (C,)
        Weight of the documents of each class, and its probability.
    theta_, var_ : array (C, F)
        mu, and s2 with what is added to it.
    epsilon_ : float
        What is added to every s2.
    scorer_ : GaussianScorer
        The fitted model.

    Notes
    -----
    The parameters that scikit-learn has too mean the same and have the same defaults, and the same call gives the same
    numbers. Differences: sparse X; a class without documents has probability 0; where all variances are 0, of which
    scikit-learn makes NaN, ``var_smoothing`` itself is added.

    Examples
    --------
    >>> model = GaussianNB().fit([[-1.0, 0.2], [-2.0, 0.1], [1.0, 0.3], [3.0, 0.1]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.5, 0.2], [2.0, 0.2]])
    array(['low', 'high'], dtype='<U4')
    >>> model.theta_.round(3)
    array([[ 2.  ,  0.2 ],
           [-1.5 ,  0.15]])
    """

    _text_model = "gaussian"
    statistics_: ClassMoments | MomentsInParts
    scorer_: gaussian.GaussianScorer

    def __init__(
        self,
        *,
        priors: ArrayLike | None = None,
        var_smoothing: float = _DEFAULT_SMOOTHING,
        variance: str = "feature",
        floor: float | None = None,
        prior: Prior | None = None,
    ) -> None:
        self.priors, self.var_smoothing = priors, var_smoothing
        self.variance, self.floor, self.prior = variance, floor, prior

    @property
    def class_count_(self) -> Floats:
        """Weight of the documents of each class, (C,)."""
        self._check_fitted()
        return np.asarray(self.statistics_.documents, np.float64)

    @property
    def class_prior_(self) -> Floats:
        """Probability of each class, (C,)."""
        self._check_fitted()
        return np.asarray(np.exp(self.scorer_.bias))

    @property
    def theta_(self) -> Floats:
        """Mean of each column in each class, (C, F)."""
        self._check_fitted()
        return self.scorer_.means

    @property
    def var_(self) -> Floats:
        """Variance of each column in each class, with what is added to it, (C, F)."""
        self._check_fitted()
        return self.scorer_.variances

    @property
    def epsilon_(self) -> float:
        """What is added to every variance."""
        self._check_fitted()
        if isinstance(self.statistics_, MomentsInParts):
            return self.var_smoothing * self.statistics_.largest
        return gaussian.added_variance(self.statistics_, self._floor)

    @property
    def _floor(self) -> float:
        return 0.0 if self.floor is None else self.floor

    def _statistics(self, rows: Any, y: Labels, sample_weight: Weights | None) -> ClassMoments | MomentsInParts:
        moments = ClassMoments.of(rows, y, sample_weight=sample_weight)
        return moments if self.floor is not None else MomentsInParts.of(moments, rows)

    def _fitted(self, statistics: ClassMoments | MomentsInParts) -> dict[str, Any]:
        prior = self._prior(len(statistics.classes))
        if self.floor is not None:
            if self.var_smoothing != _DEFAULT_SMOOTHING:
                raise ParameterError("floor and var_smoothing both set what is added to variances; use one of them")
            if isinstance(statistics, MomentsInParts):
                statistics = statistics.moments
            return {"scorer_": gaussian.fit(statistics, self.variance, self.floor, prior)}
        if not isinstance(statistics, MomentsInParts):
            raise InputError("var_smoothing needs parts that were learnt without floor; call fit on all rows")
        smoothing = as_number(self.var_smoothing, "var_smoothing", low=0)
        variances = gaussian.class_variances(statistics.moments, self.variance) + smoothing * statistics.added
        variances = np.where(variances > 0, variances, smoothing)
        return {"scorer_": gaussian.fit_variances(statistics.moments, variances, prior)}

    def _prior(self, n_classes: int | None = None) -> Prior:
        """The prior as models have it, from whichever parameter gives it."""
        if self.priors is None:
            return "empirical" if self.prior is None else self.prior
        if self.prior is not None:
            raise ParameterError("prior and priors both set the class prior; use one of them")
        return list(as_priors(self.priors, n_classes).tolist())

    def _text_recipe(self) -> dict[str, Any]:
        if self.floor is not None or self.var_smoothing != _DEFAULT_SMOOTHING:
            raise InputError(
                "for texts the Gaussian model sets the floor itself; leave floor and var_smoothing at their defaults"
            )
        return {**super()._text_recipe(), "prior": self._prior()}


def as_priors(priors: ArrayLike, n_classes: int | None = None) -> Floats:
    """Probabilities of the classes, (C,), refused in scikit-learn's words; the sum is made 1 to the last digit."""
    try:
        shares = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("priors must be numbers, not {given!r}", given=priors) from None
    if shares.ndim != 1 or (n_classes is not None and len(shares) != n_classes):
        template = "Number of priors must match number of classes: {n} numbers are needed, not shape {shape}"
        raise InputError(template, n=n_classes, shape=shares.shape)
    if not np.isclose(shares.sum(), 1.0):
        raise ParameterError("The sum of the priors should be 1, not {total:g}", total=shares.sum())
    if (shares < 0).any():
        raise ParameterError("Priors must be non-negative, not {shares}", shares=shares.tolist())
    return np.asarray(shares / shares.sum())


@dataclass(frozen=True, eq=False)
class MomentsInParts:
    """Moments, and what scikit-learn adds to their variances, per ``var_smoothing``.

        e_t   = largest variance of a column of part t, without weights                               (1)
        v_k   = s2_k + d_k + e_t      n_k: weight of class k before part t, m_k: its weight in part t  (2)
        d_k'  = (d_k + e_t-1 - e_t) n_k / (n_k + m_k)                                                 (3)

    scikit-learn subtracts the new e where it has added the old one, so a rest d_k stays; d_k = 0 after one part.
    """

    moments: ClassMoments
    largest: float
    rest: Floats

    @classmethod
    def of(cls, moments: ClassMoments, rows: Any) -> MomentsInParts:
        """Moments of one part and the largest variance of its columns."""
        if sparse.issparse(rows):
            whole = ClassMoments.of(rows, np.zeros(rows.shape[0], np.intp), [0])
            largest = whole.variances_of_all.max(initial=0)
        else:
            largest = rows.var(axis=0).max(initial=0) if len(rows) else 0.0
        return cls(moments, float(largest), np.zeros(len(moments.classes)))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The C classes."""
        return self.moments.classes

    @property
    def documents(self) -> NDArray[Any]:
        """Weight of the documents of each class, (C,)."""
        return self.moments.documents

    @property
    def added(self) -> Floats:
        """d_k + e_t of eq. (2), (C, 1)."""
        return (self.rest + self.largest)[:, np.newaxis]

    def on_classes(self, classes: Sequence[Any]) -> MomentsInParts:
        """Return these moments among more classes."""
        rest = dict(zip(self.classes, self.rest.tolist(), strict=True))
        placed = np.array([rest.get(name, 0.0) for name in classes])
        return MomentsInParts(self.moments.on_classes(classes), self.largest, placed)

    def __add__(self, later: MomentsInParts) -> MomentsInParts:
        """Eq. (3); the order of the parts matters."""
        moments = self.moments + later.moments
        share = np.divide(self.documents, moments.documents, out=np.ones(len(self.rest)), where=moments.documents > 0)
        return MomentsInParts(moments, later.largest, (self.rest + self.largest - later.largest) * share)
