"""The tokenizer ``sudachi``: Japanese words by Sudachi with its core dictionary, in one of three lengths.

Sudachi refuses a text of more than 49,149 bytes, or of more than 65,535 once its characters are spelt out (㌖ is
キロメートル), so a long text is read in pieces. A Sudachi tokenizer cannot serve two threads at once: each thread
builds its own; they share the dictionary.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from textnb.errors import ParameterError
from textnb.text.morphemes import Morphemes, check_installed, installed_version, pieces
from textnb.text.token import Token, without_surrogates

MODES = ("A", "B", "C")

SUDACHI_PARTS = (
    *("名詞", "代名詞", "形状詞", "動詞", "形容詞", "副詞", "連体詞", "接続詞", "感動詞"),
    *("接頭辞", "接尾辞", "助詞", "助動詞", "記号", "補助記号", "空白"),
)
"""Main parts of speech of Sudachi's dictionary."""

_of_thread = threading.local()


@dataclass(frozen=True)
class Sudachi(Morphemes):
    """Japanese words by Sudachi with its core dictionary; needs ``pip install 'textnb[sudachi]'``.

    White space is a token. A character that Sudachi spells out as several words is one token, with their base forms
    joined.

    Parameters
    ----------
    form, pos, exclude_pos, stop_words
        As in ``Janome``; Sudachi's parts of speech have other names (``代名詞``, ``名詞,固有名詞``).
    mode : {"A", "B", "C"}, default "C"
        Length of the words: ``A`` is the shortest (国家 公務 員), ``B`` is between (国家 公務員), ``C`` is the longest
        (国家公務員).

    Examples
    --------
    >>> Sudachi(mode="A", pos=["名詞"])("国家公務員が庭を走った")  # doctest: +SKIP
    ['国家', '公務', '庭']
    """

    name: ClassVar[str] = "sudachi"
    mode: str = "C"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in MODES:
            raise ParameterError("unknown mode {mode!r}; use {known}", mode=self.mode, known=", ".join(MODES))
        check_installed(self.name)

    @property
    def known_parts(self) -> tuple[str, ...]:
        """Main parts of speech of Sudachi's dictionary."""
        return SUDACHI_PARTS

    @property
    def runs_on(self) -> str:
        """Name of the analyser."""
        return self.name

    @property
    def version(self) -> str:
        """Versions of the dictionary and of Sudachi, which both decide the tokens, and of the filters if there are any.

        Filters of the first version took IPADIC's names too, so that they kept other tokens.
        """
        dictionary, engine = (installed_version(self.name, package) for package in ("sudachidict_core", "sudachipy"))
        filters = "-filters-2" if self.pos or self.exclude_pos else ""
        return f"sudachidict_core-{dictionary}-sudachipy-{engine}{filters}"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Tokens of Sudachi, which together are the whole text."""
        for start, words in self._analysed(text):
            yield from _tokens(words, start)

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Surfaces of Sudachi's tokens."""
        for _, words in self._analysed(text):
            yield from filter(None, [word.surface() for word in words])

    def _analysed(self, text: str) -> Iterator[tuple[int, Any]]:
        """Sudachi's words of each piece of a text, with the start of the piece."""
        for start, piece in pieces(without_surrogates(text)):
            yield from _words(piece, start, self.mode)


def _words(piece: str, start: int, mode: str) -> Iterator[tuple[int, Any]]:
    """Sudachi's words of a piece, which is halved until Sudachi accepts it."""
    tokenizer = _tokenizer(mode)
    try:
        words = tokenizer.tokenize(piece)
    except Exception:  # before sudachipy 0.7 it has no class of its own
        if len(piece) < 2:
            raise
        middle = len(piece) // 2
        yield from _words(piece[:middle], start, mode)
        yield from _words(piece[middle:], start + middle, mode)
    else:
        yield start, words


def _tokens(words: Any, start: int) -> list[Token]:
    """Tokens of a piece; a word without a surface belongs to the character before it, which Sudachi spelt out."""
    tokens: list[Token] = []
    for word in words:
        base, reading = word.dictionary_form(), word.reading_form()
        if surface := word.surface():
            pos, place = word.part_of_speech(), (start + word.begin(), start + word.end())
            more = pos[4], pos[5], "", word.is_oov()
            tokens.append(Token(surface, base, reading, ",".join(pos), *place, *more))
        else:
            last = tokens[-1]
            tokens[-1] = last._replace(base=last.base + base, reading=last.reading + reading)
    return tokens


def _tokenizer(mode: str) -> Any:
    """Sudachi of this thread."""
    tokenizers: dict[str, Any] = _of_thread.__dict__.setdefault("tokenizers", {})
    if mode not in tokenizers:
        from sudachipy import SplitMode

        dictionary = _dictionary()
        make = dictionary.tokenizer if hasattr(dictionary, "tokenizer") else dictionary.create  # before sudachipy 0.7
        tokenizers[mode] = make(getattr(SplitMode, mode))
    return tokenizers[mode]


@cache
def _dictionary() -> Any:
    from sudachipy import Dictionary

    return Dictionary(dict="core")
