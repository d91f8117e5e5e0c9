"""A look at an account: what is to be done there, with what, and what came of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from textnb.errors import InputError
from textnb.mail.corrections import Done
from textnb.mail.destinations import Destinations
from textnb.mail.filter import Verdict
from textnb.mail.imap.connection import Client
from textnb.mail.imap.folders import INBOX, Folders
from textnb.mail.imap.memory import FolderProgress, Memory
from textnb.mail.imap.messages import Mailbox
from textnb.mail.live_filter import LiveFilter

MARK = "$TextnbSeen"
"""The keyword of messages that were judged; it goes with them from folder to folder, and other machines see it."""


@dataclass(frozen=True)
class VisitPlan:
    """What is to be done, and whether in earnest; folders as their owner names them.

    flags: the flags that messages of a class get. lessons: the class of what the owner puts into a folder. again: judge
    what was judged before, too.
    """

    folder: str = INBOX
    destinations: Destinations = field(default_factory=Destinations)
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lessons: Mapping[str, str] = field(default_factory=dict)
    again: bool = False
    apply: bool = False

    @property
    def does_something(self) -> bool:
        """Whether there is anything to be done with messages once they are judged."""
        return bool(self.destinations.names or self.flags or self.lessons)


class Judged(NamedTuple):
    """A message, what was decided of it, and where it goes; None: it stays."""

    uid: int
    verdict: Verdict
    destination: str | None


class Taught(NamedTuple):
    """Messages of a folder that its owner had put there; ``done`` is None where they are not learnt in earnest."""

    folder: str
    label: str
    messages: int
    done: Counter[Done] | None


class Unread(NamedTuple):
    """A message that could not be read, or not be judged."""

    folder: str
    uid: int
    why: str


class Missing(NamedTuple):
    """A folder to learn from that is not there."""

    folder: str


Event = Judged | Taught | Unread | Missing


@dataclass
class Visit:
    """A look at an account. stopping: whether it is to end after the batch at hand."""

    client: Client
    plan: VisitPlan
    live: LiveFilter
    memory: Memory
    stopping: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        self.folders = Folders(self.client)
        self.here = self.folders.name(self.plan.folder)
        self.lessons = self._lessons()
        for asked in self.plan.destinations.names:
            self.folders.written(self.folders.name(asked))  # refuses at once what no message could be moved to

    def _lessons(self) -> dict[str, str]:
        """The class of each folder by its name on the server; two names of one folder may not disagree."""
        lessons: dict[str, str] = {}
        for asked, label in self.plan.lessons.items():
            name = self.folders.name(asked)
            if lessons.setdefault(name, label) != label:
                raise InputError(f"--learn gives the folder {name!r} two classes: {lessons[name]} and {label}")
        return lessons

    def opened(self, name: str, *, to_change: bool = False) -> Mailbox:
        """A folder; one that is not to be changed stays as it is in every respect."""
        return Mailbox(self.client, self.folders, name, readonly=not to_change, stopping=self.stopping)

    def looked(self, box: Mailbox, *, again: bool = False) -> FolderProgress:
        """How far a folder has been looked through."""
        if again:
            self.memory.folders.pop(box.name, None)
        looked = self.memory.looked(box.name, box.validity)
        looked.left = sorted(box.present(looked.left))
        return looked

    def save(self) -> None:
        """Remember what was done, if anything was done in earnest."""
        if self.plan.apply:
            self.memory.save()
