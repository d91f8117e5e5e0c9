"""Options of the model, and recipes written as options of `textnb train`.

Each option of a model can be given by its long name (``--weight-norm``). These options are made from the registry of
models; the help of `textnb train` does not list them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from typing import Any, ClassVar

import click

from textnb.classifier.recipe import SAMPLE, ClassifierRecipe
from textnb.cli.options.groups import flag, option, option_words, takes
from textnb.cli.options.inputs import Tokenizing, as_number_or_name, as_prior
from textnb.comparison.recipes import parts_of
from textnb.counts import WEIGHTINGS, TermsOf
from textnb.errors import InputError
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.models.smoothing import ALPHAS
from textnb.text import Analyzer
from textnb.text.analyzer import SELECTION

MODEL_OPTIONS = {name: option for each in MODELS for name, option in model_of(each).options.items()}
"""Every option that some model has, by name; an option has the same kind of value in all models that have it."""


@dataclass(frozen=True)
class Modelling:
    """Which model is fitted, and with which options; `own` holds the options of that model alone."""

    section: ClassVar[str] = "Model"
    model: str | None = option(
        "--model", metavar="NAME", help=f"{', '.join(MODELS)}.  [default: multinomial; for mail: mail]"
    )
    alpha: str = option(
        "--alpha",
        metavar="A",
        default="evidence",
        help=f"Smoothing: a number (0 is maximum likelihood), or estimated: {', '.join(ALPHAS)}.",
    )
    prior: str = option(
        "--prior", metavar="PRIOR", default="empirical", help="Class probabilities: empirical, uniform, or a=0.3,b=0.7."
    )
    weighting: str | None = option(
        "--weighting", metavar="NAME", help=f"{', '.join(WEIGHTINGS)}.  [default: by model; mostly log]"
    )
    calibrate: bool = flag(
        "--calibrate/--no-calibrate", default=True, help="Calibrate probabilities on documents left out of the counts."
    )
    sample: int = option(
        "--sample",
        metavar="N",
        type=click.IntRange(min=0),
        default=SAMPLE,
        help="Documents kept for calibration, at most; 0: none.",
    )
    own: Mapping[str, Any] = field(default_factory=dict)

    def suited(self, is_mail: bool) -> "Modelling":
        """The same with the model that suits the corpus, where none was asked for."""
        return self if self.model is not None else replace(self, model="mail" if is_mail else "multinomial")

    @property
    def terms(self) -> Mapping[str, Any]:
        """What of an Analyzer suits the model."""
        return model_of(self._name).analyzer

    @property
    def _name(self) -> str:
        assert self.model is not None
        return self.model

    def recipe(self, terms_of: TermsOf, analyzer: Analyzer) -> ClassifierRecipe:
        """The recipe that was asked for."""
        return ClassifierRecipe(
            self._name,
            _as_alpha(self.alpha),
            as_prior(self.prior),
            terms_of.tokenizer,
            analyzer,
            self.weighting,
            self.own,
            self.calibrate,
            self.sample,
        )


def takes_model(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options of `Modelling`, and each option of a model by its long name, hidden."""

    @takes(modelling=Modelling)
    @wraps(function)
    def gathered(modelling: Modelling, **given: Any) -> Any:
        own = {name: given.pop(_PREFIX + name) for name in MODEL_OPTIONS}
        own = {name: value if value is True else as_number_or_name(value) for name, value in own.items() if value}
        return function(modelling=replace(modelling, own=own), **given)

    for name, each in MODEL_OPTIONS.items():
        names = (_PREFIX + name, f"--{name.replace('_', '-')}")
        kind: dict[str, Any] = {"is_flag": True} if each.default is False else {}
        gathered = click.option(*names, hidden=True, **kind)(gathered)
    return gathered


_PREFIX = "model_"  # of the parameters, which a verb may have under the same name


def _as_alpha(value: str) -> float | str:
    if value in ALPHAS:
        return value
    try:
        return float(value)
    except ValueError:
        raise InputError(f"--alpha takes a number or one of {', '.join(ALPHAS)}, not {value!r}") from None


_TEXT = ("tokenizer", "normalise", "ngram", "features")


def train_options(
    recipe: ClassifierRecipe, base: ClassifierRecipe, tokenizing: Tokenizing, modelling: Modelling
) -> list[str]:
    """Return the options that give the recipe, where `tokenizing` and `modelling` would give `base`."""
    parts, before = parts_of(recipe), parts_of(base)
    text: dict[str, Any] = {
        key: _text(parts[key]) if key in parts else None for key in _TEXT if parts.get(key) != before.get(key)
    }
    own = {name: value for name, value in recipe.options.items() if value != base.options.get(name)}
    told: dict[str, Any] = {"model": recipe.model, "alpha": str(recipe.alpha), "own": dict(modelling.own) | own}
    told["weighting"] = None if recipe.weighting == model_of(recipe.model).weightings[0] else recipe.weighting
    chosen = {f"--{key.replace('_', '-')}": str(parts[key]) for key in SELECTION if key in parts}
    return [
        *group_words(replace(tokenizing, **text)),
        *group_words(replace(modelling, **told)),
        *(word for pair in chosen.items() for word in pair),
    ]


def group_words(group: Any) -> Iterator[str]:
    """Yield the options of a group that are not at their default, as they are written on a command line.

    >>> list(group_words(Modelling(model="complement", calibrate=False, own={"weight_norm": True})))
    ['--model', 'complement', '--no-calibrate', '--weight-norm']
    """
    for each in fields(group):
        if each.metadata:
            yield from option_words(each, getattr(group, each.name))
    for name, value in getattr(group, "own", {}).items():
        yield f"--{name.replace('_', '-')}"
        if value is not True:
            yield str(value)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value) or "none"
    return str(value)
