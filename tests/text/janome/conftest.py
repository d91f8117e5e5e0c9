"""Janome's own tokens, and the engines that are to give the same."""

import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from textnb import extension
from textnb.text import Token, UserDictionary, without_surrogates
from textnb.text.janome import ENGINES, Engine, engine_for


def has_extension() -> bool:
    return extension.has_extension()


@lru_cache(8)
def _janome(words: UserDictionary | None) -> Any:
    """Janome, with a user dictionary that it reads from a file or without."""
    from janome.tokenizer import Tokenizer as JanomeTokenizer  # its objects are not for every worker of the tests

    if words is None:
        return JanomeTokenizer()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.csv"
        path.write_text(words.csv, encoding="utf-8", newline="\n")
        return JanomeTokenizer(str(path), udic_type=words.kind, udic_enc="utf-8")


@lru_cache(512)  # the same text is asked for by the test of every engine
def _tokens(text: str, words: UserDictionary | None = None) -> list[Token]:
    """What Janome says, called as its users call it."""
    from janome.lattice import NodeType

    text = without_surrogates(text)
    start, tokens = len(text) - len(text.lstrip()), []
    for found in _janome(words).tokenize(text):
        end = start + len(found.surface)
        more = found.infl_type, found.infl_form, found.phonetic, found.node_type == NodeType.UNKNOWN
        tokens.append(Token(found.surface, found.base_form, found.reading, found.part_of_speech, start, end, *more))
        start = end
    return tokens


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[..., Engine]:
    """A function from a user dictionary, or none, to an engine."""
    if request.param == "native" and not has_extension():
        pytest.skip("the C extension is not built")

    def made(words: UserDictionary | None = None) -> Engine:
        return engine_for(words, request.param)

    return made


@pytest.fixture(scope="session")
def of_janome() -> Callable[..., list[Token]]:
    return _tokens


@pytest.fixture(scope="session")
def janome_with() -> Callable[[UserDictionary, str], list[Token]]:
    """Janome's tokens with a user dictionary."""
    return lambda words, text: _tokens(text, words)
