"""Normalisers: functions from text to text that record where each character came from.

========  ==============================================================================
nfkc      Unicode NFKC: one form for full width and half width, composed characters
casefold  upper and lower case alike (``str.casefold``)
urls      each URL becomes ``URL``
numbers   each number becomes ``0``
squeeze   three or more of one character in a row become two
========  ==============================================================================

A normaliser works on units of the text that do not depend on one another: applied to the units one by one it gives
what it gives on the whole text. So the origin of every character of the result is known, and an explanation can point
into the text as its author wrote it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from textnb.errors import ParameterError, listed
from textnb.text.characters import characters_between, marks

_LONGEST_RUN = 30  # marks on one letter: the Stream-Safe limit of Unicode
_COMPOSING_END = 0x20000  # what lies beyond decomposes, if at all, to one ideograph
_BEYOND_BMP = r"\U00010000-\U0010ffff"

Spans = list[tuple[int, int]]
"""For each character of a result, the (start, end) of its origin."""


def as_normalisers(names: Sequence[str]) -> tuple[str, ...]:
    """Checked names of normalisers, in the given order."""
    if isinstance(names, str):
        raise ParameterError("normalisers must be a list of names, not the single string {names!r}", names=names)
    if not isinstance(names, (list, tuple)):
        raise ParameterError(
            "normalisers must be a list of names in the order of their use, not {names!r}", names=names
        )
    for name in names:
        if not isinstance(name, str) or name not in NORMALISERS:
            raise ParameterError("unknown normaliser {name!r}; use {known}", name=name, known=listed(NORMALISERS))
    return tuple(names)


def normalised(text: str, names: Sequence[str]) -> str:
    """Text after the named normalisers, applied in this order."""
    for name in names:
        text = NORMALISERS[name](text)
    return text


def normalised_spans(text: str, names: Sequence[str]) -> tuple[str, Spans]:
    """Normalised text, and the origin of each of its characters in the original text."""
    spans: Spans = [(i, i + 1) for i in range(len(text))]
    for name in names:
        inner = NORMALISERS[name].spans(text)
        spans = [(spans[start][0], spans[end - 1][1]) for start, end in inner]
        text = NORMALISERS[name](text)
    return text, spans


@dataclass(frozen=True)
class Normaliser:
    """Function from text to text that can report the origin of each character of its result.

    units: from a text to the places (start, end) that may change, each independently of the others.

    >>> NORMALISERS["squeeze"]("えーーーー"), NORMALISERS["squeeze"].spans("えーーーー")
    ('えーー', [(0, 1), (1, 5), (1, 5)])
    """

    name: str
    apply: Callable[[str], str]
    units: Callable[[str], Iterator[tuple[int, int]]]

    def __call__(self, text: str) -> str:
        """Normalised text."""
        return self.apply(text)

    def spans(self, text: str) -> Spans:
        """Origin (start, end) in ``text`` of each character of ``self(text)``."""
        spans: Spans = []
        done = 0
        for start, end in self.units(text):
            spans += [(i, i + 1) for i in range(done, start)]
            spans += [(start, end)] * len(self.apply(text[start:end]))
            done = end
        return spans + [(i, i + 1) for i in range(done, len(text))]


def _by_pattern(name: str, pattern: str, replacement: str) -> Normaliser:
    compiled = re.compile(pattern)
    return Normaliser(
        name,
        lambda text: compiled.sub(replacement, text),
        lambda text: (match.span() for match in compiled.finditer(text)),
    )


def _nfkc(text: str) -> str:
    """Text in NFKC; longer runs of marks than any language has are split, since their cost grows with the square."""
    if text.isascii():
        return text
    # so long a run contains one of every _LONGEST_RUN-th characters, which are searched quickly
    if not _joining().search(text[::_LONGEST_RUN]) or not _long_run().search(text):
        return unicodedata.normalize("NFKC", text)
    return "".join(unicodedata.normalize("NFKC", text[start:end]) for start, end in _compositions(text))


def _compositions(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a text that Unicode composes or reorders; each begins where a character does not join backwards."""
    start = 0
    for i in range(1, len(text)):
        if not _joins_backwards(text[i]) or i - start > _LONGEST_RUN:
            yield start, i
            start = i
    if text:
        yield start, len(text)


@cache
def _joining_classes() -> tuple[str, str]:
    """Pattern parts for the characters that join backwards: the inside of a class for the BMP, a pattern beyond it."""
    may_join = {*_decomposing(), *_second_of_a_pair(), *"".join(marks())}  # only marks have a combining class
    joins = sorted(filter(_joins, may_join))
    near, far = ("".join(re.escape(c) for c in joins if (c > "\uffff") is is_far) for is_far in (False, True))
    return near, rf"(?=[{_BEYOND_BMP}])[{far}]"


@cache
def _joining() -> re.Pattern[str]:
    near, far = _joining_classes()
    return re.compile(rf"[{near}]|{far}")


@cache
def _long_run() -> re.Pattern[str]:
    near, far = _joining_classes()
    joining = rf"(?:[{near}]|{far})"
    # begins with one class, which is searched far more quickly than an alternative
    return re.compile(rf"[{near}{_BEYOND_BMP}](?<={joining}){joining}{{{_LONGEST_RUN - 1},}}")


def _joins(character: str) -> bool:
    """True if Unicode may compose or reorder the character with the one before it."""
    if not unicodedata.decomposition(character):  # a syllable of Hangul begins with no such letter either
        return unicodedata.combining(character) != 0 or character in _second_of_a_pair()
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.combining(first) != 0 or first in _second_of_a_pair()


_joins_backwards = lru_cache(maxsize=4096)(_joins)


@cache
def _decomposing() -> list[str]:
    """Characters that have a decomposition; most stretches of 64 have none, which one test shows."""
    every = characters_between(0, _COMPOSING_END)
    stretches = (every[i : i + 64] for i in range(0, len(every), 64))
    some = (stretch for stretch in stretches if not unicodedata.is_normalized("NFKD", stretch))
    return [character for stretch in some for character in stretch if unicodedata.decomposition(character)]


@cache
def _second_of_a_pair() -> frozenset[str]:
    """Characters that compose with a character before them."""
    pairs = (unicodedata.decomposition(c).split() for c in _decomposing())
    seconds = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and pair[0][0] != "<"}
    hangul = {*map(chr, range(0x1161, 0x1176)), *map(chr, range(0x11A8, 0x11C3))}
    return frozenset(seconds | hangul)


NORMALISERS: dict[str, Normaliser] = {
    normaliser.name: normaliser
    for normaliser in (
        Normaliser("nfkc", _nfkc, _compositions),
        Normaliser("casefold", str.casefold, lambda text: ((i, i + 1) for i in range(len(text)))),
        _by_pattern("urls", r"(?:https?|ftp)://[!-~]+|www\.[!-~]+", "URL"),
        _by_pattern("numbers", r"\d+(?:[.,]\d+)*", "0"),
        _by_pattern("squeeze", r"(.)\1{2,}", r"\1\1"),
    )
}
"""All normalisers by name; the module's docstring describes them."""
