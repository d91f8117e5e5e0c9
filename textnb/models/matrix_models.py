"""Linear models by name: those that are fitted to the weighted documents themselves."""

import warnings
from collections.abc import Callable
from typing import Any

from textnb.counts.vocabulary import Columns
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import ConvergenceWarning
from textnb.models.ensemble import mail
from textnb.models.ensemble.joining import SummedScorer
from textnb.models.ensemble.presence import RatioScorer
from textnb.models.linear import discriminants, least_squares
from textnb.models.linear.covariance import SharedCovariance, as_shrinkage
from textnb.models.logistic import bayes_logistic, logistic, nb_logistic
from textnb.models.model import Choice, Fit, Model, Number, Option, Options, Statistics
from textnb.models.prior import Prior, class_weighted
from textnb.models.rows import Labelled

_WEIGHTINGS = ("tfidf-l2", *(name for name in WEIGHTINGS if name != "tfidf-l2"))
_STRENGTH = "a number, not negative; the larger, the smaller the weights"


def _of_rows(fit: Callable[[Labelled, Options], Fit]) -> Callable[[Statistics, Any, Prior, Options], Fit]:
    """A fit that minds nothing but the documents and the options."""
    return lambda statistics, _, __, options: fit(statistics.documents, options)


def _logistic(rows: Labelled, options: Options) -> Fit:
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced" if options["balanced"] else None)
    settings = logistic.LogisticSettings(l2=options["l2"])
    found = logistic.solution(rows.X, rows.y, weight, len(rows.classes), settings)
    return Fit(found.scorer, facts=_told(found), holds_shares=not options["balanced"])


def _bayes_logistic(rows: Labelled, options: Options) -> Fit:
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced" if options["balanced"] else None)
    found = bayes_logistic.solution(rows.X, rows.y, weight, len(rows.classes), options["l2"])
    evidence = {"log_evidence": found.evidence.log_evidence, "bic": found.evidence.bic}
    return Fit(found.scorer, found={"l2": found.l2}, facts={**_told(found.fit), **evidence}, holds_shares=False)


def _nb_logistic(statistics: Statistics, _: Any, __: Prior, options: Options) -> Fit:
    rows, prune = statistics.documents, options["prune"]
    weight = class_weighted(rows.weight, rows.y, rows.classes, "balanced" if options["balanced"] else None)
    settings = nb_logistic.NBLogisticSettings(
        options["l2"], options["loss"], min_df=max(statistics.min_df, 1), prune=None if prune == 1 else prune
    )
    found = nb_logistic.solution(rows.X, rows.y, rows.weight, weight, len(rows.classes), settings)
    return Fit(
        found.scorer,
        found={"l2": found.l2},
        facts=_told(found),
        holds_shares=options["loss"] == "logistic" and not options["balanced"],
        held_out=None if found.path is None else found.path.scores,
    )


def _mail(rows: Labelled, options: Options) -> Fit:
    found = mail.solution(rows, l2=options["l2"], stacked_from=options["stacked_from"])
    facts = {"fitted_on": len(rows.y), "first_factor": float(found.factors[0])}
    if found.second is not None:
        facts |= {"second_factor": float(found.factors[1]), **_told(found.second)}
    l2 = {} if found.second is None else {"l2": found.second.l2}
    return Fit(found.scorer, found=l2, facts=facts, held_out=found.held_out)


def _mail_renewed(statistics: Statistics, fit: Fit, before: Columns) -> Fit:
    counts, scorer = statistics.counts, fit.scorer
    assert isinstance(scorer, RatioScorer | SummedScorer)
    containing = counts.containing.toarray().T
    renewed = mail.renewed(scorer, fit.facts["first_factor"], containing, counts.documents, before)
    return fit._replace(scorer=renewed, held_out=None)


def _told(found: logistic.LogisticFit | nb_logistic.NBLogisticFit) -> dict[str, Any]:
    """What is told of a fit; a warning where it is none."""
    if found.trouble:
        warnings.warn(found.trouble, ConvergenceWarning, stacklevel=2)
    return {"steps": found.iterations, "loss": found.value}


def _least_squares(rows: Labelled, options: Options) -> Fit:
    return Fit(least_squares.fit_rows(rows, options["l2"]), holds_shares=False)


def _fisher(rows: Labelled, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(rows, options["shrinkage"])
    scorer = discriminants.fit_directions(covariance, discriminants.directions(covariance))
    return Fit(scorer, found={"shrinkage": covariance.shrinkage}, holds_shares=False)


def _gaussian_discriminant(rows: Labelled, options: Options) -> Fit:
    covariance = SharedCovariance.of_rows(rows, options["shrinkage"])
    return Fit(discriminants.fit_covariance(covariance), found={"shrinkage": covariance.shrinkage})


def _model(name: str, fit: Callable[[Labelled, Options], Fit], options: dict[str, Option]) -> Model:
    return Model(name, _of_rows(fit), None, _WEIGHTINGS, takes_a_number=False, options=options, needs_rows=True)


_BALANCED = Choice((False, True))
_SHRINKAGE = Number("auto", "auto, or a number from 0 to 1", lambda value: _or_auto(as_shrinkage(value)))


def _or_auto(shrinkage: float | None) -> float | str:
    return "auto" if shrinkage is None else shrinkage


MATRIX_MODELS = (
    _model("logistic", _logistic, {"l2": Number(0.003, _STRENGTH, least_squares.as_l2), "balanced": _BALANCED}),
    Model(
        "nb-logistic",
        _nb_logistic,
        None,
        ("binary",),
        takes_a_number=False,
        options={
            "l2": Number("cv", "cv (cross-validation), evidence, or a number above 0", nb_logistic.as_strength),
            "loss": Choice(("squared-hinge", "logistic")),
            "prune": Number(1.0, "the share of the terms to keep, above 0 and at most 1", nb_logistic.as_share),
            "balanced": _BALANCED,
        },
        needs_rows=True,
        terms={"ngram": (1, 2), "min_df": "auto", "features": ("first-line",)},
    ),
    _model(
        "bayes-logistic",
        _bayes_logistic,
        {
            "l2": Number("evidence", "evidence, or a number above 0", bayes_logistic.as_precision),
            "balanced": _BALANCED,
        },
    )._replace(answers_by_rows=True),
    _model(
        "mail",
        _mail,
        {
            "l2": Number("cv", "cv (cross-validation), evidence, or a number above 0", nb_logistic.as_strength),
            "stacked_from": Number(mail.STACKED_FROM, "messages from which on both scores count", mail.as_number),
        },
    )._replace(weightings=("binary",), terms={"normalisers": ("nfkc", "casefold")}, renew=_mail_renewed, careful=True),
    _model("least-squares", _least_squares, {"l2": Number(0.1, _STRENGTH, least_squares.as_l2)}),
    _model("fisher", _fisher, {"shrinkage": _SHRINKAGE}),
    _model("gaussian-discriminant", _gaussian_discriminant, {"shrinkage": _SHRINKAGE}),
)
