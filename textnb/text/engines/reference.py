"""Janome itself.

Janome is not thread-safe, and it copies the rest of a text for every chunk it cuts off, so that a long text costs its
length squared. Here every thread has its own Janome, built when first needed; and a text is handed over in windows as
long as the longest chunk, which changes no token: no chunk looks further ahead than that.
"""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textnb.text.token import Token
from textnb.text.user_dictionary import UserDictionary

_own = threading.local()


class ReferenceEngine:
    """Cuts a text by calling Janome."""

    name = "reference"

    def __init__(self, words: UserDictionary | None) -> None:
        self._words = words

    def surfaces(self, text: str) -> Iterator[str]:
        """The surfaces of a text."""
        return self._found(text, True)

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text."""
        start = len(text) - len(text.lstrip())
        for found in self._found(text, False):
            end = start + len(found.surface)
            yield Token(found.surface, found.base_form, found.reading, found.part_of_speech, start, end)
            start = end

    def _found(self, text: str, surfaces_only: bool) -> Iterator[Any]:
        text = text.strip()
        janome = _janome(self._words)
        done = 0
        while done < len(text):
            window = text[done : done + janome.MAX_CHUNK_SIZE]
            found, length = janome._Tokenizer__tokenize_partial(window, surfaces_only, True, "")
            yield from found
            done += length


def _janome(words: UserDictionary | None) -> Any:
    """This thread's Janome."""
    own: dict[UserDictionary | None, Any] = _own.__dict__.setdefault("janomes", {})
    if words not in own:
        own[words] = _built(words)
    return own[words]


def _built(words: UserDictionary | None) -> Any:
    from janome.tokenizer import Tokenizer as JanomeTokenizer

    if words is None:
        return JanomeTokenizer()
    with tempfile.TemporaryDirectory() as folder:  # Janome reads dictionaries from files only
        path = Path(folder) / "user.csv"
        path.write_text(words.csv, encoding="utf-8", newline="\n")
        return JanomeTokenizer(str(path), udic_type=words.kind, udic_enc="utf-8")
