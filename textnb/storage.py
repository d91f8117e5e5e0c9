"""Storage of files: atomic writing, locks, and reading of TOML."""

import codecs
import os
import re
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from textnb.errors import InputError

_MAX_REPEATED_NAME = 40  # characters of a name that its temporary file repeats, because file names are limited
# A dotted key with more parts than any of ours; the time and memory that Python needs for one grow with their square.
_LONG_KEY = re.compile(r"""(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
_SUFFIX, _N_RANDOM = ".tmp", 8  # end of the name of a temporary file; characters that mkstemp puts before it
KEEPS_OPEN = os.name != "nt"
"""False where an open file can be neither replaced nor renamed."""
_NOT_WRITABLE = "{path} cannot be written: {why}"


@contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces ``path`` when the block ends, and is removed if the block fails.

    The bytes are on disk before the file gets its name. The permissions of the old file are kept and, if root writes,
    its owner; a link is followed. Temporary files of runs that were killed are removed.
    """
    target = Path(os.path.realpath(path))
    check_writable(target)
    try:
        remove_abandoned(target)
        handle, name = _temporary(target)
    except OSError as error:
        raise InputError(_NOT_WRITABLE, path=path, why=error.strerror) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            if target.exists():
                give(stream.fileno(), target.stat())
            Path(name).chmod(_mode(target))
            os.fsync(stream.fileno())
            if not KEEPS_OPEN:
                stream.close()
            Path(name).replace(target)  # still open and locked: nobody takes it for abandoned
    except BaseException as error:
        with suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError):
            raise InputError(_NOT_WRITABLE, path=path, why=error.strerror or error) from error
        raise
    sync_folder(target.parent)


def _temporary(target: Path) -> tuple[int, str]:
    """Create a temporary file beside a target, locked while it is open, which tells it from an abandoned one."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=_SUFFIX)
        if _lock_file_now(handle, wait=True) is not True or _is_named(handle, name):
            return handle, name
        os.close(handle)  # another process took it for abandoned before it was locked


def create(path: Path, data: bytes, like: os.stat_result) -> bool:
    """Create a file with these bytes, completely or not at all; False if there is one already.

    like: it gets this mode and, if root creates it, this owner.
    """
    remove_abandoned(path)
    handle, name = _temporary(path)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            give(stream.fileno(), like)
            Path(name).chmod(stat.S_IMODE(like.st_mode))
            os.fsync(stream.fileno())
            os.link(name, path)
    except FileExistsError:
        return False
    finally:
        Path(name).unlink()
    sync_folder(path.parent)
    return True


@contextmanager
def temporary_folder(target: Path, suffix: str) -> Iterator[Path]:
    """Give a hidden folder beside a target until the block ends; those of runs that were killed are removed.

    The latter not on Windows, where a folder cannot be locked.
    """
    target = Path(os.path.realpath(target))
    for path in _temporaries(target, suffix):
        with suppress(OSError), _opened(path, os.O_RDONLY) as handle:
            if _lock_file_now(handle, wait=False):
                shutil.rmtree(path)
    with TemporaryDirectory(dir=target.parent, prefix=_prefix(target), suffix=suffix) as name, ExitStack() as stack:
        with suppress(OSError):
            _lock_file_now(stack.enter_context(_opened(Path(name), os.O_RDONLY)), wait=True)
        Path(name).mkdir(exist_ok=True)  # another process may have removed it before it was locked
        yield Path(name)


@contextmanager
def folder_alone(folder: Path) -> Iterator[bool]:
    """Lock a folder until the block ends; give False if another process has done so.

    True, too, on Windows, where a folder cannot be locked.
    """
    with ExitStack() as stack:
        is_ours: bool | None = None
        with suppress(OSError):
            is_ours = _lock_file_now(stack.enter_context(_opened(folder, os.O_RDONLY)), wait=False)
        yield is_ours is not False


def remove_abandoned(target: Path) -> None:
    """Remove the temporary files that killed runs have left beside a target; those that are locked are in use."""
    for path in _temporaries(target, _SUFFIX):
        with suppress(OSError), _opened(path, os.O_RDWR) as handle:
            if _lock_file_now(handle, wait=False):
                path.unlink()


def _temporaries(target: Path, suffix: str) -> list[Path]:
    """Temporary files or folders beside a target, by their names."""
    start, length = _prefix(target), len(_prefix(target)) + _N_RANDOM + len(suffix)
    inside = target.parent.iterdir()
    return [
        each
        for each in inside
        if each.name.startswith(start) and each.name.endswith(suffix) and len(each.name) == length
    ]


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    """Give the handle of a file or folder that is not a link."""
    handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        yield handle
    finally:
        os.close(handle)


def _prefix(target: Path) -> str:
    return f".{target.name[:_MAX_REPEATED_NAME]}."


def _lock_file_now(handle: int, *, wait: bool) -> bool | None:
    """Lock an open file; False if another process has locked it, None if the system cannot lock."""
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be removed
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_named(handle: int, name: str) -> bool:
    """True if an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(handle), Path(name).stat())
    except FileNotFoundError:
        return False


def check_writable(path: str | Path) -> None:
    """Check that a file can be written, before long work whose result goes there."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise InputError(_NOT_WRITABLE, path=path, why="it is not an ordinary file")
    folder = target.parent
    if not folder.is_dir():
        what = "Not a directory" if folder.exists() else "No such file or directory"
        raise InputError(_NOT_WRITABLE, path=path, why=f"{what}: {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(_NOT_WRITABLE, path=path, why=f"the folder {folder} is read-only")


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Wait for the lock on ``path`` and hold it during the block; the system releases it if the process crashes.

    The lock is on a small hidden file beside ``path``, because the file itself is replaced at every change. Locks must
    not be nested: a process that asks twice waits for itself.
    """
    target = Path(os.path.realpath(path))
    try:
        stream = _lock_file(target.parent / f".{target.name}.lock")
    except OSError as error:
        raise InputError("{path} cannot be locked: {why}", path=path, why=error.strerror) from error
    with stream:
        _lock(stream)
        yield


def give(handle: int, owner: os.stat_result) -> None:
    """Give a new file the owner of another file; does nothing unless the process runs as root.

    The file is named by its handle, because its name may point to another file by then.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) != (owner.st_uid, owner.st_gid):
        os.fchown(handle, owner.st_uid, owner.st_gid)


def _lock_file(path: Path) -> IO[bytes]:
    """Open the file of a lock; a new one gets the owner of the folder, or else root would lock the owner out."""
    try:
        stream = path.open("xb")
    except FileExistsError:
        return path.open("a+b")
    with suppress(OSError):  # the lock works anyway
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
    """Permissions of a file, or those of a new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to disk."""
    with suppress(OSError):  # not every system supports it
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
        text = data.decode("utf-8")
        if (long := _LONG_KEY.search(text)) is not None:
            line = text.count("\n", 0, long.start()) + 1
            raise ValueError(f"a key has too many parts (at line {line})")
        return tomllib.loads(text)
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
