"""A message from one place of a Maildir to another, of which nothing is ever lost: link, then unlink.

(1)  the message gets its name at the new place, which must be free: by a link; on another file system, or with other
     bytes, by a copy in tmp/ that is on the disk before it gets the name
(2)  the new name reaches the disk
(3)  the old name goes

Should it end between (1) and (3), both names are there. ``same_message`` knows them for one, and whoever finds them
does (3). Where the old name cannot go, the new one does. Unique names that are taken by another message, whatever its
flags, are left to it.
"""

import errno
import io
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from textnb.errors import InputError
from textnb.mail.header_field import remove_field
from textnb.mail.maildir import BOXES, MaildirName, message_files
from textnb.storage import give, sync_folder

_NO_LINKS = {errno.EXDEV, errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def move(source: Path, folder: Path, message: bytes | None = None, *, alone: bool = False) -> Path | None:
    """Move a message to new or cur of a folder, as it was; its path there, None where it has gone meanwhile.

    message: other bytes that it is to have; alone: the folder was seen to have no message of its unique name, and is
    not searched for one, which takes long where there are many.
    """
    name = MaildirName.of(source.name)
    if not folder.samefile(source.parent.parent):
        name = name.in_another_folder()
    if message is not None:
        name = name.holding(message)
    try:
        arrived, made = _arrived(source, folder / source.parent.name / str(name), message, alone)
    except FileNotFoundError:
        if source.exists():
            raise
        return None
    sync_folder(arrived.parent)
    try:
        remove(source, arrived)
    except OSError as error:
        if made and source.exists():  # or the new name may be the only one
            _take_back(arrived, error)
        raise
    return arrived


def remove(source: Path, arrived: Path) -> None:
    """Step (3); where the flags have changed meanwhile, under the name that the message has now."""
    try:
        source.unlink()
    except FileNotFoundError:
        unique = MaildirName.of(source.name).unique
        for again in message_files(source.parent.parent):
            if MaildirName.of(again.name).unique == unique and is_same_message(again, arrived):
                again.unlink(missing_ok=True)


def find_twin(path: Path, others: Iterable[Path]) -> Path | None:
    """One of the others that is the same message under another name; not one that alone is marked to be deleted."""
    deleted = MaildirName.of(path.name).deleted
    alike = (other for other in others if deleted or not MaildirName.of(other.name).deleted)
    return next((other for other in alike if is_same_message(path, other)), None)


def is_same_message(path: Path, other: Path) -> bool:
    """Whether two names, not one name written in two ways, are of one message, whatever its tag."""
    with suppress(OSError):
        if path.name == other.name and path.parent.samefile(other.parent):
            return False
        return path.samefile(other) or remove_field(path.read_bytes()) == remove_field(other.read_bytes())
    return False


def _arrived(source: Path, target: Path, message: bytes | None, alone: bool) -> tuple[Path, bool]:
    """Step (1), and whether it was done just now; under another name where this one is taken by another message."""
    while True:
        there = [] if alone else _named_alike(target)
        twin = find_twin(source, there)
        if twin is not None:
            return twin, False
        if not there:
            with suppress(FileExistsError):
                _put(source, target, message)
                return target, True
        if not alone:
            target = target.with_name(str(MaildirName.of(target.name).another()))
        alone = False  # something has come meanwhile


def _named_alike(target: Path) -> list[Path]:
    """The messages of a folder that have the unique name of the target."""
    folder, unique = target.parent.parent, MaildirName.of(target.name).unique
    found = []
    for box in BOXES:
        with os.scandir(folder / box) as entries:  # which may be many, so that few become paths
            names = [entry.name for entry in entries if entry.name.startswith(unique)]
        found += [folder / box / name for name in names if MaildirName.of(name).unique == unique]
    return found


def _take_back(arrived: Path, error: OSError) -> None:
    """Undo step (1) after step (3) has failed, so that there is one name again; else say that there are two."""
    try:
        arrived.unlink()
    except OSError:
        reason = error.strerror or error
        raise InputError(f"{reason}; it is at {arrived}, too, and the next run takes one of them away") from error


def _put(source: Path, target: Path, message: bytes | None) -> None:
    if message is not None:
        _copy(source, target, io.BytesIO(message))
    elif not _linked(source, target):
        with source.open("rb") as stream:
            _copy(source, target, stream)


def _copy(source: Path, target: Path, content: BinaryIO) -> None:
    """The content under the name of the target, with the time, the permissions and the owner of the source."""
    held = source.stat()
    draft = target.parent.parent / "tmp" / f"{MaildirName.of(target.name).another().stem}"
    try:
        with draft.open("xb") as stream:
            shutil.copyfileobj(content, stream)
            stream.flush()
            give(stream.fileno(), held)
            os.fchmod(stream.fileno(), held.st_mode & 0o777)
            os.fsync(stream.fileno())
        os.utime(draft, ns=(held.st_atime_ns, held.st_mtime_ns))
        if not _linked(draft, target):
            if target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
            draft.rename(target)
    finally:
        with suppress(OSError):  # what is left in tmp is no message
            draft.unlink(missing_ok=True)


def _linked(source: Path, target: Path) -> bool:
    """Whether the file has the other name now; not where the file system, or the way to it, has no links."""
    try:
        target.hardlink_to(source)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return False
    return True
