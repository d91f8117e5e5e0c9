"""What sorting has done with the messages of a Maildir, so that a run continues where the last one ended.

A small file in the Maildir itself, ``textnb-sorted``, holds unique names of messages that stayed:

    settled     judged and sure; not judged again
    unsure      judged again once the model has changed
    kept        put back by their owner after a move; not judged again
    moved       digest of a message that was moved: the folder and the unique name it had there
    last_run    what the last run that changed something has changed, so that it can be undone

The first two belong to a job: one model file with one way to decide and to move. The last few jobs are remembered.
Names of messages that have gone are dropped, and the oldest of ``moved``. If the file is lost, messages are judged
again. It is replaced as a whole, under a lock, with what other runs have added to it meanwhile.
"""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.header_field import message_digest
from textnb.storage import atomic, give, locked

_log = logging.getLogger("textnb")
_FILE, _FORMAT = "textnb-sorted", 1
_MAX_JOBS, _MAX_MOVED = 8, 10_000


@dataclass
class _Job:
    model: str
    settled: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)


class Change(NamedTuple):
    """What a run did to a message: its folder (None if it stayed), its unique name there, whether it was tagged."""

    folder: str | None
    unique: str
    tagged: bool = False


@dataclass
class _Remembered:
    jobs: dict[str, _Job] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    moved: dict[str, tuple[str, str]] = field(default_factory=dict)
    last_run: dict[str, Change] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "_Remembered":
        data = json.loads(text)
        if data["format"] != _FORMAT:
            raise ValueError("another format")
        jobs = {
            str(name): _Job(str(job["model"]), _names(job["settled"]), _names(job["unsure"]))
            for name, job in data["jobs"].items()
        }
        moved = {str(digest): (str(folder), str(name)) for digest, (folder, name) in data["moved"].items()}
        last_run = {str(digest): _as_change(*change) for digest, change in data.get("last_run", {}).items()}
        return cls(jobs, _names(data["kept"]), moved, last_run)

    def text(self) -> str:
        jobs = {
            name: {"model": job.model, "settled": sorted(job.settled), "unsure": sorted(job.unsure)}
            for name, job in list(self.jobs.items())[-_MAX_JOBS:]
        }
        moved, last_run = (dict(list(each.items())[-_MAX_MOVED:]) for each in (self.moved, self.last_run))
        held = {"format": _FORMAT, "jobs": jobs, "kept": sorted(self.kept), "moved": moved, "last_run": last_run}
        return json.dumps(held, indent=0)


class SortMemory:
    """Memory of one job in a Maildir; only ``save`` writes it.

    job: value whose ``repr`` identifies the job. again: ignore what the file says about earlier judgments.
    """

    def __init__(self, maildir: Path, job: object, *, again: bool = False) -> None:
        self.path, self.again = maildir / _FILE, again
        self.job = blake2b(repr(job).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self._own, self._own_kept, self._own_moved = _Job(""), set[str](), dict[str, tuple[str, str]]()
        self._own_changes, self._undone = dict[str, Change](), set[str]()
        self._all = _Remembered()
        self._present: set[str] = set()
        self._damaged = False

    def begin(self, model: str, present: Iterable[str]) -> None:
        """Begin a run with a model over the messages that are present; without a model nothing is judged."""
        self._present = set(present)
        unsure = self._own.unsure if model == self._own.model else set()
        self._own = _Job(model, self._own.settled & self._present, unsure & self._present)
        self._own_kept &= self._present
        self._own_moved = dict(list(self._own_moved.items())[-_MAX_MOVED:])
        self._all = self._merge()

    def __contains__(self, unique: str) -> bool:
        """Return whether a message stays without being judged again."""
        job = self._all.jobs[self.job]
        return unique in job.settled or unique in job.unsure or unique in self._all.kept

    def moved_to(self, message: bytes) -> tuple[str, str] | None:
        """Folder that a message was moved to, and its unique name there; None if it was not moved."""
        return (self._own_moved if self.again else self._all.moved).get(message_digest(message))

    def ever_moved_to(self, message: bytes) -> tuple[str, str] | None:
        """Folder and unique name of a moved message (see `moved_to`), also with ``again``."""
        return self._all.moved.get(message_digest(message))

    def record_stay(self, unique: str, *, unsure: bool) -> None:
        """Record that a message was judged and stays."""
        (self._own.unsure if unsure else self._own.settled).add(unique)
        self._present.add(unique)

    def record_kept(self, unique: str) -> None:
        """Record that a message was put back by its owner."""
        self._own_kept.add(unique)
        self._present.add(unique)

    def record_move(self, message: bytes, folder: str, unique: str) -> None:
        """Record that a message was moved."""
        self._own_moved[message_digest(message)] = folder, unique

    def record_change(self, message: bytes, change: Change) -> None:
        """Record what can be undone."""
        self._own_changes[message_digest(message)] = change

    def last_run(self) -> dict[str, Change]:
        """Return what the last run has changed, by the digest of the message, the last change first."""
        return dict(reversed(self._load().last_run.items()))

    def record_undone(self, digest: str, unique: str) -> None:
        """Record that a message has returned under a unique name."""
        self._undone.add(digest)
        self.record_kept(unique)

    def save(self) -> None:
        """Add this run to the file, if there is anything to add."""
        with locked(self.path):
            self._all = self._merge()
            text = self._all.text()
            if text != _read(self.path):
                with atomic(self.path) as stream:
                    give(stream.fileno(), self.path.parent.stat())
                    stream.write(text.encode("ascii"))

    def _merge(self) -> _Remembered:
        """Contents of the file with what this run adds, without messages that have gone."""
        found = self._load()
        own, job = self._own, found.jobs.pop(self.job, _Job(""))
        if self.again:
            job, found.kept = _Job(""), set()
        settled = own.settled | job.settled
        unsure = own.unsure | (job.unsure if job.model == own.model else set())
        if own.model:
            found.jobs[self.job] = _Job(own.model, settled, unsure - settled)
        for each in found.jobs.values():
            each.settled &= self._present
            each.unsure &= self._present
        found.kept = (found.kept | self._own_kept) & self._present
        found.moved |= self._own_moved
        found.last_run = self._own_changes or found.last_run
        for entries in (found.moved, found.last_run):
            for digest in self._undone & entries.keys():
                del entries[digest]
        return found

    def _load(self) -> _Remembered:
        text = _read(self.path)
        try:
            return _Remembered.of(text) if text else _Remembered()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if not self._damaged:
                _log.info("%s is damaged; messages will be judged again", self.path)
            self._damaged = True
            return _Remembered()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        template = "{path} cannot be read: {reason}; without this memory all messages are judged again"
        raise InputError(template, path=path, reason=error.strerror) from error


def _as_change(folder: object, unique: object, tagged: object) -> Change:
    return Change(None if folder is None else str(folder), str(unique), bool(tagged))


def _names(value: object) -> set[str]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return {str(name) for name in value}
