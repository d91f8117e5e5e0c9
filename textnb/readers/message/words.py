"""Words of short texts without a dictionary, and hosts of links.

    words   "Re: 会議の件 on A-4"           ->  Re 会議 議の の件 on A-4
    hosts   "see https://Example.co.jp:80/a"  ->  example.co.jp

Words are letters, digits and a few marks; everything else separates them. Japanese is cut into pairs of characters.
Text beyond ASCII is normalised first (NFKC), so that ＳＡＬＥ becomes SALE and ｶﾅ becomes カナ. The extension finds
words of ASCII and hosts if it may be used, else the functions here do.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from textnb.extension import in_extension


class Rules(NamedTuple):
    """Rules for cutting bytes into words.

    ``table`` maps each byte, to a space if it separates words. ``edges`` are removed at both ends of a word. Words
    longer than ``longest`` characters are left out; the first ``most`` words are examined; of a header field, the first
    ``longest_value`` bytes are examined.
    """

    table: bytes
    edges: bytes
    longest: int
    most: int
    longest_value: int = 0


def words(data: bytes | str, rules: Rules) -> list[str]:
    """Cut ASCII, or bytes that the table maps to ASCII, into words."""
    written = data.encode("ascii") if isinstance(data, str) else data
    found = written.translate(rules.table).decode("ascii").split(maxsplit=rules.most)[: rules.most]
    edges = rules.edges.decode("ascii")
    return [word for raw in found if (word := raw.strip(edges)) and len(word) <= rules.longest]


words_of = in_extension(words)


_IN_WORDS = "$'-_!%.@"
_PARTED = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) in _IN_WORDS) else 32 for code in range(256))
_JAPANESE = re.compile("([々〆ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿]+)")
_WORD = re.compile(r"[\w$'!%.@-]+")
_EDGES = b".-'_!@"
MAX_WORD_LENGTH = 60
_MAX_WORDS = 1000
TEXT_RULES = Rules(_PARTED, _EDGES, MAX_WORD_LENGTH, _MAX_WORDS)
"""Rules for a text in ASCII."""


def words_in(text: str, most: int = _MAX_WORDS) -> list[str]:
    """Cut a text into words, in order, with their case; words that are too long are left out.

    >>> words_in("Re: 会議の件 on A-4 ＳＡＬＥ <taro@example.jp>")
    ['Re', '会議', '議の', 'の件', 'on', 'A-4', 'SALE', 'taro@example.jp']
    """
    if text.isascii():
        return words_of(text, TEXT_RULES if most == _MAX_WORDS else TEXT_RULES._replace(most=most))
    words = islice(_mixed(unicodedata.normalize("NFKC", text[: most * MAX_WORD_LENGTH])), most)
    return [word for raw in words if (word := raw.strip(_EDGES.decode())) and len(word) <= MAX_WORD_LENGTH]


def _mixed(text: str) -> Iterator[str]:
    """Words of a text in several scripts; the regular expression makes every second stretch Japanese."""
    for i, stretch in enumerate(_JAPANESE.split(text)):
        if i % 2:
            yield from pairs(stretch)
        else:
            yield from _WORD.findall(stretch)


def pairs(stretch: str) -> list[str]:
    """Pairs of neighbouring characters; a single character as it is."""
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)] or [stretch]


_MAX_HOST_LENGTH = 255
_IN_HOST = r"[^\s/?#\"'<>\\()\[\]{}|,;&`、。」』）＞　]"
_HOST_AFTER_MARK = {  # mark before a host: what belongs to the host, and the host after it, up to the next mark
    "://": ("", re.compile(rf"://(?=({_IN_HOST}{{1,{_MAX_HOST_LENGTH}}})?)")),
    "www.": ("www.", re.compile(rf"www\.(?=((?:(?!www\.){_IN_HOST}){{1,{_MAX_HOST_LENGTH}}})?)")),
}
_REFERENCE = re.compile(r"&(?:#([xX]?)(0?)0*+(\w{0,20})|[^\t\n\f <&#;]{1,32})(;?)")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_LABELS = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_MAX_HOSTS = 200


def hosts_in(text: str) -> list[str]:
    """Hosts of all addresses in a text, each once, in order, in lower case and without user and port."""
    return list(dict.fromkeys(filter(None, map(_host, _written(text, _MAX_HOST_LENGTH, _MAX_HOSTS)))))


def written_hosts(text: str, longest: int, most: int) -> list[str]:
    """Strings after the first ``most`` "://" and "www." in a text, each once."""
    written: list[str] = []
    for mark, (before, after) in _HOST_AFTER_MARK.items():
        if mark in text:
            written += [before + host[:longest] for host in after.findall(text)[:most] if host]
    return list(dict.fromkeys(written))


_written = in_extension(written_hosts)


def hosts_in_source(html: str) -> list[str]:
    """Hosts in HTML source, in which characters may be written as references."""
    return hosts_in(unescaped(html) if "&#" in html else html)


def unescaped(html: str) -> str:
    """Text with characters in place of references, as html.unescape, which refuses numbers of thousands of digits."""
    return _REFERENCE.sub(_character, html) if "&" in html else html


def _character(reference: re.Match[str]) -> str:
    x, zero, number, end = reference.groups()
    return _of_reference(reference[0] if number is None else f"&#{x}{zero}{number}{end}")


_of_reference = lru_cache(1024)(unescape)


@lru_cache(4096)
def _host(written: str) -> str:
    """Host in the part of an address between the slashes; empty if it is not a host."""
    name = unquote(written).lower().rpartition("@")[2].partition(":")[0].rstrip(".")
    return name if _LABELS.fullmatch(name) else ""


@lru_cache(8192)
def host_tokens(host: str) -> tuple[str, ...]:
    """Tokens of a host: the host and its last three, two and one labels; for an IPv4 address, its network.

    >>> host_tokens("mail.shop.example.co.jp")
    ('mail.shop.example.co.jp', 'example.co.jp', 'co.jp', 'jp')
    >>> host_tokens("192.0.2.7")
    ('192.0.2.7', '192.0.2')
    """
    if _ADDRESS.fullmatch(host):
        return host, host.rpartition(".")[0]
    labels = host.split(".")
    return tuple(dict.fromkeys([host, *(".".join(labels[-n:]) for n in (3, 2, 1))]))
