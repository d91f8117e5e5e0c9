"""Recipes said again as options of `textnb train`."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, get_type_hints

from textnb.cli.modelling import Modelling
from textnb.cli.options import Cutting
from textnb.comparison.recipes import parts_of
from textnb.models.table import MODELS
from textnb.recipe import ClassifierRecipe
from textnb.text.analyzer import SELECTION

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
    told["weighting"] = None if recipe.weighting == MODELS[recipe.model].weightings[0] else recipe.weighting
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
