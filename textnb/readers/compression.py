"""Compressed files: .gz, .bz2, .xz and .zst, unpacked while they are read.

A file is one compressed part or several, one after the other, which are read as one. A part that is cut off, and
anything else behind a part but the zeros that gzip and xz may be padded with, is an error.

Zstandard is read by ``compression.zstd`` of Python 3.14 or by the package zstandard (extra ``zst``).
"""

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from textnb.address import Address
from textnb.errors import InputError

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""Ends of the names of compressed files."""

_PACKED_BYTES = 4096  # read at a time, because zstandard unpacks each to up to 32,000 times as many, at once
_UNPACKED_BYTES = 1 << 16  # at a time, by all others
_GZIP_BITS = 31  # a header of gzip, and the largest window
_EXTRA = "{path}: Zstandard files need another package; run: pip install 'textnb[zst]'"
_CUT_OFF = "the end of the {kind} data is missing; copy the file again"
_DAMAGED = "this is not {kind} data, or it is damaged ({why}); copy the file again, or correct its name"
_APPENDED = "something else follows the {kind} data ({why}); unpack the file, check its end and compress it again"


class _Kind(NamedTuple):
    """Kind of compression: its name, a function that returns a decompressor, and whether zeros may follow a part.

    limit: the number of bytes to unpack at a time, as a further argument, where the decompressor takes one.
    """

    name: str
    decompressor: Callable[[], Any]
    is_padded: bool = False
    limit: tuple[int, ...] = (_UNPACKED_BYTES,)


def is_compressed(path: object) -> bool:
    """Whether a file is compressed, by its name."""
    return _suffix(path) is not None


def _suffix(path: object) -> str | None:
    """End of the name of a compressed file; a web address may have a query behind it."""
    name = (path.name if isinstance(path, Address) else str(path)).lower()
    return next((each for each in COMPRESSED if name.endswith(each)), None)


def open_bytes(path: Path | Address | str, buffering: int = -1) -> BinaryIO:
    """Open a file of bytes, unpacked if its name says that it is compressed; ``buffering`` as in open().

    What is wrong with compressed data is an OSError, as what cannot be read.
    """
    suffix = _suffix(path)
    kind = None if suffix is None else _kind_of(suffix, path)
    stream: BinaryIO = path.open() if isinstance(path, Address) else open(path, "rb", buffering)  # noqa: PTH123, SIM115
    return stream if kind is None else io.BufferedReader(_Unpacked(stream, kind))


def _kind_of(suffix: str, path: object) -> _Kind:
    if suffix == ".gz":
        return _Kind("gzip", partial(zlib.decompressobj, _GZIP_BITS), is_padded=True)
    if suffix == ".bz2":
        return _Kind("bzip2", import_module("bz2").BZ2Decompressor)
    if suffix == ".xz":
        return _Kind("xz", import_module("lzma").LZMADecompressor, is_padded=True)
    with suppress(ImportError):
        return _Kind("Zstandard", import_module("zstandard").ZstdDecompressor().decompressobj, limit=())
    try:
        return _Kind("Zstandard", import_module("compression.zstd").ZstdDecompressor)
    except ImportError as error:
        raise InputError(_EXTRA, path=path) from error


class _Unpacked(io.RawIOBase):
    """Unpacked bytes of a compressed file; ``packed`` is the file itself."""

    def __init__(self, packed: BinaryIO, kind: _Kind) -> None:
        self.packed, self._pieces, self._rest = packed, _unpacked(packed, kind), memoryview(b"")

    def readable(self) -> bool:
        """Return True: bytes can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer with unpacked bytes; 0 at the end of the last part."""
        piece = self._rest or memoryview(next(self._pieces, b""))
        n = min(len(target), len(piece))
        target[:n], self._rest = piece[:n], piece[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self.packed.close()
        super().close()


def _unpacked(packed: BinaryIO, kind: _Kind) -> Iterator[bytes]:
    """Yield the unpacked bytes of all parts, in pieces that are not empty."""
    is_behind = False
    data = _more(packed, kind)
    while True:
        part = kind.decompressor()
        while not part.eof:
            try:
                piece = part.decompress(data, *kind.limit)
            except Exception as error:  # each package has its own
                raise OSError((_APPENDED if is_behind else _DAMAGED).format(kind=kind.name, why=error)) from error
            if piece:
                yield piece
                is_behind = False
            if not part.eof:
                data = getattr(part, "unconsumed_tail", b"")
                data = data if data or not getattr(part, "needs_input", True) else _more(packed, kind)
        data, is_behind = part.unused_data, True
        while not (data := data.lstrip(b"\0") if kind.is_padded else data):
            if not (data := packed.read(_PACKED_BYTES)):
                return


def _more(packed: BinaryIO, kind: _Kind) -> bytes:
    """Next bytes of a part that has not ended."""
    data = packed.read(_PACKED_BYTES)
    if not data:
        raise OSError(_CUT_OFF.format(kind=kind.name))
    return data
