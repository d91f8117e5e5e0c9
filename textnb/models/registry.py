"""Registry: the table of models by name, and of the scorers that a model file can hold.

A module is imported when one of its names is looked up, so that fitting one model loads no other family.

Examples
--------
>>> model("multinomial").weightings[0]
'log'
>>> model("bayse")
Traceback (most recent call last):
    ...
textnb.errors.ParameterError: unknown model 'bayse'; use auto, multinomial, bernoulli, ...
"""

from functools import cache
from importlib import import_module
from typing import Any, Final, Literal

from textnb.errors import ParameterError, suggestion
from textnb.models.model import Model
from textnb.models.scorer import Scorer

AUTO: Final = "auto"
"""Name of the default model, which is replaced by another at training."""

MODELS = {
    AUTO: "textnb.models.auto:MODEL",
    "multinomial": "textnb.models.multinomial:MODEL",
    "bernoulli": "textnb.models.bernoulli:MODEL",
    "complement": "textnb.models.complement:MODEL",
    "compound": "textnb.models.compound:MODEL",
    "gaussian": "textnb.models.gaussian:MODEL",
    "unb": "textnb.models.bregman.text_unb:MODEL",
    "logistic": "textnb.models.logistic.logistic:MODEL",
    "nb-logistic": "textnb.models.logistic.nb_logistic:MODEL",
    "bayes-logistic": "textnb.models.logistic.bayes_logistic:MODEL",
    "mail": "textnb.models.ensemble.mail:MODEL",
    "ensemble": "textnb.models.ensemble.ensemble:MODEL",
    "least-squares": "textnb.models.linear.least_squares:MODEL",
    "fisher": "textnb.models.linear.discriminants:FISHER",
    "gaussian-discriminant": "textnb.models.linear.discriminants:GAUSSIAN",
}
"""Models by name, each with the module and constant that describe it."""

ModelName = Literal[
    "auto", "multinomial", "bernoulli", "complement", "compound", "gaussian", "unb", "logistic", "nb-logistic",
    "bayes-logistic", "mail", "ensemble", "least-squares", "fisher", "gaussian-discriminant",
]  # fmt: skip
"""Names of MODELS, for type checkers."""

SCORERS = {
    "linear": "textnb.models.scorer:LinearScorer",
    "scaled": "textnb.models.scorer:ScaledScorer",
    "ratios": "textnb.models.ensemble.presence:RatioScorer",
    "summed": "textnb.models.ensemble.joining:SummedScorer",
    "ensemble": "textnb.models.ensemble.ensemble:EnsembleScorer",
    "presence": "textnb.models.bernoulli:PresenceScorer",
    "compound": "textnb.models.compound:CompoundScorer",
    "gaussian": "textnb.models.gaussian:GaussianScorer",
    "tokens": "textnb.models.bregman.text_unb:TokenUScorer",
    "moderated": "textnb.models.logistic.bayes_logistic:ModeratedScorer",
}
"""Scorers that a model file can hold, by their name in its header."""


@cache
def model(name: str) -> Model:
    """Return the model with a name.

    Parameters
    ----------
    name : str
        One of ``MODELS``.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If there is no model with that name.
    """
    if name not in MODELS:
        hint = suggestion(name, MODELS)
        raise ParameterError("unknown model {name!r}{hint}; use {known}", name=name, hint=hint, known=", ".join(MODELS))
    found = _imported(MODELS[name])
    assert isinstance(found, Model)
    return found


def scorer_class(kind: str) -> type[Scorer] | None:
    """Class of the scorers that a header calls ``kind``; None for an unknown name."""
    return _imported(SCORERS[kind]) if kind in SCORERS else None


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
