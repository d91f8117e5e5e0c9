"""The groups of tokens that a message gives beside its words: from each group's name to its tokens."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from textnb.readers.mail.content import Content
from textnb.readers.mail.features import address_tokens, header_tokens, received_tokens
from textnb.readers.mail.links import host_tokens
from textnb.readers.mail.words import words_in

_ZONE = re.compile(rb"[+-]\d{4}|\b[A-Z]{3,4}$")


def _of_addresses(*names: bytes) -> Callable[[Content], list[str]]:
    return lambda content: address_tokens(content.walk.head.all(*names), content.text_of)


def _zone(content: Content) -> list[str]:
    zone = _ZONE.search(content.walk.head.first(b"date"))
    return [] if zone is None else [zone.group().decode("ascii")]


def _types(content: Content) -> Iterator[str]:
    yield from (kind[:80] for kind in content.walk.types)
    yield from (leaf.encoding[:30].decode("ascii", "replace") for leaf in content.walk.leaves if leaf.encoding)


def _hidden(content: Content) -> Iterator[str]:
    return (word.lower() for text in content.hidden for word in words_in(text))


TOKENS: dict[str, Callable[[Content], Iterable[str]]] = {
    "subject": lambda content: words_in(content.subject),
    "from": _of_addresses(b"from"),
    "to": _of_addresses(b"to", b"cc"),
    "list": _of_addresses(b"list-id"),
    "header": lambda content: header_tokens(content.fields, content.text_of),
    "received": lambda content: received_tokens(content.walk.head.all(b"received")),
    "zone": _zone,
    "link": lambda content: chain.from_iterable(map(host_tokens, content.hosts)),
    "type": _types,
    "charset": lambda content: content.labels,
    "attachment": lambda content: content.attachments,
    "hidden": _hidden,
    "defect": lambda content: content.defects.kinds,
}


def fields_of(content: Content, groups: Iterable[str]) -> dict[str, list[str]]:
    """The tokens of the wanted groups, each once; a group without tokens is left out."""
    return {group: list(found) for group in groups if (found := dict.fromkeys(TOKENS[group](content)))}
