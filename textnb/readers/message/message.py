"""Reading of one message: from bytes to a Document.

text      subject and body
fields    tokens of everything else, by the name of their group (``features.GROUPS``)
defects   descriptions of everything that is wrong with the message; no message raises an error
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.mailboxes import LONGEST_MESSAGE, MAIL_COLUMNS
from textnb.readers.message.content import Content
from textnb.readers.message.features import MailFeatures
from textnb.readers.message.head_tokens import HEAD_GROUPS, tokens_of_head
from textnb.readers.message.headers import Defects, Head, as_date, message_start, read_head
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
    """Tokens of the wanted groups, each token once; a group without tokens is left out."""
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


_MESSAGE_ID = re.compile(rb"<([^<>\s]{1,300})>")
_LINE_END_SEARCH_BYTES = 4096
_ALL_FEATURES = MailFeatures()


def read_message(raw: bytes, features: MailFeatures | None = None) -> Document:
    r"""Read one message; never raises an error, whatever the bytes are.

    Parameters
    ----------
    raw : bytes
        The message, with or without a From_ line before it.
    features : MailFeatures, optional
        Groups of tokens in the fields of the Document; by default all.

    Returns
    -------
    Document
        Subject and body as ``text``; tokens as ``fields``; ``date``, from Date or else from Received; ``group``, the
        id of the first message of the conversation; ``defects``, descriptions of what is wrong with the message;
        ``received``, from the newest Received field with a date.

    Examples
    --------
    >>> mail = read_message(b"From: a@example.jp\nSubject: =?utf-8?B?5Lya6K2w?=\n\nSee http://example.com/ soon")
    >>> mail.text, mail.fields["link"]
    ('会議\nSee http://example.com/ soon', ['example.com', 'com'])
    """
    if not isinstance(raw, bytes):
        raise InputError("a message must be bytes, not {kind}; open its file with 'rb'", kind=type(raw).__name__)
    return message_document(raw, features)


def message_document(raw: bytes, features: MailFeatures | None, label: str | None = None, name: str = "") -> Document:
    """Read one message into a Document with a label and an id."""
    groups = (_ALL_FEATURES if features is None else features).groups
    defects = Defects()
    content = Content(_as_lines(raw, defects), defects)
    head = content.walk.head
    subject, body = content.subject, content.body
    text = f"{subject}\n{body}" if subject and body else subject or body
    fields = fields_of(content, groups)
    words = defects.words
    columns = dict(zip(MAIL_COLUMNS, _heading(content), strict=True))
    return Document(text, label, name, fields, _date(head), _conversation(head), words, _received(head), columns)


class Heading(NamedTuple):
    """What identifies a message for its reader: the day it was sent, its From field and its subject, decoded."""

    date: str
    sender: str
    subject: str


def read_heading(raw: bytes) -> Heading:
    r"""Read what a mail program shows of a message in a list; never raises an error.

    Examples
    --------
    >>> read_heading(b"From: =?utf-8?B?5aSq6YOO?= <a@example.jp>\nDate: Fri, 2 Jan 2026 03:04:05 +0900\n\ntext")
    Heading(date='2026-01-02', sender='太郎 <a@example.jp>', subject='')
    """
    data = _as_lines(raw, Defects())
    body = read_head(data, message_start(data, 0, len(data)), len(data), Defects()).body
    return _heading(Content(data[:body], Defects()))


def _heading(content: Content) -> Heading:
    head = content.walk.head
    date = _date(head)
    day = "" if date is None else date.date().isoformat()
    return Heading(day, content.text_of(head.first(b"from")), content.subject)


def _as_lines(raw: bytes, defects: Defects) -> bytes:
    """Message cut to LONGEST_MESSAGE bytes, with LF in place of CR if its lines end in CR alone."""
    if len(raw) > LONGEST_MESSAGE:
        defects.add("size", f"the message has {len(raw)} bytes; the first {LONGEST_MESSAGE} were read")
        raw = raw[:LONGEST_MESSAGE]
    has_lines = raw.find(b"\n", 0, _LINE_END_SEARCH_BYTES) >= 0 or raw.find(b"\r", 0, _LINE_END_SEARCH_BYTES) < 0
    return raw if has_lines else raw.replace(b"\r", b"\n")


def _date(head: Head) -> datetime | None:
    """Date of a message: from Date, else from the first Received."""
    sent = as_date(head.first(b"date").decode("ascii", "replace"))
    return sent or as_date(head.first(b"received").rpartition(b";")[2].decode("ascii", "replace"))


def _received(head: Head) -> datetime | None:
    """Date of the newest Received field that has one: each host adds its own above the others."""
    values = (value for name, value in head.fields if name == b"received")
    dates = (as_date(value.rpartition(b";")[2].decode("ascii", "replace")) for value in values)
    return next((date for date in dates if date is not None), None)


def _conversation(head: Head) -> str | None:
    """Id of the first message of the conversation."""
    for name in (b"references", b"in-reply-to", b"message-id"):
        if found := _MESSAGE_ID.search(head.first(name)):
            return found[1].decode("ascii", "replace")
    return None
