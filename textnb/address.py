"""Addresses of files elsewhere, such as s3://bucket/a.parquet, read and written by fsspec (extra ``remote``).

An ``Address`` answers what a Path is asked about a file (``name``, ``suffix``, ``is_file`` ...), so that readers take
either. ``file://`` is a path, and a drive letter of Windows is no address.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, BinaryIO, TypeVar, cast

from textnb.errors import InputError
from textnb.extension import cached_property

_ADDRESS = re.compile(r"(?:[A-Za-z][\w+.-]+::)*[A-Za-z][\w+.-]+://")
_LOCAL = re.compile(r"(?:file|local)://(?:/(?=[A-Za-z]:))?")
_PATTERN, _PATTERN_OF_WEB = re.compile(r"[*?\[]"), re.compile(r"\*")
_WEB = ("http://", "https://")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "hdfs": "pyarrow", "http": "aiohttp"}
_PACKAGES |= {
    "https": "aiohttp",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "az": "adlfs",
    "sftp": "paramiko",
    "ssh": "paramiko",
}
_STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory")
"""Protocols where a file appears when all of it has been written."""
_STATE = ("size", "mtime", "ETag", "Last-Modified", "Content-MD5", "Digest")
"""What file systems say of a file that changes with it; that of the web names a file by its address alone."""
_ONLY_WHOLE = "the server sends files only from their beginning; copy it to this machine first"
_EXTRA = "{address}: addresses need another package; run: pip install 'textnb[remote]'"
_FILE_SYSTEM = "{address}: {protocol}:// needs another package; run: pip install {package}"
_UNKNOWN = "{address}: {protocol}:// is not known to fsspec"
_ABSENT = "{address} does not exist"
_FORBIDDEN = "{address} cannot be opened: no permission ({why}); check the credentials"
_FAILED = "{address} cannot be read: {why}"
_NOT_WRITTEN = "{address} cannot be written: {why}"

Found = TypeVar("Found")


@dataclass(frozen=True)
class Address:
    """Address of a file or folder that fsspec opens; ``str`` gives it as it was written.

    Parameters
    ----------
    url : str
        Such as ``s3://bucket/folder/a.parquet``.
    """

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def protocol(self) -> str:
        """Name of the file system, such as s3."""
        return self.url.partition("://")[0].rpartition("::")[2].lower()

    @property
    def name(self) -> str:
        """Last part of the address, without the query of a web address."""
        return self.path.name

    @property
    def suffix(self) -> str:
        """End of the name, with its dot."""
        return self.path.suffix

    @property
    def path(self) -> PurePosixPath:
        """Path in the file system or on the server, without the query of a web address."""
        url = re.split(r"[?#]", self.url)[0] if self.url.lower().startswith(_WEB) else self.url
        return PurePosixPath(url.partition("://")[2])

    def exists(self) -> bool:
        """Whether there is a file or folder."""
        return self._type is not None

    def is_file(self) -> bool:
        """Whether there is a file."""
        return self._type == "file"

    def is_dir(self) -> bool:
        """Whether there is a folder."""
        return self._type == "directory"

    @cached_property
    def _type(self) -> str | None:
        try:
            return cast("str", self.ask(lambda system, path: system.info(path)["type"]))
        except FileNotFoundError as error:
            cause = error.__cause__
            if isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError):  # a server that does not answer
                raise InputError(_FAILED, address=self, why=_first_line(cause)) from error
            return None

    @property
    def size(self) -> int:
        """Number of bytes of the file; 0 if the file system does not say it."""
        return self.ask(lambda system, path: system.info(path).get("size") or 0)

    @property
    def is_pattern(self) -> bool:
        """Whether it has a wildcard; in web addresses a question mark is none."""
        is_web = self.url.lower().startswith(_WEB)
        return (_PATTERN_OF_WEB if is_web else _PATTERN).search(self.url.partition("://")[2]) is not None

    def matching(self) -> list["Address"]:
        """Return the addresses of files that match the pattern, sorted; hidden ones only if the pattern says so."""
        found = self._listed(lambda system, path: system.glob(path))
        return [each for each in found if not each.name.startswith(".") or self.name.startswith(".")]

    def entries(self) -> list["Address"]:
        """Return the addresses of the files and folders in a folder, sorted."""
        return self._listed(lambda system, path: system.ls(path, detail=False))

    def _listed(self, names: Callable[[Any, str], list[str]]) -> list["Address"]:
        found, system = self.ask(lambda system, path: (names(system, path), system))
        return [Address(system.unstrip_protocol(each.rstrip("/"))) for each in sorted(found)]

    def __truediv__(self, name: str) -> "Address":
        return Address(f"{self.url.rstrip('/')}/{name}")

    def open(self) -> BinaryIO:
        """Open the file to read its bytes, in any order."""
        try:
            stream = self.ask(lambda system, path: system.open(path, "rb"))
        except FileNotFoundError as error:
            raise InputError(_ABSENT, address=self) from error
        if isinstance(stream, io.BytesIO):  # of memory://, which gives the same object, with its place, to all readers
            stream = io.BytesIO(stream.getvalue())
        return io.BufferedReader(_Stream(stream))

    def state(self) -> str:
        """Return a text that changes with the content of the file, as far as the file system shows it."""

        def found(system: Any, path: str) -> str:
            info = system.info(path)
            return " ".join([str(system.ukey(path)), *(f"{key}={info[key]}" for key in _STATE if info.get(key))])

        return self.ask(found)

    def ask(self, question: Callable[[Any, str], Found]) -> Found:
        """Call a function of the file system and the path there; what fails is an error of one line.

        Only FileNotFoundError is left to the caller.
        """
        system, path = self._system()
        try:
            return question(system, path)
        except FileNotFoundError:
            raise
        except PermissionError as error:
            raise InputError(_FORBIDDEN, address=self, why=_first_line(error)) from error
        except Exception as error:  # of any package that fsspec uses
            raise InputError(_FAILED, address=self, why=_first_line(error)) from error

    def _system(self) -> tuple[Any, str]:
        """File system, and the path there."""
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise InputError(_EXTRA, address=self) from error
        try:
            return cast("tuple[Any, str]", url_to_fs(self.url))
        except ImportError as error:
            package = _PACKAGES.get(self.protocol)
            if package is None:
                raise InputError(_FAILED, address=self, why=_first_line(error)) from error
            raise InputError(_FILE_SYSTEM, address=self, protocol=self.protocol, package=package) from error
        except ValueError as error:
            raise InputError(_UNKNOWN, address=self, protocol=self.protocol) from error
        except Exception as error:  # a server that does not answer, ...
            raise InputError(_FAILED, address=self, why=_first_line(error)) from error


class _Stream(io.RawIOBase):
    """Stream of fsspec whose errors are OSErrors, whichever package reads it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return cast("int", self._stream.seek(offset, whence))

    def tell(self) -> int:
        return cast("int", self._stream.tell())

    def readinto(self, target: Any) -> int:
        try:
            data = self._stream.read(len(target))
        except OSError:
            raise
        except Exception as error:
            is_whole = "range requests" in str(error)
            raise OSError(_ONLY_WHOLE if is_whole else _first_line(error)) from error
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


Location = Path | Address
"""Where a file is: a path or an address."""


def location(name: str | Path | Address) -> Location:
    r"""Path or address of a name; file:// is a path.

    >>> location("s3://bucket/a.csv"), location("file:///tmp/a.csv").as_posix()
    (Address(url='s3://bucket/a.csv'), '/tmp/a.csv')
    >>> isinstance(location(r"C:\data\a.csv"), Path), isinstance(location("c://a.csv"), Path)
    (True, True)
    """
    if isinstance(name, str) and _ADDRESS.match(name):
        local = _LOCAL.match(name)
        return Path(name[local.end() :]) if local is not None else Address(name)
    return name if isinstance(name, Address) else Path(name)


@contextmanager
def uploaded(address: Address) -> Iterator[IO[bytes]]:
    """Open a temporary file that is sent to an address when the block ends; nothing is sent if the block fails.

    Where a file is seen before all of it is there, it is sent under another name and renamed.
    """
    with TemporaryDirectory(prefix="textnb-") as folder:
        path = Path(folder, "output")
        with path.open("wb") as stream:
            yield stream
        sent = address if address.protocol in _STORES else Address(f"{address.url}.tmp")
        try:
            system, target = address._system()
            with suppress(FileExistsError, NotImplementedError):
                system.makedirs(target.rpartition("/")[0], exist_ok=True)
            _, first = sent._system()
            system.put_file(str(path), first)
            if first != target:
                system.mv(first, target)
        except InputError:
            raise
        except Exception as error:  # of any package that fsspec uses
            raise InputError(_NOT_WRITTEN, address=address, why=_first_line(error)) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0] or type(error).__name__
