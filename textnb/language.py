"""Languages of terminal, messages and pages: English is written where it is used, Japanese is in ``japanese.po``.

The English text is the key: a phrase, or the template of a message with its ``{values}``. ``Language("ja")`` looks it
up, and what has no translation stays English. The file is read when the first Japanese phrase is asked for. Names that
a program relies on are never translated: class names, columns of data, JSON keys, options and their values.

A text whose values are filled in already, such as a warning, is recognised by its template (``filled``).
"""

import ast
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from unicodedata import east_asian_width

from textnb.errors import ParameterError, Phrase, TextnbError, fill_in

UNKNOWN = "(unknown)"
"""Name that stands for all labels that a model does not know."""

LANGUAGES = ("en", "ja")

LANGUAGE_VARIABLE = "TEXTNB_LANG"
"""Environment variable that chooses the language, whatever the locale."""

_MIN_LITERAL = 7
"""Characters of a template outside its values from which on a text with values filled in is recognised by it."""

_MAX_FILLED = 16
"""Length of such a text at most, in lengths of its template outside the values."""

_NUMBERS = frozenset({"number", "n", "k", "total", "mean", "low", "high", "loss", "by", "margin", "scale", "kept"})
"""Values of a template that are numbers, which tells it from other texts with the same words."""

_NUMBER = r"[-+\d.,einf]+"

_NESTED = frozenset({"message", "error", "why", "reason", "remedy", "fault", "this_kind", "hint", "question", "where"})
"""Values of a template that are messages themselves."""

_EXAMPLES = "examples"
"""Value of a template that is a list of names, each with what is said of it: ``1: no text; 7: no label``."""

_SYSTEM_ERROR = re.compile(r"(?:\[Errno -?\d+\] )?([A-Z][^:]+)")
"""Message of the operating system at the beginning of a text, such as ``[Errno 2] No such file or directory``."""


@dataclass(frozen=True)
class Language:
    """Translator of phrases to the language ``code``, "en" or "ja".

    >>> Language("ja")("{number} more characters", number=3), Language("en")("accuracy")
    ('残り 3 文字', 'accuracy')
    """

    code: str

    def __post_init__(self) -> None:
        check_language(self.code)

    def __call__(self, phrase: str, **values: object) -> str:
        """Phrase in the language, with its values."""
        return self.name(phrase).format(**self._spoken_values(values))

    def sentences(self, *phrases: str) -> str:
        """Phrases one after the other, with spaces between them if the language uses spaces."""
        return ("" if self.code == "ja" else " ").join(map(self, phrases))

    def name(self, word: str) -> str:
        """Word in the language if it is known; a word of the user, such as the name of a column, stays as it is."""
        return translations().get(word, word) if self.code == "ja" else word

    def of_class(self, name: str) -> str:
        """Name of a class; only the name for unknown labels is translated."""
        return self(name) if name == UNKNOWN else name

    def message(self, template: str, **values: object) -> str:
        """Message in the language: a template with its values, each shortened; errors among the values too."""
        return fill_in(self.name(template), **self._spoken_values(values))

    def error(self, error: object) -> str:
        """Message of an error or a warning in the language."""
        if self.code == "en" or not isinstance(error, TextnbError):
            return self.filled(str(error))
        return self.message(error.template, **error.values) if error.values else self.filled(error.template)

    def filled(self, text: str) -> str:
        """Text in the language; its values are filled in already, or it has none.

        >>> Language("ja").filled("12 more characters")
        '残り 12 文字'
        """
        if self.code == "en" or text in translations():
            return self.name(text)
        japanese = _filled_in_japanese(text)
        return _system_error_in_japanese(text) if japanese is None else japanese

    def _spoken_values(self, values: Mapping[str, object]) -> Mapping[str, object]:
        if self.code == "en":
            return values
        return {name: self._spoken_value(name, value) for name, value in values.items()}

    def _spoken_value(self, name: str, value: object) -> object:
        if isinstance(value, TextnbError):
            return TextnbError(self.error(value))  # stays whole in another message
        if isinstance(value, OSError | Phrase) or (name in _NESTED and isinstance(value, str)):
            return self.filled(str(value))
        return value


def spoken() -> Language:
    """Language of the terminal: that of ``TEXTNB_LANG``, else that of the locale."""
    return Language(of_environment(os.environ))


def of_environment(environment: Mapping[str, str]) -> str:
    """Return ``ja`` for a Japanese locale and ``en`` for any other; ``TEXTNB_LANG`` comes before the locale.

    LC_ALL, LC_MESSAGES and LANG are asked in this order, as gettext does; LANGUAGE replaces them unless they say C.

    >>> of_environment({"LANG": "ja_JP.UTF-8"}), of_environment({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"})
    ('ja', 'en')
    >>> of_environment({"LANG": "ja_JP.UTF-8", "TEXTNB_LANG": "en"})
    'en'
    """
    names = (LANGUAGE_VARIABLE, "LC_ALL", "LC_MESSAGES", "LANG")
    name = next((name for name in names if environment.get(name)), "")
    asked = environment.get(name, "")
    if name != LANGUAGE_VARIABLE and asked.partition(".")[0] not in ("", "C", "POSIX"):
        asked = environment.get("LANGUAGE", "").partition(":")[0] or asked
    return "ja" if asked.lower().startswith("ja") else "en"


def language_of(text: str) -> str | None:
    """Language of a text, ``ja`` if it contains kana, for fonts and screen readers.

    >>> language_of("梅の木"), language_of("plum tree")
    ('ja', None)
    """
    return "ja" if any("\u3041" <= character <= "\u30ff" for character in text) else None


def check_language(code: str) -> None:
    """Raise an error if there is no such language."""
    if code not in LANGUAGES:
        raise ParameterError("unknown language {code!r}; use {known}", code=code, known=" or ".join(LANGUAGES))


def cells_of(text: str) -> int:
    """Width of a text in a terminal; a Japanese character is twice as wide as a Latin one.

    >>> cells_of("要確認 OK")
    9
    """
    return len(text) if text.isascii() else sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


@cache
def translations() -> dict[str, str]:
    """Japanese by English, from ``japanese.po``; an entry without a translation is left out."""
    text = Path(__file__).with_name("japanese.po").read_text(encoding="utf-8")
    return {english: japanese for english, japanese in entries(text) if english and japanese}


def entries(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield msgid and msgstr of each entry of a PO file; a string may continue on the next lines.

    >>> list(entries('# a comment\nmsgid "a"\nmsgstr "あ"\n"い"\n'))
    [('a', 'あい')]
    """
    parts: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        key, _, string = line.partition(" ")
        if key == "msgid" and parts:
            yield parts["msgid"], parts["msgstr"]
            parts = {}
        if key in ("msgid", "msgstr"):
            parts[key], last = ast.literal_eval(string), key
        elif line.startswith('"'):
            parts[last] += ast.literal_eval(line)
    if parts:
        yield parts["msgid"], parts["msgstr"]


def template_of(text: str) -> str | None:
    """Template among the translations that gives a text, if it is one with values.

    Of several it is one that begins with words of its own, and then the one that has most of them.

    >>> template_of("12 more characters")
    '{number} more characters'
    """
    fitting = [
        each for each, literals in _templates().items() if _may_give(literals, text) and _values(each, text) is not None
    ]
    return max(fitting, key=_own_words, default=None)


def _own_words(template: str) -> tuple[bool, int]:
    literals = _templates()[template]
    return bool(literals[0]), sum(map(len, literals))


def _filled_in_japanese(text: str) -> str | None:
    template = template_of(text)
    if template is None:
        return None
    values = _values(template, text) or {}
    for name in _NESTED & values.keys():
        values[name] = Language("ja").filled(values[name])
    if _EXAMPLES in values:
        values[_EXAMPLES] = _examples_in_japanese(values[_EXAMPLES])
    parts = Formatter().parse(translations()[template])
    return "".join(literal + (values.get(name, "") if name else "") for literal, name, _, _ in parts)


def _examples_in_japanese(examples: str) -> str:
    """Examples with what is said of each in Japanese: the longest end of it that has a translation."""
    return "; ".join(map(_example_in_japanese, examples.split("; ")))


def _example_in_japanese(example: str) -> str:
    japanese, parts = Language("ja"), example.split(": ")
    for start in range(1, len(parts)):
        said = ": ".join(parts[start:])
        if (known := japanese.filled(said)) != said:
            return ": ".join([*map(japanese.name, parts[:start]), known])
    return example


def _system_error_in_japanese(text: str) -> str:
    found = _SYSTEM_ERROR.match(text)
    known = translations()
    return text if found is None or found[1] not in known else known[found[1]] + text[found.end() :]


@cache
def _templates() -> dict[str, list[str]]:
    """Templates with values, and the text between their values."""
    parsed = {each: list(Formatter().parse(each)) for each in translations() if "{" in each}
    literals = {each: [literal for literal, *_ in parts] for each, parts in parsed.items()}
    return {each: some for each, some in literals.items() if sum(map(len, some)) >= _MIN_LITERAL}


def _may_give(literals: list[str], text: str) -> bool:
    return sum(map(len, literals)) * _MAX_FILLED >= len(text) and all(literal in text for literal in literals)


def _values(template: str, text: str) -> dict[str, str] | None:
    """Values of a template that give the text, as they are written there; None if no values do."""
    pattern, names = "", set[str]()
    for literal, name, _, _ in Formatter().parse(template):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in names else f"(?P<{name}>{_NUMBER if name in _NUMBERS else '.*?'})"
            names.add(name)
    found = re.fullmatch(pattern, text, re.DOTALL)
    return None if found is None else found.groupdict()
