"""Mail stores: mbox files (plain or compressed), Maildir, MH, folders of messages and single messages, read as bytes.

An mbox is one file; each message begins with a From_ line, ``From name Fri Jan  2 03:04:05 2026``. The dialects differ
in how they protect a line of the text that begins in the same way:

    mboxo, mboxrd   ">" is put before the line; one ">" is removed again
    mboxcl          Content-Length is the length of the text; it is used if a From_ line or the end follows the text

Thunderbird writes From_ lines without name and date, and keeps other files beside its mboxes (``thunderbird.py``).

Messages are read one at a time, so that only one is in memory. Of a message longer than LONGEST_MESSAGE, the beginning
is read.
"""

import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from textnb.readers.compression import is_compressed, open_bytes
from textnb.readers.folders import is_kind, may_be_followed
from textnb.readers.settings import DESCRIPTION
from textnb.readers.thunderbird import SUBFOLDERS_SUFFIX, has_index, is_of_thunderbird

LONGEST_MESSAGE = 1 << 25
"""Number of bytes of a message that are read."""

MAIL_COLUMNS = ("date", "from", "subject")
"""Names of what a table of mails shows of each."""

_FROM = re.compile(rb"From (?:(?:.*\s)?[A-Z][a-z]{2}\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d{1,2}:\d\d|\r?\n)")
_HEAD_END = re.compile(rb"\n(?=[ \t\r\v\f]*+\n|From )")
_BLANK = re.compile(rb"\n[ \t\r\v\f]*+\n")
_BODY_END = re.compile(rb"\n(?=From )")
_QUOTED = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_FIELD = re.compile(rb"[!-9;-~]{1,100}[ \t]*:|>?From ")
_MAIL = re.compile(rb"[A-Za-z][\w.-]{0,99}[ \t]*:|>?From ")
_LENGTH = re.compile(rb"^Content-Length:[ \t]*(\d{1,12})\s*$", re.IGNORECASE | re.MULTILINE)
_BLOCK = 1 << 16  # bytes that are read at a time
_MAX_LINE_LENGTH = 1 << 20
_MAX_FIRST_LINE, _MAX_BLANK_LINES = 1000, 100
_CURRENT_FOLDER = os.curdir + os.sep
_FOLDERS_OF_MAILDIR = ("cur", "new", "tmp")

Raw = tuple[str, bytes]
"""Id and bytes of a message."""


class _Source:
    """Stream of bytes with a buffer; bytes can be put back."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.block, self.at = b"", 0

    def readline(self) -> bytes:
        """Read the next line, or a piece of a very long line; empty at the end."""
        end = self.block.find(b"\n", self.at)
        while end < 0 and len(self.block) - self.at < _MAX_LINE_LENGTH and (more := self.stream.read(_BLOCK)):
            self.unread(more, behind=True)
            end = self.block.find(b"\n")
        return self._taken(end + 1 if end >= 0 else min(len(self.block), self.at + _MAX_LINE_LENGTH))

    def lines_before(self, end: re.Pattern[bytes]) -> bytes:
        """Read the whole lines in the buffer up to the line end that the pattern finds."""
        found = end.search(self.block, self.at - 1)
        last = self.block.rfind(b"\n", self.at) if found is None else found.start()
        return self._taken(max(last + 1, self.at))

    def read(self, size: int) -> bytes:
        """Read so many bytes, fewer at the end."""
        pieces = [self._taken(self.at + size)]
        size -= len(pieces[0])
        while size and (more := self.stream.read(min(size, _BLOCK))):
            pieces.append(more)
            size -= len(more)
        return b"".join(pieces)

    def unread(self, data: bytes, *, behind: bool = False) -> None:
        """Put bytes into the buffer, before or behind what is in it."""
        left = self.block[self.at :]
        self.block, self.at = left + data if behind else data + left, 0

    def _taken(self, end: int) -> bytes:
        piece = self.block[self.at : end]
        self.at += len(piece)
        return piece


def mbox_messages(stream: BinaryIO) -> Iterator[bytes]:
    r"""Read the messages of an mbox, without their From_ lines; any other stream is one message.

    >>> import io
    >>> box = b"From a Fri Jan  2 03:04:05 2026\nTo: b\n\n>From here\n\nFrom c Fri Jan  2 03:04:06 2026\nTo: d\n\nyes\n"
    >>> list(mbox_messages(io.BytesIO(box)))
    [b'To: b\n\nFrom here\n', b'To: d\n\nyes\n']
    """
    source = _Source(stream)
    line = source.readline()
    while line and not line.strip():
        line = source.readline()
    if not line.startswith(b"From "):
        if line:
            source.unread(line)
            yield source.read(LONGEST_MESSAGE + 1)
        return
    while line:
        message, line = _message(source)
        yield message


def _only_message(data: bytes) -> bytes | None:
    """Message in the bytes of a whole file, if it clearly has one; else None, and it must be read line by line."""
    if not data or data[:1].isspace():
        return None
    if not data.startswith(b"From "):
        return data
    start = data.find(b"\n") + 1
    if not start or data[start : start + 1].isspace() or data.find(b"From ", start) >= 0:
        return None
    blank = _BLANK.search(data, start)
    if blank is None or b"content-length" in data[start : blank.start()].lower():
        return None
    return data[start : _before_last_line(data) if blank.end() < len(data) else None]


def _message(source: _Source) -> tuple[bytes, bytes]:
    """Read the message after a From_ line; returned with the next From_ line, which is empty at the end."""
    head = []
    while (line := source.readline()) and line.strip() and not _is_from(line):
        head += [line, source.lines_before(_HEAD_END)]
    if not line or line.strip():
        return b"".join(head), line
    head.append(line)
    body, line = _body_by_length(source, b"".join(head)) or _body_by_lines(source)
    return b"".join([*head, body]), line


def _body_by_length(source: _Source, head: bytes) -> tuple[bytes, bytes] | None:
    """Read the body by Content-Length; returned with the next From_ line, None if the length is wrong."""
    length = _LENGTH.search(head) if b"content-length" in head.lower() else None
    if length is None or int(length[1]) > LONGEST_MESSAGE:
        return None
    body = source.read(int(length[1]))
    after = []
    while (line := source.readline()) and not line.strip():
        after.append(line)
    if len(body) == int(length[1]) and (not line or _is_from(line)):
        return body, line
    source.unread(b"".join([body, *after, line]))
    return None


def _body_by_lines(source: _Source) -> tuple[bytes, bytes]:
    """Read the body up to the next From_ line; returned with that line."""
    kept: list[bytes] = []
    size = 0
    while (line := source.readline()) and not _is_from(line):
        lines = line + source.lines_before(_BODY_END)
        kept.append(lines[: max(LONGEST_MESSAGE + 1 - size, 0)])
        size += len(lines)
    return _unquoted(b"".join(kept)), line


def _unquoted(body: bytes) -> bytes:
    """Body without its last blank line, and without the ">" before "From "."""
    body = body[: _before_last_line(body)]
    return _QUOTED.sub(b"", body) if b">From " in body else body


def _before_last_line(data: bytes) -> int:
    """Offset of the end of data without its last line, if that is blank."""
    last = data.rfind(b"\n", 0, -1) + 1
    return len(data) if data[last:].strip() else last


def _is_from(line: bytes) -> bool:
    return line.startswith(b"From ") and _FROM.match(line) is not None


def is_mbox(path: Path) -> bool:
    """Whether a file begins with a From_ line and a header field, or has an index of Thunderbird beside it."""
    first, second = _first_lines(path)
    return (_FROM.match(first) is not None and _FIELD.match(second) is not None) or has_index(path)


def may_be_mail(path: Path) -> bool:
    """Whether a file is empty or begins with a From_ line or a header field, by its content or its name."""
    first, _ = _first_lines(path)
    return not first or _MAIL.match(first) is not None or path.suffix.lower() == ".eml" or has_index(path)


def _first_lines(path: Path) -> tuple[bytes, bytes]:
    """First two lines of a file after blank lines; empty if it cannot be read."""
    try:
        with open_bytes(path) as stream:
            lines = iter(partial(stream.readline, _MAX_FIRST_LINE), b"")
            first = next((line for line in islice(lines, _MAX_BLANK_LINES) if line.strip()), b"")
            return first, next(lines, b"")
    except OSError:
        return b"", b""


def is_mail_corpus(root: Path) -> bool:
    """Whether a folder has only mail stores in it, one per class, or is a folder of Thunderbird."""
    entries = [Path(entry) for entry in _without_linked_folders(root) if entry.name != DESCRIPTION]
    if is_maildir(root):
        return False
    return any(map(has_index, entries)) or (bool(entries) and all(map(is_store, entries)))


def is_store(path: Path) -> bool:
    """Whether a path is clearly a mail store: an mbox, a Maildir, an MH folder, or only .eml files."""
    if path.is_file():
        return path.suffix.lower() == ".eml" or is_mbox(path)
    if is_maildir(path) or (path / ".mh_sequences").is_file():
        return True
    entries = _without_linked_folders(path)
    if path.suffix.lower() == SUBFOLDERS_SUFFIX:
        return all(is_store(Path(entry)) for entry in entries)
    return bool(entries) and all(
        entry.name.lower().endswith(".eml") if is_kind(entry.is_file) else is_store(Path(entry)) for entry in entries
    )


def is_maildir(path: Path) -> bool:
    """Whether a folder has the subfolders of a Maildir, cur and new."""
    return (path / "cur").is_dir() and (path / "new").is_dir()


def _without_linked_folders(folder: Path) -> list[os.DirEntry[str]]:
    return [entry for entry in visible(folder) if not (entry.is_symlink() and is_kind(entry.is_dir))]


def visible(folder: Path) -> list[os.DirEntry[str]]:
    """Entries of a folder that are neither hidden nor Thunderbird's own, sorted by number and name."""
    try:
        with os.scandir(folder) as entries:
            names = (entry for entry in entries if not entry.name.startswith("."))
            return sorted((entry for entry in names if not is_of_thunderbird(entry.name)), key=_in_order)
    except OSError:
        return []


def _in_order(entry: os.DirEntry[str]) -> tuple[int, str]:
    name = entry.name
    return (int(name), name) if name.isascii() and name.isdigit() and len(name) < 20 else (1 << 64, name)


def store_files(path: Path, root: str, links: list[str]) -> Iterator[str]:
    """Paths of the files of a mail store, in order; links that ``may_be_followed`` refuses are added to ``links``."""
    if path.is_file():
        yield str(path)
        return
    is_mh = (path / ".mh_sequences").is_file()
    for entry in _entries_of_maildir(path) if is_maildir(path) else visible(path):
        if not may_be_followed(entry, root):
            links.append(_path(entry))
        elif not is_kind(entry.is_file):
            yield from store_files(Path(entry), root, links)
        elif not is_mh or entry.name.isdigit():
            yield _path(entry)


def _entries_of_maildir(path: Path) -> Iterator[os.DirEntry[str]]:
    """Messages of a Maildir, then the Maildirs in it, hidden or not, by name; new or cur itself if it is a link."""
    with os.scandir(path) as entries:
        folders = {entry.name: entry for entry in entries if is_kind(entry.is_dir)}
    for box in ("new", "cur"):
        if folders[box].is_symlink():
            yield folders[box]
        else:
            yield from (file for file in visible(path / box) if is_kind(file.is_file))
    inner = sorted(name for name in folders if name not in _FOLDERS_OF_MAILDIR and is_maildir(path / name))
    yield from (folders[name] for name in inner)


def _path(entry: os.DirEntry[str]) -> str:
    """Same as str(Path(entry)), ten times faster."""
    return entry.path.removeprefix(_CURRENT_FOLDER)


def file_messages(path: str, name: str) -> Iterator[Raw]:
    """Read the messages of one file; ids are ``name`` for one message, ``name:1``, ``name:2`` ... for several."""
    if (only := _only_message_of(path)) is not None:
        yield name, only
        return
    with open_bytes(path, buffering=0) as stream:
        messages = mbox_messages(stream)
        first, second = next(messages, None), next(messages, None)
        if first is None:
            return
        if second is None:
            yield name, first
            return
        for number, message in enumerate(chain([first, second], messages), 1):
            yield f"{name}:{number}", message


def _only_message_of(path: str) -> bytes | None:
    """Message of a short file that clearly has one, read as fast as possible; else None.

    A file that is not an ordinary one, such as a pipe, is not opened, because it could be read only once.
    """
    found = os.stat(path)  # noqa: PTH116  # a Path takes longer than all the rest
    if not stat.S_ISREG(found.st_mode) or found.st_size >= _BLOCK or is_compressed(path):
        return None
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data = os.read(descriptor, found.st_size + 1)
    finally:
        os.close(descriptor)
    return _only_message(data) if len(data) == found.st_size else None
