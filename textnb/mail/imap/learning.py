"""Learning from folders: what the owner of an account has put into a folder is learnt as the folder's class.

A message m is found in the folder F; where(m) is the folder in which textnb last saw it.

(1)  where(m) = F            textnb itself put or left it there: not learnt
(2)  where(m) is another     the owner has moved it: learnt
(3)  where(m) is unknown     with textnb's keyword: textnb on another machine may have put it there: not learnt
                             else the owner put it there: learnt, except in the judged folder, where mail arrives

From then on m is known in F. A message is examined once in each folder that it comes to.
"""

from collections.abc import Iterator

from textnb.mail.corrections import learn_into_file
from textnb.mail.decision import mail_document
from textnb.mail.imap.messages import DELETED, ImapMessage
from textnb.mail.imap.visit import MARK, Event, Missing, Taught, Unread, Visit
from textnb.readers import Document

_LESSONS_PER_FIT = 1000
"""Messages that are learnt together: the model is locked, fitted and saved once for them."""


def learn_from(visit: Visit, folder: str, label: str) -> Iterator[Event]:
    """Learn what the owner has put into a folder other than the judged one."""
    if folder not in visit.folders:
        yield Missing(folder)
        return
    box = visit.open(folder)
    progress = visit.progress(box)
    lessons = Lessons(visit, folder, label)
    there = (message for message in box.listed(progress) if DELETED.lower() not in message.flags)
    for batch in box.batches(there):
        for message in batch:
            where = visit.memory.where(message.digest, folder)
            if message.raw is None:
                yield Unread(folder, message.uid, "the server cannot deliver it")
            elif where != folder and (where is not None or MARK.lower() not in message.flags):
                lessons.add(message)
            else:
                lessons.skip(message)
        progress.advance((m.uid for m in batch), left=(m.uid for m in batch if m.raw is None))
        if len(lessons) >= _LESSONS_PER_FIT:
            yield from lessons.learn()
        if visit.stopping():
            break
    if not visit.stopping():  # stopping may have cut the list short
        progress.advance([box.end - 1])
    yield from lessons.learn()
    visit.save()


class Lessons:
    """Messages of a folder, collected to be learnt together; only then they are known in the folder."""

    def __init__(self, visit: Visit, folder: str, label: str) -> None:
        self._visit, self._folder, self._label = visit, folder, label
        self._documents: list[Document] = []
        self._digests: list[str] = []

    def __len__(self) -> int:
        return len(self._digests)

    def add(self, message: ImapMessage) -> None:
        """Add a message to learn."""
        self._documents.append(mail_document(message.raw or b""))
        self._digests.append(message.digest)

    def skip(self, message: ImapMessage) -> None:
        """Add a message that is not learnt but known from now on."""
        self._digests.append(message.digest)

    def learn(self) -> Iterator[Event]:
        """Learn the collected messages into the model's file, unless it is a dry run."""
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
