"""Recipes in a TOML file: the options of `textnb train`, under the same names.

    [[recipe]]
    name = "bigrams"            # the name of the model if left out
    model = "multinomial"
    alpha = 0.1                 # or "evidence", ...
    tokenizer = "janome"        # or a table: {name = "janome", pos = ["名詞"]}
    normalise = ["nfkc"]
    terms = ["words", "pairs"]  # or ngram = "1-2"
    min_df = 2                  # max_df, max_terms, features, weighting, prior, calibrate, sample, options of the model

An option that is left out has the default of the model; tokenizer, prior, calibration and sample have the value that
the caller gives.
"""

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from textnb.classifier.recipe import ClassifierRecipe
from textnb.errors import InputError, ParameterError, TextnbError, listed, parameters_from_file
from textnb.models.registry import AUTO, MODELS, model
from textnb.storage import read_toml
from textnb.text import Analyzer, Tokenizer, tokenizer
from textnb.text.analyzer import SELECTION
from textnb.text.tokenizers import Imported

_INHERITED = ("prior", "calibrate", "sample")
_ANALYZER = {"normalise": "normalisers", **{key: key for key in ("terms", "ngram", "features", *SELECTION)}}
"""Keys of a recipe that are parameters of ``Analyzer``, with their names there."""


def read_recipes(
    path: str | Path, default: ClassifierRecipe, settled: Collection[str] = (), trust: Collection[str] = ()
) -> dict[str, ClassifierRecipe]:
    """Read recipes from a TOML file.

    Parameters
    ----------
    path : str or Path
        File with a table ``[[recipe]]`` for each recipe.
    default : ClassifierRecipe
        Values for what a recipe leaves out.
    settled : collection of str
        Parameters of the analyzer of ``default`` that stay even if other values suit a model better.
    trust : collection of str
        Python functions that may be imported as tokenizers.

    Returns
    -------
    dict of str to ClassifierRecipe
        The recipes by name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from textnb import TextClassifier
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "recipes.toml")
    ...     _ = path.write_text('[[recipe]]\\nmodel = "complement"\\nalpha = 0.5\\n')
    ...     recipes = read_recipes(path, TextClassifier().recipe)
    >>> recipes["complement"].alpha
    0.5
    """
    table = read_toml(path, "the recipes")
    for unknown in table.keys() - {"recipe"}:
        raise InputError("{path}: unknown key {key!r}; write recipes below [[recipe]]", path=path, key=unknown)
    given = table.get("recipe")
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError("{path}: there are no recipes; begin each with a line [[recipe]]", path=path)
    recipes: dict[str, ClassifierRecipe] = {}
    for number, each in enumerate(given, 1):
        name = each.pop("name", each.get("model", default.model))
        if not isinstance(name, str) or not name.strip():
            template = "{path}: recipe {number}: name must be a string, not {name!r}"
            raise InputError(template, path=path, number=number, name=name)
        where = f"{path}: recipe {number} ({name})"
        if name in recipes:
            raise InputError("{where}: another recipe has this name; give each its own", where=where)
        with parameters_from_file():
            recipes[name] = recipe_of(each, default, where, settled, trust)
    return recipes


def recipe_of(
    parts: Mapping[str, Any],
    default: ClassifierRecipe,
    where: str = "recipe",
    settled: Collection[str] = (),
    trust: Collection[str] = (),
) -> ClassifierRecipe:
    """Recipe with these options; ``where`` starts every error message.

    >>> from textnb import TextClassifier
    >>> recipe_of({"alpha": "much"}, TextClassifier().recipe, "mine.toml: recipe 1")
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: mine.toml: recipe 1: alpha must be a number of at least 0, 'evidence', ...
    """
    name = parts.get("model", default.model)
    if not isinstance(name, str) or name not in MODELS:
        raise ParameterError(
            "{where}: unknown model {name!r}; use {all}", where=where, name=name, all=", ".join(MODELS)
        )
    own, suiting = model(name).options, model(name).analyzer
    known = ("model", "alpha", "weighting", *own, *_INHERITED, "tokenizer", *_ANALYZER)
    for key in parts:
        if key not in known:
            template = "{where}: unknown option {key!r} of model {name!r}; use {known}"
            raise ParameterError(template, where=where, key=key, name=name, known=listed(known))
    try:
        changed = _analyzer_parts(parts)
        chosen = {*settled, *(("terms", "ngram") if {"terms", "ngram"} & changed.keys() else ())}
        changed = {key: value for key, value in suiting.items() if key not in chosen} | changed
        return ClassifierRecipe(
            name,
            parts.get("alpha"),
            tokenizer=_tokenizer(parts["tokenizer"], trust) if "tokenizer" in parts else default.tokenizer,
            analyzer=_base_analyzer(default, name, settled).changed(**changed),
            weighting=parts.get("weighting"),
            options={key: parts[key] for key in own if key in parts},
            choose_terms=name == AUTO and default.choose_terms and not {"terms", "ngram"} & parts.keys(),
            **{key: parts.get(key, getattr(default, key)) for key in _INHERITED},
        )
    except TextnbError as error:
        kind = ParameterError if isinstance(error, ParameterError) else InputError
        raise kind("{where}: {error}", where=where, error=error) from error


def _base_analyzer(default: ClassifierRecipe, name: str, settled: Collection[str]) -> Analyzer:
    """Analyzer of the default recipe, for another model without what only suits the default's model."""
    plain, suiting = Analyzer(), {} if name == default.model else model(default.model).analyzer
    only_suiting = {
        key: getattr(plain, key)
        for key, value in suiting.items()
        if key not in settled and getattr(default.analyzer, key) == value
    }
    return default.analyzer.changed(**only_suiting)


def parts_of(recipe: ClassifierRecipe) -> dict[str, Any]:
    """Options that make up a recipe; those of the analyzer and of the model only if they are not the defaults.

    ``recipe_of(parts_of(recipe), recipe) == recipe``. A user dictionary is left out, since it does not fit in a line.
    """
    name = recipe.tokenizer.recipe["name"]
    cut = {key: value for key, value in recipe.tokenizer.recipe["params"].items() if key != "user_dictionary" and value}
    if name == Imported.name:
        name, cut = cut["path"], {}
    chosen = model(recipe.model)
    usual = Analyzer(**chosen.analyzer)
    analyzer = {
        key: _plain(key, recipe.analyzer.recipe[its])
        for key, its in _ANALYZER.items()
        if its in recipe.analyzer.recipe and repr(recipe.analyzer.recipe[its]) != repr(usual.recipe.get(its))
    }
    return {
        "model": recipe.model,
        **({} if recipe.alpha is None else {"alpha": recipe.alpha}),
        "weighting": recipe.weighting,
        **{key: value for key, value in recipe.options.items() if value != chosen.options[key].default},
        **({} if recipe.prior == "empirical" else {"prior": recipe.prior}),
        **({} if recipe.calibrate else {"calibrate": False}),
        "tokenizer": {"name": name, **cut} if cut else name,
        **analyzer,
    }


def _plain(key: str, value: Any) -> Any:
    if key == "ngram":
        return "-".join(map(str, dict.fromkeys(value)))
    return value


def as_toml(name: str, parts: Mapping[str, Any]) -> str:
    """TOML of a [[recipe]] with these options.

    >>> print(as_toml("mine", {"model": "unb", "pi": 0.5, "complement": True}))
    [[recipe]]
    name = "mine"
    model = "unb"
    pi = 0.5
    complement = true
    """
    return "\n".join(["[[recipe]]", *(f"{key} = {_toml(value)}" for key, value in {"name": name, **parts}.items())])


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _tokenizer(value: Any, trust: Collection[str]) -> Tokenizer:
    if isinstance(value, str) and ":" in value and value not in trust:
        template = "the Python function {name!r} is not trusted as a tokenizer; trust it by --trust {name} (trust=)"
        raise ParameterError(template, name=value)
    if not isinstance(value, dict):
        return tokenizer(value)
    params = {key: tuple(each) if isinstance(each, list) else each for key, each in value.items() if key != "name"}
    if ":" in str(value.get("name")):
        raise ParameterError(
            "tokenizer: write the Python function {name!r} as a string, not a table", name=value["name"]
        )
    return tokenizer(value.get("name", ""), **params)


def _analyzer_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    changed = {its: parts[key] for key, its in _ANALYZER.items() if key in parts}
    for name in ("normalisers", "features"):
        if isinstance(changed.get(name), str):
            changed[name] = [changed[name]]
    if isinstance(changed.get("terms"), str):
        changed["terms"] = re.split("[,+]", changed["terms"])
    if "terms" in changed and "ngram" in changed:
        raise ParameterError("terms and ngram both choose the terms; leave out one of them")
    if "ngram" in changed:
        changed["ngram"] = _ngram(changed["ngram"])
    return changed


def _ngram(value: Any) -> Any:
    """Range of n-grams (low, high) from ``2``, ``"1-2"`` or ``[1, 2]``; other kinds are left for Analyzer to refuse."""
    if isinstance(value, str):
        ends = value.split("-")
        if len(ends) > 2 or not all(end.isdecimal() for end in ends):
            raise ParameterError('ngram must be a number or a range such as "1-2", not {value!r}', value=value)
        return int(ends[0]), int(ends[-1])
    return tuple(value) if isinstance(value, list) else value
