"""One message, from bytes to a Document: subject and body as its text, everything else as groups of tokens.

No message raises an error; what is wrong with it stands in the Document's ``defects``.

The groups of tokens that a message gives beside its words: from each group's name to its tokens.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.mailboxes import LONGEST_MESSAGE
from textnb.readers.message.content import Content
from textnb.readers.message.features import MailFeatures
from textnb.readers.message.head_tokens import HEAD_GROUPS, tokens_of_head
from textnb.readers.message.headers import Defects, Head, as_date
from textnb.readers.message.words import host_tokens, words_in

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


_ID = re.compile(rb"<([^<>\s]{1,300})>")
_FIRST = 4096
_ALL = MailFeatures()


def read_message(raw: bytes, features: MailFeatures | None = None) -> Document:
    r"""The Document of one message; never an error, whatever the bytes are.

    features: which groups of tokens its fields hold; all by default. The date is the one that the message states, else
    when it was received; the group is the message that began the conversation.

    >>> mail = read_message(b"From: a@example.jp\nSubject: =?utf-8?B?5Lya6K2w?=\n\nSee http://example.com/ soon")
    >>> mail.text
    '会議\nSee http://example.com/ soon'
    >>> mail.fields["link"]
    ['example.com', 'com']
    """
    if not isinstance(raw, bytes):
        raise InputError(f"a message must be bytes, not {type(raw).__name__}; open its file with 'rb'")
    return message_document(raw, features)


def message_document(raw: bytes, features: MailFeatures | None, label: str | None = None, name: str = "") -> Document:
    """The same with a label, and a name for its id."""
    groups = (_ALL if features is None else features).groups
    defects = Defects()
    content = Content(_as_lines(raw, defects), defects)
    head = content.walk.head
    subject, body = content.subject, content.body
    text = f"{subject}\n{body}" if subject and body else subject or body
    fields = fields_of(content, groups)
    return Document(text, label, name, fields, _date(head), _conversation(head), defects.words)


def _as_lines(raw: bytes, defects: Defects) -> bytes:
    """The message, not too long, and with LF where its lines end in CR alone."""
    if len(raw) > LONGEST_MESSAGE:
        defects.add("size", f"{len(raw)} bytes; the first {LONGEST_MESSAGE} were read")
        raw = raw[:LONGEST_MESSAGE]
    has_lines = raw.find(b"\n", 0, _FIRST) >= 0 or raw.find(b"\r", 0, _FIRST) < 0
    return raw if has_lines else raw.replace(b"\r", b"\n")


def _date(head: Head) -> datetime | None:
    sent = as_date(head.first(b"date").decode("ascii", "replace"))
    return sent or as_date(head.first(b"received").rpartition(b";")[2].decode("ascii", "replace"))


def _conversation(head: Head) -> str | None:
    for name in (b"references", b"in-reply-to", b"message-id"):
        if found := _ID.search(head.first(name)):
            return found[1].decode("ascii", "replace")
    return None
