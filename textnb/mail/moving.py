"""Moving a message within and between Maildir folders without ever losing it: link, then unlink.

(1)  The message gets its new name, which must be free: by a hard link; on another file system, or with changed bytes,
     by a copy in tmp/ that is synced to the disk before it gets the name.
(2)  The new name is synced to the disk.
(3)  The old name is removed.

If a move is interrupted between (1) and (3), both names exist. ``is_same_message`` recognises them as one message, and
the next run does (3). If (3) fails, the new name is removed again. A unique name that another message has, whatever its
flags, is never taken over.
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
    """Move a message to the same box (new or cur) of a folder; return its path there, None if it has gone meanwhile.

    message: changed bytes to write in place of its own. alone: the folder is known to have no message of this unique
    name, so it is not searched for one, which is slow in large folders.
    """
    name = MaildirName.of(source.name)
    if not folder.samefile(source.parent.parent):
        name = name.in_another_folder()
    if message is not None:
        name = name.holding(message)
    try:
        arrived, made = _deliver(source, folder / source.parent.name / str(name), message, alone)
    except FileNotFoundError:
        if source.exists():
            raise
        return None
    sync_folder(arrived.parent)
    try:
        remove(source, arrived)
    except OSError as error:
        if made and source.exists():  # otherwise the new name may be the only one
            _undo(arrived, error)
        raise
    return arrived


def remove(source: Path, arrived: Path) -> None:
    """Remove the old name of a moved message, step (3); if its flags have changed meanwhile, its present name."""
    try:
        source.unlink()
    except FileNotFoundError:
        unique = MaildirName.of(source.name).unique
        for again in message_files(source.parent.parent):
            if MaildirName.of(again.name).unique == unique and is_same_message(again, arrived):
                again.unlink(missing_ok=True)


def find_twin(path: Path, others: Iterable[Path]) -> Path | None:
    """Find the same message under another name among the others; skip one that is to be deleted if this one is not."""
    deleted = MaildirName.of(path.name).deleted
    alike = (other for other in others if deleted or not MaildirName.of(other.name).deleted)
    return next((other for other in alike if is_same_message(path, other)), None)


def is_same_message(path: Path, other: Path) -> bool:
    """Return whether two different names belong to one message, X-Textnb fields ignored."""
    with suppress(OSError):
        if path.name == other.name and path.parent.samefile(other.parent):
            return False
        return path.samefile(other) or remove_field(path.read_bytes()) == remove_field(other.read_bytes())
    return False


def _deliver(source: Path, target: Path, message: bytes | None, alone: bool) -> tuple[Path, bool]:
    """Do step (1), under another name if this one is taken; return the path and whether it was made just now."""
    while True:
        there = [] if alone else _find_same_unique(target)
        twin = find_twin(source, there)
        if twin is not None:
            return twin, False
        if not there:
            with suppress(FileExistsError):
                _put(source, target, message)
                return target, True
        if not alone:
            target = target.with_name(str(MaildirName.of(target.name).another()))
        alone = False  # a message of this name has arrived meanwhile


def _find_same_unique(target: Path) -> list[Path]:
    """Messages of the target's folder that have its unique name."""
    folder, unique = target.parent.parent, MaildirName.of(target.name).unique
    found = []
    for box in BOXES:
        with os.scandir(folder / box) as entries:  # there may be many, so only few become paths
            names = [entry.name for entry in entries if entry.name.startswith(unique)]
        found += [folder / box / name for name in names if MaildirName.of(name).unique == unique]
    return found


def _undo(arrived: Path, error: OSError) -> None:
    """Undo step (1) after step (3) has failed; raise InputError if that fails, too."""
    try:
        arrived.unlink()
    except OSError:
        template = "{reason}; the message is also at {path}; the next run will remove one of the two"
        raise InputError(template, reason=error.strerror or error, path=arrived) from error


def _put(source: Path, target: Path, message: bytes | None) -> None:
    if message is not None:
        _copy(source, target, io.BytesIO(message))
    elif not _try_link(source, target):
        with source.open("rb") as stream:
            _copy(source, target, stream)


def _copy(source: Path, target: Path, content: BinaryIO) -> None:
    """Write the content to the target, with the time, the permissions and the owner of the source."""
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
        if not _try_link(draft, target):
            if target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
            draft.rename(target)
    finally:
        with suppress(OSError):  # a file left in tmp is not a message
            draft.unlink(missing_ok=True)


def _try_link(source: Path, target: Path) -> bool:
    """Hard-link a file; return False where the file system does not support that."""
    try:
        target.hardlink_to(source)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return False
    return True
