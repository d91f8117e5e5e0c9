"""Files that are never half-written, one writer at a time; and TOML files, read with a clear refusal."""

import codecs
import os
import stat
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

from textnb.errors import InputError

_NAME = 40  # characters of the name that a temporary file repeats; names have a longest length


@contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write; it takes the place of ``path`` when the block ends well, and vanishes when it does not.

    The bytes reach the disk before the name does. The old file's permissions are kept; a link is followed.
    """
    target = Path(os.path.realpath(path))
    check_writable(target)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_NAME]}.", suffix=".tmp")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException as error:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
        raise
    sync_folder(target.parent)


def check_writable(path: str | Path) -> None:
    """Refuse a place that cannot be written to, before hours of work are spent on what goes there."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise InputError(f"{path} cannot be written: it is no ordinary file")
    folder = target.parent
    if not folder.is_dir():
        what = "Not a directory" if folder.exists() else "No such file or directory"
        raise InputError(f"{path} cannot be written: {what}: {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path} cannot be written: the folder {folder} is read-only")


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Wait for, and hold, the right to change ``path``; the operating system takes it back should we crash.

    The lock is on a small hidden file beside it, since the file itself is replaced at every change. It is not to be
    nested: a process that asks twice waits for itself.
    """
    target = Path(os.path.realpath(path))
    try:
        stream = _lock_file(target.parent / f".{target.name}.lock")
    except OSError as error:
        raise InputError(f"{path} cannot be locked: {error.strerror}") from error
    with stream:
        _lock(stream)
        yield


def give(handle: int, owner: os.stat_result) -> None:
    """Have a file that we have made belong to whom another one does; only root can, and need.

    By its handle, since a name may lead elsewhere by then.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) != (owner.st_uid, owner.st_gid):
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _lock_file(path: Path) -> IO[bytes]:
    """The file of a lock; a new one belongs to whom the folder does, or root would lock the owner out."""
    try:
        stream = path.open("xb")
    except FileExistsError:
        return path.open("a+b")
    with suppress(OSError):  # the lock is ours all the same
        give(stream.fileno(), path.parent.stat())
    return stream


def _lock(stream: IO[Any]) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt  # type: ignore[unreachable,unused-ignore]

        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(stream, fcntl.LOCK_EX)


def _mode(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def sync_folder(folder: Path) -> None:
    """Have the names in a folder reach the disk."""
    with suppress(OSError):  # not every system can
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_toml(path: str | Path, what: str = "the file", remedy: str = "") -> dict[str, Any]:
    """Read a TOML file in UTF-8, with or without a byte order mark, into a dictionary.

    ``what`` names the content in error messages; ``remedy`` ends the message about a file that is not TOML.
    """
    data = b""
    try:
        data = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8)
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise InputError("{path}: {what} cannot be read: {why}", path=path, what=what, why=error.strerror) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "{path}: {what} must be written in UTF-8 (at line {line})", path=path, line=line, what=what
        ) from error
    except RecursionError as error:
        line = _deepest_line(data)
        raise InputError("{path}: brackets are nested too deeply (at line {line})", path=path, line=line) from error
    except ValueError as error:  # tomllib.TOMLDecodeError, and a number with too many digits
        raise InputError("{path}: this is not TOML: {why}{remedy}", path=path, why=error, remedy=remedy) from error


def _deepest_line(data: bytes) -> int:
    """Number of the line on which the most brackets are open; brackets in strings are counted too."""
    depths = list(accumulate((byte in b"[{") - (byte in b"]}") for byte in data))
    return data.count(b"\n", 0, depths.index(max(depths))) + 1
