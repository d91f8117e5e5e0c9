"""Japanese words by Sudachi with its core dictionary, in one of three lengths.

Sudachi refuses a text of more than 49,149 bytes, or of more than 65,535 once its characters are spelt out (㌖ is
キロメートル), so a long text is handed over in pieces. One Sudachi cannot serve two threads at once: every thread
has its own, built when first needed and never part of the tokenizer's value; the dictionary is shared.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from textnb.errors import InputError
from textnb.text.morphemes import Morphemes, check_installed, installed_version, pieces
from textnb.text.token import Token, without_surrogates

MODES = ("A", "B", "C")
SUDACHI_PARTS = (
    *("名詞", "代名詞", "形状詞", "動詞", "形容詞", "副詞", "連体詞", "接続詞", "感動詞"),
    *("接頭辞", "接尾辞", "助詞", "助動詞", "記号", "補助記号", "空白"),
)
"""Main parts of speech of Sudachi's dictionary."""
_own = threading.local()


@dataclass(frozen=True)
class Sudachi(Morphemes):
    """Japanese words; by default Sudachi's longest. Needs ``pip install 'textnb[sudachi]'``.

    mode: ``A`` cuts into the shortest words (国家 公務 員), ``C`` into the longest (国家公務員), ``B`` between them.
    Parts of speech have Sudachi's own names, which are not those of Janome and MeCab: 代名詞 is a main part of speech.
    White space is a token; a character that Sudachi spells out as several words is one, with their base forms joined.
    """

    name: ClassVar[str] = "sudachi"
    mode: str = "C"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in MODES:
            raise InputError(f"mode {self.mode!r} is not known; known: {', '.join(MODES)}")
        check_installed(self.name)

    def known_parts(self) -> tuple[str, ...]:
        """Main parts of speech of Sudachi's dictionary."""
        return SUDACHI_PARTS

    @property
    def runs_on(self) -> str:
        """The analyser itself."""
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
        """Sudachi's tokens, which together are the whole text."""
        for start, words in self._analysed(text):
            yield from _tokens(words, start)

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Their surfaces, without a look into the dictionary."""
        for _, words in self._analysed(text):
            yield from filter(None, [word.surface() for word in words])

    def _analysed(self, text: str) -> Iterator[tuple[int, Any]]:
        """The pieces of a text as Sudachi's words, each with its start."""
        for start, piece in pieces(without_surrogates(text)):
            yield from _words(piece, start, self.mode)


def _words(piece: str, start: int, mode: str) -> Iterator[tuple[int, Any]]:
    """Sudachi's words of a piece, which is halved until Sudachi takes it."""
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
    tokens: list[Token] = []
    for word in words:
        token = _token(word, start)
        if token.surface:
            tokens.append(token)
        else:
            tokens[-1] = _joined(tokens[-1], token)
    return tokens


def _token(word: Any, start: int) -> Token:
    pos = ",".join(word.part_of_speech())
    place = start + word.begin(), start + word.end()
    return Token(word.surface(), word.dictionary_form(), word.reading_form(), pos, *place)


def _joined(token: Token, rest: Token) -> Token:
    return token._replace(base=token.base + rest.base, reading=token.reading + rest.reading)


def _tokenizer(mode: str) -> Any:
    tokenizers: dict[str, Any] = _own.__dict__.setdefault("tokenizers", {})
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
