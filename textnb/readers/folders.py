"""Folders of text files: one subfolder per class, one document per file."""

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
    """Read the files below ``root/CLASS/``, in order; the id is the path from the root, hidden files are left out."""
    entries = _entries(root)
    if settings.labelled and not any(_is_folder(entry) for entry in entries):
        raise InputError("{root} has no subfolders; a corpus folder has one subfolder per class", root=root)
    _check_labels(root, [entry.name for entry in entries if _is_folder(entry)])
    for entry in entries:
        name = composed(entry.name)
        if name == DESCRIPTION or name in settings.exclude:
            continue
        if settings.labelled and not _is_folder(entry):
            troubles.not_read.append(name)
        else:
            label = settings.labels.get(name, name) if settings.labelled else None
            yield from _documents(entry, root, (root.resolve(),), (label, settings, troubles))


_Context = tuple[str | None, Settings, Troubles]
"""Label, settings and record of troubles for all files below one entry of the root."""


def _documents(entry: os.DirEntry[str], root: Path, above: tuple[Path, ...], context: _Context) -> Iterator[Document]:
    """Read the documents at or below an entry; a link back to a folder above is not followed."""
    if not _is_folder(entry):
        yield from _read_file(entry, root, context)
        return
    real = Path(entry.path).resolve()
    if real in above:
        context[2].not_read.append(_id(entry, root))
        return
    for inner in _entries(Path(entry.path)):
        yield from _documents(inner, root, (*above, real), context)


def _id(entry: os.DirEntry[str], root: Path) -> str:
    """Path of an entry from the root."""
    return composed(entry.path.removeprefix(str(root)).lstrip(os.sep).replace(os.sep, "/"))


def _read_file(entry: os.DirEntry[str], root: Path, context: _Context) -> Iterator[Document]:
    """Read the document of one file, if it is wanted and can be read."""
    label, settings, troubles = context
    whole = _id(entry, root)
    name = whole.rpartition("/")[2]
    if (settings.glob and not (fnmatch(name, settings.glob) or fnmatch(whole, settings.glob))) or (
        name in settings.exclude
    ):
        return
    if not is_kind(entry.is_file):
        troubles.not_read.append(whole)
        return
    try:
        data = Path(entry.path).read_bytes()
    except OSError as error:
        troubles.reject(entry.path, error.strerror or str(error))
        return
    yield document_of(data, settings, label, whole)


def document_of(data: bytes, settings: Settings, label: str | None, name: str) -> Document:
    """Decode the bytes of one file into a document."""
    content = decoded(data, settings.encoding)
    text = content.text
    for _ in range(settings.skip_lines):
        text = text.partition("\n")[2]
    return Document(text, label, name, defects=content.defects)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Entries of a folder that are not hidden, sorted by name."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not e.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        raise InputError("{folder}: {why}", folder=folder, why=error.strerror) from error


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return is_kind(entry.is_dir)


def is_kind(test: Callable[[], bool]) -> bool:
    """Result of a test such as ``entry.is_file``; False for a link that leads to itself."""
    try:
        return test()
    except OSError:
        return False


def composed(name: str) -> str:
    """Name of a file as text in NFC: some file systems decompose が, and old archives leave names in other charsets."""
    if name.isascii():
        return name
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = decoded(os.fsencode(name)).text
    return unicodedata.normalize("NFC", name)


def _check_labels(root: Path, folders: list[str]) -> None:
    """Refuse two folders whose names become the same label."""
    seen: dict[str, str] = {}
    for folder in folders:
        name = composed(folder)
        twin = seen.setdefault(name, folder)
        if twin != folder and unicodedata.normalize("NFC", twin) != unicodedata.normalize("NFC", folder):
            template = "{root}: the folders {a!r} and {b!r} would both be class {name!r}; rename one"
            raise InputError(template, root=root, a=twin, b=folder, name=name)
