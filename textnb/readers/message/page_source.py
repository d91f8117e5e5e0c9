"""Source of an HTML page before it is parsed, and its text afterwards, in the extension if it may be used.

Sources are UTF-8. The functions here are the Python twins of those in the extension.
"""

import re
from array import array
from functools import cache, lru_cache

from textnb.extension import in_extension, uses_extension

_BLOCKS = re.findall(
    r"\w+",
    "address article blockquote br center dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr input li ol p pre "
    "section table td th title tr ul",
)
_BLOCK_TAGS = frozenset(  # beginnings of tags: up to four characters after "<" distinguish the elements of mail
    (slash + spelt + end)[:4].encode()
    for name in _BLOCKS
    for spelt in (name, name.upper(), name.capitalize())
    for slash in ("", "/")
    for end in " >/\n\r\t"
)
_NUMBERED = array("I", sorted(int.from_bytes(tag.ljust(4, b"\0"), "big") for tag in _BLOCK_TAGS)).tobytes()
_IN_PYTHON = not uses_extension()
_ATTRIBUTE = r"[\s/]*+(?>=?[^\s/>=]++|=)(?>\s*+=\s*+(?>\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"


def with_lines(source: bytes) -> bytes:
    """Source with a line end before every tag of a block element."""
    if _IN_PYTHON:
        return with_lines_in_python(source)
    from textnb._native import with_lines

    return with_lines(source, _NUMBERED)


def present(source: bytes, words: tuple[bytes, ...]) -> set[bytes]:
    """Words in lower case that a source contains in any case; white space may come before a colon."""
    folded = source.decode("utf-8", "replace").lower()
    return {word for word in words if _pattern(word).search(folded)}


@cache
def _pattern(word: bytes) -> re.Pattern[str]:
    written = word.decode()
    return re.compile(re.escape(written[0]) + re.escape(written[1:]).replace(":", r"\s*+:"))


def values_of(source: bytes, names: tuple[bytes, ...]) -> list[set[str]]:
    """Values after ":" or "=" of each of some names in lower case, which are not parts of longer names."""
    html = source.decode("utf-8", "replace")
    return [set(_value_pattern(name).findall(html)) for name in names]


@cache
def _value_pattern(name: bytes) -> re.Pattern[str]:
    spelt = "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in name.decode())
    value = r"([#A-Za-z0-9_]++(?:\([0-9\s,]{1,30})?)"
    return re.compile(rf"{spelt}(?<![A-Za-z0-9_-]{spelt})\s*+[:=]\s*+(?:[\"']\s*+)?+{value}")


def tidied(text: str) -> str:
    """Text with one space or one line end between words."""
    return "\n".join([" ".join(line.split()) for line in text.split("\n") if line and not line.isspace()])


def with_lines_in_python(source: bytes) -> bytes:
    """Python twin of ``with_lines``."""
    first, *tags = source.split(b"<")
    return first + b"".join([b"\n<" + tag if _begins_block(tag[:4]) else b"<" + tag for tag in tags])


def has_many_attributes(source: bytes, most: int) -> bool:
    """Whether a tag has more than ``most`` attributes."""
    html = source.decode()
    return _few_attributes(most).match(html).end() < len(html)  # type: ignore[union-attr]


@lru_cache
def _few_attributes(most: int) -> re.Pattern[str]:
    tag = rf"<[a-zA-Z][^\s/>]*+(?>{_ATTRIBUTE}){{0,{most}}}+(?!{_ATTRIBUTE})"
    return re.compile(rf"(?>[^<]++|<(?![a-zA-Z])|{tag})*+", re.DOTALL)


@lru_cache(4096)
def _begins_block(tag: bytes) -> bool:
    return tag in _BLOCK_TAGS or tag[:3] in _BLOCK_TAGS or tag[:2] in _BLOCK_TAGS


many_attributes = in_extension(has_many_attributes)
values_in = in_extension(values_of)
words_present = in_extension(present)
tidy = in_extension(tidied)
