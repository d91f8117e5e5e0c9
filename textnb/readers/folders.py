"""A folder with one subfolder per class, one document a file."""

import os
import unicodedata
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from textnb.errors import InputError
from textnb.readers.decoding import decoded
from textnb.readers.document import Document
from textnb.readers.settings import DESCRIPTION, Settings
from textnb.readers.trouble import Troubles


def read_folder(root: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """The files below ``root/CLASS/``, in order; the id is the path from the root, hidden files are skipped."""
    classes = [entry for entry in _entries(root) if entry.is_dir()]
    if settings.labelled and not classes:
        raise InputError(f"{root} has no subfolders; a corpus folder has one subfolder per class")
    for entry in _entries(root):
        if entry.is_dir():
            label = _label(entry.name, settings)
            yield from _documents(Path(entry.path), root, label, settings, troubles)
        elif settings.labelled:
            _leave_out(entry.name, settings, troubles)
        else:
            yield from _document(Path(entry.path), root, None, settings, troubles)


def _documents(
    folder: Path, root: Path, label: str | None, settings: Settings, troubles: Troubles
) -> Iterator[Document]:
    for entry in _entries(folder):
        path = Path(entry.path)
        if entry.is_dir():
            yield from _documents(path, root, label, settings, troubles)
        else:
            yield from _document(path, root, label, settings, troubles)


def _document(path: Path, root: Path, label: str | None, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    name = _composed(path.relative_to(root).as_posix())
    if settings.glob and not (fnmatch(path.name, settings.glob) or fnmatch(name, settings.glob)):
        return
    if path.name in settings.exclude:
        return
    if not path.is_file():
        troubles.outside.append(name)
        return
    try:
        data = path.read_bytes()
    except OSError as error:
        troubles.bad(str(path), error.strerror or str(error))
        return
    yield document_of(data, settings, label, name)


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


def _leave_out(name: str, settings: Settings, troubles: Troubles) -> None:
    if name != DESCRIPTION and name not in settings.exclude:
        troubles.outside.append(name)


def _label(folder: str, settings: Settings) -> str | None:
    name = _composed(folder)
    return settings.labels.get(name, name) if settings.labelled else None


def _composed(name: str) -> str:
    """File systems differ in how they write が; labels and ids do not."""
    return unicodedata.normalize("NFC", name).encode("utf-8", "replace").decode("utf-8")
