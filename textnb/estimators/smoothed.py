"""Parameters and fitted attributes that discrete naive Bayes has in scikit-learn: smoothing and the class prior.

    alpha, force_alpha                  the smoothing, and whether a tiny one is kept
    fit_prior, class_prior, prior       the class prior in scikit-learn's words, or in textnb's

Parameters that contradict each other are refused by fit. Fitted attributes are computed when they are asked for.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from textnb.errors import InputError, ParameterError
from textnb.estimators.learner import Alpha, Classifier, Incremental, Summable
from textnb.estimators.scikit_learn import caller_level
from textnb.models.prior import Prior, log_prior
from textnb.numerics import Floats, log_of

MIN_ALPHA = 1e-10
"""Smallest alpha with ``force_alpha=False``."""

_TINY_ALPHA = (
    f"alpha too small will result in numeric errors, setting alpha = {MIN_ALPHA:.1e}. "
    "Use `force_alpha=True` to keep alpha unchanged."
)


def as_flag(value: Any, name: str) -> bool:
    """Value as True or False; anything else is refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError("{name} must be True or False, not {value!r}", name=name, value=value)
    return bool(value)


def as_class_prior(class_prior: ArrayLike, n_classes: int) -> Floats:
    """Weights of the classes, (C,), in the order of the classes; as in scikit-learn their sum need not be 1."""
    try:
        weights = np.asarray(class_prior, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("class_prior must be numbers, not {given!r}", given=class_prior) from None
    if weights.shape != (n_classes,):
        template = "Number of priors must match number of classes: {n} numbers are needed, not shape {shape}"
        raise InputError(template, n=n_classes, shape=weights.shape)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ParameterError("class_prior must be finite, not negative and not all 0, not {given}", given=weights)
    return weights


class SmoothedNB(Incremental, Classifier):
    """Naive Bayes with a smoothing alpha and a class prior; ``statistics_`` has classes and documents.

    Attributes
    ----------
    class_count_ : array (C,)
        Weight of the documents of each class.
    class_log_prior_ : array (C,)
        Log prior of each class.
    """

    alpha: Alpha
    force_alpha: bool
    fit_prior: bool
    class_prior: ArrayLike | None
    prior: Prior | None

    @property
    def class_count_(self) -> Floats:
        """Weight of the documents of each class, (C,)."""
        self._check_fitted()
        return np.asarray(self.statistics_.documents, np.float64)

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class, (C,)."""
        self._check_fitted()
        return self.scorer_.bias

    def _as_forced(self) -> Alpha:
        """Alpha as it is used: with ``force_alpha=False`` at least 1e-10."""
        if as_flag(self.force_alpha, "force_alpha"):
            return self.alpha
        if isinstance(self.alpha, str):
            raise ParameterError("force_alpha=False needs an alpha in numbers, not {alpha!r}", alpha=self.alpha)
        values = np.asarray(self.alpha)
        if values.dtype.kind not in "biuf" or not values.size or not 0 <= values.min() < MIN_ALPHA:
            return self.alpha  # large enough, or refused later
        warnings.warn(_TINY_ALPHA, stacklevel=caller_level())
        forced = np.maximum(values, MIN_ALPHA)
        return forced if values.ndim else float(forced)

    def _log_prior(self, statistics: Summable) -> Floats:
        """Log prior of the classes, (C,), from whichever parameter gives it."""
        classes, documents = statistics.classes, statistics.documents
        fitted = as_flag(self.fit_prior, "fit_prior")
        if self.prior is not None:
            self._check_one_prior()
            return log_prior(self.prior, classes, documents)
        if self.class_prior is not None:
            return log_of(as_class_prior(self.class_prior, len(classes)))
        return log_prior("empirical" if fitted else "uniform", classes, documents)

    def _check_one_prior(self) -> None:
        """Refuse a prior beside ``class_prior`` or ``fit_prior=False``."""
        if self.prior is not None and (self.class_prior is not None or not self.fit_prior):
            other = "class_prior" if self.class_prior is not None else "fit_prior=False"
            raise ParameterError("prior and {other} both set the class prior; use one of them", other=other)

    def _text_prior(self) -> Prior:
        """The prior as text classifiers have it."""
        self._check_one_prior()
        if self.prior is not None:
            return self.prior
        if self.class_prior is not None:
            return [float(share) for share in np.asarray(self.class_prior)]
        return "empirical" if self.fit_prior else "uniform"

    def _text_recipe(self) -> dict[str, Any]:
        return {**super()._text_recipe(), "alpha": self._as_forced(), "prior": self._text_prior()}
