"""What the analysers of Japanese have in common: a form to count, parts of speech to keep, words to stop.

The packages that some tokenizers need and that textnb does not bring along.

Cutting a long text where an analyser hardly notices: after a line, a sentence, a space, and only then anywhere.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec

from textnb.errors import InputError
from textnb.text.token import Token, Tokenizer, without_surrogates

FORMS = ("surface", "base")


IPADIC_PARTS = (
    *("名詞", "動詞", "形容詞", "副詞", "連体詞", "接続詞", "感動詞", "接頭詞"),
    *("助詞", "助動詞", "記号", "フィラー", "その他"),
)
"""How the strings of IPADIC, the dictionary of Janome and MeCab, begin."""


@dataclass(frozen=True)
class Morphemes(Tokenizer):
    """A tokenizer with a dictionary: it knows a word's base form and its part of speech.

    form: what is counted, the ``surface`` or the ``base`` form. pos, exclude_pos: parts of speech to keep or to leave
    out, each a beginning of the dictionary's string (``名詞``, ``名詞,固有名詞``). stop_words: terms to leave out.
    """

    form: str = "surface"
    pos: tuple[str, ...] = ()
    exclude_pos: tuple[str, ...] = ()
    stop_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InputError(f"form {self.form!r} is not known; known: {', '.join(FORMS)}")
        for field in ("pos", "exclude_pos", "stop_words"):
            object.__setattr__(self, field, _as_strings(getattr(self, field), field))
        if wanted := (*self.pos, *self.exclude_pos):
            self._check_parts(wanted)

    def _check_parts(self, wanted: tuple[str, ...]) -> None:
        known = self.known_parts()
        for part in wanted:
            if known and part.split(",")[0] not in known:
                raise InputError(f"part of speech {part!r} is not known; known: {', '.join(known)}")

    def known_parts(self) -> tuple[str, ...]:
        """The main parts of speech that the dictionary has; empty where any may be."""
        return ()

    def term(self, token: Token) -> str:
        """The surface or the base form."""
        return token.base if self.form == "base" else token.surface

    def tokens(self, text: str) -> Iterator[Token]:
        """The analyser's tokens that pass the filters, with their places in the text."""
        keeps_pos = cache(self.keeps_pos)
        for token in self.all_tokens(text):
            if keeps_pos(token.pos) and self.term(token) not in self.stopped:
                yield token

    def stream(self, text: str) -> Iterator[str]:
        """The terms one by one; where surfaces are all that counts, the analyser is asked for no more."""
        if self.form == "base" or self.pos or self.exclude_pos:
            return super().stream(text)
        surfaces = self.all_surfaces(text)
        return surfaces if not self.stopped else (surface for surface in surfaces if surface not in self.stopped)

    @abstractmethod
    def all_tokens(self, text: str) -> Iterator[Token]:
        """The analyser's tokens, every one."""

    def all_surfaces(self, text: str) -> Iterator[str]:
        """Their surfaces."""
        return (token.surface for token in self.all_tokens(text))

    def keeps_pos(self, pos: str) -> bool:
        """Whether tokens of that part of speech are counted."""
        return (not self.pos or _begins(pos, self.pos)) and not _begins(pos, self.exclude_pos)

    @cached_property
    def stopped(self) -> frozenset[str]:
        """The stop words, as a set."""
        return frozenset(self.stop_words)


def _begins(pos: str, parts: tuple[str, ...]) -> bool:
    return any(pos == part or pos.startswith(part + ",") for part in parts)


def _as_strings(value: object, field: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)):
        raise InputError(f"{field} must be a list of strings, not {value!r}")
    if not all(isinstance(item, str) for item in value):
        raise InputError(f"{field} must hold strings only, got {value!r}")
    for item in value:
        if without_surrogates(item) != item:
            raise InputError(f"{field} holds {item!r}, which is half a character")
    return tuple(sorted(set(value)))


PACKAGES = {"mecab": ("fugashi", "ipadic"), "sudachi": ("sudachipy", "sudachidict_core")}
"""What a tokenizer needs; the extra of textnb that brings it has the tokenizer's name."""


def check_installed(tokenizer: str) -> None:
    """Refuses a tokenizer whose packages are not there, before it meets a text; nothing is imported."""
    if not all(map(_is_there, PACKAGES[tokenizer])):
        raise _missing(tokenizer)


def installed_version(tokenizer: str, package: str) -> str:
    """The version of a package that the tokenizer needs, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError as error:
        raise _missing(tokenizer) from error


def _missing(tokenizer: str) -> InputError:
    needed = " and ".join(PACKAGES[tokenizer])
    return InputError(f"tokenizer {tokenizer!r} needs {needed}: pip install 'textnb[{tokenizer}]'")


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


LONGEST = 12_287
"""Characters, which are at most 49,148 bytes in UTF-8. Sudachi refuses more than 49,149; MeCab loses or garbles a word
that with the white space before it has more than 65,535, and has crashed on a run of 200,000 letters."""

_ENDS = tuple(map(re.compile, (r"\n", r"[。！？!?][」』）)]*", r"\s")))


def pieces(text: str, longest: int = LONGEST) -> Iterator[tuple[int, str]]:
    """The text as pieces of at most that many characters, each with its start; a shorter text is one piece.

    >>> list(pieces("犬だ。猫だ。鳥だ", longest=7))
    [(0, '犬だ。猫だ。'), (6, '鳥だ')]
    """
    start = 0
    while len(text) - start > longest:
        end = start + _last_end(text[start : start + longest])
        yield start, text[start:end]
        start = end
    yield start, text[start:]


def _last_end(window: str) -> int:
    for kind in _ENDS:
        if ends := [found.end() for found in kind.finditer(window)]:
            return ends[-1]
    return len(window)
