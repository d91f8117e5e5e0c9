"""What the analysers of Japanese (Janome, MeCab, Sudachi) share: filters, optional packages, pieces of long texts.

Each analyser knows the base form and the part of speech of a word. ``Morphemes`` adds what is counted (surface or base
form), filters by part of speech and stop words. ``check_installed`` refuses an analyser whose packages are missing.
``pieces`` splits a text that is too long for an analyser.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

from textnb.errors import InputError, ParameterError
from textnb.extension import cached_property
from textnb.text.token import Token, Tokenizer, check_text, without_surrogates

FORMS = ("surface", "base")

IPADIC_PARTS = (
    *("名詞", "動詞", "形容詞", "副詞", "連体詞", "接続詞", "感動詞", "接頭詞"),
    *("助詞", "助動詞", "記号", "フィラー", "その他"),
)
"""Main parts of speech of IPADIC, the dictionary of Janome and MeCab."""

PACKAGES = {"mecab": ("fugashi", "ipadic"), "sudachi": ("sudachipy", "sudachidict_core")}
"""Packages that a tokenizer needs; the extra of textnb that installs them has the tokenizer's name."""

LONGEST = 12_287
"""Characters of a piece: at most 49,148 bytes in UTF-8. Sudachi refuses more than 49,149 bytes; MeCab loses a word that
has more than 65,535 with the white space before it, and has crashed on a run of 200,000 letters."""

_ENDS = tuple(map(re.compile, (r"\n", r"[。！？!?][」』）)]*", r"\s")))  # of lines, sentences, words


@dataclass(frozen=True)
class Morphemes(Tokenizer):
    """Base class of the tokenizers with a dictionary; ``Janome`` describes the parameters."""

    form: str = "surface"
    pos: tuple[str, ...] = ()
    exclude_pos: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ParameterError("unknown form {form!r}; use {known}", form=self.form, known=", ".join(FORMS))
        for field in ("pos", "exclude_pos"):
            given: object = getattr(self, field)
            object.__setattr__(self, field, as_strings([given] if isinstance(given, str) else given, field))
        object.__setattr__(self, "stop_words", as_strings(self.stop_words, "stop_words"))
        self._check_parts()

    def _check_parts(self) -> None:
        for part in (*self.pos, *self.exclude_pos):
            main, *subclasses = part.split(",")
            if main not in self.known_parts:
                known = ", ".join(self.known_parts)
                raise ParameterError("unknown part of speech {part!r}; use {known}", part=part, known=known)
            if subclasses and subclasses[0] in self.known_parts:  # no word has both
                template = "{part!r} is several parts of speech; give one by one, as in --pos {main} --pos {other}"
                raise ParameterError(template, part=part, main=main, other=subclasses[0])

    @property
    @abstractmethod
    def known_parts(self) -> tuple[str, ...]:
        """Main parts of speech of the dictionary."""

    @abstractmethod
    def all_tokens(self, text: str) -> Iterator[Token]:
        """Tokens of the analyser before any filter."""

    @abstractmethod
    def all_surfaces(self, text: str) -> Iterator[str]:
        """Surfaces of the analyser's tokens, without looking up what the dictionary knows of them."""

    def term(self, token: Token) -> str:
        """Term that is counted for a token: its surface or its base form."""
        return token.base if self.form == "base" else token.surface

    def tokens(self, text: str) -> Iterator[Token]:
        """Tokens that pass the filters, in the order of the text."""
        check_text(text)
        if not (self.pos or self.exclude_pos or self.stop_words):
            return self.all_tokens(text)
        keeps_pos = cache(self.keeps_pos)
        return (
            token for token in self.all_tokens(text) if keeps_pos(token.pos) and self.term(token) not in self.stopped
        )

    def stream(self, text: str) -> Iterator[str]:
        """Terms one by one; only the surfaces are made where nothing else is needed."""
        if self.form == "base" or self.pos or self.exclude_pos:
            return super().stream(text)
        surfaces = self.all_surfaces(text)
        return surfaces if not self.stopped else (surface for surface in surfaces if surface not in self.stopped)

    def keeps_pos(self, pos: str) -> bool:
        """True if tokens of this part of speech pass the filters."""
        return (not self.pos or _begins(pos, self.pos)) and not _begins(pos, self.exclude_pos)

    @cached_property
    def stopped(self) -> frozenset[str]:
        """Stop words as a set."""
        return frozenset(self.stop_words)


def _begins(pos: str, parts: tuple[str, ...]) -> bool:
    return any(pos == part or pos.startswith(part + ",") for part in parts)


def as_strings(value: object, field: str) -> tuple[str, ...]:
    """Checked strings, sorted, each once; ``field`` names the parameter in errors."""
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        raise ParameterError("{field} must be a list of strings, not {value!r}", field=field, value=value)
    for item in value:
        if not isinstance(item, str):
            raise ParameterError("{field} must contain only strings, not {item!r}", field=field, item=item)
        if without_surrogates(item) != item:
            raise ParameterError("{field} contains {item!r}, which is half a character", field=field, item=item)
    return tuple(sorted(set(value)))


def check_installed(tokenizer: str) -> None:
    """Raise InputError if a package that the tokenizer needs is missing; nothing is imported."""
    if not all(map(_is_installed, PACKAGES[tokenizer])):
        raise _missing(tokenizer)


def installed_version(tokenizer: str, package: str) -> str:
    """Version of a package that the tokenizer needs; the package is not imported."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError as error:
        raise _missing(tokenizer) from error


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _missing(tokenizer: str) -> InputError:
    packages = " and ".join(PACKAGES[tokenizer])
    return InputError("tokenizer {name!r} needs {all}: pip install 'textnb[{name}]'", name=tokenizer, all=packages)


def pieces(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """Pieces of a text of at most ``longest`` characters, each with its start; a shorter text is one piece.

    A piece ends after a line if possible, else after a sentence, else after white space, else anywhere.
    """
    start = 0
    while len(text) - start > longest:
        end = start + _last_end(text[start : start + longest])
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _last_end(window: str) -> int:
    for pattern in _ENDS:
        if ends := [found.end() for found in pattern.finditer(window)]:
            return ends[-1]
    return len(window)
