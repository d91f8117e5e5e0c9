r"""The messages of a folder: judged, flagged, marked, moved.

    \Deleted                            left alone
    known in another folder, and gone   its owner has brought it back: left in peace, and learnt if that was asked for
        from there
    known here, or marked               judged before, here or on another machine
    else                                judged

Nothing is lost and nothing done twice, wherever a run is broken off: while a batch is at hand its messages are ``left``
in memory, to be looked at again, and ``moving`` if they are to be moved; then they are placed where they went.

Whether a message has been brought back from a folder, or is one more copy of what is there still.

The same bytes may be delivered twice: by a list and by its writer, by a sender that tries again, to two addresses of
one owner. So bytes that are known in another folder were brought back only if that folder no longer holds them. What
is flagged as deleted there counts as gone: programs without MOVE leave that behind.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from textnb.errors import InputError
from textnb.mail.filter import Verdict, mail_document
from textnb.mail.imap.connection import RefusedError, ServerError
from textnb.mail.imap.learning import Lessons
from textnb.mail.imap.memory import FolderProgress
from textnb.mail.imap.messages import DELETED, ImapMessage, Listed, Mailbox, move, set_flags
from textnb.mail.imap.visit import MARK, Event, Judged, Unread, Visit


def find_copies(visit: Visit, folder: str, messages: Sequence[ImapMessage]) -> set[str]:
    """The digests of those messages of which the folder holds a copy; afterwards the folder is the one selected."""
    if not visit.folders.can_hold(folder):
        return set()
    try:
        box = visit.opened(folder)
    except RefusedError:  # it has gone since folders were listed
        return set()
    return {message.digest for message in messages if _holds(box, message)}


def _holds(box: Mailbox, wanted: ImapMessage) -> bool:
    copies = box.batches(box.same_size(wanted.size))
    return any(message.digest == wanted.digest for batch in copies for message in batch)


_Key = TypeVar("_Key")


class _Step(NamedTuple):
    """A message that was judged; ``name`` is the folder that it goes to on the server."""

    message: ImapMessage
    verdict: Verdict
    asked: str | None
    name: str | None


def sort_folder(visit: Visit) -> Iterator[Event]:
    """Judge what is new in the folder, and do with it what is planned."""
    return _Sorting(visit).events()


class _Sorting:
    def __init__(self, visit: Visit) -> None:
        self.visit, self.plan, self.memory, self.here = visit, visit.plan, visit.memory, visit.here
        self.box = self._opened()
        self.looked: FolderProgress = visit.looked(self.box, again=visit.plan.again)
        self.left = set(self.looked.left)
        self.teaches = visit.lessons.get(visit.here)
        _check_flags(self.box, visit)

    def events(self) -> Iterator[Event]:
        for batch in self.box.batches(filter(self._is_wanted, self.box.listed(self.looked))):
            yield from self._batch(batch)
            if self.visit.stopping():
                break
        if not self.visit.stopping():  # which may have cut the list of messages short
            self.looked.advance([self.box.end - 1])
        self.visit.save()

    def _is_wanted(self, message: Listed) -> bool:
        if DELETED.lower() in message.flags:
            return False
        return not self._is_marked(message) or self.teaches is not None  # it may have been brought back

    def _is_marked(self, message: Listed | ImapMessage) -> bool:
        return MARK.lower() in message.flags and not self.plan.again and message.uid not in self.left

    def _batch(self, batch: list[ImapMessage]) -> Iterator[Event]:
        brought_back, new = self._known_and_new(batch)
        judged = [self._judged(message) for message in new]
        steps = [step for step in judged if isinstance(step, _Step)]
        unread = [step for step in judged if isinstance(step, Unread)]
        yield from self._learnt(brought_back)
        open_ones = [*(one.uid for one in unread), *(_uids(steps) if self.plan.apply else ())]
        self.looked.advance((message.uid for message in batch), left=open_ones)
        if self.plan.apply:
            self._carry_out(steps)
        yield from unread
        yield from (Judged(step.message.uid, step.verdict, step.asked) for step in steps)

    def _known_and_new(self, batch: list[ImapMessage]) -> tuple[list[ImapMessage], list[ImapMessage]]:
        """What has been brought back, and what is to be judged. What was left has not been away, though a copy may."""
        away, rest = defaultdict[str, list[ImapMessage]](list), list[ImapMessage]()
        for message in batch:
            where = None if self.plan.again else self.memory.where(message.digest, self.here)
            if where not in (None, self.here) and message.uid not in self.left:
                away[where].append(message)
            elif where != self.here:
                rest.append(message)
        brought_back, copies = self._brought_back_and_copies(away)
        new = [message for message in [*rest, *copies] if not self._is_marked(message)]
        return brought_back, sorted(new, key=lambda message: message.uid)

    def _brought_back_and_copies(
        self, away: Mapping[str, list[ImapMessage]]
    ) -> tuple[list[ImapMessage], list[ImapMessage]]:
        """Of messages by the folder where they are known: those that have left it, and copies of what it holds."""
        brought_back, copies = list[ImapMessage](), list[ImapMessage]()
        for folder, messages in away.items():
            digests = find_copies(self.visit, folder, messages)
            for message in messages:
                (copies if message.digest in digests else brought_back).append(message)
        if away and self._opened().validity != self.box.validity:
            raise ServerError(f"the folder {self.here!r} has been made anew meanwhile")
        return brought_back, copies

    def _opened(self) -> Mailbox:
        return self.visit.opened(self.here, to_change=self.plan.apply)

    def _judged(self, message: ImapMessage) -> _Step | Unread:
        if message.raw is None:
            return Unread(self.here, message.uid, "the server cannot give it")
        try:
            [verdict] = self.visit.live.current().decide([mail_document(message.raw)])
        except Exception as error:  # whatever it is, the other messages do not wait for this one
            return Unread(self.here, message.uid, str(error))
        asked = self.plan.destinations(verdict)
        name = None if asked is None else self.visit.folders.name(asked)
        return _Step(message, verdict, None, None) if name == self.here else _Step(message, verdict, asked, name)

    def _learnt(self, brought_back: list[ImapMessage]) -> Iterator[Event]:
        lessons = Lessons(self.visit, self.here, self.teaches or "")
        for message in brought_back:
            (lessons.leave if self.teaches is None else lessons.add)(message)
        return lessons.learnt()

    def _carry_out(self, steps: list[_Step]) -> None:
        """Flags and marks first: they go along with what is moved."""
        moves = _by((step.name, step) for step in steps if step.name is not None)
        for name, group in moves.items():
            self.memory.begin(_digests(group), name)
        self.visit.save()
        try:
            for flags, group in _by((self._flags(step), step) for step in steps).items():
                set_flags(self.visit.client, _uids(group), flags)
            self._settle((step for step in steps if step.name is None), self.here)
            for name, group in moves.items():
                self.visit.folders.make(name)
                move(self.visit.client, _uids(group), self.visit.folders.written(name))
                self._settle(group, name)
        finally:
            self.visit.save()

    def _settle(self, steps: Iterable[_Step], name: str) -> None:
        """The messages are where they belong."""
        done = list(steps)
        self.memory.place(_digests(done), name)
        self.looked.advance(_uids(done))

    def _flags(self, step: _Step) -> tuple[str, ...]:
        asked = () if step.verdict.unsure else self.plan.flags.get(step.verdict.label, ())
        return (*asked, MARK) if self.box.keeps(MARK) else asked


def _check_flags(box: Mailbox, visit: Visit) -> None:
    """Refuse flags that the folder would forget; where it is only looked at, it does not tell."""
    for flag in {flag for flags in visit.plan.flags.values() for flag in flags} if visit.plan.apply else ():
        if not box.keeps(flag):
            raise InputError(f"the server keeps no {flag} on messages of {box.name!r}; leave that --flag out")


def _by(pairs: Iterable[tuple[_Key, _Step]]) -> dict[_Key, list[_Step]]:
    groups = defaultdict[_Key, list[_Step]](list)
    for key, step in pairs:
        groups[key].append(step)
    return dict(groups)


def _uids(steps: Iterable[_Step]) -> list[int]:
    return [step.message.uid for step in steps]


def _digests(steps: Iterable[_Step]) -> list[str]:
    return [step.message.digest for step in steps]
