"""Where links lead: the hosts in a text or in the source of a page, and the tokens that stand for one."""

import re
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

_HOST = re.compile(r"[^\s/?#\"'<>\\()\[\]{}|,;&`、。」』）＞　]{1,255}")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_LABELS = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_MOST = 200


def hosts_in(text: str) -> list[str]:
    """The hosts of all addresses in a text, each once, in order, in lower case and without user and port.

    >>> hosts_in("see https://www.Example.co.jp:80/a, http://%77ww.example.com and www.example.org/")
    ['www.example.co.jp', 'www.example.com', 'www.example.org']
    """
    found: dict[str, None] = {}
    if "://" in text:
        _, *after = text.split("://", _MOST)
        found |= dict.fromkeys(_hosts_at_start(after, ""))
    if "www." in text:
        _, *after = text.split("www.", _MOST)
        found |= dict.fromkeys(_hosts_at_start(after, "www."))
    return list(found)


def hosts_in_source(html: str) -> list[str]:
    """The same of a page's source, where characters may be written as entities."""
    return hosts_in(unescape(html) if "&#" in html else html)


def _hosts_at_start(rests: list[str], before: str) -> list[str]:
    hosts = []
    for rest in rests:
        if host := _HOST.match(rest):
            name = unquote(before + host.group()).lower().rpartition("@")[2].partition(":")[0]
            if _LABELS.fullmatch(name.rstrip(".")):
                hosts.append(name.rstrip("."))
    return hosts


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
