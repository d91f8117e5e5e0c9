"""Names and recipes of tokenizers: the one closed table."""

import inspect
import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

from textnb.errors import InputError, RecipeWarning, UntrustedError, listed
from textnb.text.auto import Auto
from textnb.text.imported import Imported
from textnb.text.japanese import Janome
from textnb.text.mecab import Mecab
from textnb.text.patterns import CharClass, Chars, Whitespace, Words
from textnb.text.sudachi import Sudachi
from textnb.text.token import Tokenizer

TOKENIZERS: dict[str, type[Tokenizer]] = {
    cls.name: cls for cls in (Auto, Janome, Mecab, Sudachi, Chars, CharClass, Words, Whitespace, Imported)
}


def tokenizer(name: str, **params: Any) -> Tokenizer:
    """The tokenizer of that name; ``module:function`` names a Python function of your own.

    >>> tokenizer("chars", n=2)("東京都")
    ['東京', '京都']
    >>> tokenizer("word")
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: tokenizer 'word' is not known; known: auto, charclass, chars, janome, mecab, ...
    """
    if not isinstance(name, str):
        raise InputError(f"the name of a tokenizer is a string, not {name!r}")
    if ":" in name:
        for unknown in params:
            raise InputError(
                f"tokenizer {Imported.name!r} has no parameter {unknown!r}; it has: path, and that is given"
            )
        return _built(Imported.name, {"path": name})
    if name not in TOKENIZERS:
        raise InputError(f"tokenizer {name!r} is not known; known: {listed(TOKENIZERS)}, or module:function")
    return _built(name, params)


def _built(name: str, params: Mapping[str, Any]) -> Tokenizer:
    cls = TOKENIZERS[name]
    known = inspect.signature(cls).parameters
    for unknown in params.keys() - known.keys():
        raise InputError(f"tokenizer {name!r} has no parameter {unknown!r}; it has: {listed(known) or 'none'}")
    try:
        return cls(**params)
    except TypeError as error:
        raise InputError(f"tokenizer {name!r}: {error}") from error


def as_tokenizer(value: str | Tokenizer | Callable[[str], list[str]]) -> Tokenizer:
    """A Tokenizer from what a user may give: a name, a Tokenizer, or a function at the top of a module."""
    if isinstance(value, Tokenizer):
        if type(value) not in TOKENIZERS.values():
            raise InputError(
                f"a model file cannot hold the tokenizer {value.name!r}; give a function at the top of a module"
            )
        return value
    if isinstance(value, str):
        return tokenizer(value)
    if callable(value):
        return Imported.of(value)
    raise InputError(f"a tokenizer is a name, a Tokenizer or a function, not {value!r}")


def tokenizer_of(recipe: Mapping[str, Any], trust: Collection[str] = ()) -> Tokenizer:
    """The tokenizer that a recipe describes.

    A Python function is imported only if ``trust`` names its path. A recipe made with another version of a
    dictionary is rebuilt with the one that is here, and a RecipeWarning says so.
    """
    if isinstance(trust, str):
        raise InputError(f"trust must be a list of names, not the single string {trust!r}")
    try:
        name, version, params = recipe["name"], recipe["version"], dict(recipe["params"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"a tokenizer recipe has name, version and params, not {recipe!r}") from error
    path = params.get("path") if name == Imported.name else name if ":" in str(name) else None
    if path is not None and (path not in list(trust) or path == name):  # module:function as a name is for people
        raise UntrustedError(f"the tokenizer is the Python function {path!r}; trust it by name to have it imported")
    if not isinstance(name, str) or name not in TOKENIZERS:
        raise InputError(f"tokenizer {name!r} is not known; known: {listed(TOKENIZERS)}")
    if isinstance(params.get("user_dictionary"), str):
        raise InputError("user_dictionary: a recipe carries the dictionary itself, not its path")
    rebuilt = _built(name, params)
    if rebuilt.version != version:
        warnings.warn(
            f"the tokenizer {name!r} was {version} and is {rebuilt.version} here; some tokens may differ",
            RecipeWarning,
            stacklevel=2,
        )
    return rebuilt
