"""The model `auto`: naive Bayes that sets itself. ``classifier/choice.py`` replaces it by another model at training."""

from typing import Any

from textnb.errors import InputError
from textnb.models.model import Fit, Model, Options, Statistics, weightings_from
from textnb.models.prior import Prior
from textnb.models.registry import AUTO
from textnb.models.smoothing import ALPHAS, LOG_LOSS


def _fit(_: Statistics, __: Any, ___: Prior, ____: Options) -> Fit:
    raise InputError("the model 'auto' is chosen from documents; fit a TextClassifier to them")


MODEL = Model(
    name=AUTO,
    help="naive Bayes that sets itself: model, terms and smoothing chosen by left-out documents",
    fit=_fit,
    weightings=weightings_from("log"),
    alphas=(*ALPHAS, LOG_LOSS),
    accepts_number=True,
    default_alpha=None,
    analyzer={"terms": ("words", "pairs", "chars")},
)
