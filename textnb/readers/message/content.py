"""Content of a message: subject, text, links, hidden words and attachments of all its parts.

    head and leaves (``parts``) -> bytes and text of each leaf (``charsets``) -> visible text of HTML (``html``)

The text of a multipart/alternative is that of the branch with the most letters, the later one if they are equal, so
that words are not counted twice. Links and hidden words come from all branches.
"""

import re
from collections.abc import Iterator
from functools import partial

from textnb.readers.charset_names import charset_of
from textnb.readers.decoding import resembles_utf8
from textnb.readers.message.charsets import MessageDecoder, means_no_charset
from textnb.readers.message.features import attachment_tokens
from textnb.readers.message.field_values import charsets_in, header_text
from textnb.readers.message.headers import Defects
from textnb.readers.message.html import MAX_PAGE_LENGTH, charset_in, read_html
from textnb.readers.message.parts import MAX_TEXT_BYTES, Branch, Leaf, Walk
from textnb.readers.message.words import hosts_in

_MAX_LABELS = 20
_SAMPLE_BYTES = 1 << 14
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_SKIPPED_TYPES = ("text/css", "text/javascript", "text/x-vcard", "text/vcard", "text/directory", "text/rtf")
_CALENDAR_TEXT = re.compile(r"^(?:SUMMARY|LOCATION|DESCRIPTION|COMMENT)(?:;[^:\n]{0,200})?:(.*)$", re.MULTILINE)
_TAGS = re.compile(r"<[^<>]{0,200}>")


class Content:
    """Content of one message.

    ``labels`` are the charsets that it names, ``texts`` the text of each leaf with its branch, ``hidden`` the texts
    that HTML hides, ``hosts`` the hosts of links, and ``attachments`` the tokens of attachments.
    """

    def __init__(self, raw: bytes, defects: Defects) -> None:
        self.defects = defects
        self.walk = Walk.of(raw, defects)
        self.fields = self.walk.head.fields
        self.labels = self._labels()
        self.decoder = MessageDecoder(self.labels, defects, partial(_unlabelled, self.walk))
        self.subject = self.text_of(self.walk.head.first(b"subject"))
        self.texts: list[tuple[Branch, str]] = []
        self.hidden: list[str] = []
        self.hosts: dict[str, None] = {}
        self.attachments: list[str] = []
        self._left = MAX_TEXT_BYTES
        for i, leaf in enumerate(self.walk.leaves):
            if i in self.walk.within:
                self.texts.append((leaf.branch, self.text_of(self.walk.within[i].first(b"subject"))))
            self._read(leaf)

    def text_of(self, value: bytes) -> str:
        """Decode the value of a header field."""
        return header_text(value, self.decoder)

    @property
    def body(self) -> str:
        """Text of all parts, for an alternative that of the branch with the most letters."""
        if len(self.texts) == 1:
            return self.texts[0][1]
        return "\n".join(text for text in _richest(self.texts) if text)

    def _labels(self) -> list[str]:
        """Charsets that the message names, in lower case and sorted; of very many, the first ones."""
        written = [leaf.content.charset for leaf in self.walk.leaves]
        if self.walk.head.has_encoded_words:
            written += [name for _, value in self.fields if b"=?" in value for name in charsets_in(value)]
        labels = list(dict.fromkeys(filter(None, (label.strip().lower()[:60] for label in written))))
        if len(labels) > _MAX_LABELS:
            self.defects.add("charset", f"the message names {len(labels)} charsets; the first {_MAX_LABELS} are used")
        return sorted(labels[:_MAX_LABELS])

    def _read(self, leaf: Leaf) -> None:
        named = leaf.name
        if leaf.is_attached or named is not None:
            name = "" if named is None else named.text(self.decoder)
            self.attachments += attachment_tokens(name, leaf.type, leaf.size)
        if _is_skipped(leaf) or self._left <= 0:
            return
        data = leaf.body(self._left, self.defects)
        self._left -= max(len(data), (leaf.end - leaf.start) // 3)
        if b"\n" not in data and b"\r" in data:
            data = data.replace(b"\r", b"\n")
        label = leaf.content.charset
        if leaf.type in _HTML_TYPES or _looks_like_html(data):
            self._read_page(self.decoder.decode(data, label or charset_in(data), leaf.type[:40]), leaf.branch)
            return
        text = _plain(self.decoder.decode(data, label, leaf.type[:40]), leaf.type)
        self.hosts |= dict.fromkeys(hosts_in(text))
        self.texts.append((leaf.branch, text))

    def _read_page(self, source: str, branch: Branch) -> None:
        if len(source) > MAX_PAGE_LENGTH:
            self.defects.add("size", f"an HTML page has {len(source)} characters; about {MAX_PAGE_LENGTH} were read")
        page = read_html(source)
        self._left -= 3 * min(len(source), MAX_PAGE_LENGTH)  # HTML takes more time than plain text
        self.hidden.append(page.hidden)
        self.hosts |= dict.fromkeys(page.hosts)
        self.texts.append((branch, page.visible))


def _unlabelled(walk: Walk) -> bytes:
    """Sample of the lines without a label that are neither ASCII nor UTF-8: of header fields, file names and parts."""
    texts = [value for _, value in walk.head.fields]
    texts += [head.first(b"subject") for head in walk.within.values()]
    for leaf in walk.leaves:
        texts += [] if leaf.name is None or leaf.name.charset else [leaf.name.data]
        if not _is_skipped(leaf) and means_no_charset(charset_of(leaf.content.charset)):
            data = leaf.body(_SAMPLE_BYTES, Defects())
            texts += [data] if means_no_charset(charset_of(charset_in(data))) else []
    texts = [text for text in texts if not text.isascii() and not resembles_utf8(text)]
    return b"\n".join(line for text in texts for line in text.splitlines() if not line.isascii())[:_SAMPLE_BYTES]


def _is_skipped(leaf: Leaf) -> bool:
    return leaf.is_attached or leaf.type in _SKIPPED_TYPES


def _looks_like_html(data: bytes) -> bool:
    return b"<" in data[:400] and b"<html" in data[:400].lower()


def _plain(text: str, kind: str) -> str:
    """Plain text of a part: the texts of a calendar, enriched text without its tags, LF for CRLF."""
    if kind == "text/calendar":
        unfolded = text.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "")
        return "\n".join(said.replace("\\n", "\n").replace("\\,", ",") for said in _CALENDAR_TEXT.findall(unfolded))
    if kind in ("text/enriched", "text/richtext"):
        text = _TAGS.sub("", text)
    return (text.replace("\r\n", "\n") if "\r" in text else text).strip("\n")


def _richest(texts: list[tuple[Branch, str]]) -> Iterator[str]:
    """Texts in order, for each alternative those of the branch with the most letters."""
    letters: dict[int, dict[int, int]] = {}
    for branch, text in texts:
        if branch is not None:
            sizes = letters.setdefault(branch[0], {})
            sizes[branch[1]] = sizes.get(branch[1], 0) + len("".join(text.split()))
    best = {number: max((size, i) for i, size in sizes.items())[1] for number, sizes in letters.items()}
    return (text for branch, text in texts if branch is None or best[branch[0]] == branch[1])
