"""Mail as a corpus, one store a class, and as input, where each message is a record."""

import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from textnb.errors import InputError
from textnb.readers.document import Document
from textnb.readers.folders import composed, holds
from textnb.readers.mailboxes import file_messages, is_maildir, is_store, mbox_messages, store_files, visible
from textnb.readers.settings import DESCRIPTION, Settings
from textnb.readers.trouble import Troubles

MAIL_DAMAGE = "messages have defects; what can be read of them was read"
_SUFFIXES = (".gz", ".mbox", ".mbx", ".eml")


def is_mail_corpus(root: Path) -> bool:
    """Whether a folder holds mail stores and nothing else, one a class."""
    entries = [entry for entry in visible(root) if entry.name != DESCRIPTION]
    return bool(entries) and not is_maildir(root) and all(is_store(Path(entry)) for entry in entries)


def read_mail(path: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The messages of a corpus or, where labels are not asked for, of a store; ids are paths from the root."""
    if not settings.labelled:
        yield from _messages(path, path, None, settings, troubles)
        return
    if path.is_file() or is_maildir(path):
        raise InputError(f"{path} is one mail store and has no classes; a corpus is a folder with one store per class")
    for entry in visible(path):
        name = composed(entry.name)
        if name != DESCRIPTION and name not in settings.exclude:
            label = settings.labels.get(name, _label(name) if holds(entry.is_file) else name)
            yield from _messages(Path(entry), path, label, settings, troubles)


def read_mail_stream(stream: BinaryIO, settings: Settings) -> Iterator[Document]:
    """The messages of a stream that can be read only once: an mbox, or one message."""
    from textnb.readers.mail.message import read_message

    for number, raw in enumerate(mbox_messages(stream), 1):
        yield replace(read_message(raw, settings.mail), id=str(number))


def _messages(store: Path, root: Path, label: str | None, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    from textnb.readers.mail.message import read_message

    below = len(str(root / "a")) - 1  # pathlib's relative_to takes as long as reading a mail's head
    for file in store_files(store):
        whole = composed(str(file)[below:].replace(os.sep, "/")) if file != root else ""
        name = whole.rpartition("/")[2] or file.name
        wanted = settings.glob is None or fnmatch(name, settings.glob) or fnmatch(whole, settings.glob)
        if not wanted or name in settings.exclude or name == DESCRIPTION:
            continue
        try:
            for found, raw in file_messages(file, whole):
                message = read_message(raw, settings.mail)
                yield replace(message, label=label, id=found.removeprefix(":") or str(file))
        except FileNotFoundError:  # another program has moved it meanwhile
            troubles.outside.append(whole)
        except (OSError, EOFError, zlib.error) as error:
            troubles.bad(str(file), str(error))


def _label(name: str) -> str:
    """The class that a file is named after.

    >>> _label("spam.mbox.gz")
    'spam'
    """
    for suffix in _SUFFIXES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return name
