"""The analyzer: from a text to its terms. Normalise, tokenize, join neighbours into n-grams, add groups of features.

Terms are of three kinds, ``TERMS``:

=====  =========================================================================================
words  the tokens of the text
pairs  neighbouring tokens, joined by a space
chars  character 1-, 2- and 3-grams that do not span white space, each written ``chars:term``
=====  =========================================================================================

Features are groups of terms besides these, each written ``group:term``:

===========  ==========================================================================================
first-line   the words of the first line with any words, often a title; only if more lines follow
length       the length of the text as a power of two: ``length:9`` means 256 to 511 characters
short-chars  the character 1-, 2- and 3-grams of a text of at most 400 characters
===========  ==========================================================================================
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from textnb.errors import ParameterError, listed
from textnb.text.normalise import as_normalisers, normalised, normalised_spans
from textnb.text.patterns import Chars, as_range
from textnb.text.token import NOWHERE, Recipe, Token, Tokenizer, as_json, check_text, plain_token, without_surrogates

SELECTION = ("min_df", "max_df", "max_terms")
"""Parameters of an analyzer that select terms after counting."""

TERMS = ("words", "pairs", "chars")
"""Kinds of terms; the module's docstring describes them."""

CHARS_PREFIX = "chars:"
"""Beginning of every term that is an n-gram of characters."""

_NGRAM_SEPARATOR = " "
_TERMS_OF_NGRAM = {(1, 1): ("words",), (2, 2): ("pairs",), (1, 2): ("words", "pairs")}
MAX_CHARS = 3
"""Largest number of characters of an n-gram."""

MAX_SHORT_TEXT = 400
"""Largest number of characters of a text of which the feature short-chars counts n-grams."""

_CHARS = (1, MAX_CHARS)
_CHARS_FEATURE = (2, 3)  # of textnb 0.1.0

T = TypeVar("T")


class LocatedTerm(NamedTuple):
    """Term as it is counted, with the place ``text[start:end]`` in the text before normalisation; ``NOWHERE`` if none.

    >>> from textnb.text import Analyzer, tokenizer
    >>> Analyzer(normalisers=["nfkc"]).located("ｶﾞﾗｽ", tokenizer("words"))
    [LocatedTerm(term='ガラス', start=0, end=4)]
    """

    term: str
    start: int
    end: int


MAX_NGRAM = 100
"""Largest number of tokens of an n-gram."""


@dataclass(frozen=True, eq=False)
class Analyzer:
    """What happens before and after the tokenizer: normalisation, n-grams, features, selection of terms.

    Tokens that are only white space, which Janome gives, are not terms.

    Parameters
    ----------
    normalisers : list of str
        Names of ``textnb.text.NORMALISERS``, applied in this order.
    terms : list of str, default ["words"]
        Kinds of terms, names of ``textnb.text.TERMS``: words, pairs, chars. None if ``ngram`` is another range.
    ngram : (int, int) or int
        The shortest and the longest n-gram, up to 100 tokens, joined by a space; in place of ``terms``. (1, 2) is words
        and pairs. None if there are only chars.
    min_df, max_df : int or float, default 1 and 1.0
        Terms in fewer, or in more, documents are left out of the model. A whole number counts documents, a fraction is
        a proportion of them. ``min_df="auto"`` is 2, or 1 if the documents are few or short.
    max_terms : int or None
        At most this many terms, those in the most documents.
    features : list of str
        Groups of further terms, names of ``textnb.text.FEATURES``. ``chars``, of textnb 0.1.0, is character 2-grams and
        3-grams; a stretch of one character is kept.

    Examples
    --------
    >>> from textnb.text import tokenizer
    >>> Analyzer(normalisers=["casefold"], terms=["words", "pairs"]).terms_in("To be Or", tokenizer("words"))
    ['to', 'be', 'to be', 'or', 'be or']

    Called with a text, it returns the terms and features: an ``analyzer`` for scikit-learn's vectorizers.

    >>> Analyzer(normalisers=["nfkc"])("ﾏｳﾝﾃﾝバイク")
    ['マウンテンバイク']
    """

    normalisers: tuple[str, ...] = ()
    ngram: tuple[int, int] | None = None
    min_df: int | float | str = 1
    max_df: int | float = 1.0
    max_terms: int | None = None
    features: tuple[str, ...] = ()
    terms: tuple[str, ...] | None = None

    if TYPE_CHECKING:  # what callers may give; the fields have what is made of it

        def __init__(
            self,
            normalisers: Sequence[str] = (),
            ngram: int | Sequence[int] | None = None,
            min_df: int | float | str = 1,
            max_df: int | float = 1.0,
            max_terms: int | None = None,
            features: Iterable[str] = (),
            terms: Iterable[str] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalisers", as_normalisers(self.normalisers))
        object.__setattr__(self, "features", as_features(self.features))
        self._set_terms()
        self._check_selection()

    def _set_terms(self) -> None:
        ngram = None if self.ngram is None else as_range(self.ngram, "ngram", MAX_NGRAM)
        terms = None if self.terms is None else as_terms(self.terms)
        if terms is None:
            ngram = ngram or (1, 1)
            terms = _TERMS_OF_NGRAM.get(ngram)
        else:
            tokens = tuple(kind for kind in terms if kind != "chars")
            meant = next((each for each, kinds in _TERMS_OF_NGRAM.items() if kinds == tokens), None)
            if ngram not in (None, meant):
                template = "ngram={ngram} and terms={terms} disagree; give one of them"
                raise ParameterError(template, ngram=ngram, terms=",".join(terms))
            ngram = meant
        if "chars" in self.features and "chars" in (terms or ()):
            raise ParameterError("the feature 'chars' is among the terms already; leave it out of features")
        object.__setattr__(self, "ngram", ngram)
        object.__setattr__(self, "terms", terms)

    def _check_selection(self) -> None:
        if self.min_df != "auto":
            _check_frequency(self.min_df, "min_df")
        _check_frequency(self.max_df, "max_df")
        if type(self.min_df) is type(self.max_df) and self.min_df > self.max_df:
            raise ParameterError("min_df must not be above max_df, but {a} is above {b}", a=self.min_df, b=self.max_df)
        if self.max_terms is not None and (type(self.max_terms) is not int or self.max_terms < 1):
            raise ParameterError("max_terms must be a whole number of at least 1, or None, not {n!r}", n=self.max_terms)

    @property
    def chars(self) -> tuple[int, int] | None:
        """The smallest and the largest n of n-grams of characters; None if there are none."""
        if "chars" in self.features:
            return _CHARS_FEATURE
        return _CHARS if "chars" in (self.terms or ()) else None

    def changed(self, **changes: Any) -> "Analyzer":
        """Return the analyzer with other parameters; ``ngram`` replaces ``terms``, and the other way round.

        >>> Analyzer(terms=["words", "chars"]).changed(ngram=(1, 2)).terms
        ('words', 'pairs')
        """
        if "ngram" in changes or "terms" in changes:
            changes = {"ngram": None, "terms": None, **changes}
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        # max_df=1 is one document, max_df=1.0 is all of them
        return isinstance(other, Analyzer) and repr(self.recipe) == repr(other.recipe)

    def __hash__(self) -> int:
        return hash(repr(self.recipe))

    def __call__(self, text: str, tokenizer: "str | Tokenizer" = "auto") -> list[str]:
        """Terms and features of a text; ``tokenizer`` is a name or a Tokenizer."""
        from textnb.text.tokenizers import as_tokenizer

        check_text(text)
        made = as_tokenizer(tokenizer)
        return [*self.stream(text, made), *self.feature_terms(text, made)]

    def normalised(self, text: str) -> str:
        """Text as the tokenizer gets it."""
        return normalised(without_surrogates(text), self.normalisers)

    def normalised_texts(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Each text as the tokenizer gets it."""
        whole = "".join(texts)
        if without_surrogates(whole) == whole and not self.normalisers:  # one check for all: surrogates are rare
            return tuple(texts)
        return tuple([self.normalised(text) for text in texts])

    def stream(self, text: str, tokenizer: Tokenizer) -> Iterator[str]:
        """Terms of a text one by one, without features, repeated as often as they occur."""
        changed = self.normalised(text)
        terms: list[Iterator[str]] = []
        if self.ngram is not None:
            tokens = filter(str.strip, tokenizer.stream(changed))
            terms.append(tokens if self.ngram == (1, 1) else _ngrams(tokens, self.ngram, _NGRAM_SEPARATOR.join))
        if self.chars is not None:
            terms.append(map(CHARS_PREFIX.__add__, Chars(n=self.chars).stream(changed)))
        return chain.from_iterable(terms)

    def terms_in(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """List of the terms of a text, without features."""
        return list(self.stream(text, tokenizer))

    @property
    def has_feature_terms(self) -> bool:
        """True if a feature has terms of its own; n-grams of characters are counted with the text."""
        return any(name in FEATURES for name in self.features)

    def feature_terms(self, text: str, tokenizer: Tokenizer) -> list[str]:
        """List of the terms of the features of a text."""
        if not self.has_feature_terms:
            return []
        return [token.surface for token in feature_tokens(self.normalised(text), tokenizer, self.features)]

    def tokens(self, text: str, tokenizer: Tokenizer) -> Iterator[tuple[Token, tuple[int, int]]]:
        """Tokens that the terms are made of, each with its (start, end) in the text before normalisation."""
        changed, spans = normalised_spans(without_surrogates(text), self.normalisers)
        for token in tokenizer.tokens(changed):
            if tokenizer.term(token).strip():
                yield token, _origin(spans, token.start, token.end)

    def located(self, text: str, tokenizer: Tokenizer) -> list[LocatedTerm]:
        """Terms and features of a text, each with its place in the text before normalisation."""
        located: list[LocatedTerm] = []
        if self.ngram is not None:
            tokens = (LocatedTerm(tokenizer.term(token), *place) for token, place in self.tokens(text, tokenizer))
            located += _ngrams(tokens, self.ngram, _joined)
        return [*located, *self._located_beside(text, tokenizer)]

    def _located_beside(self, text: str, tokenizer: Tokenizer) -> Iterator[LocatedTerm]:
        """Yield n-grams of characters and features."""
        changed, spans = normalised_spans(without_surrogates(text), self.normalisers)
        if self.chars is not None:
            for token in Chars(n=self.chars).tokens(changed):
                yield LocatedTerm(CHARS_PREFIX + token.surface, *_origin(spans, token.start, token.end))
        for token in feature_tokens(changed, tokenizer, self.features):
            yield LocatedTerm(token.surface, *_origin(spans, token.start, token.end))

    @property
    def recipe(self) -> Recipe:
        """JSON values that ``Analyzer.of`` rebuilds the analyzer from; ``terms`` only if ``ngram`` does not say all."""
        left_out = "ngram" if "chars" in (self.terms or ()) else "terms"
        return {name: as_json(getattr(self, name)) for name in self.__dataclass_fields__ if name != left_out}

    @classmethod
    def of(cls, recipe: Recipe) -> "Analyzer":
        """Analyzer that a recipe describes."""
        if not isinstance(recipe, dict):
            raise ParameterError(
                "the recipe of an analyzer must be a table of parameters, not {recipe!r}", recipe=recipe
            )
        for name in recipe:
            if name not in cls.__dataclass_fields__:
                known = ", ".join(cls.__dataclass_fields__)
                raise ParameterError("an analyzer has no parameter {name!r}; it has: {known}", name=name, known=known)
        if "ngram" in recipe:
            as_range(recipe["ngram"], "ngram", MAX_NGRAM)  # None is for callers only
        if "terms" in recipe:
            as_terms(recipe["terms"])
        return cls(**recipe)


def _check_frequency(value: object, field: str) -> None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    is_proportion = isinstance(value, float) and 0.0 <= value <= 1.0
    if not is_count and not is_proportion:
        template = "{field} must be a whole number of documents or a proportion from 0.0 to 1.0, not {value!r}"
        raise ParameterError(template, field=field, value=value)


def _ngrams(tokens: Iterable[T], ngram: tuple[int, int], join: Callable[[Sequence[Any]], T]) -> Iterator[T]:
    """N-grams in the order of their last token, the shorter first."""
    low, high = ngram
    window: deque[T] = deque(maxlen=high)
    for token in tokens:
        window.append(token)
        last = list(window)
        for n in range(low, len(last) + 1):
            yield token if n == 1 else join(last[-n:])


def _joined(window: Sequence[LocatedTerm]) -> LocatedTerm:
    term = _NGRAM_SEPARATOR.join(part.term for part in window)
    places = [part for part in window if part.start != NOWHERE]
    if not places:
        return LocatedTerm(term, NOWHERE, NOWHERE)
    return LocatedTerm(term, min(p.start for p in places), max(p.end for p in places))


def _origin(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    if start in (NOWHERE, end):
        return NOWHERE, NOWHERE
    return spans[start][0], spans[end - 1][1]


def as_features(names: Iterable[str]) -> tuple[str, ...]:
    """Checked names of features, each at most once."""
    if isinstance(names, str):
        raise ParameterError("features must be a list of names, not the single string {names!r}", names=names)
    features = tuple(names)
    for name in features:
        if name not in (*FEATURES, "chars"):
            raise ParameterError("unknown feature {name!r}; use {known}", name=name, known=listed(FEATURES))
    if len(set(features)) < len(features):
        raise ParameterError("features must not contain a name twice: {names}", names=", ".join(features))
    return features


def as_terms(names: Iterable[str]) -> tuple[str, ...]:
    """Checked kinds of terms in the order of TERMS, at least one, each at most once."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError("terms must be a list of names, not {names!r}", names=names)
    given = list(names)
    for name in given:
        if name not in TERMS:
            raise ParameterError("unknown kind of terms {name!r}; use {known}", name=name, known=listed(TERMS))
    if not given or len(set(given)) < len(given):
        template = "terms must name one or more of {known}, each once, not {names!r}"
        raise ParameterError(template, known=listed(TERMS), names=",".join(given))
    return tuple(kind for kind in TERMS if kind in given)


def feature_tokens(text: str, tokenizer: Tokenizer, names: Iterable[str]) -> Iterator[Token]:
    """Tokens of some features; the surface is the term, ``group:term``. ``chars`` is counted with the terms."""
    for name in names:
        if name not in FEATURES:
            continue
        for token in FEATURES[name](text, tokenizer):
            yield token._replace(surface=f"{name}:{token.surface}")


def _first_line(text: str, tokenizer: Tokenizer) -> Iterator[Token]:
    start = len(text) - len(text.lstrip())
    line, _, more = text[start:].partition("\n")
    if not more.strip():
        return  # the feature would only repeat all words
    for token in tokenizer.tokens(line):
        term = tokenizer.term(token)
        if term.strip():
            placed = token.start != NOWHERE
            yield token._replace(surface=term, start=token.start + start * placed, end=token.end + start * placed)


def _length(text: str, _: Tokenizer) -> Iterator[Token]:
    yield plain_token(str(len(text).bit_length()), 0)._replace(start=NOWHERE, end=NOWHERE)


def _short_chars(text: str, _: Tokenizer) -> Iterator[Token]:
    if len(text) <= MAX_SHORT_TEXT:
        yield from Chars(n=_CHARS).tokens(text)


FEATURES: dict[str, Callable[[str, Tokenizer], Iterator[Token]]] = {
    "first-line": _first_line,
    "length": _length,
    "short-chars": _short_chars,
}
"""All features by name; the module's docstring describes them."""
