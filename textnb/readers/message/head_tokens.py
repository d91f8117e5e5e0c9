"""The tokens of a head's fields: in the extension where it may be used, else in Python.

    from, to, list   the words of addresses; after one with @ its host, with its last three, two and one labels
    header           the names of all other fields and the words in them, as name:word
    received         the hosts that passed the message on, with their last labels; of addresses in numbers the network

A value that is ASCII, without escapes and encoded words, is cut as it stands; any other is decoded first.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from textnb.extension import in_extension
from textnb.readers.message.features import is_told_by_others
from textnb.readers.message.headers import Field
from textnb.readers.message.words import IN_TEXT, Rules, host_tokens, words, words_in

HEAD_GROUPS = ("from", "to", "list", "header", "received")

_NAME_ALONE, _WORDS, _ADDRESSES, _RELAYS = range(4)
_NAME_ONLY = frozenset(
    b"message-id date references in-reply-to dkim-signature domainkey-signature arc-seal arc-message-signature "
    b"arc-authentication-results x-google-dkim-signature x-gm-message-state x-received x-google-smtp-source".split()
)
_OF_PARTS = frozenset(b"subject content-type content-transfer-encoding content-disposition".split())
_GROUPS = {b"from": "from", b"to": "to", b"cc": "to", b"list-id": "list", b"received": "received"}
_HOSTS = bytes(
    32 if code > 127 or not (chr(code).isalnum() or code in b"-.") else ord(chr(code).lower()) for code in range(256)
)
_MOST_WORDS = 200
_LONGEST = 4000
_LONGEST_RECEIVED = 2000
_LONGEST_ADDRESSES = 1 << 18  # a whole head
_NETWORK = re.compile(r"(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}")
_MOST_NAMES = 4096

RULES = (
    IN_TEXT._replace(most=_MOST_WORDS, longest_value=_LONGEST),
    IN_TEXT._replace(most=_MOST_WORDS, longest_value=_LONGEST_ADDRESSES),
    Rules(_HOSTS, b".-", _LONGEST_RECEIVED, _LONGEST_RECEIVED, _LONGEST_RECEIVED),
)
"""Of words, addresses and relays."""


class Told(NamedTuple):
    """How a field is told: the number of its group, in which way, its name where that is a token, and the prefix."""

    group: int
    way: int
    name: str
    prefix: str


class _Names(dict[bytes, Told | None]):
    """How fields are told, by their names in lower case; None for those that give no tokens here."""

    def __missing__(self, name: bytes) -> Told | None:
        told = _told(name)
        if len(self) < _MOST_NAMES:
            self[name] = told
        return told


def _told(name: bytes) -> Told | None:
    if name in _GROUPS:
        group = HEAD_GROUPS.index(_GROUPS[name])
        return Told(group, _RELAYS if name == b"received" else _ADDRESSES, "", "")
    if name in _OF_PARTS or is_told_by_others(name):
        return None
    written = name.decode("ascii")
    only = name in _NAME_ONLY
    return Told(HEAD_GROUPS.index("header"), _NAME_ALONE if only else _WORDS, written, "" if only else f"{written}:")


TOLD = _Names()


def tokens_of_head(fields: list[Field], text_of: Callable[[bytes], str]) -> dict[str, list[str]]:
    """The tokens of each group, each once; text_of decodes a value.

    >>> found = tokens_of_head([(b"to", b"<taro@mail.example.jp>"), (b"x-mailer", b"Wanderlust 2")], bytes.decode)
    >>> found["to"], found["header"]
    (['taro@mail.example.jp', 'mail.example.jp', 'example.jp', 'jp'], ['x-mailer', 'x-mailer:Wanderlust', 'x-mailer:2'])
    """

    def otherwise(told: tuple[int, int, str, str], value: bytes) -> list[str]:
        _, way, _, prefix = told
        text = text_of(value)
        if way == _ADDRESSES:
            return with_hosts(words_in(text, _MOST_WORDS))
        return [prefix + word for word in words_in(text[:_LONGEST], _MOST_WORDS)]

    return dict(zip(HEAD_GROUPS, _tokens(fields, TOLD, RULES, len(HEAD_GROUPS), otherwise), strict=True))


def head_tokens(
    fields: list[Field],
    told: Mapping[bytes, Told | None],
    rules: tuple[Rules, Rules, Rules],
    n: int,
    otherwise: Callable[[Told, bytes], Iterable[str]],
) -> list[list[str]]:
    """The tokens of n groups. otherwise: what a value that must be decoded first, or is too long, gives."""
    groups: list[dict[str, None]] = [{} for _ in range(n)]
    for name, value in fields:
        if (how := told[name]) is not None:
            group, _, token, _ = how
            found = _as_it_stands(how, value, rules)
            tokens = otherwise(how, value) if found is None else found
            groups[group] |= dict.fromkeys([token, *tokens] if token else tokens)
    return [list(tokens) for tokens in groups]


def _as_it_stands(told: Told, value: bytes, rules: tuple[Rules, Rules, Rules]) -> list[str] | None:
    """The tokens of a value; None where it must be decoded first, or is too long."""
    _, way, _, prefix = told
    if way == _NAME_ALONE:
        return []
    cut = rules[way - _WORDS]
    if way == _RELAYS:
        return _relays(value, cut)
    if not _is_plain(value, cut.longest_value):
        return None
    found = words(value, cut)
    return with_hosts(found) if way == _ADDRESSES else [prefix + word for word in found]


def with_hosts(words: list[str]) -> list[str]:
    """The words, and after each with @ its host, with the last labels of it.

    >>> with_hosts(["Taro", "taro@Mail.example.jp"])
    ['Taro', 'taro@Mail.example.jp', 'mail.example.jp', 'example.jp', 'jp']
    """
    tokens = []
    for word in words:
        tokens.append(word)
        if "@" in word:
            tokens += host_tokens(word.rpartition("@")[2].lower())
    return tokens


def _is_plain(value: bytes, longest: int) -> bool:
    return len(value) <= longest and value.isascii() and b"\x1b" not in value and b"=?" not in value


def _relays(value: bytes, rules: Rules) -> list[str]:
    found = [word for word in words(value[: rules.longest_value], rules) if "." in word]
    return [token for word in found for token in _relay_tokens(word)]


@lru_cache(8192)
def _relay_tokens(word: str) -> tuple[str, ...]:
    """What a word with a dot stands for: of a number its network, or nothing; else a host with its last labels."""
    if network := _NETWORK.fullmatch(word):
        return (network[1],)
    return () if word.replace(".", "").isdigit() else host_tokens(word)


_tokens = in_extension(head_tokens)
