"""Names and recipes of tokenizers: the one closed table.

The tokenizer that looks at the text first.

A tokenizer of the user's own: a Python function, named by its import path.
"""

import importlib
import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from textnb.errors import InputError, RecipeWarning, UntrustedError, listed
from textnb.text.characters import letter_kinds
from textnb.text.janome.tokenizer import Janome
from textnb.text.mecab import Mecab
from textnb.text.patterns import CharClass, Chars, Whitespace, Words
from textnb.text.sudachi import Sudachi
from textnb.text.token import NOWHERE, Token, Tokenizer, plain_token, without_surrogates

_JAPANESE, _LETTER = 1, 2


def is_japanese(text: str) -> bool:
    """Whether at least a tenth of the letters are kana or kanji.

    >>> is_japanese("Python で書く"), is_japanese("written in Python"), is_japanese("")
    (True, False, False)
    """
    if text.isascii():
        return False
    kinds = letter_kinds()[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")]
    japanese, letters = int(np.count_nonzero(kinds & _JAPANESE)), int(np.count_nonzero(kinds & _LETTER))
    return japanese > 0 and 10 * japanese >= letters


@dataclass(frozen=True)
class Auto(Tokenizer):
    """``janome`` for a Japanese text, ``words`` for any other; each text is looked at by itself.

    >>> Auto()("Hello, world"), Auto()("すもももももも")
    (['Hello', 'world'], ['すもも', 'も', 'もも', 'も'])
    """

    name: ClassVar[str] = "auto"

    @property
    def version(self) -> str:
        """Changes with Janome's."""
        return _janome().version

    def choice(self, text: str) -> Tokenizer:
        """The tokenizer that a text gets."""
        return _janome() if is_japanese(text) else _words()

    def tokens(self, text: str) -> Iterator[Token]:
        """The chosen tokenizer's tokens."""
        return self.choice(text).tokens(text)

    def stream(self, text: str) -> Iterator[str]:
        """The chosen tokenizer's terms."""
        return self.choice(text).stream(text)

    @property
    def runs_on(self) -> str:
        """Janome's engine."""
        return _janome().runs_on

    @property
    def counts_natively(self) -> bool:
        """Where both tokenizers do."""
        return _janome().counts_natively and _words().counts_natively


@cache
def _janome() -> Janome:
    """Return the one Janome that Auto hands out: checking its parameters takes longer than counting a short text."""
    return Janome()


@cache
def _words() -> Words:
    return Words()


_WINDOW = 1_000  # how far behind the token before a token is looked for
_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Imported(Tokenizer):
    """The function ``module:function``, which takes a text and returns a list of strings.

    Only the path is kept in a recipe. The places of the tokens are found by looking for each in the text after the
    one before; a token that is not there (a function may change the letters) has the place -1.

    >>> Imported("textwrap:wrap")("a few words")
    ['a few words']
    """

    name: ClassVar[str] = "python"
    path: str

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not _PATH.fullmatch(self.path):
            raise InputError(f"a Python tokenizer is named 'module:function', not {self.path!r}")

    @classmethod
    def of(cls, function: Callable[[str], list[str]]) -> "Imported":
        """The tokenizer of a function that can be found again by its import path."""
        path = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
        if not _PATH.fullmatch(path) or path.startswith("__main__:") or _found(path) is not function:
            raise InputError(
                f"the tokenizer {function!r} cannot be imported as {path!r}; define it at the top of a module"
            )
        return cls(path)

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        function = _found(self.path)
        try:
            terms: object = function(text)
        except Exception as error:
            raise InputError(f"the tokenizer {self.path} failed: {error!r}") from error
        if isinstance(terms, (str, bytes)) or not isinstance(terms, Iterable):
            raise InputError(f"the tokenizer {self.path} must return a list of strings, not {terms!r}")
        return [self._checked(term) for term in terms]

    def stream(self, text: str) -> Iterator[str]:
        """The terms, which the function returns all at once."""
        return iter(self(text))

    def _checked(self, term: object) -> str:
        if not isinstance(term, str):
            raise InputError(f"the tokenizer {self.path} must return strings, got {term!r}")
        return without_surrogates(term)

    def tokens(self, text: str) -> Iterator[Token]:
        """The function's strings, looked up in the text one after the other."""
        position = 0
        for term in self(text):
            start = text.find(term, position, position + len(term) + _WINDOW)
            if start < 0:
                yield Token(term, term, "", "", NOWHERE, NOWHERE)
            else:
                yield plain_token(term, start)
                position = start + len(term)


@cache
def _found(path: str) -> Callable[[str], list[str]]:
    module, _, name = path.partition(":")
    try:
        found: object = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"the tokenizer {path!r} cannot be imported: {error}; PYTHONPATH=. adds the current folder"
        ) from error
    if not callable(found):
        raise InputError(f"the tokenizer {path!r} is not a function")
    return found


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
