"""Compressed files: .gz, .bz2, .xz and .zst, unpacked while they are read.

Zstandard is read by ``compression.zstd`` of Python 3.14 or by the package zstandard (extra ``zst``).
"""

import gzip
import io
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from textnb.address import Address
from textnb.errors import InputError

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""Ends of the names of compressed files."""

_MODULES = {".bz2": "bz2", ".xz": "lzma"}
_EXTRA = "{path}: Zstandard files need another package; run: pip install 'textnb[zst]'"
_ZSTD_BYTES = 4096  # unpacked at a time, because each may become 32,000 times as many


def is_compressed(path: object) -> bool:
    """Whether a file is compressed, by its name."""
    return str(path).lower().endswith(COMPRESSED)


def unreadable() -> tuple[type[Exception], ...]:
    """Errors by which reading a file may fail, those of damaged compressed files included."""
    lzma = sys.modules.get("lzma")  # imported for .xz alone; not every Python has it
    return (OSError, EOFError, zlib.error, *([lzma.LZMAError] if lzma is not None else []))


def open_bytes(path: Path | Address | str, buffering: int = -1) -> BinaryIO:
    """Open a file of bytes, unpacked if its name says that it is compressed; ``buffering`` as in open()."""
    suffix = next((each for each in COMPRESSED if str(path).lower().endswith(each)), None)
    if suffix is None:
        return path.open() if isinstance(path, Address) else open(path, "rb", buffering)  # noqa: PTH123
    if suffix == ".zst":
        return _open_zstd(path)
    source = path.open() if isinstance(path, Address) else path
    return cast("BinaryIO", gzip.open(source) if suffix == ".gz" else import_module(_MODULES[suffix]).open(source))


def _open_zstd(path: Path | Address | str) -> BinaryIO:
    try:
        decompressor = import_module("zstandard").ZstdDecompressor()
    except ImportError:
        try:
            zstd = import_module("compression.zstd")
        except ImportError as error:
            raise InputError(_EXTRA, path=path) from error
        return cast("BinaryIO", zstd.open(path.open() if isinstance(path, Address) else path))
    stream = path.open() if isinstance(path, Address) else open(path, "rb")  # noqa: PTH123, SIM115  # closed by _Zstd
    return io.BufferedReader(_Zstd(stream, decompressor))


class _Zstd(io.RawIOBase):
    """Bytes of the frames of a Zstandard file; unlike zstandard's own reader, it notices that the end is missing."""

    def __init__(self, stream: BinaryIO, decompressor: Any) -> None:
        self._stream, self._decompressor = stream, decompressor
        self._frame: Any = None  # None between frames
        self._packed, self._unpacked = b"", memoryview(b"")

    def readable(self) -> bool:
        """Return True: bytes can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer with unpacked bytes; 0 at the end of the last frame."""
        while not self._unpacked and (packed := self._packed or self._stream.read(_ZSTD_BYTES)):
            self._unpacked = memoryview(self._unpack(packed))
        if not self._unpacked and self._frame is not None:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        n = min(len(target), len(self._unpacked))
        target[:n], self._unpacked = self._unpacked[:n], self._unpacked[n:]
        return n

    def _unpack(self, packed: bytes) -> bytes:
        self._frame = self._frame or self._decompressor.decompressobj()
        try:
            unpacked = cast("bytes", self._frame.decompress(packed))
        except Exception as error:  # ZstdError
            raise OSError(error) from error
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return unpacked

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        super().close()
