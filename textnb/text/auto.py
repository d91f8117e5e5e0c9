"""The tokenizer that looks at the text first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from textnb.text.japanese import Janome
from textnb.text.kinds import letter_kinds
from textnb.text.patterns import Words
from textnb.text.token import Token, Tokenizer

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
        return Janome().version

    def choice(self, text: str) -> Tokenizer:
        """The tokenizer that a text gets."""
        return Janome() if is_japanese(text) else Words()

    def tokens(self, text: str) -> Iterator[Token]:
        """The chosen tokenizer's tokens."""
        return self.choice(text).tokens(text)

    def stream(self, text: str) -> Iterator[str]:
        """The chosen tokenizer's terms."""
        return self.choice(text).stream(text)

    @property
    def runs_on(self) -> str:
        """Janome's engine."""
        return Janome().runs_on

    @property
    def counts_natively(self) -> bool:
        """Where both tokenizers do."""
        return Janome().counts_natively and Words().counts_natively
