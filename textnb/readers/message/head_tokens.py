"""Tokens of the header fields of a message, by the extension if it may be used, else in Python.

    from, to, list   words of addresses; after a word with @ its host and the host's last three, two and one labels
    header           names of all other fields and the words in them, as name:word
    received         hosts that passed the message on, with their last labels; for IPv4 addresses the network

A value in ASCII, without escapes and encoded words, is cut directly; any other value is decoded first.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from textnb.extension import in_extension
from textnb.readers.message.features import reveals_label
from textnb.readers.message.headers import Field
from textnb.readers.message.words import TEXT_RULES, Rules, host_tokens, words, words_in

HEAD_GROUPS = ("from", "to", "list", "header", "received")

_NAME_ALONE, _WORDS, _ADDRESSES, _RELAYS = range(4)
_NAME_ONLY = frozenset(
    b"message-id date references in-reply-to dkim-signature domainkey-signature arc-seal arc-message-signature "
    b"arc-authentication-results x-google-dkim-signature x-gm-message-state x-received x-google-smtp-source".split()
)
_OF_PARTS = frozenset(b"subject content-type content-transfer-encoding content-disposition".split())
_GROUPS = {b"from": "from", b"to": "to", b"cc": "to", b"list-id": "list", b"received": "received"}
_HOST_TABLE = bytes(
    32 if code > 127 or not (chr(code).isalnum() or code in b"-.") else ord(chr(code).lower()) for code in range(256)
)
_MAX_WORDS = 200
_MAX_VALUE_LENGTH = 4000
_MAX_RECEIVED_LENGTH = 2000
_MAX_ADDRESSES_LENGTH = 1 << 18  # a whole head
_NETWORK = re.compile(r"(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}")
_MAX_CACHED_NAMES = 4096

RULES = (
    TEXT_RULES._replace(most=_MAX_WORDS, longest_value=_MAX_VALUE_LENGTH),
    TEXT_RULES._replace(most=_MAX_WORDS, longest_value=_MAX_ADDRESSES_LENGTH),
    Rules(_HOST_TABLE, b".-", _MAX_RECEIVED_LENGTH, _MAX_RECEIVED_LENGTH, _MAX_RECEIVED_LENGTH),
)
"""Rules for words, addresses and relays."""


class FieldRule(NamedTuple):
    """Rule for a field: number of its group, way to cut it, its name if that is a token, and the prefix of words."""

    group: int
    way: int
    name: str
    prefix: str


class _FieldRules(dict[bytes, FieldRule | None]):
    """Rule for each field by its name in lower case; None for a field that gives no tokens here."""

    def __missing__(self, name: bytes) -> FieldRule | None:
        rule = _rule_of(name)
        if len(self) < _MAX_CACHED_NAMES:
            self[name] = rule
        return rule


def _rule_of(name: bytes) -> FieldRule | None:
    if name in _GROUPS:
        group = HEAD_GROUPS.index(_GROUPS[name])
        return FieldRule(group, _RELAYS if name == b"received" else _ADDRESSES, "", "")
    if name in _OF_PARTS or reveals_label(name):
        return None
    group, written = HEAD_GROUPS.index("header"), name.decode("ascii")
    way, prefix = (_NAME_ALONE, "") if name in _NAME_ONLY else (_WORDS, f"{written}:")
    return FieldRule(group, way, written, prefix)


FIELD_RULES = _FieldRules()


def tokens_of_head(fields: list[Field], text_of: Callable[[bytes], str]) -> dict[str, list[str]]:
    """Tokens of each group, each token once; ``text_of`` decodes a value."""

    def otherwise(rule: tuple[int, int, str, str], value: bytes) -> list[str]:
        _, way, _, prefix = rule
        text = text_of(value)
        if way == _ADDRESSES:
            return with_hosts(words_in(text, _MAX_WORDS))
        return [prefix + word for word in words_in(text[:_MAX_VALUE_LENGTH], _MAX_WORDS)]

    return dict(zip(HEAD_GROUPS, _tokens(fields, FIELD_RULES, RULES, len(HEAD_GROUPS), otherwise), strict=True))


def head_tokens(
    fields: list[Field],
    told: Mapping[bytes, FieldRule | None],
    rules: tuple[Rules, Rules, Rules],
    n: int,
    otherwise: Callable[[FieldRule, bytes], Iterable[str]],
) -> list[list[str]]:
    """Tokens of n groups; ``otherwise`` gives the tokens of a value that must be decoded first, or is too long."""
    groups: list[dict[str, None]] = [{} for _ in range(n)]
    for name, value in fields:
        if (how := told[name]) is not None:
            group, _, token, _ = how
            found = _plain_tokens(how, value, rules)
            tokens = otherwise(how, value) if found is None else found
            groups[group] |= dict.fromkeys([token, *tokens] if token else tokens)
    return [list(tokens) for tokens in groups]


def _plain_tokens(rule: FieldRule, value: bytes, rules: tuple[Rules, Rules, Rules]) -> list[str] | None:
    """Tokens of a value in plain ASCII; None if it must be decoded first, or is too long."""
    _, way, _, prefix = rule
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
    """Words, each word with @ followed by the tokens of its host."""
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
    """Tokens of a word with a dot: the network of an IPv4 address, nothing for another number, else those of a host."""
    if network := _NETWORK.fullmatch(word):
        return (network[1],)
    return () if word.replace(".", "").isdigit() else host_tokens(word)


_tokens = in_extension(head_tokens)
