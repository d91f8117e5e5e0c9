"""The groups of tokens that a message gives beside its words: from each group's name to its tokens."""

import re
from collections.abc import Callable, Iterable, Sequence

from textnb.readers.mail.content import Content
from textnb.readers.mail.head_tokens import HEAD_GROUPS, tokens_of_head
from textnb.readers.mail.links import host_tokens
from textnb.readers.mail.words import words_in

_ZONE = re.compile(rb"[+-]\d{4}|\b[A-Z]{3,4}$")


def _zone(content: Content) -> list[str]:
    zone = _ZONE.search(content.walk.head.first(b"date"))
    return [] if zone is None else [zone.group().decode("ascii")]


def _types(content: Content) -> list[str]:
    encodings = [leaf.encoding[:30].decode("ascii", "replace") for leaf in content.walk.leaves if leaf.encoding]
    return [kind[:80] for kind in content.walk.types] + encodings


def _hidden(content: Content) -> list[str]:
    return [word.lower() for text in content.hidden for word in words_in(text)]


_OF_HEAD = frozenset(HEAD_GROUPS)
TOKENS: dict[str, Callable[[Content], Sequence[str]]] = {
    "subject": lambda content: words_in(content.subject),
    "zone": _zone,
    "link": lambda content: [token for host in content.hosts for token in host_tokens(host)],
    "type": _types,
    "charset": lambda content: content.labels,
    "attachment": lambda content: content.attachments,
    "hidden": _hidden,
    "defect": lambda content: content.defects.kinds,
}


def fields_of(content: Content, groups: Iterable[str]) -> dict[str, Sequence[str]]:
    """The tokens of the wanted groups, each once; a group without tokens is left out."""
    of_head = {} if _OF_HEAD.isdisjoint(groups) else tokens_of_head(content.fields, content.text_of)
    found: dict[str, Sequence[str]] = {}
    for group in groups:
        if group in of_head:
            tokens: Sequence[str] = of_head[group]
        elif tokens := TOKENS[group](content):
            tokens = list(dict.fromkeys(tokens))
        if tokens:
            found[group] = tokens
    return found
