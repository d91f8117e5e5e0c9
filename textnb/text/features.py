"""Groups of terms beside the words of a text, each written as ``group:term``.

chars        character 2- and 3-grams, for short texts
first-line   the words of the first line that has any, which often is a title; of a text that has more lines than one
length       how long the text is, as a power of two: ``length:9`` has 256 to 511 characters
"""

from collections.abc import Callable, Iterable, Iterator

from textnb.errors import InputError, listed
from textnb.text.imported import NOWHERE
from textnb.text.patterns import Chars
from textnb.text.token import Token, Tokenizer, plain_token

_CHARS = Chars(n=(2, 3))


def _chars(text: str, _: Tokenizer) -> Iterator[Token]:
    return _CHARS.tokens(text)


def _first_line(text: str, tokenizer: Tokenizer) -> Iterator[Token]:
    start = len(text) - len(text.lstrip())
    line, _, more = text[start:].partition("\n")
    if not more.strip():
        return  # it would say all words twice
    for token in tokenizer.tokens(line):
        term = tokenizer.term(token)
        if term.strip():
            placed = token.start != NOWHERE
            yield token._replace(surface=term, start=token.start + start * placed, end=token.end + start * placed)


def _length(text: str, _: Tokenizer) -> Iterator[Token]:
    yield plain_token(str(len(text).bit_length()), 0)._replace(start=NOWHERE, end=NOWHERE)


FEATURES: dict[str, Callable[[str, Tokenizer], Iterator[Token]]] = {
    "chars": _chars,
    "first-line": _first_line,
    "length": _length,
}


def feature_tokens(text: str, tokenizer: Tokenizer, names: Iterable[str]) -> Iterator[Token]:
    r"""The terms of some groups, as surfaces of tokens with their places in the text.

    >>> from textnb.text import tokenizer
    >>> [token.surface for token in feature_tokens("To be\nor not", tokenizer("words"), ["first-line", "length"])]
    ['first-line:To', 'first-line:be', 'length:4']
    """
    for name in names:
        for token in FEATURES[name](text, tokenizer):
            yield token._replace(surface=f"{name}:{token.surface}")


def as_features(names: Iterable[str]) -> tuple[str, ...]:
    """Checked names of groups, each once."""
    if isinstance(names, str):
        raise InputError(f"features must be a list of names, not the single string {names!r}")
    features = tuple(names)
    for name in features:
        if name not in FEATURES:
            raise InputError(f"feature {name!r} is not known; known: {listed(FEATURES)}")
    if len(set(features)) < len(features):
        raise InputError(f"features name a group twice: {', '.join(features)}")
    return features
