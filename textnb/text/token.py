"""What a tokenizer is: a frozen value that cuts a text into terms and can be rebuilt from its recipe."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from textnb._native import Cutter

Recipe = dict[str, Any]
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
NOT_IN_RECIPE = {"recipe": False}
"""Metadata of a field that changes no token."""


class Token(NamedTuple):
    """A piece ``text[start:end]`` of a text; tokenizers without a dictionary leave reading and pos empty."""

    surface: str
    base: str
    reading: str
    pos: str
    start: int
    end: int


def plain_token(surface: str, start: int) -> Token:
    """The token of a tokenizer that knows nothing of a word but its letters."""
    return Token(surface, surface, "", "", start, start + len(surface))


@dataclass(frozen=True)
class Tokenizer(ABC):
    """The contract of every tokenizer; parameters are the fields of the subclass.

    Calling it gives the terms, ``tokens`` the same with their places:
    ``t(text) == [t.term(token) for token in t.tokens(text)]``.
    """

    name: ClassVar[str]

    @abstractmethod
    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens in the order of the text."""

    def term(self, token: Token) -> str:
        """What is counted for a token."""
        return token.surface

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return list(self.stream(text))

    def stream(self, text: str) -> Iterator[str]:
        """The same terms one by one, so that a text of any length takes no more memory than itself."""
        return (self.term(token) for token in self.tokens(text))

    def choice(self, text: str) -> "Tokenizer":  # noqa: ARG002
        """The tokenizer that a text gets: this one, unless it is one that looks at the text first."""
        return self

    @property
    def counts_natively(self) -> bool:
        """Whether the tokenizer chosen for any text has a ``cutter``."""
        return False

    @property
    def runs_on(self) -> str:
        """What does the cutting here: ``native``, ``python``, or another analyser's name. No term depends on it."""
        return "native" if self.counts_natively else "python"

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms; stop words are left to the counting."""
        raise NotImplementedError

    @property
    def stopped(self) -> frozenset[str]:
        """Terms that are left out of the tokens."""
        return frozenset()

    @property
    def version(self) -> str:
        """Raised when the same parameters begin to give other tokens; dictionaries count."""
        return "1"

    @property
    def recipe(self) -> Recipe:
        """``{name, version, params}``, plain JSON values that rebuild the tokenizer."""
        told = [field.name for field in fields(self) if field.metadata.get("recipe", True)]
        params = {name: as_json(getattr(self, name)) for name in told}
        return {"name": self.name, "version": self.version, "params": params}


def as_json(value: Any) -> Any:
    """A parameter as JSON knows it: tuples become lists, a nested value its own recipe."""
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    return value.recipe if hasattr(value, "recipe") else value


def without_surrogates(text: str) -> str:
    """Lone surrogates, which no encoding can write, as U+FFFD; the length stays the same."""
    if text.isascii():
        return text
    try:
        text.encode()  # far quicker than a search
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


NOWHERE = -1
