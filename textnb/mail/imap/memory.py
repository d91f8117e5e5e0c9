"""What textnb has done in an account, remembered on this machine in one small file.

    folders     for each folder its UIDVALIDITY, the first UID not yet examined, and earlier UIDs to examine again
    placed      for each message, by the digest of its bytes, the folder where textnb last saw it
    moving      the same for messages whose move has begun: they are in that folder, or still where they were
    changes     what the last run that changed something has done to messages, so that it can be undone

A folder whose UIDVALIDITY has changed counts as never examined; its messages are recognised by their digests. The file
holds a limited number of digests and drops the oldest first. It is replaced as a whole.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from textnb.errors import InputError
from textnb.mail.imap.connection import Account
from textnb.storage import atomic

MAX_REMEMBERED = 20_000
"""Digests that are remembered."""

_FORMAT = 1
_Entry = TypeVar("_Entry")


@dataclass
class FolderProgress:
    """How far a folder has been examined: up to ``next``, except the UIDs in ``left``."""

    validity: int
    next: int = 1
    left: list[int] = field(default_factory=list)

    def advance(self, seen: Iterable[int], left: Iterable[int] = ()) -> None:
        """Record UIDs as examined; those in ``left`` are to be examined again."""
        seen = set(seen)
        self.next = max([self.next, *(uid + 1 for uid in seen)])
        self.left = sorted({*self.left} - seen | {*left})


class ImapChange(NamedTuple):
    """What a run has done to a message: the folder it was in, the one it is in, its size, the flags it was given."""

    origin: str
    folder: str
    size: int
    flags: tuple[str, ...]


@dataclass
class Memory:
    """Memory of an account; ``save`` writes it to its file."""

    path: Path
    folders: dict[str, FolderProgress] = field(default_factory=dict)
    placed: dict[str, str] = field(default_factory=dict)
    moving: dict[str, str] = field(default_factory=dict)
    changes: dict[str, ImapChange] = field(default_factory=dict)
    run: str = ""
    _saved: bytes = field(default=b"", repr=False)

    def progress(self, folder: str, validity: int) -> FolderProgress:
        """Progress in a folder; none if its UIDVALIDITY has changed."""
        if folder not in self.folders or self.folders[folder].validity != validity:
            self.folders[folder] = FolderProgress(validity)
        return self.folders[folder]

    def where(self, digest: str, here: str) -> str | None:
        """Folder where a message found ``here`` was last seen; None if it is unknown."""
        begun = self.moving.get(digest)
        return self.placed.get(digest, begun if begun == here else None)

    def place(self, digests: Iterable[str], folder: str) -> None:
        """Record that messages are in a folder."""
        for digest in digests:
            self.moving.pop(digest, None)
            self.placed.pop(digest, None)  # the newest come last
            self.placed[digest] = folder

    def begin(self, digests: Iterable[str], folder: str) -> None:
        """Record that messages are about to be moved to a folder."""
        self.moving.update(dict.fromkeys(digests, folder))

    def record_change(self, run: str, digest: str, change: ImapChange) -> None:
        """Record a change of a run; those of another run are dropped."""
        if run != self.run:
            self.run, self.changes = run, {}
        self.changes[digest] = change

    def save(self) -> None:
        """Write the memory to its file, if it has changed."""
        self.placed, self.moving, self.changes = _newest(self.placed), _newest(self.moving), _newest(self.changes)
        held = {
            "format": _FORMAT,
            "folders": {name: asdict(progress) for name, progress in self.folders.items()},
            "placed": self.placed,
            "moving": self.moving,
            "run": self.run,
            "changes": self.changes,
        }
        content = json.dumps(held, ensure_ascii=False, indent=0).encode("utf-8", "surrogatepass")
        if content == self._saved:
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic(self.path) as stream:
            stream.write(content)
        self._saved = content

    @classmethod
    def read(cls, path: Path) -> "Memory":
        """Read the memory from a file; empty if there is none."""
        try:
            content = path.read_bytes()
            held = json.loads(content)
        except FileNotFoundError:
            return cls(path)
        except (OSError, ValueError, RecursionError) as error:
            raise _damaged(path, error) from error
        if not isinstance(held, dict) or held.get("format") != _FORMAT:
            raise _damaged(path, "written by another version of textnb")
        try:
            folders = {name: _as_progress(entry) for name, entry in held["folders"].items()}
            changes = {str(digest): _as_change(*change) for digest, change in held.get("changes", {}).items()}
            placed, moving = _as_strings(held["placed"]), _as_strings(held["moving"])
            return cls(path, folders, placed, moving, changes, str(held.get("run", "")), content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(path, repr(error)) from error


def memory_path(account: Account) -> Path:
    """File of an account's memory, in $XDG_STATE_HOME/textnb, by default ~/.local/state/textnb."""
    home = os.environ.get("XDG_STATE_HOME", "")
    states = Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "state"
    whose = f"{account.user}@{account.host.lower()}"
    shown = re.sub(r"[^A-Za-z0-9@.-]", "_", whose)[:80]
    return states / "textnb" / "imap" / f"{shown}-{blake2b(whose.encode(), digest_size=4).hexdigest()}.json"


def _newest(entries: dict[str, _Entry]) -> dict[str, _Entry]:
    return dict(list(entries.items())[-MAX_REMEMBERED:])


def _as_change(origin: object, folder: object, size: Any, flags: Iterable[object]) -> ImapChange:
    return ImapChange(str(origin), str(folder), int(size), tuple(str(flag) for flag in flags))


def _as_progress(entry: Mapping[str, Any]) -> FolderProgress:
    return FolderProgress(int(entry["validity"]), int(entry["next"]), [int(uid) for uid in entry["left"]])


def _as_strings(entries: Mapping[str, Any]) -> dict[str, str]:
    return {str(digest): str(folder) for digest, folder in entries.items()}


def _damaged(path: Path, why: object) -> InputError:
    template = "{path} cannot be read ({why}); remove it, and textnb will not know what it has done in the account"
    return InputError(template, path=path, why=why)
