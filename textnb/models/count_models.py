"""The naive Bayes family by name: models that are fitted to counts."""

from dataclasses import replace
from typing import Any

from textnb.counts.moments import ClassMoments
from textnb.counts.weighting import WEIGHTINGS
from textnb.models import bernoulli, complement, compound, gaussian, multinomial
from textnb.models.bregman import text_unb
from textnb.models.gaussian import VARIANCES
from textnb.models.left_out import LeftOut
from textnb.models.model import Choice, Fit, Model, Number, Options, Statistics
from textnb.models.multinomial import ESTIMATES
from textnb.models.prior import Prior
from textnb.models.smoothing import ALPHAS, OF_DOCUMENTS, Smoothing, smoothing
from textnb.numerics import Floats


def _smoothed(statistics: Statistics, alpha: Any) -> Smoothing:
    if alpha not in OF_DOCUMENTS:
        return smoothing(alpha, statistics.counts)
    found = smoothing(alpha, statistics.all_counts, statistics.histograms)  # documents are of all terms
    return replace(found, alpha=found.alpha[statistics.columns])


def _multinomial(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = _smoothed(statistics, alpha)
    return Fit(multinomial.fit(statistics.counts, found.alpha, prior, **options), found)


def _multinomial_left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return multinomial.left_out(rows, alpha - (options["estimate"] == "map"))


def _bernoulli(statistics: Statistics, alpha: Any, prior: Prior, _: Options) -> Fit:
    found = bernoulli.evidence(statistics.counts) if alpha == "evidence" else smoothing(alpha, statistics.counts)
    return Fit(bernoulli.fit(statistics.counts, found.alpha, prior), found)


def _complement(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = _smoothed(statistics, alpha)
    return Fit(complement.fit(statistics.counts, found.alpha, prior, normalise=options["weight_norm"]), found)


def _complement_left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return complement.left_out(rows, alpha, normalise=options["weight_norm"])


def _compound(statistics: Statistics, _: Any, prior: Prior, __: Options) -> Fit:
    return Fit(compound.fit(statistics.of_documents, prior).on(statistics.columns), None)


def _gaussian(statistics: Statistics, _: Any, prior: Prior, options: Options) -> Fit:
    moments = ClassMoments.of_histograms(statistics.of_documents).selected(statistics.columns)
    return Fit(gaussian.fit(moments, options["variance"], _FLOORS[options["variance"]], prior), None)


def _unb(statistics: Statistics, alpha: Any, prior: Prior, options: Options) -> Fit:
    found = _smoothed(statistics, alpha)
    return Fit(text_unb.fit(statistics.counts, found.alpha, prior, **options), found)


def _unb_left_out(rows: LeftOut, alpha: Any, options: Options) -> Floats:
    return text_unb.left_out(rows, alpha, text_unb.fit(rows.counts, alpha, "uniform", **options))


_FLOORS = {"feature": 1e-3, "class": 1e-9}
"""Most terms never occur in most classes, and a variance of next to nothing would make them decide everything."""

_ALL = ("log", *(name for name in WEIGHTINGS if name != "log"))
_EXACT = ("log", "raw", "binary")

COUNT_MODELS = (
    Model("multinomial", _multinomial, _multinomial_left_out, _ALL, ALPHAS, options={"estimate": Choice(ESTIMATES)}),
    Model("bernoulli", _bernoulli, lambda rows, alpha, _: bernoulli.left_out(rows, alpha), ("binary",)),
    Model(
        "complement",
        _complement,
        _complement_left_out,
        _ALL,
        ALPHAS,
        options={"weight_norm": Choice((False, True))},
    ),
    Model("compound", _compound, None, ("raw", "binary"), takes_a_number=False, needs_histograms=True),
    Model(
        "gaussian",
        _gaussian,
        None,
        _EXACT,
        takes_a_number=False,
        options={"variance": Choice(VARIANCES)},
        needs_histograms=True,
    ),
    Model(
        "unb",
        _unb,
        _unb_left_out,
        _EXACT,
        ALPHAS,
        options={
            "pi": Number(1.0, "above 0; 1 is multinomial", text_unb.as_pi),
            "norm": Choice(text_unb.NORMS),
            "complement": Choice((False, True)),
        },
    ),
)
