"""Labels of messages from a header field: ``header:X-Gmail-Labels`` in place of a folder per class.

The value is a list separated by commas. Of ``X-Gmail-Labels`` (an mbox of Google Takeout) the names of states, such as
Inbox, Unread and Opened, are no labels. Of ``X-Mozilla-Keys`` only Thunderbird's junk mark is one, Junk or NonJunk. A
message must have one label; the field itself is no part of the document.
"""

import re

from textnb.readers.message.charsets import MessageDecoder
from textnb.readers.message.field_values import charsets_in, header_text
from textnb.readers.message.headers import Defects, message_start, read_head
from textnb.readers.thunderbird import junk_mark, without_own_fields

_GMAIL, _THUNDERBIRD = "x-gmail-labels", "x-mozilla-keys"
_GMAIL_STATES = frozenset(
    (
        *("inbox", "sent", "draft", "drafts", "chat", "opened", "unread", "important", "starred", "archived", "trash"),
        *("受信トレイ", "送信済み", "送信済みメール", "下書き", "チャット", "開封済み", "未読", "重要", "スター付き"),
        *("アーカイブ済み", "ゴミ箱"),
    )
)
_GMAIL_CATEGORY = re.compile(r"category |カテゴリ", re.IGNORECASE)


def take_labels(raw: bytes, field: str) -> tuple[list[str], bytes]:
    r"""Labels in a header field of a message, and the message without that field.

    >>> take_labels(b"X-Gmail-Labels: Inbox,Work\nSubject: a\n\nb", "X-Gmail-Labels")
    (['Work'], b'Subject: a\n\nb')
    """
    name = field.lower()
    if name == _THUNDERBIRD:
        mark = junk_mark(raw)
        return [] if mark is None else ["Junk" if mark else "NonJunk"], without_own_fields(raw)
    start = message_start(raw, 0, len(raw))
    head = read_head(raw, start, len(raw), Defects())
    value = head.first(name.encode("ascii", "replace"))
    decoder = MessageDecoder(charsets_in(value), Defects())
    labels = [label.strip() for label in header_text(value, decoder).split(",")]
    if name == _GMAIL:
        labels = [each for each in labels if each.lower() not in _GMAIL_STATES and not _GMAIL_CATEGORY.match(each)]
    line = re.compile(
        rb"^" + re.escape(field.encode("ascii", "replace")) + rb"[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.I | re.M
    )
    return [label for label in dict.fromkeys(labels) if label], line.sub(b"", raw[: head.body]) + raw[head.body :]
