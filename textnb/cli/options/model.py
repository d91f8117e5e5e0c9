"""The options for the model: which one, and what it is told.

Recipes said again as options of `textnb train`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, get_type_hints

import typer

from textnb.classifier.recipe import SAMPLE, ClassifierRecipe
from textnb.cli.options.inputs import Cutting, as_number_or_name, as_prior
from textnb.comparison.recipes import parts_of
from textnb.counts import WEIGHTINGS, TermsOf
from textnb.errors import InputError
from textnb.models.registry import MODELS
from textnb.models.registry import model as model_of
from textnb.models.smoothing import ALPHAS
from textnb.text import Analyzer
from textnb.text.analyzer import SELECTION


def _model(name: str, help: str) -> Any:
    return typer.Option(name, help=help, rich_help_panel="Model")


def _having(option: str) -> str:
    return ", ".join(model.name for model in map(model_of, MODELS) if option in model.options)


def _choice(option: str) -> str:
    """The values of an option, the default first."""
    return "; ".join({model.options[option].allowed: 1 for model in map(model_of, MODELS) if option in model.options})


@dataclass(frozen=True)
class Modelling:
    """What is fitted."""

    model: Annotated[
        str | None,
        _model("--model", f"One of: {', '.join(MODELS)}.  [default: multinomial, and mail for a corpus of mail]"),
    ] = None
    alpha: Annotated[
        str, _model("--alpha", f"Smoothing: a number (0 is maximum likelihood), or found: {', '.join(ALPHAS)}.")
    ] = "evidence"
    prior: Annotated[str, _model("--prior", "empirical, uniform, or a=0.3,b=0.7.")] = "empirical"
    weighting: Annotated[
        str | None, _model("--weighting", f"{', '.join(WEIGHTINGS)}.  [default: what suits the model; mostly log]")
    ] = None
    estimate: Annotated[str | None, _model("--estimate", f"{_choice('estimate')} ({_having('estimate')}).")] = None
    weight_norm: Annotated[
        bool, _model("--weight-norm", f"Classes' weights of equal size ({_having('weight_norm')}).")
    ] = False
    variance: Annotated[str | None, _model("--variance", f"{_choice('variance')} ({_having('variance')}).")] = None
    pi: Annotated[float | None, _model("--pi", f"The power of the product, {_choice('pi')} ({_having('pi')}).")] = None
    norm: Annotated[
        str | None, _model("--norm", f"How products are normalised: {_choice('norm')} ({_having('norm')}).")
    ] = None
    complement: Annotated[
        bool, _model("--complement", f"By what the other classes are like ({_having('complement')}).")
    ] = False
    l2: Annotated[str | None, _model("--l2", f"How small weights are kept: {_choice('l2')} ({_having('l2')}).")] = None
    loss: Annotated[str | None, _model("--loss", f"{_choice('loss')} ({_having('loss')}).")] = None
    prune: Annotated[float | None, _model("--prune", f"{_choice('prune')} ({_having('prune')}).".capitalize())] = None
    shrinkage: Annotated[
        str | None, _model("--shrinkage", f"Of the covariance: {_choice('shrinkage')} ({_having('shrinkage')}).")
    ] = None
    stacked_from: Annotated[
        float | None, _model("--stacked-from", f"{_choice('stacked_from')} ({_having('stacked_from')}).".capitalize())
    ] = None
    balanced: Annotated[bool, _model("--balanced", f"Every class weighs the same ({_having('balanced')}).")] = False
    calibrate: Annotated[
        bool, _model("--calibrate/--no-calibrate", "Fit probabilities to documents left out of the counts.")
    ] = True
    sample: Annotated[
        int, typer.Option("--sample", min=0, metavar="N", rich_help_panel="Model",
                          help="Documents whose counts are kept to calibrate with, at most; 0: none."),
    ] = SAMPLE  # fmt: skip

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
        given = {
            "estimate": self.estimate,
            "weight_norm": self.weight_norm or None,
            "variance": self.variance,
            "pi": self.pi,
            "norm": self.norm,
            "complement": self.complement or None,
            "l2": as_number_or_name(self.l2),
            "shrinkage": as_number_or_name(self.shrinkage),
            "loss": self.loss,
            "prune": self.prune,
            "stacked_from": self.stacked_from,
            "balanced": self.balanced or None,
        }
        return ClassifierRecipe(
            self._name,
            _as_alpha(self.alpha),
            as_prior(self.prior),
            terms_of.tokenizer,
            analyzer,
            self.weighting,
            {name: value for name, value in given.items() if value is not None},
            self.calibrate,
            self.sample,
        )


def _as_alpha(value: str) -> float | str:
    if value in ALPHAS:
        return value
    try:
        return float(value)
    except ValueError:
        raise InputError(f"--alpha takes a number or one of {', '.join(ALPHAS)}, not {value!r}") from None


_TEXT = ("tokenizer", "normalise", "ngram", "features")


def train_options(
    recipe: ClassifierRecipe, base: ClassifierRecipe, cutting: Cutting, modelling: Modelling
) -> list[str]:
    """The options that give the recipe, where ``cutting`` and ``modelling`` would give ``base``."""
    parts, before = parts_of(recipe), parts_of(base)
    text: dict[str, Any] = {
        key: _text(parts[key]) if key in parts else None for key in _TEXT if parts.get(key) != before.get(key)
    }
    own = {name: value for name, value in recipe.options.items() if value != base.options.get(name)}
    told = {"model": recipe.model, "alpha": str(recipe.alpha), **own}
    told["weighting"] = None if recipe.weighting == model_of(recipe.model).weightings[0] else recipe.weighting
    chosen = {f"--{key.replace('_', '-')}": str(parts[key]) for key in SELECTION if key in parts}
    return [
        *spoken(replace(cutting, **text)),
        *spoken(replace(modelling, **told)),
        *(word for pair in chosen.items() for word in pair),
    ]


def spoken(group: Any) -> Iterator[str]:
    """The options of a group that are not at their default, as they are written on a command line.

    >>> list(spoken(Modelling(model="complement", weight_norm=True, calibrate=False)))
    ['--model', 'complement', '--weight-norm', '--no-calibrate']
    """
    hints = get_type_hints(type(group), include_extras=True)
    for each in fields(group):
        value = getattr(group, each.name)
        if value in (each.default, None, ""):
            continue
        yes, _, no = hints[each.name].__metadata__[0].default.partition("/")  # typer's name for its first argument
        if isinstance(value, bool):
            yield yes if value else no
        else:
            for one in value if isinstance(value, list) else [value]:
                yield from (yes, str(one))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value) or "none"
    return str(value)
