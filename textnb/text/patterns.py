"""Tokenizers without a dictionary: ``chars``, ``charclass``, ``words`` and ``whitespace``.

Their tokens never contain white space, so a long text can be split there and read piece by piece.
"""

import math
import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from textnb.errors import ParameterError
from textnb.extension import uses_extension
from textnb.text.characters import HIRAGANA, OTHER_LETTER, SCRIPTS, cutter_of, marks
from textnb.text.token import Token, Tokenizer, check_text, plain_token

if TYPE_CHECKING:
    from textnb._native import Cutter

_PIECE_LENGTH = 1 << 20  # characters of a long text that are split at a time
_STRETCH = re.compile(r"\S+")
_SPACE = re.compile(r"\s")


class _PatternTokenizer(Tokenizer):
    @property
    def counts_natively(self) -> bool:
        """True if the extension is built and not forbidden."""
        return uses_extension()

    @property
    def cutter(self) -> "Cutter":
        """Object of the C extension that finds the same terms."""
        return cutter_of(self.name)

    @abstractmethod
    def all_terms(self, text: str) -> list[str]:
        """Terms in the order of the text."""

    @abstractmethod
    def all_tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""

    def __call__(self, text: str) -> list[str]:
        """Terms in the order of the text."""
        check_text(text)
        return self.all_terms(text)

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens in the order of the text."""
        check_text(text)
        return self.all_tokens(text)

    def stream(self, text: str) -> Iterator[str]:
        """Terms one by one, made a piece at a time."""
        if len(text) <= _PIECE_LENGTH:
            return iter(self.all_terms(text))
        return (term for piece in _pieces(text) for term in self.all_terms(piece))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _PIECE_LENGTH)
        end = len(text) if space is None else space.end()
        yield text[start:end]
        start = end


@dataclass(frozen=True)
class Chars(_PatternTokenizer):
    """Character n-grams that do not span white space.

    n : (int, int) or int, default (2, 3)
        The smallest and the largest n. A stretch of text that is shorter than the smallest n is kept whole.

    >>> Chars(n=(2, 3))("東京都 へ")
    ['東京', '京都', '東京都', 'へ']
    """

    name: ClassVar[str] = "chars"
    n: tuple[int, int] = (2, 3)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_range(self.n, "n of the tokenizer 'chars'"))

    def all_tokens(self, text: str) -> Iterator[Token]:
        """N-grams of each stretch between white space, shorter ones first."""
        low, high = self.n
        for stretch in _STRETCH.finditer(text):
            letters, begin = stretch.group(), stretch.start()
            if len(letters) < low:
                yield plain_token(letters, begin)
            for n in range(low, min(high, len(letters)) + 1):
                for i in range(len(letters) - n + 1):
                    yield plain_token(letters[i : i + n], begin + i)

    def all_terms(self, text: str) -> list[str]:
        """Terms in the order of the text."""
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
        """Object of the C extension that finds the same terms."""
        return cutter_of(self.name, *self.n)


@dataclass(frozen=True)
class CharClass(_PatternTokenizer):
    """Runs of kanji, katakana, hiragana, latin letters, digits, or letters of any other script.

    >>> CharClass()("東京タワーへ3回 walk")
    ['東京', 'タワー', 'へ', '3', '回', 'walk']
    """

    name: ClassVar[str] = "charclass"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Runs in the order of the text, without punctuation and symbols."""
        return (plain_token(run.group(), run.start()) for run in _run().finditer(text))

    def all_terms(self, text: str) -> list[str]:
        """Terms in the order of the text."""
        return _run().findall(text)


@dataclass(frozen=True)
class Words(_PatternTokenizer):
    """Words of languages with spaces: letters, digits, combining marks, and apostrophes inside a word.

    >>> Words()("I don't know a नमस्ते.")
    ['I', "don't", 'know', 'a', 'नमस्ते']
    """

    name: ClassVar[str] = "words"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Words in the order of the text; words of one letter are kept."""
        return (plain_token(word.group(), word.start()) for word in _word().finditer(text))

    def all_terms(self, text: str) -> list[str]:
        """Terms in the order of the text."""
        return _word().findall(text)


@dataclass(frozen=True)
class Whitespace(_PatternTokenizer):
    """Everything between white space, for text that is already split into words.

    >>> Whitespace()("すもも も もも")
    ['すもも', 'も', 'もも']
    """

    name: ClassVar[str] = "whitespace"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Stretches without white space, in the order of the text."""
        return (plain_token(stretch.group(), stretch.start()) for stretch in _STRETCH.finditer(text))

    def all_terms(self, text: str) -> list[str]:
        """Terms in the order of the text."""
        return text.split()


def as_range(value: object, parameter: str, most: float = math.inf) -> tuple[int, int]:
    """Checked ``(low, high)`` with 1 <= low <= high <= most; one number n means ``(n, n)``."""
    pair = (value, value) if isinstance(value, int) else tuple(value) if isinstance(value, (list, tuple)) else ()
    if len(pair) != 2 or not all(isinstance(n, int) and not isinstance(n, bool) for n in pair):
        raise ParameterError(
            "{name} must be a whole number or a pair of them, not {value!r}", name=parameter, value=value
        )
    low, high = int(pair[0]), int(pair[1])
    if not 1 <= low <= high <= most:
        limit = "" if most == math.inf else f" <= {most}"
        template = "{name} must have 1 <= low <= high{limit}, not {low}-{high}"
        raise ParameterError(template, name=parameter, limit=limit, low=low, high=high)
    return low, high


@cache
def _word() -> re.Pattern[str]:
    letters = _with_marks(r"\w")
    return re.compile(rf"{letters}(?:['’]{letters})*")


@cache
def _run() -> re.Pattern[str]:
    runs = [_with_marks(f"[{script}]", "ー" if script == HIRAGANA else "") for script in SCRIPTS]
    return re.compile("|".join([*runs, r"\d+", _with_marks(OTHER_LETTER)]))


def _with_marks(letter: str, tail: str = "") -> str:
    """Pattern of a run of letters; combining marks, which are no letters to Python, do not end the run."""
    more = f"[{letter[1:-1]}{tail}]" if tail else letter
    return rf"{letter}{more}*(?:{_mark()}+{more}*)*"


@cache
def _mark() -> str:
    """Pattern of one combining mark. Those beyond the BMP come last: a character class is slow there."""
    near, far = marks()
    return rf"(?:[{near}]|(?=[\U00010000-\U0010ffff])[{far}])"
