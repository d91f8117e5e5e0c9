"""What was done with the messages of a Maildir before, so that a run goes on where the last one ended.

A small file in the Maildir itself, ``textnb-sorted``, holds unique names of messages that stayed:

    settled     judged and sure; not judged again
    unsure      judged again once the model is another
    kept        put back by their owner after they had been moved; not judged again
    moved       digest of a message that was moved: the folder and the unique name that it had there

The first two are of a job: one model file with one way to decide and to move; of these the last few are remembered.
Names of messages that are gone are dropped, and the oldest of ``moved``. It is a memory and no more: should it be lost,
messages are judged again. It is replaced as a whole, under a lock, with what other runs have added to it meanwhile.
"""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from textnb.errors import InputError
from textnb.mail.header_field import message_digest
from textnb.storage import atomic, give, locked

_log = logging.getLogger("textnb")
_FILE, _FORMAT = "textnb-sorted", 1
_JOBS, _MOVED = 8, 10_000


@dataclass
class _Job:
    model: str
    settled: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)


@dataclass
class _Remembered:
    jobs: dict[str, _Job] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    moved: dict[str, tuple[str, str]] = field(default_factory=dict)

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
        return cls(jobs, _names(data["kept"]), moved)

    def text(self) -> str:
        jobs = {
            name: {"model": job.model, "settled": sorted(job.settled), "unsure": sorted(job.unsure)}
            for name, job in list(self.jobs.items())[-_JOBS:]
        }
        moved = dict(list(self.moved.items())[-_MOVED:])
        return json.dumps({"format": _FORMAT, "jobs": jobs, "kept": sorted(self.kept), "moved": moved}, indent=0)


class SortMemory:
    """The memory of one job in a Maildir. Nothing is written but by ``save``.

    job: whatever makes it another one, by its ``repr``; again: what the file says of judging is not believed.
    """

    def __init__(self, maildir: Path, job: object, *, again: bool = False) -> None:
        self.path, self.again = maildir / _FILE, again
        self.job = blake2b(repr(job).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self._own, self._own_kept, self._own_moved = _Job(""), set[str](), dict[str, tuple[str, str]]()
        self._all = _Remembered()
        self._present: set[str] = set()
        self._damaged = False

    def begin(self, model: str, present: Iterable[str]) -> None:
        """Begin a run by a model over the messages that are there."""
        self._present = set(present)
        unsure = self._own.unsure if model == self._own.model else set()
        self._own = _Job(model, self._own.settled & self._present, unsure & self._present)
        self._own_kept &= self._present
        self._own_moved = dict(list(self._own_moved.items())[-_MOVED:])
        self._all = self._together()

    def __contains__(self, unique: str) -> bool:
        """Whether a message stays without being judged again."""
        job = self._all.jobs[self.job]
        return unique in job.settled or unique in job.unsure or unique in self._all.kept

    def moved_to(self, message: bytes) -> tuple[str, str] | None:
        """The folder that a message was moved to before, and its unique name there."""
        return (self._own_moved if self.again else self._all.moved).get(message_digest(message))

    def ever_moved_to(self, message: bytes) -> tuple[str, str] | None:
        """The same, of whatever run: that a move came to its end is no judgment."""
        return self._all.moved.get(message_digest(message))

    def stays(self, unique: str, *, unsure: bool) -> None:
        """A message was judged and stays."""
        (self._own.unsure if unsure else self._own.settled).add(unique)
        self._present.add(unique)

    def keeps(self, unique: str) -> None:
        """A message was put back by its owner."""
        self._own_kept.add(unique)
        self._present.add(unique)

    def moved(self, message: bytes, folder: str, unique: str) -> None:
        """A message was moved."""
        self._own_moved[message_digest(message)] = folder, unique

    def save(self) -> None:
        """Add this run to the file, where there is anything to add."""
        with locked(self.path):
            self._all = self._together()
            text = self._all.text()
            if text != _read(self.path):
                with atomic(self.path) as stream:
                    give(stream.fileno(), self.path.parent.stat())
                    stream.write(text.encode("ascii"))

    def _together(self) -> _Remembered:
        """What the file says, with what this run adds, less what is gone."""
        found = self._found()
        own, job = self._own, found.jobs.pop(self.job, _Job(""))
        if self.again:
            job, found.kept = _Job(""), set()
        settled = own.settled | job.settled
        unsure = own.unsure | (job.unsure if job.model == own.model else set())
        found.jobs[self.job] = _Job(own.model, settled, unsure - settled)
        for each in found.jobs.values():
            each.settled &= self._present
            each.unsure &= self._present
        found.kept = (found.kept | self._own_kept) & self._present
        found.moved |= self._own_moved
        return found

    def _found(self) -> _Remembered:
        text = _read(self.path)
        try:
            return _Remembered.of(text) if text else _Remembered()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if not self._damaged:
                _log.info("%s is damaged, so messages are judged again", self.path)
            self._damaged = True
            return _Remembered()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}; it is where sorting remembers messages: once it is moved away, "
            "they are judged again"
        ) from error


def _names(value: object) -> set[str]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return {str(name) for name in value}
