r"""Sorting of an IMAP folder: its new messages are judged, flagged, marked and moved.

    \Deleted                            left alone
    known in another folder, and no     its owner has brought it back: left alone, and learnt if that was asked for
        longer there
    known here, or marked               judged before, here or on another machine
    otherwise                           judged

Nothing is lost and nothing is done twice, wherever a run is interrupted: while a batch is processed, its messages are
``left`` in memory, to be examined again, and ``moving`` if they are to be moved; then they are placed where they went.

The same bytes may be delivered twice: by a list and by its author, by a sender that tries again, to two addresses of
one owner. So bytes that are known in another folder were brought back only if that folder no longer holds them. A copy
that is flagged as deleted there counts as gone: programs without MOVE leave it behind.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from textnb.errors import InputError
from textnb.mail.decision import Verdict, mail_document
from textnb.mail.imap.connection import RefusedError, ServerError
from textnb.mail.imap.learning import Lessons
from textnb.mail.imap.memory import FolderProgress, ImapChange
from textnb.mail.imap.messages import DELETED, ImapMessage, Listed, Mailbox, move, set_flags
from textnb.mail.imap.visit import MARK, Event, Judged, Unread, Visit

_Key = TypeVar("_Key")


def find_copies(visit: Visit, folder: str, messages: Sequence[ImapMessage]) -> set[str]:
    """Digests of those messages that a folder also holds; selects that folder."""
    if not visit.folders.can_hold(folder):
        return set()
    try:
        box = visit.open(folder)
    except RefusedError:  # it was deleted after folders were listed
        return set()
    return {message.digest for message in messages if _holds(box, message)}


def _holds(box: Mailbox, wanted: ImapMessage) -> bool:
    copies = box.batches(box.same_size(wanted.size))
    return any(message.digest == wanted.digest for batch in copies for message in batch)


class _Step(NamedTuple):
    """Judged message; ``asked`` is its destination and ``name`` that folder's name on the server."""

    message: ImapMessage
    verdict: Verdict
    asked: str | None
    name: str | None


def sort_folder(visit: Visit) -> Iterator[Event]:
    """Judge the new messages of the plan's folder and carry the plan out; yield what happens."""
    return _FolderSorting(visit).events()


class _FolderSorting:
    """One pass over the folder that is judged."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.plan, self.memory, self.here = visit, visit.plan, visit.memory, visit.here
        self.box = self._open()
        self.progress: FolderProgress = visit.progress(self.box, again=visit.plan.again)
        self.left = set(self.progress.left)
        self.teaches = visit.lessons.get(visit.here)
        _check_flags(self.box, visit)

    def events(self) -> Iterator[Event]:
        for batch in self.box.batches(filter(self._is_wanted, self.box.listed(self.progress))):
            yield from self._process(batch)
            if self.visit.stopping():
                break
        if not self.visit.stopping():  # stopping may have cut the list short
            self.progress.advance([self.box.end - 1])
        self.visit.save()

    def _is_wanted(self, message: Listed) -> bool:
        if DELETED.lower() in message.flags:
            return False
        return not self._is_marked(message) or self.teaches is not None  # it may have been brought back

    def _is_marked(self, message: Listed | ImapMessage) -> bool:
        return MARK.lower() in message.flags and not self.plan.again and message.uid not in self.left

    def _process(self, batch: list[ImapMessage]) -> Iterator[Event]:
        brought_back, new = self._split_known(batch)
        judged = [self._judge(message) for message in new]
        steps = [step for step in judged if isinstance(step, _Step)]
        unread = [step for step in judged if isinstance(step, Unread)]
        yield from self._learn(brought_back)
        open_ones = [*(one.uid for one in unread), *(_uids(steps) if self.plan.apply else ())]
        self.progress.advance((message.uid for message in batch), left=open_ones)
        if self.plan.apply:
            self._carry_out(steps)
        yield from unread
        yield from (Judged(step.message.uid, step.verdict, step.asked, step.message.raw or b"") for step in steps)

    def _split_known(self, batch: list[ImapMessage]) -> tuple[list[ImapMessage], list[ImapMessage]]:
        """Split messages into those that the owner moved back and those to decide."""
        away, rest = defaultdict[str, list[ImapMessage]](list), list[ImapMessage]()
        for message in batch:
            where = None if self.plan.again else self.memory.where(message.digest, self.here)
            if where not in (None, self.here) and message.uid not in self.left:
                away[where].append(message)
            elif where != self.here:
                rest.append(message)
        brought_back, copies = self._split_copies(away)
        new = [message for message in [*rest, *copies] if not self._is_marked(message)]
        return brought_back, sorted(new, key=lambda message: message.uid)

    def _split_copies(self, away: Mapping[str, list[ImapMessage]]) -> tuple[list[ImapMessage], list[ImapMessage]]:
        """Split messages that are known in other folders: those brought back, and copies of what is still there."""
        brought_back, copies = list[ImapMessage](), list[ImapMessage]()
        for folder, messages in away.items():
            digests = find_copies(self.visit, folder, messages)
            for message in messages:
                (copies if message.digest in digests else brought_back).append(message)
        if away and self._open().validity != self.box.validity:
            raise ServerError("the folder {name!r} was recreated meanwhile", name=self.here)
        return brought_back, copies

    def _open(self) -> Mailbox:
        return self.visit.open(self.here, to_change=self.plan.apply)

    def _judge(self, message: ImapMessage) -> _Step | Unread:
        if message.raw is None:
            return Unread(self.here, message.uid, "the server cannot deliver it")
        try:
            [verdict] = self.visit.live.current().decide([mail_document(message.raw)])
        except Exception as error:  # on any error the other messages are still judged
            return Unread(self.here, message.uid, str(error))
        asked = self.plan.destinations(verdict)
        name = None if asked is None else self.visit.folders.name(asked)
        return _Step(message, verdict, None, None) if name == self.here else _Step(message, verdict, asked, name)

    def _learn(self, brought_back: list[ImapMessage]) -> Iterator[Event]:
        lessons = Lessons(self.visit, self.here, self.teaches or "")
        for message in brought_back:
            (lessons.skip if self.teaches is None else lessons.add)(message)
        return lessons.learn()

    def _carry_out(self, steps: list[_Step]) -> None:
        """Set flags and marks, then move; flags move with the messages."""
        moves = _group((step.name, step) for step in steps if step.name is not None)
        for name, group in moves.items():
            self.memory.begin(_digests(group), name)
        self.visit.save()
        try:
            for flags, group in _group((self._flags(step), step) for step in steps).items():
                set_flags(self.visit.client, _uids(group), flags)
                self._record_changes(group, flags)
            self._record_done((step for step in steps if step.name is None), self.here)
            for name, group in moves.items():
                self.visit.folders.make(name)
                move(self.visit.client, _uids(group), self.visit.folders.written(name))
                self._record_done(group, name)
        finally:
            self.visit.save()

    def _record_changes(self, steps: list[_Step], flags: Sequence[str]) -> None:
        """Record what can be undone: moves, and flags that a message did not have, except the mark."""
        for step in steps:
            given = tuple(flag for flag in flags if flag != MARK and flag.lower() not in step.message.flags)
            if given or step.name is not None:
                change = ImapChange(self.here, step.name or self.here, step.message.size, given)
                self.memory.record_change(self.visit.run, step.message.digest, change)

    def _record_done(self, steps: Iterable[_Step], name: str) -> None:
        """Record that messages are where they belong."""
        done = list(steps)
        self.memory.place(_digests(done), name)
        self.progress.advance(_uids(done))

    def _flags(self, step: _Step) -> tuple[str, ...]:
        asked = () if step.verdict.unsure else self.plan.flags.get(step.verdict.label, ())
        return (*asked, MARK) if self.box.keeps(MARK) else asked


def _check_flags(box: Mailbox, visit: Visit) -> None:
    """Raise InputError for flags that the folder does not store; a folder opened read-only does not say."""
    for flag in {flag for flags in visit.plan.flags.values() for flag in flags} if visit.plan.apply else ():
        if not box.keeps(flag):
            raise InputError("the server does not store {flag} in {box!r}; leave out --flag", flag=flag, box=box.name)


def _group(pairs: Iterable[tuple[_Key, _Step]]) -> dict[_Key, list[_Step]]:
    groups = defaultdict[_Key, list[_Step]](list)
    for key, step in pairs:
        groups[key].append(step)
    return dict(groups)


def _uids(steps: Iterable[_Step]) -> list[int]:
    return [step.message.uid for step in steps]


def _digests(steps: Iterable[_Step]) -> list[str]:
    return [step.message.digest for step in steps]
