"""A bundle: one file of a header and plain arrays, which is looked into and not loaded; equal content is equal bytes.

    bytes 0 to 7        ``TEXTNB3`` and a line end
    8, 16               length of the header, length of the file: two unsigned integers of 8 bytes, little-endian
    24 to 55            sha256 of the header
    56 to 63            0
    from 64             the header: JSON in UTF-8, at most MAX_HEADER bytes
    then                the sections, one per array, each from a multiple of 64 bytes on

The header names the format, the kind of bundle and for every section its type, shape, place, stored bytes, coding and
sha256. Arrays for answering come first and are stored as they are (``plain``): they are mapped into memory, so that
processes share them and only what is read is loaded. Arrays for learning follow, compressed (``zlib``, the bytes of
its numbers sorted by significance), and are read when they are asked for.

Opening checks the header, its sha256, and the type, size and place of every section: time that does not grow with the
sections. The sha256 of the sections is checked by ``verify``: before anything is read for learning, by ``textnb info
--verify``, and on opening if another user owns the file or every user may write it. Such a file is also read into
memory instead of being mapped, because others could shorten it, which ends a process that has mapped it. Until then a
changed bit in a section for answering can change answers, and nothing else: what the answers index with is checked
where it is used.

The sha256 of the first bytes and the header (``Bundle.sha256``) identifies the whole file, since the header has those
of all sections. Nothing in a bundle is ever executed. Formats 1 and 2 are zip files (``zip_bundle.py``).
"""

import json
import math
import mmap
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.errors import InputError, ModelFileError
from textnb.extension import return_memory
from textnb.files.header import FORMAT, check_kind, check_size, check_writable_header, read_header
from textnb.parallel import map_on_threads
from textnb.storage import KEEPS_OPEN, atomic
from textnb.version import __version__

_MAGIC = b"TEXTNB3\n"
_START = 64
_ALIGNMENT = 64
_MAX_SECTIONS = 1000
_MAX_RATIO = 1032  # of zlib
_LEVEL = 1  # twice as fast as 6, and within a tenth of its size for sorted bytes
_TRIED = 1 << 16  # bytes that tell whether the rest can be compressed
_TYPES = {"<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "<f8", "<f4"}
_PLAIN, _ZLIB = "plain", "zlib"

Arrays = Mapping[str, NDArray[Any]]
"""Arrays by name, which may be read when they are asked for."""


class Streamed(NamedTuple):
    """An array that is written piece by piece: its type, its shape, and a function that makes its pieces in order."""

    dtype: Any
    shape: tuple[int, ...]
    pieces: Callable[[], Iterable[NDArray[Any]]]


class Section(NamedTuple):
    """Place of an array in the file, and how it is stored."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    """First byte, counted from the end of the header, rounded up."""
    stored: int
    coding: str
    sha256: str

    @property
    def size(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def end(self) -> int:
        """First byte after it."""
        return self.start + self.stored


class Bundle:
    """An open bundle: its header, the arrays for answering (mapped) and those for learning (read when asked for)."""

    def __init__(self, header: dict[str, Any], answering: Arrays, learning: Arrays, identity: str = "") -> None:
        self.header, self.answering, self.learning, self.sha256 = header, answering, learning, identity

    def verify(self) -> None:
        """Check the sha256 of every section; ModelFileError names a damaged one."""
        for arrays in (self.answering, self.learning):
            if isinstance(arrays, _Stored):
                arrays.verify()


def write_bundle(
    path: str | Path | BytesIO,
    kind: str,
    header: Mapping[str, Any],
    answering: Arrays,
    learning: Arrays | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Write header and arrays to a file, completely or not at all, or to a stream in memory.

    announce: called with the ``Bundle.sha256`` of the file when it is complete, before it gets its name. If it fails,
    the old file stays.
    """
    return_memory()  # what packing has left
    parts = [*_coded(answering, _PLAIN), *_coded(learning or {}, _ZLIB)]
    sections: dict[str, Any] = {}
    start = 0
    for name, array, coding, data in parts:
        facts = Section(array.dtype.str, array.shape, start, len(data), coding, sha256(data).hexdigest())
        assert facts.dtype in _TYPES, facts.dtype
        sections[name] = facts._asdict() | {"shape": list(array.shape)}
        start = _aligned(facts.end)
    text = _header_text(kind, header, sections)
    check_writable_header(text, "the model" if isinstance(path, BytesIO) else path)
    first = _aligned(_START + len(text))
    end = first + max((facts["start"] + facts["stored"] for facts in sections.values()), default=0)
    with nullcontext(path) if isinstance(path, BytesIO) else atomic(path) as stream:
        opening = _opening(text, end)
        stream.write(opening)
        for name, _, _, data in parts:
            _pad_to(stream, first + sections[name]["start"])
            stream.write(data)
        _pad_to(stream, end)
        if announce is not None:
            announce(sha256(opening).hexdigest())


def write_streamed_bundle(
    path: str | Path, kind: str, header: Mapping[str, Any], arrays: Mapping[str, Streamed]
) -> None:
    """Write the bytes that ``write_bundle`` writes of arrays for answering, without having them in memory.

    The header, whose length the sha256 of the sections do not change, is written again when they are known.
    """
    streams = {name: arrays[name] for name in sorted(arrays)}
    sections: dict[str, Any] = {}
    start = 0
    for name, array in streams.items():
        facts = Section(np.dtype(array.dtype).str, array.shape, start, 0, _PLAIN, sha256().hexdigest())
        facts = facts._replace(stored=facts.size)
        assert facts.dtype in _TYPES, facts.dtype
        sections[name] = facts._asdict() | {"shape": list(array.shape)}
        start = _aligned(facts.end)
    text = _header_text(kind, header, sections)
    check_writable_header(text, path)
    first = _aligned(_START + len(text))
    end = first + max((facts["start"] + facts["stored"] for facts in sections.values()), default=0)
    with atomic(path) as stream:
        stream.write(_opening(text, end))
        for name, array in streams.items():
            _pad_to(stream, first + sections[name]["start"])
            digest = sha256()
            for piece in array.pieces():
                data = np.ascontiguousarray(piece, array.dtype).reshape(-1).view(np.uint8).data
                digest.update(data)
                stream.write(data)
            assert stream.tell() == first + sections[name]["start"] + sections[name]["stored"], name
            sections[name]["sha256"] = digest.hexdigest()
        _pad_to(stream, end)
        stream.seek(0)
        stream.write(_opening(_header_text(kind, header, sections), end))


def _header_text(kind: str, header: Mapping[str, Any], sections: Mapping[str, Any]) -> bytes:
    full = {"format": FORMAT, "kind": kind, "textnb": __version__, "sections": sections, **header}
    return (json.dumps(full, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode("utf-8", "replace")


def _coded(arrays: Arrays, coding: str) -> Iterator[tuple[str, NDArray[Any], str, bytes | memoryview]]:
    """Yield the arrays in the order of their names, as they are stored; several are compressed at once."""

    def coded(name: str) -> tuple[str, NDArray[Any], str, bytes | memoryview]:
        array = np.ascontiguousarray(arrays[name])
        return name, array, coding, array.reshape(-1).view(np.uint8).data if coding == _PLAIN else _compressed(array)

    return map_on_threads(coded, sorted(arrays), 1 if coding == _PLAIN else -1)


def _compressed(array: NDArray[Any]) -> bytes:
    """Compress an array; bytes that do not shrink, such as digests, are stored as zlib stores them."""
    if array.dtype.itemsize > 1:
        return zlib.compress(_by_place(array), _LEVEL)
    data = array.reshape(-1).view(np.uint8).data
    shrinks = len(zlib.compress(data[:_TRIED], _LEVEL)) < min(len(data), _TRIED)
    return zlib.compress(data, _LEVEL if shrinks else 0)


def _by_place(array: NDArray[Any]) -> bytes:
    """Bytes of the numbers, all lowest bytes first: equal bytes come together, which compresses well."""
    return array.reshape(-1).view(np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()


def _opening(header: bytes, size: int) -> bytes:
    lengths = len(header).to_bytes(8, "little") + size.to_bytes(8, "little")
    return _MAGIC + lengths + sha256(header).digest() + bytes(8) + header


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT


def _pad_to(stream: IO[bytes], position: int) -> None:
    stream.write(bytes(position - stream.tell()))


def open_bundle(path: str | Path, kind: str, *, in_memory: bool = False, data: bytes | None = None) -> Bundle:
    """Open a bundle of any format and check its structure; any damage found is a ModelFileError that names the file.

    in_memory: copy the arrays for answering into memory instead of mapping them. data: the bytes of the file, which is
    then not opened; ``path`` is its name in messages.
    """
    try:
        file = _OpenFile(path, data)
        opening = file.read(0, _START)
        if opening[: len(_MAGIC)] == _MAGIC:
            return _opened(path, file, bytes(opening), kind, in_memory)
    except FileNotFoundError:
        raise ModelFileError("{path} does not exist", path=path) from None
    except OSError as error:
        raise ModelFileError("{path} cannot be read: {error}", path=path, error=error.strerror or error) from error
    del file
    from textnb.files.zip_bundle import read_zip_bundle  # only for old files

    header, arrays = read_zip_bundle(path, kind)
    return Bundle(header, arrays, arrays)


def identity_of(path: str | Path) -> str:
    """Return the ``Bundle.sha256`` of a file without reading its sections; empty for a file of an old format."""
    with Path(path).open("rb") as stream:
        opening = stream.read(_START)
        if opening[: len(_MAGIC)] != _MAGIC:
            return ""
        length = int.from_bytes(opening[8:16], "little")
        check_size(length, path)
        return sha256(opening + stream.read(length)).hexdigest()


def is_bundle(path: str | Path) -> bool:
    """True if a file looks like a bundle of any kind."""
    try:
        with Path(path).open("rb") as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                return True
    except OSError:
        return False
    from textnb.files.zip_bundle import is_zip_bundle  # only for old files

    return is_zip_bundle(path)


@contextmanager
def content_of(path: str | Path) -> Iterator[None]:
    """Raise errors in the content of a file as ModelFileError or UntrustedError, with the path in front."""
    try:
        yield
    except ModelFileError as error:
        raise type(error)("{path}: {error}", path=path, error=error) from error
    except (InputError, TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        template = "{path}: the content of the file does not fit together: {error}"
        raise ModelFileError(template, path=path, error=error) from error


def _opened(path: str | Path, file: "_OpenFile", opening: bytes, kind: str, in_memory: bool) -> Bundle:
    length, size = (int.from_bytes(opening[at : at + 8], "little") for at in (8, 16))
    if len(opening) < _START or size != file.size or _START + length > size or any(opening[56:]):
        values = {"path": path, "n": file.size, "size": size}
        if len(opening) < _START or file.size < size:
            raise ModelFileError("{path} is incomplete: its end is missing; copy it again or make it anew", **values)
        raise ModelFileError("{path} is damaged: it has {n:,} bytes, not {size:,}", **values)
    check_size(length, path)
    text = bytes(file.read(_START, length))
    if sha256(text).digest() != opening[24:56]:
        raise ModelFileError("{path} is damaged: the sha256 of its header is not the one before it", path=path)
    header = read_header(text, path)
    check_kind(header, kind, path)
    sections = _sections(header, path)
    first = _aligned(_START + length)
    _check_places(sections, size - first, path)
    of_others = file.facts is not None and _is_in_the_hands_of_others(file.facts)
    plain = {name: section for name, section in sections.items() if section.coding == _PLAIN}
    coded = {name: section for name, section in sections.items() if name not in plain}
    file.hold(first + max((section.end for section in plain.values()), default=0), in_memory or of_others)
    answering, learning = (_Stored(path, file, first, each) for each in (plain, coded))
    bundle = Bundle(header, answering, learning, sha256(opening + text).hexdigest())
    if of_others:
        bundle.verify()
    return bundle


def _is_in_the_hands_of_others(found: os.stat_result) -> bool:
    """True if another user, who is not root, owns the file, or every user may write it."""
    if not hasattr(os, "geteuid"):
        return False
    return found.st_uid not in (os.geteuid(), 0) or bool(found.st_mode & stat.S_IWOTH)


def _sections(header: Mapping[str, Any], path: str | Path) -> dict[str, Section]:
    given = header.get("sections")
    if not isinstance(given, dict) or len(given) > _MAX_SECTIONS:
        raise ModelFileError("{path}: its header does not describe its sections", path=path)
    return {name: _section(name, facts, path) for name, facts in given.items()}


def _section(name: str, facts: Any, path: str | Path) -> Section:
    try:
        found = Section(**{**facts, "shape": tuple(facts["shape"])})
        numbers = (*found.shape, found.start, found.stored)
        sound = (
            found.dtype in _TYPES
            and all(type(n) is int and 0 <= n < 2**63 for n in numbers)
            and isinstance(found.sha256, str)
            and found.coding in (_PLAIN, _ZLIB)
            and (found.stored == found.size if found.coding == _PLAIN else found.size <= _MAX_RATIO * found.stored)
        )
    except (KeyError, TypeError) as error:
        template = "{path}: its header does not describe the section {name!r}: {error}"
        raise ModelFileError(template, path=path, name=name, error=error) from error
    if not sound:
        template = "{path}: the section {name!r} is described as textnb does not write it"
        raise ModelFileError(template, path=path, name=name)
    return found


def _check_places(sections: Mapping[str, Section], size: int, path: str | Path) -> None:
    """Refuse sections that overlap, leave gaps, or do not fill the file."""
    end = 0
    for name, section in sorted(sections.items(), key=lambda item: (item[1].coding != _PLAIN, item[0])):
        if section.start != _aligned(end):
            raise ModelFileError("{path}: the section {name!r} is not where it should be", path=path, name=name)
        end = section.end
    if end != max(size, 0):
        raise ModelFileError("{path} is damaged: its sections do not fill it", path=path)


class _OpenFile:
    """A file that stays open, and stays the same when another one gets its name.

    ``hold`` maps its first bytes, or copies them into memory; the rest is read when it is asked for. Windows cannot
    replace an open file, so there everything is copied and the file is closed. With ``data`` there is no file.
    """

    def __init__(self, path: str | Path, data: bytes | None = None) -> None:
        if data is not None:
            self._handle, self.facts, self.size, self._held = None, None, len(data), memoryview(data)
            return
        if stat.S_ISFIFO(Path(path).stat().st_mode):  # opening it would wait
            raise ModelFileError("{path} cannot be read: it is not an ordinary file", path=path)
        self._handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.facts = os.fstat(self._handle)
        self.size = self.facts.st_size
        self._held = memoryview(b"")
        if not KEEPS_OPEN and stat.S_ISREG(self.facts.st_mode):
            self._held = memoryview(Path(path).read_bytes())
            self._close()

    _handle: int | None
    facts: os.stat_result | None
    size: int

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._close()

    def _close(self) -> None:
        assert self._handle is not None
        os.close(self._handle)
        self._handle = None

    def hold(self, length: int, in_memory: bool) -> None:
        """Map the first bytes of the file, or copy them into memory."""
        if self._handle is not None and length:
            held = self.read(0, length) if in_memory else mmap.mmap(self._handle, length, access=mmap.ACCESS_READ)
            self._held = memoryview(held)

    def read(self, start: int, length: int) -> memoryview:
        """Return bytes of the file; fewer if it is shorter."""
        if start + length <= len(self._held):
            return self._held[start : start + length]
        if self._handle is None:
            return self._held[start:]
        return memoryview(b"".join(_read_on(self._handle, start, length)))


def _read_on(handle: int, start: int, length: int) -> Iterator[bytes]:
    """Yield the bytes of a part of a file; one call returns 2 GB at most."""
    while length and (data := os.pread(handle, min(length, 1 << 30), start)):
        yield data
        start, length = start + len(data), length - len(data)


class _Stored(Mapping[str, NDArray[Any]]):
    """Arrays of a file by name; a compressed one is checked and decompressed whenever it is asked for."""

    def __init__(self, path: str | Path, file: _OpenFile, first: int, sections: Mapping[str, Section]) -> None:
        self._path, self._file, self._first, self._sections = path, file, first, sections

    def __getitem__(self, name: str) -> NDArray[Any]:
        section = self._sections[name]
        data = self._bytes(section)
        if section.coding == _ZLIB:
            self._check(name, section, data)
            return _decompressed(data, section, name, self._path)
        return np.frombuffer(data, section.dtype).reshape(section.shape)

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    def verify(self) -> None:
        """Check the sha256 of every section."""
        for name, section in self._sections.items():
            self._check(name, section, self._bytes(section))

    def _bytes(self, section: Section) -> memoryview:
        data = self._file.read(self._first + section.start, section.stored)
        if len(data) != section.stored:
            raise ModelFileError(
                "{path} was shortened after it was opened; replace models by renaming", path=self._path
            )
        return data

    def _check(self, name: str, section: Section, data: memoryview) -> None:
        if sha256(data).hexdigest() != section.sha256:
            template = "{path} is damaged: the sha256 of the section {name!r} is not the one in its header"
            raise ModelFileError(template, path=self._path, name=name)


def _decompressed(data: memoryview, section: Section, name: str, path: str | Path) -> NDArray[Any]:
    inflating = zlib.decompressobj()
    try:
        whole = inflating.decompress(data, section.size + 1) if section.size else inflating.decompress(data)
    except zlib.error as error:
        raise ModelFileError("{path}: the section {name!r}: {error}", path=path, name=name, error=error) from error
    if len(whole) != section.size or inflating.unconsumed_tail or inflating.unused_data or not inflating.eof:
        raise ModelFileError("{path}: the section {name!r} has another size than it should", path=path, name=name)
    planes = np.frombuffer(whole, np.uint8).reshape(np.dtype(section.dtype).itemsize, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(section.dtype).reshape(section.shape)
