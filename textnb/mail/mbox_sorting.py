"""Sorting of an mbox: messages are copied to new mboxes by class; the file itself changes only if that is asked for.

    NAME                the mbox that is sorted
    FOLDER/DESTINATION  new mboxes, one for each destination that gets a message
    NAME.before-textnb  with ``remove``: the mbox as it was; NAME then has the messages that stay

All new files are written under other names and get theirs at the end: nothing that exists is overwritten. Messages are
written as mboxrd, with ">" before lines that begin like a From_ line. Messages that Thunderbird has marked as deleted
are not copied, and stay in the file.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from textnb.errors import InputError
from textnb.mail.decision import MailFilter
from textnb.mail.sorting import Outcome, SortPlan
from textnb.readers.compression import is_compressed
from textnb.readers.mailboxes import file_messages, is_mbox
from textnb.readers.thunderbird import INDEX_SUFFIX, is_deleted
from textnb.storage import atomic

BACKUP_SUFFIX = ".before-textnb"
_FROM = re.compile(rb"^(?=>*From )", re.MULTILINE)
_LENGTH = re.compile(rb"^Content-Length:[^\n]*\n", re.IGNORECASE | re.MULTILINE)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class MboxPlan:
    """What to do with the messages of an mbox: as in ``SortPlan``, the folder of new mboxes, whether they leave."""

    sort: SortPlan
    folder: Path
    remove: bool = False


def check_mbox(path: Path) -> None:
    """Raise InputError if a file is not an mbox."""
    if not is_mbox(path) or is_compressed(path):
        raise InputError(
            "{path} is neither a Maildir nor an mbox; name a folder with cur and new, or an mbox", path=path
        )


def sort_mbox(path: Path, mails: MailFilter, plan: MboxPlan) -> Iterator[Outcome]:
    """Judge the messages of an mbox, yield each outcome, and at the end give the new files their names.

    If the iteration does not come to its end, nothing has changed.
    """
    check_mbox(path)
    apply, removes = plan.sort.apply, plan.sort.apply and plan.remove
    places = {name: plan.folder / _file_name(name) for name in plan.sort.destinations.names}
    if apply:
        _check_free([*places.values(), *([_backup(path)] if removes else [])])
        plan.folder.mkdir(parents=True, exist_ok=True)
    before = path.stat()
    with ExitStack() as original, ExitStack() as others:  # the new mboxes get their names first
        rest = original.enter_context(atomic(path)) if removes else None
        streams: dict[str, IO[bytes]] = {}
        for name, message in file_messages(str(path), ""):
            outcome = (
                None if is_deleted(message) else _outcome(name.removeprefix(":") or "1", message, mails, plan.sort)
            )
            if outcome is not None:
                yield outcome
            to = None if outcome is None else outcome.destination
            if apply and outcome is not None and to is not None:
                if to not in streams:
                    streams[to] = others.enter_context(atomic(places[to]))
                streams[to].write(as_mbox(mails(message).message if outcome.tagged else message))
            elif rest is not None:
                rest.write(as_mbox(message))
        if (path.stat().st_size, path.stat().st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise InputError("{path} has changed while it was read; close your mail program and try again", path=path)
        if removes:
            _keep(path)
            path.with_name(path.name + INDEX_SUFFIX).unlink(missing_ok=True)  # the mail program makes it anew


def _keep(path: Path) -> None:
    """Give the mbox, as it is, a second name."""
    try:
        _backup(path).hardlink_to(path)
    except OSError:  # not every file system has links
        shutil.copy2(path, _backup(path))


def _outcome(name: str, message: bytes, mails: MailFilter, plan: SortPlan) -> Outcome:
    filtered = mails(message)
    tagged = plan.tag and filtered.message != message
    return Outcome(name, filtered.verdict, plan.destinations(filtered.verdict), tagged, message=message)


def as_mbox(message: bytes) -> bytes:
    r"""Return a message as a part of an mbox, with a From_ line before it and an empty line after it.

    >>> as_mbox(b"Subject: a\n\nFrom here on")
    b'From - Thu Jan 01 00:00:00 1970\nSubject: a\n\n>From here on\n\n'
    """
    line_end = b"\r\n" if b"\r\n" in message[:1000] else b"\n"
    separator = f"From - {_EPOCH:%a %b %d %H:%M:%S %Y}".encode("ascii")
    head, blank, body = message.partition(line_end * 2)
    text = _LENGTH.sub(b"", head + line_end)[: -len(line_end)] + blank + _FROM.sub(b">", body)
    return separator + line_end + text + (b"" if text.endswith(line_end) else line_end) + line_end


def _file_name(folder: str) -> str:
    if not folder.strip(". ") or folder.startswith(".") or set(folder) & {"/", os.sep, "\0"}:
        raise InputError("{name!r} cannot be the name of an mbox; use --move CLASS=NAME", name=folder)
    return folder


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _check_free(places: list[Path]) -> None:
    for place in places:
        if place.exists():
            raise InputError("{path} already exists; remove it or name another folder with --to", path=place)
