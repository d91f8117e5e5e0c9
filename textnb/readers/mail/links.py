"""Where links lead: the hosts in a text or in the source of a page, and the tokens that stand for one."""

import re
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

from textnb.extension import in_extension

_LONGEST = 255
_IN_HOST = r"[^\s/?#\"'<>\\()\[\]{}|,;&`、。」』）＞　]"
_AFTER = {  # what tells a host, and the host after it, up to where the next one is told
    "://": ("", re.compile(rf"://(?=({_IN_HOST}{{1,{_LONGEST}}})?)")),
    "www.": ("www.", re.compile(rf"www\.(?=((?:(?!www\.){_IN_HOST}){{1,{_LONGEST}}})?)")),
}
_REFERENCE = re.compile(r"&(?:#([xX]?)(0?)0*+(\w{0,20})|[^\t\n\f <&#;]{1,32})(;?)")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_LABELS = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_MOST = 200


def hosts_in(text: str) -> list[str]:
    """The hosts of all addresses in a text, each once, in order, in lower case and without user and port.

    >>> hosts_in("see https://www.Example.co.jp:80/a, http://%77ww.example.com and www.example.org/")
    ['www.example.co.jp', 'www.example.com', 'www.example.org']
    """
    return list(dict.fromkeys(filter(None, map(_host, _written(text, _LONGEST, _MOST)))))


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
