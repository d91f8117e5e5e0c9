"""A Maildir with its subfolders (Maildir++): messages are listed and read, folders found and made.

    MAILDIR/{cur,new,tmp}           messages of the inbox
    MAILDIR/.Name/{cur,new,tmp}     messages of the folder Name, in modified UTF-7; .Name.Sub is a folder within it

If MAILDIR is such a subfolder itself, folders are found and made beside it. Whoever changes a folder holds the lock of
the Maildir that it belongs to, whichever link led there.

A message's file name has three parts:

    name = stem fields info      1700000000.M1P2.host  ,S=1234,W=1260  :2,RS

The stem is unique for ever. The fields are Dovecot's: the size of the file, and its size with CRLF line ends. The info
holds flags; its small letters are keywords whose meaning only their own folder knows. The unique name is everything
before the info. textnb appends two things to a stem and recognises them again:

    .t and 8 hex digits of the content   the message was rewritten with a header field; servers cache content by name
    .x and 16 random hex digits          the message was moved to where its name was taken

An empty stem would then make a hidden file, which is not a message, so it is replaced by a word.
"""

import os
import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.readers.folder_names import encode_folder_name
from textnb.readers.mailboxes import is_maildir
from textnb.storage import give, locked

_ADDED = re.compile(r"(\.t[0-9a-f]{8}|\.x[0-9a-f]{16})+$")
_SIZE = re.compile(r",([SW])=\d+")
_EMPTY_STEM = "textnb"
_KEYWORDS = re.compile(r"(?<=^:2,)[A-Za-z]*")


class MaildirName(NamedTuple):
    """Parts of a message's file name; ``str`` gives the name."""

    stem: str
    fields: str = ""
    info: str = ""

    @classmethod
    def of(cls, name: str) -> "MaildirName":
        """Parse a file name.

        >>> MaildirName.of("17.host,S=12:2,S")
        MaildirName(stem='17.host', fields=',S=12', info=':2,S')
        """
        unique, colon, info = name.partition(":")
        size = _SIZE.search(unique)
        end = len(unique) if size is None else size.start()
        return cls(unique[:end], unique[end:], colon + info)

    def __str__(self) -> str:
        return self.stem + self.fields + self.info

    @property
    def unique(self) -> str:
        """Unique name, which stays while flags change."""
        return self.stem + self.fields

    @property
    def origin(self) -> str:
        """Stem that the message arrived with, or the word that replaces an empty one."""
        return _ADDED.sub("", self.stem) or _EMPTY_STEM

    @property
    def deleted(self) -> bool:
        """Whether the message is marked for deletion."""
        return "T" in self.info

    def in_another_folder(self) -> "MaildirName":
        """Name with its flags but without its keywords."""
        return self._replace(info=_KEYWORDS.sub(lambda flags: re.sub("[a-z]", "", flags[0]), self.info))

    def holding(self, message: bytes) -> "MaildirName":
        """Name of the message with changed bytes; sizes in it are updated."""
        sizes = {"S": len(message), "W": len(message) + message.count(b"\n") - message.count(b"\r\n")}
        fields = _SIZE.sub(lambda field: f",{field[1]}={sizes[field[1]]}", self.fields)
        return MaildirName(f"{self.origin}.t{blake2b(message, digest_size=4).hexdigest()}", fields, self.info)

    def another(self) -> "MaildirName":
        """New name that no message has, for where this one is taken."""
        return self._replace(stem=f"{self.stem or _EMPTY_STEM}.x{secrets.token_hex(8)}")


BOXES = ("new", "cur")
_PARTS = ("cur", "new", "tmp")
_FOLDER_MARK, _LOCK = "maildirfolder", "textnb-sort"


class MaildirMessage(NamedTuple):
    """Place of a message when its folder was listed."""

    box: str
    name: str

    @property
    def id(self) -> str:
        """Path of the file relative to the Maildir."""
        return f"{self.box}/{self.name}"

    @property
    def unique(self) -> str:
        """Unique name of the message, whatever its flags."""
        return MaildirName.of(self.name).unique


class Maildir:
    """An existing Maildir, or a folder of one; ``path`` contains cur and new."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        if not is_maildir(self.path):
            raise InputError("{path} is not a Maildir, which has the folders cur and new", path=path)
        self.root = _root(self.path)

    def messages(self) -> list[MaildirMessage]:
        """List the messages of this folder, without subfolders, sorted by name."""
        found = (MaildirMessage(path.parent.name, path.name) for path in message_files(self.path))
        return sorted(found, key=lambda message: (message.name, message.box))

    def read(self, message: MaildirMessage) -> tuple[Path, bytes] | None:
        """Read a message, whose flags may have changed; return its path and bytes, None if it has gone."""
        path = self.path / message.box / message.name
        try:
            return path, path.read_bytes()
        except FileNotFoundError:
            again = self.find(message.unique)
            return None if again is None else (again, again.read_bytes())

    def find(self, unique: str) -> Path | None:
        """Find the message that has a unique name."""
        return next((path for path in message_files(self.path) if MaildirName.of(path.name).unique == unique), None)

    def folder(self, name: str) -> Path:
        """Path of a folder, existing or not; one that exists in plain UTF-8, or without a dot, is used."""
        if name.upper() == "INBOX":
            return self.root
        if "/" in name or os.sep in name or "\0" in name or not all(name.split(".")):
            template = "{name!r} cannot be a folder of a Maildir: no '/', and dots only between levels; use --move"
            raise InputError(template, name=name)
        usual = self.root / f".{encode_folder_name(name)}"
        others = [self.root / f".{name}", self.root / name]
        return next((path.resolve() for path in [usual, *others] if is_maildir(path)), usual)

    def has(self, name: str, unique: str) -> bool:
        """Return whether a folder holds a message that is not marked for deletion."""
        folder = self.folder(name)
        there = (MaildirName.of(path.name) for path in (message_files(folder) if is_maildir(folder) else ()))
        return any(found.unique == unique and not found.deleted for found in there)

    def make(self, folder: Path) -> None:
        """Make a folder, or its missing parts, with the permissions and the owner of the Maildir."""
        if all((folder / part).is_dir() for part in _PARTS):
            return
        like = self.root.stat()
        for path in (folder, *(folder / part for part in _PARTS)):
            with suppress(FileExistsError):
                _make_owned(path, like)
        if folder != self.root:
            with suppress(FileExistsError), (folder / _FOLDER_MARK).open("xb") as stream:
                give(stream.fileno(), like)
                os.fchmod(stream.fileno(), like.st_mode & 0o666)

    @contextmanager
    def changing(self, *folders: Path) -> Iterator[None]:
        """Lock this folder and others while they are changed; must not be nested."""
        roots = {(root.stat().st_dev, root.stat().st_ino): root for root in (self.root, *map(_root, folders))}
        with ExitStack() as held:
            for _, root in sorted(roots.items()):  # in one order, or two runs could wait for each other
                held.enter_context(locked(root / _LOCK))
            yield


def _make_owned(path: Path, like: os.stat_result) -> None:
    """Make a folder; if its owner could not use it, remove it again and raise."""
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
    """Maildir that a folder belongs to; a folder on its own is a Maildir itself."""
    marked = folder.name.startswith(".") or (folder / _FOLDER_MARK).exists()
    return folder.parent if marked and is_maildir(folder.parent) else folder


def group_by_origin(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Group the messages of folders by the stem they arrived with; a missing folder has none."""
    found = defaultdict(list)
    for folder in dict.fromkeys(folders):
        if is_maildir(folder):
            for path in message_files(folder):
                found[MaildirName.of(path.name).origin].append(path)
    return found


def message_files(folder: Path) -> list[Path]:
    """Files of new and cur that are messages: not hidden, no links, no folders."""
    found = []
    for box in BOXES:
        with os.scandir(folder / box) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        found += [folder / box / name for name in names if not name.startswith(".")]
    return found
