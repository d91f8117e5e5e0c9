"""A Maildir with its subfolders, as Maildir++ has them: messages to be listed and read, folders found and made.

    MAILDIR/{cur,new,tmp}           the messages of the inbox
    MAILDIR/.Name/{cur,new,tmp}     those of the folder Name, in modified UTF-7; .Name.Sub is a folder within it

Where MAILDIR is such a subfolder itself, folders are found and made beside it. Whoever changes a folder holds the lock
of the Maildir that it belongs to, wherever a link has led to it.

Names of messages in a Maildir.

    name = stem fields info      1700000000.M1P2.host  ,S=1234,W=1260  :2,RS

The stem is unique for ever; the fields are Dovecot's, the size of the file and its size with CRLF line ends; the info
holds flags, of which small letters are keywords that only their own folder knows the meaning of. Unique is everything
before the info. Two things are put to the end of a stem, and known again there:

    .t and 8 digits of the content      written anew, with a tag; for servers remember by its name what was in a file
    .x and 16 digits by chance          moved to where the name was taken

A stem without a letter would be a hidden file's then, and hidden files are no messages: it begins with a word of ours.
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
from textnb.mail.destinations import encode_folder_name
from textnb.readers.mailboxes import is_maildir
from textnb.storage import give, locked

_ADDED = re.compile(r"(\.t[0-9a-f]{8}|\.x[0-9a-f]{16})+$")
_SIZE = re.compile(r",([SW])=\d+")
_NAMELESS = "textnb"
_KEYWORDS = re.compile(r"(?<=^:2,)[A-Za-z]*")


class MaildirName(NamedTuple):
    """The parts of a name; as a string, the name itself."""

    stem: str
    fields: str = ""
    info: str = ""

    @classmethod
    def of(cls, name: str) -> "MaildirName":
        """The parts of a file's name.

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
        """What stays while flags change."""
        return self.stem + self.fields

    @property
    def origin(self) -> str:
        """The stem that the message came with; where it is empty, what is put in its place."""
        return _ADDED.sub("", self.stem) or _NAMELESS

    @property
    def deleted(self) -> bool:
        """Whether the message is marked to be deleted."""
        return "T" in self.info

    def in_another_folder(self) -> "MaildirName":
        """The same with flags, and without keywords.

        >>> str(MaildirName.of("17.host:2,FSac").in_another_folder())
        '17.host:2,FS'
        """
        return self._replace(info=_KEYWORDS.sub(lambda flags: re.sub("[a-z]", "", flags[0]), self.info))

    def holding(self, message: bytes) -> "MaildirName":
        r"""The name of the same message with other bytes; sizes are renewed where there are any.

        >>> str(MaildirName.of("17.host,S=3,W=4:2,S").holding(b"To: a\n\n"))
        '17.host.t3136373f,S=7,W=9:2,S'
        """
        sizes = {"S": len(message), "W": len(message) + message.count(b"\n") - message.count(b"\r\n")}
        fields = _SIZE.sub(lambda field: f",{field[1]}={sizes[field[1]]}", self.fields)
        return MaildirName(f"{self.origin}.t{blake2b(message, digest_size=4).hexdigest()}", fields, self.info)

    def another(self) -> "MaildirName":
        """A name that nobody has, for where this one is taken."""
        return self._replace(stem=f"{self.stem or _NAMELESS}.x{secrets.token_hex(8)}")


BOXES = ("new", "cur")
_PARTS = ("cur", "new", "tmp")
_MARK, _LOCK = "maildirfolder", "textnb-sort"


class MaildirMessage(NamedTuple):
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
        return MaildirName.of(self.name).unique


class Maildir:
    """A Maildir that is there."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        if not is_maildir(self.path):
            raise InputError(f"{path} is not a Maildir: one has the folders cur and new")
        self.root = _root(self.path)

    def messages(self) -> list[MaildirMessage]:
        """The messages of this folder, not of its subfolders, in the order of their names."""
        found = (MaildirMessage(path.parent.name, path.name) for path in message_files(self.path))
        return sorted(found, key=lambda message: (message.name, message.box))

    def read(self, message: MaildirMessage) -> tuple[Path, bytes] | None:
        """Where the message is, and its bytes; None where it is not here any longer. Its flags may have changed."""
        path = self.path / message.box / message.name
        try:
            return path, path.read_bytes()
        except FileNotFoundError:
            again = self.found_again(message.unique)
            return None if again is None else (again, again.read_bytes())

    def found_again(self, unique: str) -> Path | None:
        """The message of a unique name."""
        return next((path for path in message_files(self.path) if MaildirName.of(path.name).unique == unique), None)

    def folder(self, name: str) -> Path:
        """Where the folder of a name is, or would be; one that is there in plain UTF-8, or without a dot, is taken."""
        if name.upper() == "INBOX":
            return self.root
        if "/" in name or os.sep in name or "\0" in name or not all(name.split(".")):
            raise InputError(
                f"{name!r} cannot be a folder of a Maildir: names have no '/' and no dots but between two levels; "
                "--move CLASS=FOLDER names another"
            )
        usual = self.root / f".{encode_folder_name(name)}"
        others = [self.root / f".{name}", self.root / name]
        return next((path.resolve() for path in [usual, *others] if is_maildir(path)), usual)

    def has(self, name: str, unique: str) -> bool:
        """Whether a folder holds a message that is not marked to be deleted."""
        folder = self.folder(name)
        there = (MaildirName.of(path.name) for path in (message_files(folder) if is_maildir(folder) else ()))
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


def group_by_origin(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """The messages of folders by the stem that they came with; a folder that is not there has none."""
    found = defaultdict(list)
    for folder in dict.fromkeys(folders):
        if is_maildir(folder):
            for path in message_files(folder):
                found[MaildirName.of(path.name).origin].append(path)
    return found


def message_files(folder: Path) -> list[Path]:
    """The files of new and cur that are messages: neither hidden nor links nor folders."""
    found = []
    for box in BOXES:
        with os.scandir(folder / box) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        found += [folder / box / name for name in names if not name.startswith(".")]
    return found
