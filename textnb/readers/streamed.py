"""Streams that can be read only once: named pipes, standard input, and files at addresses, which are read once, too.

An encoding is decided by the start of a stream: ASCII is passed on as it arrives, and at the first other byte up to a
mebibyte from there is looked at (``decoding.py`` has the rules). Lines of JSON are decoded one by one, as they arrive.
"""

import codecs
import io
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from textnb.errors import InputError
from textnb.readers.binary import check_text
from textnb.readers.charset_names import charset_named
from textnb.readers.decoding import (
    MAX_BOM_LENGTH,
    decoded_each,
    encoding_of,
    encoding_of_start,
    limited_lines,
    without_strays,
)
from textnb.readers.iso2022 import decoded_iso2022_jp_lines

_PIECE_BYTES = 1 << 16
_LOOK_BYTES = 1 << 20  # from the first byte that is not ASCII


class Pipe:
    """Stream with a name: what is read of it to recognise what it holds is there for its one reader.

    Parameters
    ----------
    name : str
        Its name, in messages.
    start : callable
        Opens the stream.
    closes : bool, default=False
        Whether to close it when it has been read.
    """

    def __init__(self, name: str, start: Callable[[], BinaryIO], *, closes: bool = False) -> None:
        self.name, self._start, self._closes = name, start, closes
        self.suffix = f".{name.rpartition('.')[2]}" if "." in name.rpartition("/")[2] else ""
        self._seen = bytearray()
        self._stream: BinaryIO | None = None
        self._is_read = False

    def __str__(self) -> str:
        return self.name

    def is_dir(self) -> bool:
        """Return False: it is no folder."""
        return False

    def is_file(self) -> bool:
        """Return True: it holds a file."""
        return True

    def open(self) -> BinaryIO:
        """Open it to read all of it, which is possible once."""
        self._check_unread()
        self._is_read = True
        return io.BufferedReader(_Replayed(self, keep=False))

    def look(self) -> BinaryIO:
        """Open it to look at its start, which stays there for ``open``."""
        self._check_unread()
        return io.BufferedReader(_Replayed(self, keep=True))

    def _check_unread(self) -> None:
        if self._is_read:
            raise InputError("{name} can be read only once; copy its content to a file first", name=self.name)

    def seen(self, start: int) -> bytes:
        """Return the bytes from a place on that have been looked at."""
        return bytes(self._seen[start : start + _PIECE_BYTES])

    def read(self, keep: bool) -> bytes:
        """Read further bytes as soon as there are some; empty at the end."""
        if self._stream is None:
            self._stream = self._start()
        piece = _read_some(self._stream)
        if keep:
            self._seen += piece
        return piece

    def close(self) -> None:
        """Close the stream, if it is to be closed."""
        if self._closes and self._stream is not None:
            self._stream.close()


class _Replayed(io.RawIOBase):
    """Bytes of a pipe from its beginning: first those that have been looked at."""

    def __init__(self, pipe: Pipe, keep: bool) -> None:
        self._pipe, self._keep, self._place, self._rest = pipe, keep, 0, b""

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def readinto(self, target: Any) -> int:
        piece = self._rest or self._pipe.seen(self._place) or self._pipe.read(self._keep)
        n = min(len(target), len(piece))
        target[:n], self._rest = piece[:n], piece[n:]
        self._place += n
        return n

    def close(self) -> None:
        if not self._keep:
            self._pipe.close()
        super().close()


def _read_some(stream: BinaryIO) -> bytes:
    """Read what there is, without waiting for more."""
    read = getattr(stream, "read1", stream.read)
    return cast("bytes", read(_PIECE_BYTES))


class StreamedText(io.RawIOBase):
    """Bytes of a stream as UTF-8, whichever encoding it has; ``name`` and ``fits`` are known so far, as in Encoding.

    Parameters
    ----------
    stream : BinaryIO
        The stream.
    declared : str, optional
        Charset that it is said to have; UTF-8 is trusted.
    source : object
        Its name, in messages.
    """

    def __init__(self, stream: BinaryIO, declared: str | None, source: object) -> None:
        self.name, self.fits = "utf-8", True
        self._stream, self._declared, self._source = stream, declared, source
        self._recoded = self._pieces()
        self._rest = b""

    def readable(self) -> bool:
        """Return True: bytes can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer with bytes in UTF-8; 0 at the end."""
        while not self._rest:
            piece = next(self._recoded, None)
            if piece is None:
                return 0
            self._rest = piece
        n = min(len(target), len(self._rest))
        target[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    def _pieces(self) -> Iterator[bytes]:
        first = self._gathered(b"", MAX_BOM_LENGTH)
        check_text(first, self._source)
        name = encoding_of_start(first, self._declared)
        if name is None and (charset_named(self._declared) or "") == "utf-8":
            name = "utf-8"
        while name is None and first:
            if first.isascii() and b"\x1b" not in first:
                yield first
                first = _read_some(self._stream)
                continue
            first = self._gathered(first, _LOOK_BYTES)
            decided = encoding_of([first if len(first) < _LOOK_BYTES else first[: first.rfind(b"\n") + 1] or first])
            if self._declared is not None and decided.name != "iso2022_jp":
                decided = encoding_of([first], self._declared)
            if first.isascii() and decided.name == "utf-8":  # an escape that a terminal sends
                yield first
                first = _read_some(self._stream)
                continue
            name, self.fits = decided
        self.name = name or "utf-8"
        yield from self._decoded(first)

    def _gathered(self, first: bytes, n: int) -> bytes:
        """Bytes from the first on, so many of them or all there are."""
        pieces, length = [first], len(first)
        while length < n and (piece := _read_some(self._stream)):
            pieces.append(piece)
            length += len(piece)
        return b"".join(pieces)

    def _decoded(self, first: bytes) -> Iterator[bytes]:
        if self.name == "iso2022_jp":
            stream = io.BufferedReader(_Chained(first, self._stream))
            for line in decoded_iso2022_jp_lines(limited_lines(stream.readline, self._source)):
                yield line.encode("utf-8", "surrogatepass")
            return
        decoder = codecs.getincrementaldecoder(self.name)("strict" if self.fits else "replace")
        piece = first
        while piece:
            decoder, text = self._text(decoder, piece, final=False)
            yield text.encode("utf-8", "surrogatepass")
            piece = _read_some(self._stream)
        yield self._text(decoder, b"", final=True)[1].encode("utf-8", "surrogatepass")

    def _text(
        self, decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool
    ) -> tuple[codecs.IncrementalDecoder, str]:
        """Text of a piece, and the decoder for the next, which is another one once a piece does not fit."""
        if self.fits:
            state = decoder.getstate()
            try:
                return decoder, decoder.decode(piece, final)
            except UnicodeError:
                self.fits = False
                decoder = codecs.getincrementaldecoder(self.name)("replace")
                decoder.setstate(state)
        return decoder, without_strays(decoder.decode(piece, final), self.name)


class _Chained(io.RawIOBase):
    """Bytes that have been read from a stream, and then the rest of it."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._rest, self._stream = first, stream

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        piece = self._rest or _read_some(self._stream)
        n = min(len(target), len(piece))
        target[:n], self._rest = piece[:n], piece[n:]
        return n


class StreamedLines:
    """Lines of a stream, each decoded by itself; ``name`` and ``fits`` are those of the last line."""

    def __init__(self, stream: BinaryIO, declared: str | None, source: object) -> None:
        self.name, self.fits = "utf-8", True
        self._lines = decoded_each(stream, declared, source)

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.name, self.fits = line.encoding, not line.replaced
            yield line.text
