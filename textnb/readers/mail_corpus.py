"""Mail as a corpus, one store a class, and as input, where each message is a record."""

import math
import os
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from textnb.document import Document
from textnb.errors import InputError
from textnb.parallel import as_jobs, map_ordered
from textnb.readers.folders import composed, holds
from textnb.readers.mailboxes import file_messages, is_maildir, is_store, mbox_messages, store_files, visible
from textnb.readers.settings import DESCRIPTION, Settings, Then, Troubles

if TYPE_CHECKING:
    from textnb.readers.message.features import MailFeatures

MAIL_DAMAGE = "messages have defects; what can be read of them was read"
_BATCH = 1 << 18  # bytes of mail that are handed to another process at a time
_PATIENCE = 0.5  # seconds before there are any: readers of mail start sooner than the rest of textnb
_ENOUGH = 16  # batches from files that are worth a start at once
_SUFFIXES = (".gz", ".mbox", ".mbx", ".eml")


def is_mail_corpus(root: Path) -> bool:
    """Whether a folder holds mail stores and nothing else, one a class."""
    entries = [entry for entry in visible(root) if entry.name != DESCRIPTION]
    return bool(entries) and not is_maildir(root) and all(is_store(Path(entry)) for entry in entries)


def read_mail(path: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The messages of a corpus or, where labels are not asked for, of a store; ids are paths from the root."""
    if not settings.labelled:
        yield from _documents(_unread(path, path, None, settings, troubles), settings)
        return
    if path.is_file() or is_maildir(path):
        raise InputError(f"{path} is one mail store and has no classes; a corpus is a folder with one store per class")
    stores = (
        (_label_of(entry, settings), Path(entry))
        for entry in visible(path)
        if _is_wanted(composed(entry.name), settings)
    )
    unread = (each for label, store in stores for each in _unread(store, path, label, settings, troubles))
    yield from _documents(unread, settings)


def read_mail_stream(stream: BinaryIO, settings: Settings) -> Iterator[Document]:
    """The messages of a stream that can be read only once: an mbox, or one message."""
    messages = (_Unread(None, str(n), raw) for n, raw in enumerate(mbox_messages(stream), 1))
    return _documents(messages, settings, enough=math.inf)  # it may come slowly


class _Unread(NamedTuple):
    """A message as it lies in its store."""

    label: str | None
    id: str
    raw: bytes


_Plain = tuple[str | None, str, bytes]
"""The same as a tuple, which travels to another process in less time."""


def _documents(messages: Iterator[_Unread], settings: Settings, enough: float = _ENOUGH) -> Iterator[Document]:
    """The messages, read: one after the other, or many at a time in processes of their own."""
    if as_jobs(settings.jobs) == 1:
        from textnb.readers.message.message import message_document

        return (message_document(raw, settings.mail, label, name) for label, name, raw in messages)
    read = partial(_read, settings.mail, settings.then)
    batches = map_ordered(read, _batches(messages), settings.jobs, _PATIENCE, enough)
    return (document for documents in batches for document in documents)


def _read(features: "MailFeatures | None", then: Then | None, messages: list[_Plain]) -> list[Document]:
    from textnb.readers.message.message import message_document

    documents = [message_document(raw, features, label, name) for label, name, raw in messages]
    return documents if then is None else then(documents)


def _batches(messages: Iterator[_Unread]) -> Iterator[list[_Plain]]:
    batch: list[_Plain] = []
    size = 0
    for message in messages:
        batch.append((message.label, message.id, message.raw))
        size += len(message.raw)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _unread(store: Path, root: Path, label: str | None, settings: Settings, troubles: Troubles) -> Iterator[_Unread]:
    below = len(str(root / "a")) - 1  # a Path for each file takes as long as reading a mail's head
    for file in store_files(store):
        whole = composed(file[below:].replace(os.sep, "/"))  # nothing where the file is the root
        name = whole.rpartition("/")[2] or root.name
        chosen = settings.glob is None or fnmatch(name, settings.glob) or fnmatch(whole, settings.glob)
        if not chosen or not _is_wanted(name, settings):
            continue
        try:
            for found, raw in file_messages(file, whole):
                yield _Unread(label, found.removeprefix(":") or file, raw)
        except FileNotFoundError:  # another program has moved it meanwhile
            troubles.outside.append(whole)
        except (OSError, EOFError, zlib.error) as error:
            troubles.bad(file, str(error))


def _is_wanted(name: str, settings: Settings) -> bool:
    return name not in settings.exclude and name != DESCRIPTION


def _label_of(entry: os.DirEntry[str], settings: Settings) -> str:
    name = composed(entry.name)
    return settings.labels.get(name, _label(name) if holds(entry.is_file) else name)


def _label(name: str) -> str:
    """The class that a file is named after.

    >>> _label("spam.mbox.gz")
    'spam'
    """
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return name
