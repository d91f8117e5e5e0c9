"""The tokenizer ``mecab``: Japanese words by MeCab with IPADIC, the dictionary that Janome has too.

MeCab skips spaces, tabs and line ends. It ends a text at a NUL, so a NUL is read as U+0001, and it loses words of long
texts, so these are read in pieces. A MeCab object is neither thread-safe nor picklable, and its words are gone when it
reads the next text: each thread builds its own, and the words of a piece are copied at once.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from textnb.text.morphemes import IPADIC_PARTS, Morphemes, check_installed, installed_version, pieces
from textnb.text.token import Token, without_surrogates

_UNKNOWN = "*"  # in a column of IPADIC
_of_thread = threading.local()


@dataclass(frozen=True)
class Mecab(Morphemes):
    """Japanese words by MeCab with IPADIC; needs ``pip install 'textnb[mecab]'``. Parameters as in ``Janome``.

    A word that is not in the dictionary is its own base form and has the reading ``*``, as with Janome.

    >>> Mecab(form="base", pos=["名詞", "動詞"])("庭で犬が走った")  # doctest: +SKIP
    ['庭', '犬', '走る']
    """

    name: ClassVar[str] = "mecab"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_installed(self.name)

    @property
    def known_parts(self) -> tuple[str, ...]:
        """Main parts of speech of IPADIC."""
        return IPADIC_PARTS

    @property
    def runs_on(self) -> str:
        """Name of the analyser."""
        return self.name

    @property
    def version(self) -> str:
        """Version of IPADIC, which decides the tokens."""
        return f"ipadic-{installed_version(self.name, 'ipadic')}"

    def all_tokens(self, text: str) -> Iterator[Token]:
        """Tokens of MeCab; the only white space among them is the ideographic space."""
        for start, piece in pieces(without_surrogates(text)):
            yield from _tokens(piece, start)

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Surfaces of MeCab's tokens."""
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
        base, reading, pos, *inflection_and_sound = _details(node.feature_raw)
        place = start + begin, start + end
        columns = surface, base or surface, reading, pos, *place, *inflection_and_sound, bool(node.is_unk)
        tokens.append(Token._make(columns))
    return tokens


@lru_cache(maxsize=1 << 15)
def _details(feature: str) -> tuple[str | None, str, str, str, str, str]:
    """Base form, reading, part of speech, inflection (type, form) and pronunciation, from IPADIC's columns.

    Unknown words have only the first columns.
    """
    columns = feature.split(",")
    infl_type, infl_form, base, reading, phonetic = (*columns[4:9], *[_UNKNOWN] * 5)[:5]
    base_form = None if base == _UNKNOWN else base
    return base_form, reading, ",".join(columns[:4]), infl_type, infl_form, phonetic


def _tagger() -> Any:
    """MeCab of this thread."""
    if not hasattr(_of_thread, "tagger"):
        import fugashi
        import ipadic

        _of_thread.tagger = fugashi.GenericTagger(ipadic.MECAB_ARGS)
    return _of_thread.tagger
