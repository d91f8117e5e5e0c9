"""A tokenizer of the user's own: a Python function, named by its import path."""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from textnb.errors import InputError
from textnb.text.token import Token, Tokenizer, plain_token, without_surrogates

NOWHERE = -1
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
