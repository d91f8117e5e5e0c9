"""Mail as a corpus, one mail store per class, and as input, one document per message.

``mailboxes`` finds the messages as bytes, ``message`` turns each into a Document, here on several processes.
"""

import math
import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from textnb.document import Document
from textnb.errors import InputError
from textnb.parallel import as_jobs, map_ordered
from textnb.readers.compression import COMPRESSED
from textnb.readers.folders import check_class_links, composed, is_kind, real_folder
from textnb.readers.mailboxes import (
    file_messages,
    is_maildir,
    may_be_mail,
    mbox_messages,
    store_files,
    visible,
)
from textnb.readers.settings import DESCRIPTION, Settings, Then, Troubles, header_field
from textnb.readers.thunderbird import SUBFOLDERS_SUFFIX, has_index, is_deleted, shown_folder_name

if TYPE_CHECKING:
    from textnb.readers.message.features import MailFeatures

MAIL_DAMAGE = "defects in {number} of {total} messages; everything readable was read"
_BATCH_BYTES = 1 << 18  # bytes of mail that are sent to another process at a time
_SECONDS_BEFORE_PROCESSES = 0.5  # processes that read mail start faster than others
_BATCHES_WORTH_PROCESSES = 16  # batches from files for which processes are started at once
_SUFFIXES = (*COMPRESSED, ".mbox", ".mbx", ".eml")


def read_mail(path: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """Read the messages of a corpus or, without labels, of one store; ids are paths from the root."""
    if not settings.labelled:
        yield from _documents(_unread(path, path, None, settings, troubles), settings)
        return
    if (field := header_field(settings.label)) is not None:
        messages = _unread(path, path, None, settings, troubles)
        yield from _documents(_labelled_by(field, messages, troubles), settings)
        return
    if path.is_file() or is_maildir(path):
        template = (
            "{path} is one mail store; a corpus is a folder with one store per class, or its messages name their class "
            "in a header field (--label header:X-Gmail-Labels)"
        )
        raise InputError(template, path=path)
    stores = [entry for entry in visible(path) if _is_wanted(composed(entry.name), settings)]
    check_class_links(path, stores)
    others = [entry for entry in stores if is_kind(entry.is_file) and not may_be_mail(Path(entry))]
    troubles.not_read += [composed(entry.name) for entry in others]
    stores = [entry for entry in stores if entry not in others]
    found = (_unread(Path(each), path, _label_of(each, settings), settings, troubles) for each in stores)
    unread = chain.from_iterable(found)
    yield from _documents(unread, settings)


def _labelled_by(field: str, messages: Iterator["_Unread"], troubles: Troubles) -> Iterator["_Unread"]:
    """Give each message the label in a header field; those without one are counted."""
    from textnb.readers.message.header_label import take_labels

    for message in messages:
        labels, raw = take_labels(message.raw, field)
        if len(labels) > 1:
            troubles.reject(message.id, f"more than one label in {field}: {', '.join(labels)}")
        elif labels:
            yield _Unread(labels[0], message.id, raw)
        else:
            troubles.unlabelled.append(message.id)


def read_mail_stream(stream: BinaryIO, settings: Settings) -> Iterator[Document]:
    """Read the messages of a stream, such as standard input: an mbox, or one message."""
    messages = (_Unread(None, str(n), raw) for n, raw in enumerate(mbox_messages(stream), 1))
    return _documents(messages, settings, enough=math.inf)  # a stream may be slow: do not wait for it


class _Unread(NamedTuple):
    """Bytes of a message, with its label and id."""

    label: str | None
    id: str
    raw: bytes


_Plain = tuple[str | None, str, bytes]
"""_Unread as a plain tuple, which is pickled faster."""


def _documents(
    messages: Iterator[_Unread], settings: Settings, enough: float = _BATCHES_WORTH_PROCESSES
) -> Iterator[Document]:
    """Read messages one after the other, or in batches on several processes."""
    if as_jobs(settings.jobs) == 1:
        from textnb.readers.message.message import message_document

        return (message_document(raw, settings.mail, label, name) for label, name, raw in messages)
    read = partial(_read, settings.mail, settings.then)
    batches = map_ordered(read, _batches(messages), settings.jobs, _SECONDS_BEFORE_PROCESSES, enough)
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
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _unread(store: Path, root: Path, label: str | None, settings: Settings, troubles: Troubles) -> Iterator[_Unread]:
    """Find the messages of a store whose files are wanted."""
    below = len(str(root / "a")) - 1  # making a Path for each file takes as long as reading a mail's head
    for file in store_files(store, real_folder(root), troubles.links):
        whole = composed(file[below:].replace(os.sep, "/"))  # empty if the file is the root
        name = whole.rpartition("/")[2] or root.name
        chosen = settings.glob is None or fnmatch(name, settings.glob) or fnmatch(whole, settings.glob)
        if not chosen or not _is_wanted(name, settings):
            continue
        try:
            for found, raw in file_messages(file, whole):
                if is_deleted(raw):
                    troubles.deleted.append(found)
                else:
                    yield _Unread(label, found.removeprefix(":") or file, raw)
        except FileNotFoundError:  # another program has moved it meanwhile
            troubles.not_read.append(whole)
        except OSError as error:
            troubles.reject(file, str(error))


def _is_wanted(name: str, settings: Settings) -> bool:
    return name not in settings.exclude and name != DESCRIPTION


def _label_of(entry: os.DirEntry[str], settings: Settings) -> str:
    name = composed(entry.name)
    if name in settings.labels:
        return settings.labels[name]
    if is_kind(entry.is_file):
        return shown_folder_name(name) if has_index(Path(entry)) else _without_suffixes(name, _SUFFIXES)
    folder = _without_suffixes(name, (SUBFOLDERS_SUFFIX,))
    return folder if folder == name else shown_folder_name(folder)


def _without_suffixes(name: str, suffixes: Iterable[str]) -> str:
    """Name of a store without these suffixes, which is the label."""
    for suffix in suffixes:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return name
