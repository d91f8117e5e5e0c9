"""Folders of text files: one subfolder per class, one document per file.

A link is followed if it leads to a file below the root. A link to a folder is not followed, so that each folder is read
once, by its own name; nor is a link out of the root. Such links are named in a warning; in place of a class they are an
error, because the class would be missing.
"""

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.binary import not_text
from textnb.readers.decoding import decoded
from textnb.readers.settings import DESCRIPTION, Settings, Troubles


def read_folder(root: Path, settings: Settings, troubles: Troubles) -> Iterator[Document]:
    """Read the files below ``root/CLASS/``, in order; the id is the path from the root, hidden files are left out."""
    entries = _entries(root)
    if settings.labelled:
        check_class_links(
            root, [entry for entry in entries if _is_folder(entry) and entry.name not in settings.exclude]
        )
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
            yield from _documents(entry, root, (label, settings, troubles, real_folder(root)))


_Context = tuple[str | None, Settings, Troubles, str]
"""Label, settings and record of troubles for all files below one entry of the root, and the root without links."""


def _documents(entry: os.DirEntry[str], root: Path, context: _Context) -> Iterator[Document]:
    """Read the documents at or below an entry."""
    if not may_be_followed(entry, context[3]):
        context[2].links.append(_id(entry, root))
    elif not _is_folder(entry):
        yield from _read_file(entry, root, context)
    else:
        for inner in _entries(Path(entry.path)):
            yield from _documents(inner, root, context)


def real_folder(root: Path) -> str:
    """Path of a folder without links, with a separator at its end, as ``may_be_followed`` needs it."""
    return os.path.join(os.path.realpath(root), "")  # noqa: PTH118


def may_be_followed(entry: os.DirEntry[str], real: str) -> bool:
    """Whether an entry is read: not if it is a link to a folder or out of the root, whose real path is given."""
    if not entry.is_symlink():
        return True
    return not _is_folder(entry) and (not is_kind(entry.is_file) or os.path.realpath(entry.path).startswith(real))


def check_class_links(root: Path, entries: Iterable[os.DirEntry[str]]) -> None:
    """Refuse links in place of classes."""
    real = real_folder(root)
    link = next((entry for entry in entries if not may_be_followed(entry, real)), None)
    if link is not None:
        template = "{path} is a link to {target}; links are not followed there: move or copy the documents into {root}"
        raise InputError(template, path=link.path, target=os.path.realpath(link.path), root=root)


def _id(entry: os.DirEntry[str], root: Path) -> str:
    """Path of an entry from the root."""
    return composed(entry.path.removeprefix(str(root)).lstrip(os.sep).replace(os.sep, "/"))


def _read_file(entry: os.DirEntry[str], root: Path, context: _Context) -> Iterator[Document]:
    """Read the document of one file, if it is wanted and can be read."""
    label, settings, troubles, _ = context
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
    if (why := not_text(data)) is not None:
        troubles.reject(entry.path, why)
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


def is_pipe(path: Path) -> bool:
    """Whether a path names a pipe, or a device such as a terminal, which can be read once."""
    mode = path.stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


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
