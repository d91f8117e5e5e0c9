"""Linear models by name: those that are fitted to the weighted documents themselves."""

import warnings
from collections.abc import Callable
from typing import Any

from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import ConvergenceWarning
from textnb.models import fisher, gaussian_discriminant, least_squares, logistic
from textnb.models.class_weight import class_weighted
from textnb.models.labelled import Labelled
from textnb.models.model import Fit, Model, Options, Statistics
from textnb.models.options import Choice, Number, Option
from textnb.models.prior import Prior
from textnb.models.shared_covariance import SharedCovariance, as_shrinkage

_WEIGHTINGS = ("tfidf-l2", *(name for name in WEIGHTINGS if name != "tfidf-l2"))
_STRENGTH = "a number, not negative; the larger, the smaller the weights"


def _of_rows(fit: Callable[[Labelled, Options], Fit]) -> Callable[[Statistics, Any, Prior, Options], Fit]:
    """A fit that minds nothing but the documents and the options."""
    return lambda statistics, _, __, options: fit(statistics.documents, options)


def _logistic(rows: Labelled, options: Options) -> Fit:
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced" if options["balanced"] else None)
    settings = logistic.Settings(l2=options["l2"])
    found = logistic.solution(rows.X, rows.y, weight, len(rows.classes), settings)
    if found.trouble:
        warnings.warn(found.trouble, ConvergenceWarning, stacklevel=2)
    return Fit(found.scorer, facts={"steps": found.iterations, "loss": found.value})


def _least_squares(rows: Labelled, options: Options) -> Fit:
    return Fit(least_squares.fit_rows(rows, options["l2"]), has_probabilities=False)


def _fisher(rows: Labelled, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(rows, options["shrinkage"])
    scorer = fisher.fit_directions(covariance, fisher.directions(covariance))
    return Fit(scorer, found={"shrinkage": covariance.shrinkage}, has_probabilities=False)


def _gaussian_discriminant(rows: Labelled, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(rows, options["shrinkage"])
    return Fit(gaussian_discriminant.fit_covariance(covariance), found={"shrinkage": covariance.shrinkage})


def _model(name: str, fit: Callable[[Labelled, Options], Fit], options: dict[str, Option]) -> Model:
    return Model(name, _of_rows(fit), None, _WEIGHTINGS, takes_a_number=False, options=options, needs_rows=True)


_BALANCED = Choice((False, True))
_SHRINKAGE = Number("auto", "auto, or a number from 0 to 1", lambda value: _or_auto(as_shrinkage(value)))


def _or_auto(shrinkage: float | None) -> float | str:
    return "auto" if shrinkage is None else shrinkage


MATRIX_MODELS = (
    _model("logistic", _logistic, {"l2": Number(0.1, _STRENGTH, least_squares.as_l2), "balanced": _BALANCED}),
    _model("least-squares", _least_squares, {"l2": Number(1.0, _STRENGTH, least_squares.as_l2)}),
    _model("fisher", _fisher, {"shrinkage": _SHRINKAGE}),
    _model("gaussian-discriminant", _gaussian_discriminant, {"shrinkage": _SHRINKAGE}),
)
