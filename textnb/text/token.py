"""Tokens, and what every tokenizer has: a frozen value that splits a text into terms and is rebuilt from its recipe."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textnb.errors import KindError

if TYPE_CHECKING:
    from textnb._native import Cutter

NOWHERE = -1
"""Start and end of a token or term that the text does not contain."""

NOT_IN_RECIPE = {"recipe": False}
"""Metadata of a field that changes no token."""

Recipe = dict[str, Any]
"""Plain JSON values that rebuild a tokenizer or an analyzer."""


class Token(NamedTuple):
    """One token of a text, with its place ``text[start:end]``.

    Parameters
    ----------
    surface : str
        The characters of the text.
    base : str
        The dictionary form (走る for 走っ); the surface where the tokenizer has no dictionary.
    reading : str
        The reading in katakana; ``*`` if Janome or MeCab does not know it, empty without a dictionary.
    pos : str
        The part of speech in the dictionary's own names, from general to specific; empty without a dictionary.
    start, end : int
        The place in the text; ``NOWHERE`` (-1) if the text does not contain the token.
    infl_type, infl_form : str
        The type and the form of the inflection (``五段・ラ行``, ``連用タ接続``); ``*`` if the word has none, empty
        without a dictionary.
    phonetic : str
        The pronunciation in katakana (``トーキョー``); ``*`` if Janome or MeCab does not know it, empty with Sudachi
        and without a dictionary.
    is_unknown : bool
        True if the dictionary does not have the word; False without a dictionary.

    Examples
    --------
    >>> from textnb.text import tokenizer
    >>> token = next(tokenizer("janome").tokens("走った"))
    >>> token.surface, token.base, token.reading, token.pos, token.start, token.end
    ('走っ', '走る', 'ハシッ', '動詞,自立,*,*', 0, 2)
    >>> token.infl_type, token.infl_form, token.phonetic, token.is_unknown
    ('五段・ラ行', '連用タ接続', 'ハシッ', False)
    """

    surface: str
    base: str
    reading: str
    pos: str
    start: int
    end: int
    infl_type: str = ""
    infl_form: str = ""
    phonetic: str = ""
    is_unknown: bool = False


def check_text(text: object) -> None:
    """Raise KindError unless this is one text."""
    if isinstance(text, str):
        return
    if isinstance(text, (list, tuple)) or hasattr(text, "__array__"):
        raise KindError("a tokenizer takes one text, not a list of them; use [tokenizer(text) for text in texts]")
    raise KindError("a tokenizer takes a text, not {kind} {text!r}", kind=type(text).__name__, text=text)


def plain_token(surface: str, start: int) -> Token:
    """Token of a tokenizer without a dictionary."""
    return Token(surface, surface, "", "", start, start + len(surface))


@dataclass(frozen=True)
class Tokenizer(ABC):
    """Base class of all tokenizers; the fields of a subclass are its parameters.

    Calling a tokenizer gives the terms of a text, which are what models count. ``tokens`` gives the tokens that the
    terms are made of, with their places: ``t(text) == [t.term(token) for token in t.tokens(text)]``.

    It takes one text at a time and refuses a list: ``[t(text) for text in texts]``, or
    ``textnb.estimators.TextVectorizer`` to count many texts on threads.

    A tokenizer is a value: it can be compared, hashed, pickled and shared by threads.

    >>> from textnb.text import tokenizer
    >>> [(token.surface, token.start, token.end) for token in tokenizer("words").tokens("To be")]
    [('To', 0, 2), ('be', 3, 5)]
    >>> tokenizer("words").recipe
    {'name': 'words', 'version': '1', 'params': {}}
    """

    name: ClassVar[str]
    can_be_sent: ClassVar[bool] = True
    """True if other processes can use it."""

    @abstractmethod
    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""

    def term(self, token: Token) -> str:
        """Term that is counted for a token."""
        return token.surface

    def __call__(self, text: str) -> list[str]:
        """Terms in the order of the text."""
        check_text(text)
        return list(self.stream(text))

    def stream(self, text: str) -> Iterator[str]:
        """Terms one by one; a long text needs no list of all its terms."""
        return (self.term(token) for token in self.tokens(text))

    def choice(self, text: str) -> "Tokenizer":  # noqa: ARG002
        """Tokenizer that is used for a text; another one only where the language of the text decides."""
        return self

    @property
    def counts_natively(self) -> bool:
        """True if ``choice(text).cutter`` exists for every text."""
        return False

    @property
    def runs_on(self) -> str:
        """What splits the texts here: ``native``, ``python`` or an analyser's name. No term depends on it."""
        return "native" if self.counts_natively else "python"

    @property
    def cutter(self) -> "Cutter":
        """Object of the C extension that finds the same terms, stop words included."""
        raise NotImplementedError

    def cutters(self, texts: Sequence[str]) -> tuple["Cutter", ...]:
        """Cutter of the tokenizer that is used for each text."""
        return (self.cutter,) * len(texts)

    @property
    def stopped(self) -> frozenset[str]:
        """Stop words: terms that are left out."""
        return frozenset()

    @property
    def version(self) -> str:
        """Version of the tokens: changes whenever the same parameters give other tokens, as with a new dictionary."""
        return "1"

    @property
    def recipe(self) -> Recipe:
        """JSON values ``{name, version, params}`` that ``tokenizer_of`` rebuilds the tokenizer from."""
        names = [field.name for field in fields(self) if field.metadata.get("recipe", True)]
        params = {name: as_json(getattr(self, name)) for name in names}
        return {"name": self.name, "version": self.version, "params": params}


def as_json(value: Any) -> Any:
    """Parameter as a JSON value: tuples become lists, a nested value its own recipe."""
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    return value.recipe if hasattr(value, "recipe") else value


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Text with U+FFFD for each lone surrogate, which no encoding can write; the length stays the same."""
    if text.isascii():
        return text
    try:
        text.encode()  # far quicker than a search
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text
