"""From a text to its terms: normalise, tokenize, join neighbours into n-grams.

Groups of terms beside the words of a text, each written as ``group:term``.

chars        character 2- and 3-grams, for short texts
first-line   the words of the first line that has any, which often is a title; of a text that has more lines than one
length       how long the text is, as a power of two: ``length:9`` has 256 to 511 characters
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from textnb.errors import InputError, listed
from textnb.text.normalise import as_normalisers, normalised, normalised_spans
from textnb.text.patterns import Chars, as_range
from textnb.text.token import NOWHERE, Recipe, Token, Tokenizer, as_json, plain_token, without_surrogates

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


JOINT = " "
SELECTION = ("min_df", "max_df", "max_terms")
"""The parts of an analyzer that choose among terms once they have been counted."""


class LocatedTerm(NamedTuple):
    """A term and the place ``text[start:end]`` it was made from; -1 where it stands nowhere in the text."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Analyzer:
    """What happens around the tokenizer.

    normalisers: names of ``textnb.text.NORMALISERS``, applied in this order. ngram: (low, high), neighbouring tokens
    joined by a space; (1, 1) is single tokens. min_df, max_df: terms in fewer or more documents are left out of the
    model (whole number: documents; fraction: share of them; min_df may be ``auto``: 2, or 1 where documents are few or
    short). max_terms: at most so many, the most widespread first.
    features: groups of terms beside these, names of ``textnb.text.FEATURES``. Tokens of nothing but white space, which
    Janome gives, are no terms.

    >>> from textnb.text import tokenizer
    >>> Analyzer(normalisers=["casefold"], ngram=(1, 2)).terms("To be Or", tokenizer("words"))
    ['to', 'be', 'to be', 'or', 'be or']
    """

    normalisers: tuple[str, ...] = ()
    ngram: tuple[int, int] = (1, 1)
    min_df: int | float | str = 1
    max_df: int | float = 1.0
    max_terms: int | None = None
    features: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalisers", as_normalisers(self.normalisers))
        object.__setattr__(self, "ngram", as_range(self.ngram, "ngram"))
        object.__setattr__(self, "features", as_features(self.features))
        for field in ("min_df", "max_df"):
            if (field, getattr(self, field)) != ("min_df", "auto"):
                _check_frequency(getattr(self, field), field)
        if type(self.min_df) is type(self.max_df) and self.min_df > self.max_df:
            raise InputError(f"min_df must not be above max_df, but {self.min_df} is above {self.max_df}")
        if self.max_terms is not None and (type(self.max_terms) is not int or self.max_terms < 1):
            raise InputError(f"max_terms must be a whole number from 1 on, or None, not {self.max_terms!r}")

    def __eq__(self, other: object) -> bool:
        # max_df=1 is one document, max_df=1.0 is all of them
        return isinstance(other, Analyzer) and repr(self.recipe) == repr(other.recipe)

    def __hash__(self) -> int:
        return hash(repr(self.recipe))

    def normalised(self, text: str) -> str:
        """The text as the tokenizer gets it."""
        return normalised(without_surrogates(text), self.normalisers)

    def stream(self, text: str, tokenizer: Tokenizer) -> Iterator[str]:
        """The terms of a text one by one, repeated as often as they occur."""
        tokens = filter(str.strip, tokenizer.stream(self.normalised(text)))
        return tokens if self.ngram == (1, 1) else _ngrams(tokens, self.ngram, JOINT.join)

    def terms(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """The same terms in a list."""
        return list(self.stream(text, tokenizer))

    def feature_terms(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """The terms beside those of the words."""
        if not self.features:
            return []
        return [token.surface for token in feature_tokens(self.normalised(text), tokenizer, self.features)]

    def tokens(self, text: str, tokenizer: Tokenizer) -> Iterator[tuple[Token, tuple[int, int]]]:
        """The tokens that make up the terms, each with its (start, end) in the text before normalisation."""
        changed, spans = normalised_spans(without_surrogates(text), self.normalisers)
        for token in tokenizer.tokens(changed):
            if tokenizer.term(token).strip():
                yield token, _origin(spans, token.start, token.end)

    def located(self, text: str, tokenizer: Tokenizer) -> list[LocatedTerm]:
        """The terms in their order and those beside them, each with its place in the text before normalisation."""
        tokens = (LocatedTerm(tokenizer.term(token), *place) for token, place in self.tokens(text, tokenizer))
        return [*_ngrams(tokens, self.ngram, _joined), *self._located_features(text, tokenizer)]

    def _located_features(self, text: str, tokenizer: Tokenizer) -> Iterator[LocatedTerm]:
        changed, spans = normalised_spans(without_surrogates(text), self.normalisers)
        for token in feature_tokens(changed, tokenizer, self.features):
            yield LocatedTerm(token.surface, *_origin(spans, token.start, token.end))

    @property
    def recipe(self) -> Recipe:
        """Plain JSON values that rebuild the analyzer."""
        return {name: as_json(getattr(self, name)) for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, recipe: Recipe) -> "Analyzer":
        """The analyzer that a recipe describes."""
        if not isinstance(recipe, dict):
            raise InputError(f"the recipe of an analyzer is a table of its parameters, not {recipe!r}")
        for unknown in recipe.keys() - cls.__dataclass_fields__.keys():
            raise InputError(f"an analyzer has no parameter {unknown!r}; it has: {', '.join(cls.__dataclass_fields__)}")
        return cls(**recipe)


T = TypeVar("T")


def _ngrams(tokens: Iterable[T], ngram: tuple[int, int], join: Callable[[Sequence[Any]], T]) -> Iterator[T]:
    """At each token the n-grams that end there, the shorter first."""
    low, high = ngram
    window: deque[T] = deque(maxlen=high)
    for token in tokens:
        window.append(token)
        last = list(window)
        for n in range(low, len(last) + 1):
            yield token if n == 1 else join(last[-n:])


def _joined(window: Sequence[LocatedTerm]) -> LocatedTerm:
    term = JOINT.join(part.term for part in window)
    places = [part for part in window if part.start != NOWHERE]
    if not places:
        return LocatedTerm(term, NOWHERE, NOWHERE)
    return LocatedTerm(term, min(p.start for p in places), max(p.end for p in places))


def _origin(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    if start in (NOWHERE, end):
        return NOWHERE, NOWHERE
    return spans[start][0], spans[end - 1][1]


def _check_frequency(value: object, field: str) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    share = isinstance(value, float) and 0.0 <= value <= 1.0
    if not whole and not share:
        raise InputError(f"{field} must be a whole number of documents or a share from 0.0 to 1.0, not {value!r}")
