"""Words without a dictionary, for header fields and other short texts; Japanese in pairs of characters.

    "Re: 会議の件 on A-4"  ->  Re 会議 議の の件 on A-4

Letters, digits and the marks that stay in words; everything else parts them. Beyond ASCII, compatibility forms are
composed first (NFKC), so that ＳＡＬＥ is SALE and ｶﾅ is カナ.

Words of ASCII by a table of bytes: in the extension where it may be used, else in Python.

Where links lead: the hosts in a text or in the source of a page, and the tokens that stand for one.
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
    """How data are cut into words.

    table: what each byte becomes, a space where it parts words. edges: what is taken away at both ends of a word.
    longest, most: characters of a word, longer ones are left out; words that are looked at. longest_value: bytes of a
    header field's value that are looked at.
    """

    table: bytes
    edges: bytes
    longest: int
    most: int
    longest_value: int = 0


def words(data: bytes | str, rules: Rules) -> list[str]:
    """The words of ASCII, or of bytes that the table makes ASCII.

    >>> words(b"a.b, c-", Rules(bytes(code if code not in b"," else 32 for code in range(256)), b"-", 60, 9))
    ['a.b', 'c']
    """
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
LONGEST = 60
_MOST = 1000
IN_TEXT = Rules(_PARTED, _EDGES, LONGEST, _MOST)
"""Of the words of a text, where it is ASCII."""


def words_in(text: str, most: int = _MOST) -> list[str]:
    """The words of a text, in order, their case kept; those that are longer than any word are left out.

    >>> words_in("Re: 会議の件 on A-4 ＳＡＬＥ <taro@example.jp>")
    ['Re', '会議', '議の', 'の件', 'on', 'A-4', 'SALE', 'taro@example.jp']
    """
    if text.isascii():
        return words_of(text, IN_TEXT if most == _MOST else IN_TEXT._replace(most=most))
    words = islice(_mixed(unicodedata.normalize("NFKC", text[: most * LONGEST])), most)
    return [word for raw in words if (word := raw.strip(_EDGES.decode())) and len(word) <= LONGEST]


def _mixed(text: str) -> Iterator[str]:
    """The words of a text in several scripts; every second stretch is Japanese."""
    for i, stretch in enumerate(_JAPANESE.split(text)):
        if i % 2:
            yield from pairs(stretch)
        else:
            yield from _WORD.findall(stretch)


def pairs(stretch: str) -> list[str]:
    """Neighbouring characters two by two; a single one as it is.

    >>> pairs("東京都"), pairs("都")
    (['東京', '京都'], ['都'])
    """
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)] or [stretch]


_LONGEST = 255
_IN_HOST = r"[^\s/?#\"'<>\\()\[\]{}|,;&`、。」』）＞　]"
_AFTER = {  # what tells a host, and the host after it, up to where the next one is told
    "://": ("", re.compile(rf"://(?=({_IN_HOST}{{1,{_LONGEST}}})?)")),
    "www.": ("www.", re.compile(rf"www\.(?=((?:(?!www\.){_IN_HOST}){{1,{_LONGEST}}})?)")),
}
_REFERENCE = re.compile(r"&(?:#([xX]?)(0?)0*+(\w{0,20})|[^\t\n\f <&#;]{1,32})(;?)")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_LABELS = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_MOST_HOSTS = 200


def hosts_in(text: str) -> list[str]:
    """The hosts of all addresses in a text, each once, in order, in lower case and without user and port.

    >>> hosts_in("see https://www.Example.co.jp:80/a, http://%77ww.example.com and www.example.org/")
    ['www.example.co.jp', 'www.example.com', 'www.example.org']
    """
    return list(dict.fromkeys(filter(None, map(_host, _written(text, _LONGEST, _MOST_HOSTS)))))


def written_hosts(text: str, longest: int, most: int) -> list[str]:
    """What stands after :// and www. in a text, each once, of the first so many of each."""
    written: list[str] = []
    for mark, (before, after) in _AFTER.items():
        if mark in text:
            written += [before + host[:longest] for host in after.findall(text)[:most] if host]
    return list(dict.fromkeys(written))


_written = in_extension(written_hosts)


def hosts_in_source(html: str) -> list[str]:
    """The same of a page's source, where characters may be written as entities."""
    return hosts_in(unescaped(html) if "&#" in html else html)


def unescaped(html: str) -> str:
    """The text with characters for references, as html.unescape, which refuses numbers of thousands of digits.

    >>> unescaped("a&#0000000000000058;//&lt;&#x41;&#;")
    'a://<A&#;'
    """
    return _REFERENCE.sub(_character, html) if "&" in html else html


def _character(reference: re.Match[str]) -> str:
    x, zero, number, end = reference.groups()
    return _of_reference(reference[0] if number is None else f"&#{x}{zero}{number}{end}")


_of_reference = lru_cache(1024)(unescape)


@lru_cache(4096)
def _host(written: str) -> str:
    """The host in what stands between the slashes of an address; nothing where it is none."""
    name = unquote(written).lower().rpartition("@")[2].partition(":")[0].rstrip(".")
    return name if _LABELS.fullmatch(name) else ""


@lru_cache(8192)
def host_tokens(host: str) -> tuple[str, ...]:
    """A host with its last three, two and one labels; of a number the network.

    >>> host_tokens("mail.shop.example.co.jp")
    ('mail.shop.example.co.jp', 'example.co.jp', 'co.jp', 'jp')
    >>> host_tokens("192.0.2.7")
    ('192.0.2.7', '192.0.2')
    """
    if _ADDRESS.fullmatch(host):
        return host, host.rpartition(".")[0]
    labels = host.split(".")
    return tuple(dict.fromkeys([host, *(".".join(labels[-n:]) for n in (3, 2, 1))]))
