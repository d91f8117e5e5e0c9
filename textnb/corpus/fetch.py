"""Fetching of a corpus: the archive is downloaded, verified, unpacked safely, and installed whole or not at all."""

import lzma
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from textnb.corpus.catalogue import KnownCorpus
from textnb.errors import InputError
from textnb.readers.settings import DESCRIPTION
from textnb.version import __version__

Member = tuple[str, IO[bytes]]
_PIECE_BYTES = 1 << 20
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
)


def fetch(corpus: KnownCorpus, source: str | None = None, watch: Callable[[int], None] = lambda _: None) -> Path:
    """Install a corpus in the user's data folder and return its folder; a bundled corpus is not fetched.

    Parameters
    ----------
    corpus : KnownCorpus
        Corpus of the catalogue.
    source : str, optional
        Address (http or https), archive or folder; by default the corpus's own address.
    watch : callable, optional
        Called with the number of bytes of each piece that has been read.
    """
    if corpus.bundled:
        return corpus.path
    source = source or corpus.url
    if source is None:
        template = "corpus {name!r} has no address; give an archive or a folder ({source})"
        raise InputError(template, name=corpus.name, source=corpus.source)
    corpus.path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=corpus.path.parent, prefix=f".{corpus.name}.") as scratch:
        unpacked = Path(scratch) / "unpacked"
        with _local(source, corpus.name, Path(scratch), watch) as archive:
            _check_archive(corpus, archive)
            digest = _unpack(archive, unpacked, corpus, watch)
        if corpus.digest is not None and digest != corpus.digest:
            template = "{source} is not the corpus {name!r}: its files have digest {digest}, not {expected}"
            raise InputError(template, source=source, name=corpus.name, digest=digest, expected=corpus.digest)
        shutil.copyfile(corpus.description, unpacked / DESCRIPTION)
        if corpus.path.exists():
            corpus.path.rename(Path(scratch) / "old")
        unpacked.rename(corpus.path)
    return corpus.path


@contextmanager
def _local(source: str, name: str, scratch: Path, watch: Callable[[int], None]) -> Iterator[Path]:
    """Path of the source; an address is downloaded first."""
    if not source.startswith(("http://", "https://")):
        if not Path(source).exists():
            raise InputError("{source} does not exist; give an archive, a folder or an http(s) address", source=source)
        yield Path(source)
        return
    target = scratch / "archive"
    try:
        request = Request(source, headers={"User-Agent": f"textnb/{__version__}"})
        with urlopen(request, timeout=60) as answer, target.open("wb") as stream:
            for piece in iter(partial(answer.read, _PIECE_BYTES), b""):
                stream.write(piece)
                watch(len(piece))
    except (URLError, OSError, ValueError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()  # it is a response too, and keeps the connection open
        why = error.reason if isinstance(error, URLError) and not isinstance(error, HTTPError) else error
        template = (
            "{source} cannot be downloaded: {why}; if you can fetch it in another way, such as with a browser, give "
            "the file: textnb corpus get {name} FILE"
        )
        raise InputError(template, source=source, why=why, name=name) from error
    yield target


def _check_archive(corpus: KnownCorpus, archive: Path) -> None:
    if corpus.archive_sha256 is None or archive.is_dir():
        return
    with archive.open("rb") as stream:
        digest = sha256()
        for piece in iter(partial(stream.read, _PIECE_BYTES), b""):
            digest.update(piece)
    if digest.hexdigest() != corpus.archive_sha256:
        template = "{archive} is not the archive of {name!r}: sha256 {found}, not {expected}"
        found, expected = digest.hexdigest(), corpus.archive_sha256
        raise InputError(template, archive=archive, name=corpus.name, found=found, expected=expected)


def _unpack(archive: Path, target: Path, corpus: KnownCorpus, watch: Callable[[int], None]) -> str:
    """Write the wanted files below ``target``; returns the digest over their sorted names and sha256."""
    target.mkdir()
    listing: list[str] = []
    left = corpus.size
    try:
        strip = _common_folder(name for name, _ in _members(archive))
        for name, stream in _members(archive):
            inner = PurePosixPath(*PurePosixPath(name).parts[strip:])
            if corpus.members and str(inner) not in corpus.members:
                continue
            size, digest = _copy(stream, target / inner, left, watch)
            left = None if left is None else left - size
            listing.append(f"{inner}\t{digest}\n")
    except _DAMAGE as error:
        raise InputError("{archive} cannot be unpacked: {why}", archive=archive, why=error) from error
    return sha256("".join(sorted(listing)).encode("utf-8", "surrogateescape")).hexdigest()


def _copy(stream: IO[bytes], place: Path, left: int | None, watch: Callable[[int], None]) -> tuple[int, str]:
    """Write one file of at most ``left`` bytes, in pieces; returns its size and sha256."""
    place.parent.mkdir(parents=True, exist_ok=True)
    size, digest = 0, sha256()
    with place.open("wb") as out:
        for piece in iter(partial(stream.read, _PIECE_BYTES), b""):
            size += len(piece)
            if left is not None and size > left:
                raise InputError("the archive is larger than the corpus; unpacking stopped at {file}", file=place.name)
            digest.update(piece)
            out.write(piece)
            watch(len(piece))
    return size, digest.hexdigest()


def _members(archive: Path) -> Iterator[Member]:
    """Ordinary files of an archive or folder; a name that leads outside is refused, links are left out."""
    if archive.is_dir():
        yield from _folder_members(archive)
    elif zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as pack:
            for info in pack.infolist():
                if not info.is_dir():
                    yield _safe(info.filename), pack.open(info)
    else:
        with tarfile.open(archive) as tape:
            for entry in tape:
                if entry.isfile() and (stream := tape.extractfile(entry)) is not None:
                    yield _safe(entry.name), stream


def _folder_members(folder: Path) -> Iterator[Member]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name != DESCRIPTION:
            with path.open("rb") as stream:
                yield path.relative_to(folder).as_posix(), stream


def _safe(name: str) -> str:
    parts = PurePosixPath(name.replace("\\", "/"))
    if "\0" in name:
        raise InputError("the archive contains {name!r}, which is not a name of a file", name=name)
    if not parts.parts or parts.is_absolute() or ".." in parts.parts or ":" in parts.parts[0]:
        raise InputError("the archive contains {name!r}, a path that leads outside; nothing was unpacked", name=name)
    return str(parts)


def _common_folder(names: Iterator[str]) -> int:
    """Number of leading folders that all names share: 1 or 0."""
    tops = {PurePosixPath(name).parts[0] if "/" in name else "" for name in names}
    return int(len(tops) == 1 and tops != {""})
