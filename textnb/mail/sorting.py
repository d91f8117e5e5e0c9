"""Sorting of a Maildir: each message that is not in the memory is judged, and moved or tagged or left.

    message     in memory                       stays, unread
                gone, or renamed                skipped, or found by its unique name
                also at its destination         a run was interrupted between link and unlink: this name is removed
                put back by its owner           stays, and is remembered
                otherwise                       judged; moved and tagged as planned, or it stays

Changes are made one at a time under a lock of the whole Maildir, so several runs do not collide, whichever of its
folders they sort. Without ``apply`` a run is a dry run: neither messages nor the memory change.

``undo`` reverses what the last run that changed something has changed: messages return, without the field it wrote.
They then count as put back by their owner, so that the next run does not move them again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.decision import MailFilter, Verdict
from textnb.mail.destinations import Destinations
from textnb.mail.header_field import message_digest, remove_field
from textnb.mail.maildir import Maildir, MaildirMessage, MaildirName, group_by_origin
from textnb.mail.moving import find_twin, move, remove
from textnb.mail.sort_memory import Change, SortMemory

_COMPRESSED_STARTS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
_MESSAGES_PER_SAVE = 500


@dataclass(frozen=True)
class SortPlan:
    """What to do with messages: where they go, whether they get the X-Textnb field; without ``apply`` a dry run."""

    destinations: Destinations
    tag: bool = False
    apply: bool = False


class Outcome(NamedTuple):
    """Outcome for one message; without a verdict, an error or the completion of an interrupted move."""

    id: str
    verdict: Verdict | None = None
    destination: str | None = None
    tagged: bool = False
    error: str = ""
    message: bytes = b""


class SortRun:
    """One run over a Maildir, to be iterated once; ``pending`` are the messages that are not in the memory."""

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
                outcome = self._process(message)
                if outcome is not None:
                    yield outcome
                if self.plan.apply and number % _MESSAGES_PER_SAVE == 0:
                    self.memory.save()
        finally:
            if self.plan.apply:
                self.memory.save()

    def _process(self, message: MaildirMessage) -> Outcome | None:
        """Sort one message, and report any error as its outcome; None if there is nothing to report."""
        try:
            found = self.maildir.read(message)
            return None if found is None else self._sort(message, *found)
        except Exception as error:  # on any error the other messages are still sorted
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            return Outcome(message.id, error=str(reason))

    def _sort(self, message: MaildirMessage, path: Path, content: bytes) -> Outcome | None:
        if self.plan.apply and (twin := self._finish_move(path, content)) is not None:
            return self._finished_outcome(message, content, twin)
        if self._was_put_back(content):
            self.memory.record_kept(message.unique)
            self.known += 1
            return None
        if content.startswith(_COMPRESSED_STARTS):
            raise InputError("the message is compressed and cannot be read")
        filtered = self.mails(content)
        verdict, destination = filtered.verdict, self._destination(filtered.verdict)
        tagged = self.plan.tag and filtered.message != content
        unique = message.unique
        if self.plan.apply and (tagged or destination is not None):
            arrived = self._move(path, destination, filtered.message if tagged else None)
            if arrived is None:
                return None
            unique = MaildirName.of(arrived.name).unique
        if self.plan.apply and destination is not None:
            self.memory.record_move(content, destination, unique)
        else:
            self.memory.record_stay(unique, unsure=verdict.unsure)
        if self.plan.apply and (tagged or destination is not None):
            self.memory.record_change(content, Change(destination, unique, tagged))
        return Outcome(message.id, verdict, destination, tagged, message=content)

    def _destination(self, verdict: Verdict) -> str | None:
        """Folder that a message goes to; None if it stays, also if it is there already."""
        name = self.plan.destinations(verdict)
        return None if name is None or self.folders[name] == self.maildir.path else name

    def _move(self, path: Path, destination: str | None, message: bytes | None) -> Path | None:
        folder = self.maildir.path if destination is None else self.folders[destination]
        with self.maildir.changing(folder):
            self.maildir.make(folder)
            return move(path, folder, message, alone=len(self._alike(path)) < 2)

    def _finish_move(self, path: Path, content: bytes) -> Path | None:
        """Complete an interrupted move: if the message has another name, remove this one and return the other.

        A remembered move was completed, so its message got this name afterwards and keeps it.
        """
        others = self._alike(path)
        if len(others) < 2:
            return None
        # without the lock, two runs could each remove the name that the other one leaves
        with self.maildir.changing(*(other.parent.parent for other in others)):
            twin = find_twin(path, others)
            if twin is None or self._moved_before(content, twin):
                return None
            remove(path, twin)
        return twin

    def _alike(self, path: Path) -> list[Path]:
        """Messages that had the origin of a message when the run began, including itself."""
        return self._elsewhere.get(MaildirName.of(path.name).origin, [])

    def _moved_before(self, content: bytes, twin: Path) -> bool:
        place = self.memory.ever_moved_to(content)
        if place is None or place[1] != MaildirName.of(twin.name).unique:
            return False
        return self.maildir.folder(place[0]) == twin.parent.parent

    def _finished_outcome(self, message: MaildirMessage, content: bytes, twin: Path) -> Outcome:
        name = self._name(twin.parent.parent)
        if name is not None:
            self.memory.record_move(content, name, MaildirName.of(twin.name).unique)
        return Outcome(message.id, destination=name)

    def _name(self, folder: Path) -> str | None:
        """Name of the destination that a folder is; None for the folder that is being sorted."""
        names = (name for name, place in self.folders.items() if place == folder != self.maildir.path)
        return next(names, None)

    def _was_put_back(self, content: bytes) -> bool:
        """Return whether a message was moved and is no longer there; a second copy of one that is there was not."""
        place = self.memory.moved_to(content)
        return place is not None and not self.maildir.has(*place)


class Undone(NamedTuple):
    """Message of the last run that returns from a folder; None if it had only been tagged. error: why it does not."""

    id: str
    folder: str | None
    message: bytes = b""
    error: str = ""


def undo(maildir: Maildir, memory: SortMemory, *, apply: bool) -> Iterator[Undone]:
    """Reverse the last run, message by message; without ``apply`` only yield what would be done.

    A message that is no longer where the run has put it, or was changed, is left alone and not reported.
    """
    try:
        for digest, change in memory.last_run().items():
            folder = maildir.path if change.folder is None else maildir.folder(change.folder)
            try:
                path = Maildir(folder).find(change.unique)
                content = b"" if path is None else path.read_bytes()
                if path is None or message_digest(content) != digest:
                    continue
                if apply:
                    with maildir.changing(folder):
                        arrived = move(path, maildir.path, remove_field(content) if change.tagged else None)
                    if arrived is None:
                        continue
                    memory.record_undone(digest, MaildirName.of(arrived.name).unique)
                yield Undone(str(path.relative_to(maildir.root)), change.folder, content)
            except (OSError, InputError) as error:
                reason = error.strerror if isinstance(error, OSError) and error.strerror else error
                yield Undone(change.unique, change.folder, error=str(reason))
    finally:
        if apply:
            memory.save()
