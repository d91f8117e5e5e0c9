"""A folder with one subfolder per class, one document a file."""

import os
import unicodedata
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.decoding import decoded
from textnb.readers.settings import DESCRIPTION, Settings, Troubles


def read_folder(root: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The files below ``root/CLASS/``, in order; the id is the path from the root, hidden files are skipped."""
    entries = _entries(root)
    if settings.labelled and not any(_is_folder(entry) for entry in entries):
        raise InputError(f"{root} has no subfolders; a corpus folder has one subfolder per class")
    _check_labels(root, [entry.name for entry in entries if _is_folder(entry)])
    for entry in entries:
        name = composed(entry.name)
        if name == DESCRIPTION or name in settings.exclude:
            continue
        if settings.labelled and not _is_folder(entry):
            troubles.outside.append(name)
        else:
            label = settings.labels.get(name, name) if settings.labelled else None
            yield from _documents(entry, root, (root.resolve(),), (label, settings, troubles))


_Told = tuple[str | None, Settings, Troubles]


def _documents(entry: os.DirEntry[str], root: Path, above: tuple[Path, ...], told: _Told) -> Iterator[Document]:
    """The document or documents at a place below the root; a link back to a folder above leads nowhere."""
    if not _is_folder(entry):
        yield from _document(entry, root, told)
        return
    real = Path(entry.path).resolve()
    if real in above:
        told[2].outside.append(_id(entry, root))
        return
    for inner in _entries(Path(entry.path)):
        yield from _documents(inner, root, (*above, real), told)


def _id(entry: os.DirEntry[str], root: Path) -> str:
    """Its path from the root."""
    return composed(entry.path.removeprefix(str(root)).lstrip(os.sep).replace(os.sep, "/"))


def _document(entry: os.DirEntry[str], root: Path, told: _Told) -> Iterator[Document]:
    label, settings, troubles = told
    whole = _id(entry, root)
    name = whole.rpartition("/")[2]
    if (settings.glob and not (fnmatch(name, settings.glob) or fnmatch(whole, settings.glob))) or (
        name in settings.exclude
    ):
        return
    if not holds(entry.is_file):
        troubles.outside.append(whole)
        return
    try:
        data = Path(entry.path).read_bytes()
    except OSError as error:
        troubles.bad(entry.path, error.strerror or str(error))
        return
    yield document_of(data, settings, label, whole)


def document_of(data: bytes, settings: Settings, label: str | None, name: str) -> Document:
    """The document that the bytes of one file are."""
    content = decoded(data, settings.encoding)
    text = content.text
    for _ in range(settings.skip_lines):
        text = text.partition("\n")[2]
    return Document(text, label, name, defects=content.defects)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not e.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return holds(entry.is_dir)


def holds(kind: Callable[[], bool]) -> bool:
    """Whether an entry is of a kind, such as ``entry.is_file``."""
    try:
        return kind()
    except OSError:  # a link that leads to itself
        return False


def composed(name: str) -> str:
    """A name as text: file systems differ in how they write が, and old archives leave names in other charsets."""
    if name.isascii():
        return name
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = decoded(os.fsencode(name)).text
    return unicodedata.normalize("NFC", name)


def _check_labels(root: Path, folders: list[str]) -> None:
    """Two folders that only look alike would be one class without a word."""
    seen: dict[str, str] = {}
    for folder in folders:
        name = composed(folder)
        twin = seen.setdefault(name, folder)
        if twin != folder and unicodedata.normalize("NFC", twin) != unicodedata.normalize("NFC", folder):
            raise InputError(f"{root}: the folders {twin!r} and {folder!r} would be one class, {name!r}; rename one")
