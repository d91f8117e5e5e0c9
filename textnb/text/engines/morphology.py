"""From entries of the dictionary to tokens."""

from collections.abc import Iterable, Iterator

from textnb.text.engines.dictionary import Dictionary
from textnb.text.engines.features import SURFACE
from textnb.text.token import Token

Piece = tuple[int, int]
"""Where a token ends in the text, and which entry it is; unknown words are -1, -2, ..."""


def indent(text: str) -> int:
    """The length of the white space at the beginning, which Janome does not see; all of an empty text."""
    return len(text) - len(text.lstrip())


def surfaces_of(text: str, pieces: Iterable[Piece]) -> Iterator[str]:
    """The pieces of a text as strings."""
    start = indent(text)
    for end, _ in pieces:
        yield text[start:end]
        start = end


def tokens_of(text: str, pieces: Iterable[Piece], dictionary: Dictionary) -> Iterator[Token]:
    """The pieces of a text with all that the dictionary knows of them."""
    known = dictionary.features
    start = indent(text)
    for end, entry in pieces:
        place, surface = dictionary.place(entry), text[start:end]
        base, reading = int(known.base[place]), int(known.reading[place])
        form = surface if base == SURFACE else known.string(base)
        yield Token(surface, form, known.string(reading), known.pos_names[known.pos[place]], start, end)
        start = end
