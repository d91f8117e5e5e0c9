"""A run over a Maildir: each message that is not known from before is judged, and moved or tagged or left.

    message     in memory                       stays, unread
                gone, or its name has changed   skipped, or found by its unique name
                also where it was to go         a run was broken off between link and unlink: this name goes
                put back by its owner           stays, and is remembered
                else                            judged; moved and tagged, as its destinations have it; else it stays

Changes are made one at a time under a lock of the whole Maildir, so that several runs do not meet, whichever of its
folders they go over. Without ``apply`` nothing is changed, neither messages nor memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.delivery import find_twin, move, remove
from textnb.mail.destinations import Destinations
from textnb.mail.filter import MailFilter, Verdict
from textnb.mail.maildir import Maildir, MaildirMessage, MaildirName, group_by_origin
from textnb.mail.sort_memory import SortMemory

_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
_SAVE_EVERY = 500


@dataclass(frozen=True)
class SortPlan:
    """What is to be done with messages: where they go, whether they get the X-Textnb field, and whether in earnest."""

    destinations: Destinations
    tag: bool = False
    apply: bool = False


class Outcome(NamedTuple):
    """What became of a message; without a verdict, either an error or the end of a move that was broken off."""

    id: str
    verdict: Verdict | None = None
    destination: str | None = None
    tagged: bool = False
    error: str = ""


class SortRun:
    """One run; to be iterated over once. ``pending`` are the messages that are not known from before."""

    def __init__(self, maildir: Maildir, mails: MailFilter, plan: SortPlan, memory: SortMemory, model: str) -> None:
        self.maildir, self.mails, self.plan, self.memory = maildir, mails, plan, memory
        self.folders = {name: maildir.folder(name) for name in plan.destinations.names}
        messages = maildir.messages()
        memory.begin(model, (message.unique for message in messages))
        self.pending = [message for message in messages if message.unique not in memory]
        self.known = len(messages) - len(self.pending)
        self._elsewhere = group_by_origin([maildir.path, *self.folders.values()]) if self.pending else {}

    def __iter__(self) -> Iterator[Outcome]:
        try:
            for number, message in enumerate(self.pending, 1):
                outcome = self._outcome(message)
                if outcome is not None:
                    yield outcome
                if self.plan.apply and number % _SAVE_EVERY == 0:
                    self.memory.save()
        finally:
            if self.plan.apply:
                self.memory.save()

    def _outcome(self, message: MaildirMessage) -> Outcome | None:
        """What becomes of a message; None where there is nothing to be said of it."""
        try:
            found = self.maildir.read(message)
            return None if found is None else self._sorted(message, *found)
        except Exception as error:  # whatever it is, the other messages are not to wait for this one
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            return Outcome(message.id, error=str(reason))

    def _sorted(self, message: MaildirMessage, path: Path, content: bytes) -> Outcome | None:
        if self.plan.apply and (twin := self._finished(path, content)) is not None:
            return self._finished_outcome(message, content, twin)
        if self._was_put_back(content):
            self.memory.keeps(message.unique)
            self.known += 1
            return None
        if content.startswith(_COMPRESSED):
            raise InputError("it is compressed, and cannot be read")
        filtered = self.mails(content)
        verdict, destination = filtered.verdict, self._destination(filtered.verdict)
        tagged = self.plan.tag and filtered.message != content
        unique = message.unique
        if self.plan.apply and (tagged or destination is not None):
            arrived = self._moved(path, destination, filtered.message if tagged else None)
            if arrived is None:
                return None
            unique = MaildirName.of(arrived.name).unique
        if self.plan.apply and destination is not None:
            self.memory.moved(content, destination, unique)
        else:
            self.memory.stays(unique, unsure=verdict.unsure)
        return Outcome(message.id, verdict, destination, tagged)

    def _destination(self, verdict: Verdict) -> str | None:
        """The folder that a message goes to; one that it is in already is none."""
        name = self.plan.destinations(verdict)
        return None if name is None or self.folders[name] == self.maildir.path else name

    def _moved(self, path: Path, destination: str | None, message: bytes | None) -> Path | None:
        folder = self.maildir.path if destination is None else self.folders[destination]
        with self.maildir.changing(folder):
            self.maildir.make(folder)
            return move(path, folder, message, alone=len(self._alike(path)) < 2)

    def _finished(self, path: Path, content: bytes) -> Path | None:
        """The same message under another name, where there is one: a move that was broken off, and is ended here.

        A move that is remembered came to its end, so that this name was given to the message afterwards.
        """
        others = self._alike(path)
        if len(others) < 2:
            return None
        # without the lock two runs could each take away the name that the other one leaves
        with self.maildir.changing(*(other.parent.parent for other in others)):
            twin = find_twin(path, others)
            if twin is None or self._moved_before(content, twin):
                return None
            remove(path, twin)
        return twin

    def _alike(self, path: Path) -> list[Path]:
        """The messages that had the origin of a message when the run began, itself among them."""
        return self._elsewhere.get(MaildirName.of(path.name).origin, [])

    def _moved_before(self, content: bytes, twin: Path) -> bool:
        place = self.memory.ever_moved_to(content)
        if place is None or place[1] != MaildirName.of(twin.name).unique:
            return False
        return self.maildir.folder(place[0]) == twin.parent.parent

    def _finished_outcome(self, message: MaildirMessage, content: bytes, twin: Path) -> Outcome:
        name = self._name(twin.parent.parent)
        if name is not None:
            self.memory.moved(content, name, MaildirName.of(twin.name).unique)
        return Outcome(message.id, destination=name)

    def _name(self, folder: Path) -> str | None:
        """The destination that a folder is; the one that is sorted is none."""
        names = (name for name, place in self.folders.items() if place == folder != self.maildir.path)
        return next(names, None)

    def _was_put_back(self, content: bytes) -> bool:
        """Whether a message was moved before and is not there now; a second copy of one that is there was not."""
        place = self.memory.moved_to(content)
        return place is not None and not self.maildir.has(*place)
