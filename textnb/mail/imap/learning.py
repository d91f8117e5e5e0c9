"""What the owner of an account has put into folders is learnt: each message there as the folder's class.

A message m is found in the folder F; where(m) is the folder in which textnb last knew it.

(1)  where(m) = F            textnb itself put it there or left it there: it is not learnt
(2)  where(m) is another     the owner has moved it: it is learnt
(3)  where(m) is not known   marked: another machine's textnb has judged it, and may have put it there: it is not learnt
                             else the owner put it there: it is learnt, but not in the folder that is judged, where
                             mail arrives by itself

From then on m is known in F. A message is looked at once in each folder that it comes to.
"""

from collections.abc import Iterator

from textnb.mail.corrections import learn_into_file
from textnb.mail.filter import mail_document
from textnb.mail.imap.messages import DELETED, ImapMessage
from textnb.mail.imap.visit import MARK, Event, Missing, Taught, Unread, Visit
from textnb.readers import Document

_AT_ONCE = 1000
"""Messages for which the model is locked, fitted and saved once."""


def learn_from(visit: Visit, folder: str, label: str) -> Iterator[Event]:
    """Learn what the owner has put into a folder, other than the one that is judged."""
    if folder not in visit.folders:
        yield Missing(folder)
        return
    box = visit.opened(folder)
    looked = visit.looked(box)
    lessons = Lessons(visit, folder, label)
    there = (message for message in box.listed(looked) if DELETED.lower() not in message.flags)
    for batch in box.batches(there):
        for message in batch:
            where = visit.memory.where(message.digest, folder)
            if message.raw is None:
                yield Unread(folder, message.uid, "the server cannot give it")
            elif where != folder and (where is not None or MARK.lower() not in message.flags):
                lessons.add(message)
            else:
                lessons.leave(message)
        looked.advance((m.uid for m in batch), left=(m.uid for m in batch if m.raw is None))
        if len(lessons) >= _AT_ONCE:
            yield from lessons.learnt()
        if visit.stopping():
            break
    if not visit.stopping():  # which may have cut the list of messages short
        looked.advance([box.end - 1])
    yield from lessons.learnt()
    visit.save()


class Lessons:
    """Messages of a folder, kept until there are enough to learn them at once; only then are they known there."""

    def __init__(self, visit: Visit, folder: str, label: str) -> None:
        self._visit, self._folder, self._label = visit, folder, label
        self._documents: list[Document] = []
        self._digests: list[str] = []

    def __len__(self) -> int:
        return len(self._digests)

    def add(self, message: ImapMessage) -> None:
        """A message that is to be learnt."""
        self._documents.append(mail_document(message.raw or b""))
        self._digests.append(message.digest)

    def leave(self, message: ImapMessage) -> None:
        """A message that is not."""
        self._digests.append(message.digest)

    def learnt(self) -> Iterator[Event]:
        """Learn them, into the model's file."""
        if not self._digests:
            return
        visit, documents = self._visit, self._documents
        done = None
        if documents and visit.plan.apply:
            lessons = [(document, self._label) for document in documents]
            done = learn_into_file(visit.live.path, lessons, visit.live.trust)
        visit.memory.place(self._digests, self._folder)
        visit.save()
        self._documents, self._digests = [], []
        if documents:
            yield Taught(self._folder, self._label, len(documents), done)
