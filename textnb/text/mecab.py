"""Japanese words by MeCab with IPADIC, the dictionary that Janome carries too, at many times Janome's speed.

MeCab passes over spaces, tabs and line ends. It takes a NUL for the end of the text, so a NUL is read as U+0001; and
a text longer than ``pieces.LONGEST`` is handed over in pieces. MeCab is not thread-safe and not picklable, and its
words are gone when it reads the next text: every thread has its own, built when first needed and never part of the
tokenizer's value, and the words of a piece are copied at once.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from textnb.text.morphemes import IPADIC_PARTS, Morphemes, check_installed, installed_version, pieces
from textnb.text.token import Token, without_surrogates

UNKNOWN = "*"
_own = threading.local()


@dataclass(frozen=True)
class Mecab(Morphemes):
    """Japanese words; by default MeCab's surfaces. Needs ``pip install 'textnb[mecab]'``.

    A word that is not in the dictionary is its own base form and has the reading ``*``, as with Janome.
    """

    name: ClassVar[str] = "mecab"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_installed(self.name)

    def known_parts(self) -> tuple[str, ...]:
        """IPADIC's."""
        return IPADIC_PARTS

    @property
    def runs_on(self) -> str:
        """The analyser itself."""
        return self.name

    @property
    def version(self) -> str:
        """The dictionary's: it decides the tokens."""
        return f"ipadic-{installed_version(self.name, 'ipadic')}"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """MeCab's tokens; none is white space but the ideographic space."""
        for start, piece in pieces(without_surrogates(text)):
            yield from _tokens(piece, start)

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Their surfaces, without a look into the dictionary's columns."""
        for _, piece in pieces(without_surrogates(text)):
            if "\0" in piece:  # which MeCab cannot give back
                yield from (token.surface for token in _tokens(piece, 0))
            else:
                yield from [node.surface for node in _tagger()(piece)]


def _tokens(piece: str, start: int) -> list[Token]:
    tokens, end = [], 0
    for node in _tagger()(piece.replace("\0", "\1")):
        begin = end + len(node.white_space)
        end = begin + len(node.surface)
        surface = piece[begin:end]
        base, reading, pos = _details(node.feature_raw)
        tokens.append(Token(surface, base or surface, reading, pos, start + begin, start + end))
    return tokens


@lru_cache(maxsize=1 << 15)
def _details(feature: str) -> tuple[str | None, str, str]:
    """Base form, reading and part of speech from IPADIC's columns, of which unknown words have only the first."""
    columns = feature.split(",")
    base, reading = (*columns[6:8], UNKNOWN, UNKNOWN)[:2]
    return None if base == UNKNOWN else base, reading, ",".join(columns[:4])


def _tagger() -> Any:
    if not hasattr(_own, "tagger"):
        import fugashi
        import ipadic

        _own.tagger = fugashi.GenericTagger(ipadic.MECAB_ARGS)
    return _own.tagger
