"""A Maildir with its subfolders, as Maildir++ has them: messages to be listed and read, folders found and made.

    MAILDIR/{cur,new,tmp}           the messages of the inbox
    MAILDIR/.Name/{cur,new,tmp}     those of the folder Name, in modified UTF-7; .Name.Sub is a folder within it

Where MAILDIR is such a subfolder itself, folders are found and made beside it. Whoever changes a folder holds the lock
of the Maildir that it belongs to, wherever a link has led to it.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.maildir_names import Name
from textnb.mail.modified_utf7 import encoded
from textnb.readers.mailboxes import is_maildir
from textnb.storage import give, locked

BOXES = ("new", "cur")
_PARTS = ("cur", "new", "tmp")
_MARK, _LOCK = "maildirfolder", "textnb-sort"


class Message(NamedTuple):
    """Where a message was when its folder was listed."""

    box: str
    name: str

    @property
    def id(self) -> str:
        """Its file, seen from the Maildir."""
        return f"{self.box}/{self.name}"

    @property
    def unique(self) -> str:
        """What it is known by while its flags change."""
        return Name.of(self.name).unique


class Maildir:
    """A Maildir that is there."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        if not is_maildir(self.path):
            raise InputError(f"{path} is not a Maildir: one has the folders cur and new")
        self.root = _root(self.path)

    def messages(self) -> list[Message]:
        """The messages of this folder, not of its subfolders, in the order of their names."""
        found = (Message(path.parent.name, path.name) for path in message_files(self.path))
        return sorted(found, key=lambda message: (message.name, message.box))

    def read(self, message: Message) -> tuple[Path, bytes] | None:
        """Where the message is, and its bytes; None where it is not here any longer. Its flags may have changed."""
        path = self.path / message.box / message.name
        try:
            return path, path.read_bytes()
        except FileNotFoundError:
            again = self.found_again(message.unique)
            return None if again is None else (again, again.read_bytes())

    def found_again(self, unique: str) -> Path | None:
        """The message of a unique name."""
        return next((path for path in message_files(self.path) if Name.of(path.name).unique == unique), None)

    def folder(self, name: str) -> Path:
        """Where the folder of a name is, or would be; one that is there in plain UTF-8, or without a dot, is taken."""
        if name.upper() == "INBOX":
            return self.root
        if "/" in name or os.sep in name or "\0" in name or not all(name.split(".")):
            raise InputError(
                f"{name!r} cannot be a folder of a Maildir: names have no '/' and no dots but between two levels; "
                "--move CLASS=FOLDER names another"
            )
        usual = self.root / f".{encoded(name)}"
        others = [self.root / f".{name}", self.root / name]
        return next((path.resolve() for path in [usual, *others] if is_maildir(path)), usual)

    def has(self, name: str, unique: str) -> bool:
        """Whether a folder holds a message that is not marked to be deleted."""
        folder = self.folder(name)
        there = (Name.of(path.name) for path in (message_files(folder) if is_maildir(folder) else ()))
        return any(found.unique == unique and not found.deleted for found in there)

    def make(self, folder: Path) -> None:
        """Make a folder, or what is missing of it, with the permissions and the owner of the Maildir."""
        if all((folder / part).is_dir() for part in _PARTS):
            return
        like = self.root.stat()
        for path in (folder, *(folder / part for part in _PARTS)):
            with suppress(FileExistsError):
                _make(path, like)
        if folder != self.root:
            with suppress(FileExistsError), (folder / _MARK).open("xb") as stream:
                give(stream.fileno(), like)
                os.fchmod(stream.fileno(), like.st_mode & 0o666)

    @contextmanager
    def changing(self, *folders: Path) -> Iterator[None]:
        """Hold the right to change this folder and others; not to be nested."""
        roots = {(root.stat().st_dev, root.stat().st_ino): root for root in (self.root, *map(_root, folders))}
        with ExitStack() as held:
            for _, root in sorted(roots.items()):  # in one order, or two runs could wait for each other
                held.enter_context(locked(root / _LOCK))
            yield


def _make(path: Path, like: os.stat_result) -> None:
    """Make a folder, or none where its owner could not use it."""
    path.mkdir(like.st_mode & 0o777)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            give(handle, like)
        finally:
            os.close(handle)
    except OSError:
        path.rmdir()
        raise


def _root(folder: Path) -> Path:
    """The Maildir that a folder is a part of; a folder on its own is itself one."""
    marked = folder.name.startswith(".") or (folder / _MARK).exists()
    return folder.parent if marked and is_maildir(folder.parent) else folder


def by_origin(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """The messages of folders by the stem that they came with; a folder that is not there has none."""
    found = defaultdict(list)
    for folder in dict.fromkeys(folders):
        if is_maildir(folder):
            for path in message_files(folder):
                found[Name.of(path.name).origin].append(path)
    return found


def message_files(folder: Path) -> list[Path]:
    """The files of new and cur that are messages: neither hidden nor links nor folders."""
    found = []
    for box in BOXES:
        with os.scandir(folder / box) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        found += [folder / box / name for name in names if not name.startswith(".")]
    return found
