"""Options of the model, and recipes written as options of `textnb train`.

Options of single models are given as ``--set NAME=VALUE``; the registry of models lists and checks them. Their long
names (``--weight-norm``) are understood, too, but the help does not list them.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar

import click

from textnb.classifier.recipe import SAMPLE, ClassifierRecipe, default_alpha
from textnb.cli.options.groups import Verb, check_unused, flag, option, option_words
from textnb.cli.options.inputs import Tokenizing, as_prior
from textnb.comparison.recipes import parts_of
from textnb.counts import WEIGHTINGS, TermsOf
from textnb.errors import InputError, ParameterError
from textnb.models.model import Need
from textnb.models.registry import AUTO, MODELS
from textnb.models.registry import model as model_of
from textnb.models.smoothing import ALPHAS, LOG_LOSS
from textnb.text import Analyzer
from textnb.text.analyzer import SELECTION


@dataclass(frozen=True)
class Modelling:
    """Which model is fitted, and with which options.

    Options of the model alone are in `settings` and, if they were given by their long names, in `own`.
    """

    section: ClassVar[str] = "Model"
    model: str | None = option("NAME", f"{', '.join(MODELS)}.  [default: auto; for mail: mail]")
    alpha: str | None = option(
        "A",
        f"Smoothing: a number (0 is maximum likelihood), or estimated: {', '.join((*ALPHAS, LOG_LOSS))}.  "
        "[default: by model; with -l2: log-loss]",
    )
    prior: str = option("PRIOR", "Of classes: empirical, uniform or a=0.3,b=0.7.", default="empirical")
    weighting: str | None = option("NAME", f"{', '.join(WEIGHTINGS)}.  [default: by model; mostly log]")
    calibrate: bool = flag("Calibrate probabilities on left-out documents.", "--calibrate/--no-calibrate", default=True)
    sample: int = option(
        "N",
        "Documents kept, at most. Up to N, forgetting equals never having seen, to the byte; beyond, counts do.",
        type=click.IntRange(min=0),
        default=SAMPLE,
    )
    settings: tuple[str, ...] = option(
        "NAME=VALUE", "Option of the model; repeatable. See textnb models NAME.", "--set", default=()
    )
    own: tuple[str, ...] = option(None, "", hidden=True, default=())

    def suited(self, is_mail: bool, usual: str = AUTO) -> "Modelling":
        """Return these options with a model, if none was given: that for mail, or the usual one."""
        return self if self.model is not None else replace(self, model="mail" if is_mail else usual)

    @property
    def terms(self) -> Mapping[str, Any]:
        """Parameters of an Analyzer that suit the model."""
        return model_of(self._name).analyzer

    @property
    def _name(self) -> str:
        assert self.model is not None
        return self.model

    @property
    def own_options(self) -> dict[str, Any]:
        """Options of the chosen model alone, by name."""
        known = model_of(self._name).options
        for given in self.settings:
            name, equals, _ = given.partition("=")
            if not equals:
                raise _usage_error("--set takes NAME=VALUE, not {given!r}.", given=given)
            if name not in known:
                template = "Model {model!r} has no option {name!r}; it has {known}."
                raise _usage_error(template, model=self._name, name=name, known=", ".join(known) or "none")
        pairs = dict(each.split("=", 1) for each in (*self.own, *self.settings))
        try:
            return {name: known[name].parse(text) if name in known else text for name, text in pairs.items()}
        except InputError as error:
            raise ParameterError("model {model!r}: {error}", model=self._name, error=error) from None

    def recipe(
        self, terms_of: TermsOf, analyzer: Analyzer, *, choose_terms: bool = False, term_budget: int | None = None
    ) -> ClassifierRecipe:
        """Return the recipe of these options; choose_terms: the model ``auto`` may choose among the kinds of terms."""
        return ClassifierRecipe(
            self._name,
            _as_alpha(self.alpha),
            as_prior(self.prior),
            terms_of.tokenizer,
            analyzer,
            self.weighting,
            self.own_options,
            self.calibrate,
            self.sample,
            choose_terms and self.model == AUTO,
            term_budget=term_budget,
        )


def check_sample_used(recipe: ClassifierRecipe) -> None:
    """Refuse --sample where it changes nothing: without a calibration, or if all documents are kept anyway."""
    if recipe.keeps.examples and recipe.sample:
        what = "model" if Need.ROWS in model_of(recipe.model).needs else "weighting"
        why = f"with the {what} {getattr(recipe, what)!r}, which keeps all documents"
        check_unused("sample", why=why)
    elif not recipe.keeps.examples and not recipe.calibrate:
        check_unused("sample", why="with --no-calibrate")


def _usage_error(template: str, **values: object) -> click.UsageError:
    return click.UsageError(template.format(**values), click.get_current_context(silent=True))


class ModelVerb(Verb):
    """A verb that also understands the options of every model by their long names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with ``--own NAME=VALUE`` in place of ``--NAME VALUE``."""
        names = {name for param in self.get_params(ctx) for name in (*param.opts, *param.secondary_opts)}
        return super().parse_args(ctx, list(_replace_long_names(args, names, ctx)))


def _replace_long_names(args: list[str], names: Collection[str], ctx: click.Context) -> Iterator[str]:
    """Replace ``--NAME VALUE`` of a model's option by ``--own NAME=VALUE``; only an unknown name imports models."""
    words = iter(args)
    for word in words:
        option, equals, value = word.partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if not option.startswith("--") or option in {*names, "--"} or name not in _all_defaults():
            yield word
            continue
        if not equals:
            value = "true" if _all_defaults()[name] is False else next(words, "")
        if not value:
            raise click.BadOptionUsage(option, f"Option {option!r} requires an argument.", ctx)
        yield from ("--own", f"{name}={value}")


@cache
def _all_defaults() -> dict[str, Any]:
    """Return every option that some model has, with its default; imports all models."""
    return {name: option.default for each in MODELS for name, option in model_of(each).options.items()}


def _as_alpha(value: str | None) -> float | str | None:
    if value in (None, *ALPHAS, LOG_LOSS):
        return value
    try:
        return float(value)
    except ValueError:
        names = ", ".join((*ALPHAS, LOG_LOSS))
        raise ParameterError(
            "--alpha takes a number or one of {names}, not {value!r}", names=names, value=value
        ) from None


_TEXT = ("tokenizer", "normalise", "terms", "ngram", "features")


def train_options(
    recipe: ClassifierRecipe, base: ClassifierRecipe, tokenizing: Tokenizing, modelling: Modelling
) -> list[str]:
    """Return the options that give the recipe, where `tokenizing` and `modelling` would give `base`."""
    parts, before = parts_of(recipe), parts_of(base)
    text: dict[str, Any] = {
        key: _text(parts[key]) if key in parts else None for key in _TEXT if parts.get(key) != before.get(key)
    }
    if {"terms", "ngram"} & text.keys():  # one replaces the other
        text |= {key: _text(parts[key]) if key in parts else None for key in ("terms", "ngram")}
    given = {each.partition("=")[0] for each in (*modelling.own, *modelling.settings)}
    own = {name: value for name, value in recipe.options.items() if name in given or value != base.options.get(name)}
    is_default = recipe.alpha == default_alpha(model_of(recipe.model), recipe.weights)
    changed: dict[str, Any] = {"model": recipe.model, "alpha": None if is_default else str(recipe.alpha), "own": ()}
    changed["settings"] = tuple(f"{name}={value}" for name, value in own.items())
    changed["weighting"] = None if recipe.weighting == model_of(recipe.model).weightings[0] else recipe.weighting
    chosen = {f"--{key.replace('_', '-')}": str(parts[key]) for key in SELECTION if key in parts}
    return [
        *group_words(replace(tokenizing, **text)),
        *group_words(replace(modelling, **changed)),
        *(word for pair in chosen.items() for word in pair),
    ]


def group_words(group: Any) -> Iterator[str]:
    """Yield the options of a group that are not at their default, as they are written on a command line.

    >>> list(group_words(Modelling(model="complement", calibrate=False, settings=("weight_norm=True",))))
    ['--model', 'complement', '--no-calibrate', '--set', 'weight_norm=True']
    """
    for each in fields(group):
        yield from option_words(each, getattr(group, each.name))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value) or "none"
    return str(value)


def option_rows(name: str) -> list[dict[str, Any]]:
    """Return the options of a model: alpha and weighting, then its own."""
    chosen = model_of(name)
    alphas = [*(["a number"] if chosen.accepts_number else []), *chosen.alphas]
    default = "evidence; with -l2: log-loss" if LOG_LOSS in alphas else "evidence"
    common = [
        {"option": "--alpha", "default": default, "allowed": ", ".join(alphas), "help": "smoothing"},
        {
            "option": "--weighting",
            "default": chosen.weightings[0],
            "allowed": ", ".join(chosen.weightings),
            "help": "weights of the counts",
        },
    ]
    own = [
        {"option": f"--set {key}=", "default": str(each.default), "allowed": each.allowed, "help": each.help}
        for key, each in chosen.options.items()
    ]
    return common + own
