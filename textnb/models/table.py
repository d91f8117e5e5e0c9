"""The closed table of model names: how each is fitted from statistics, and what it can be told."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from textnb.counts.class_counts import ClassCounts
from textnb.counts.class_histograms import ClassHistograms
from textnb.counts.moments import ClassMoments
from textnb.counts.vocabulary import Columns
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import InputError, listed
from textnb.models import bernoulli, complement, compound, gaussian, multinomial, text_unb
from textnb.models.gaussian import VARIANCES
from textnb.models.left_out import LeftOut
from textnb.models.multinomial import ESTIMATES
from textnb.models.options import Choice, Number, Option
from textnb.models.prior import Prior
from textnb.models.scorer import Scorer
from textnb.models.smoothing import ALPHAS, OF_DOCUMENTS, Smoothing, smoothing
from textnb.numerics import Floats

Options = Mapping[str, Any]


class Statistics(NamedTuple):
    """What a model is fitted from: weighted counts of the terms in use, and all that was counted.

    ``columns`` are the terms in use among all. Histograms are None unless the model or its alpha needs them.
    """

    counts: ClassCounts
    all_counts: ClassCounts
    histograms: ClassHistograms | None
    columns: Columns

    @property
    def of_documents(self) -> ClassHistograms:
        """The histograms, which a model may not do without."""
        if self.histograms is None:
            raise InputError("the model needs the histograms of the documents, which were not kept")
        return self.histograms


class Fit(NamedTuple):
    """A scorer and the alpha behind it; None for a model that has none, or one a class."""

    scorer: Scorer
    smoothing: Smoothing | None


class Model(NamedTuple):
    """A model by name.

    fit: from statistics, alpha, prior and options. left_out: the scores, without prior, of documents by statistics
    without them; None where they can only be had by fitting again. weightings: what it can be fed, the best first.
    alphas: the named ones. options: what else it can be told, by name.
    """

    name: str
    fit: Callable[[Statistics, Any, Prior, Options], Fit]
    left_out: Callable[[LeftOut, Any, Options], Floats] | None
    weightings: tuple[str, ...]
    alphas: tuple[str, ...] = ("evidence",)
    takes_a_number: bool = True
    options: Mapping[str, Option] = {}
    needs_histograms: bool = False


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

MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model(
            "multinomial", _multinomial, _multinomial_left_out, _ALL, ALPHAS, options={"estimate": Choice(ESTIMATES)}
        ),
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
}


def model(name: str) -> Model:
    """The model of that name."""
    if name not in MODELS:
        raise InputError(f"model {name!r} is not known; known: {listed(MODELS)}")
    return MODELS[name]
