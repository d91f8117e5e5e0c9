"""Tokenizers that need no dictionary: characters, runs of one script, words, and whatever stands between spaces."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from textnb.errors import InputError
from textnb.extension import uses_extension
from textnb.text import characters
from textnb.text.characters import HIRAGANA, KANJI, KATAKANA, LATIN, marks
from textnb.text.token import Token, Tokenizer, plain_token

if TYPE_CHECKING:
    from textnb._native import Cutter

_STRETCH = re.compile(r"\S+")
_SPACE = re.compile(r"\s")
_PIECE = 1 << 20


class _ByPieces(Tokenizer):
    """A tokenizer whose tokens never reach over white space: a long text may be cut there and taken piece by piece."""

    @property
    def counts_natively(self) -> bool:
        """Where the extension is built and not forbidden."""
        return uses_extension()

    def stream(self, text: str) -> Iterator[str]:
        """The terms, those of a piece at a time."""
        if len(text) <= _PIECE:
            return iter(self(text))
        return (term for piece in _pieces(text) for term in self(piece))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _PIECE)
        end = len(text) if space is None else space.end()
        yield text[start:end]
        start = end


@dataclass(frozen=True)
class Chars(_ByPieces):
    """Character n-grams of every stretch between white space; a stretch shorter than the smallest n is kept whole.

    >>> Chars(n=(2, 3))("東京都 へ")
    ['東京', '京都', '東京都', 'へ']
    """

    name: ClassVar[str] = "chars"
    n: tuple[int, int] = (2, 3)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_range(self.n, "n of the tokenizer 'chars'"))

    def tokens(self, text: str) -> Iterator[Token]:
        """The n-grams of a stretch, shorter ones first."""
        low, high = self.n
        for stretch in _STRETCH.finditer(text):
            letters, begin = stretch.group(), stretch.start()
            if len(letters) < low:
                yield plain_token(letters, begin)
            for n in range(low, min(high, len(letters)) + 1):
                for i in range(len(letters) - n + 1):
                    yield plain_token(letters[i : i + n], begin + i)

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        low, high = self.n
        terms: list[str] = []
        for letters in text.split():
            if len(letters) < low:
                terms.append(letters)
            for n in range(low, min(high, len(letters)) + 1):
                terms += [letters[i : i + n] for i in range(len(letters) - n + 1)]
        return terms

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms."""
        return characters.grams(*self.n)


@dataclass(frozen=True)
class CharClass(_ByPieces):
    """Runs of kanji, katakana, hiragana, latin letters, digits, or letters of any other script.

    >>> CharClass()("東京タワーへ3回 walk")
    ['東京', 'タワー', 'へ', '3', '回', 'walk']
    """

    name: ClassVar[str] = "charclass"

    def tokens(self, text: str) -> Iterator[Token]:
        """The runs; punctuation and symbols are left out."""
        return (plain_token(run.group(), run.start()) for run in _run().finditer(text))

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return _run().findall(text)

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms."""
        return characters.runs()


@dataclass(frozen=True)
class Words(_ByPieces):
    """Words of spaced languages: letters, digits and their combining marks, an apostrophe inside them included.

    >>> Words()("I don't know a नमस्ते.")
    ['I', "don't", 'know', 'a', 'नमस्ते']
    """

    name: ClassVar[str] = "words"

    def tokens(self, text: str) -> Iterator[Token]:
        """The words, those of one letter too."""
        return (plain_token(word.group(), word.start()) for word in _word().finditer(text))

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return _word().findall(text)

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms."""
        return characters.words()


@dataclass(frozen=True)
class Whitespace(_ByPieces):
    """What stands between white space; for text that has been cut into words before.

    >>> Whitespace()("すもも も もも")
    ['すもも', 'も', 'もも']
    """

    name: ClassVar[str] = "whitespace"

    def tokens(self, text: str) -> Iterator[Token]:
        """The stretches without white space."""
        return (plain_token(stretch.group(), stretch.start()) for stretch in _STRETCH.finditer(text))

    def __call__(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        return text.split()

    @property
    def cutter(self) -> "Cutter":
        """How the extension cuts a text into the same terms."""
        return characters.stretches()


def as_range(value: object, what: str) -> tuple[int, int]:
    """A checked ``(low, high)`` with 1 <= low <= high; one number n means ``(n, n)``.

    >>> as_range(2, "n"), as_range([1, 3], "n")
    ((2, 2), (1, 3))
    """
    pair = (value, value) if isinstance(value, int) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(n, int) and not isinstance(n, bool) for n in pair):
        raise InputError(f"{what} must be a whole number or a pair of them, not {value!r}")
    low, high = int(pair[0]), int(pair[1])
    if not 1 <= low <= high:
        raise InputError(f"{what} must have 1 <= low <= high, not {low}-{high}")
    return low, high


@cache
def _word() -> re.Pattern[str]:
    letters = _with_marks(r"\w")
    return re.compile(rf"{letters}(?:['’]{letters})*")


@cache
def _run() -> re.Pattern[str]:
    scripts = [KANJI, KATAKANA, HIRAGANA, LATIN]
    runs = [_with_marks(f"[{script}]", "ー" if script == HIRAGANA else "") for script in scripts]
    other = _with_marks(rf"[^\W\d_{''.join(scripts)}]")
    return re.compile("|".join([*runs, r"\d+", other]))


def _with_marks(letter: str, tail: str = "") -> str:
    """A run of letters; combining marks, which are no letters to Python, do not end it."""
    more = f"[{letter[1:-1]}{tail}]" if tail else letter
    return rf"{letter}{more}*(?:{_mark()}+{more}*)*"


@cache
def _mark() -> str:
    """One combining mark. Those beyond the BMP are asked for last: there a character class is a slow list."""
    near, far = marks()
    return rf"(?:[{near}]|(?=[\U00010000-\U0010ffff])[{far}])"
