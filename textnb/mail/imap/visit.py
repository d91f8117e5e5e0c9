"""One visit to an account: its plan, what it works with, and the events that it yields."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from textnb.errors import ParameterError
from textnb.mail.corrections import Done
from textnb.mail.decision import Verdict
from textnb.mail.destinations import Destinations
from textnb.mail.imap.connection import Client
from textnb.mail.imap.folders import INBOX, Folders
from textnb.mail.imap.memory import FolderProgress, Memory
from textnb.mail.imap.messages import Mailbox
from textnb.mail.live_filter import LiveFilter

MARK = "$TextnbSeen"
"""Keyword of judged messages; it moves with them, and other machines see it."""


@dataclass(frozen=True)
class VisitPlan:
    """What to do in an account; folders are named as their owner sees them.

    flags: flags for messages of a class. lessons: class of what the owner puts into a folder. again: also judge
    messages that were judged before. apply: make the changes; False is a dry run.
    """

    folder: str = INBOX
    destinations: Destinations = field(default_factory=Destinations)
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lessons: Mapping[str, str] = field(default_factory=dict)
    again: bool = False
    apply: bool = False

    @property
    def does_something(self) -> bool:
        """Whether judged messages are moved, flagged or learnt."""
        return bool(self.destinations.names or self.flags or self.lessons)


class Judged(NamedTuple):
    """Message that was judged, and the folder it goes to; None if it stays."""

    uid: int
    verdict: Verdict
    destination: str | None
    message: bytes = b""


class Taught(NamedTuple):
    """Messages that the owner had put into a folder; ``done`` is None in a dry run."""

    folder: str
    label: str
    messages: int
    done: Counter[Done] | None


class Unread(NamedTuple):
    """Message that could not be read or judged."""

    folder: str
    uid: int
    why: str


class Missing(NamedTuple):
    """Folder to learn from that does not exist."""

    folder: str


class Returned(NamedTuple):
    """Message of the last run that returns from a folder, or only loses its flags."""

    uid: int
    folder: str
    message: bytes


Event = Judged | Taught | Unread | Missing | Returned


@dataclass
class Visit:
    """One visit to an account, as a part of a run.

    stopping: returns True if the visit is to end after the current batch.
    """

    client: Client
    plan: VisitPlan
    live: LiveFilter
    memory: Memory
    stopping: Callable[[], bool] = lambda: False
    run: str = ""

    def __post_init__(self) -> None:
        self.folders = Folders(self.client)
        self.here = self.folders.name(self.plan.folder)
        self.lessons = self._lessons()
        for asked in self.plan.destinations.names:
            self.folders.written(self.folders.name(asked))  # raises for a folder that cannot hold messages

    def _lessons(self) -> dict[str, str]:
        """Class of each folder by its name on the server; two names of one folder must agree."""
        lessons: dict[str, str] = {}
        for asked, label in self.plan.lessons.items():
            name = self.folders.name(asked)
            if lessons.setdefault(name, label) != label:
                template = "--learn gives the folder {name!r} two classes: {a} and {b}; leave one out"
                raise ParameterError(template, name=name, a=lessons[name], b=label)
        return lessons

    def open(self, name: str, *, to_change: bool = False) -> Mailbox:
        """Select a folder; without ``to_change`` read-only."""
        return Mailbox(self.client, self.folders, name, readonly=not to_change, stopping=self.stopping)

    def progress(self, box: Mailbox, *, again: bool = False) -> FolderProgress:
        """Progress in a folder; ``again`` starts anew."""
        if again:
            self.memory.folders.pop(box.name, None)
        progress = self.memory.progress(box.name, box.validity)
        progress.left = sorted(box.present(progress.left))
        return progress

    def save(self) -> None:
        """Save the memory, unless it is a dry run."""
        if self.plan.apply:
            self.memory.save()
