"""Undoing of the last run: its messages return to the folder they were in, without the flags that it gave them.

A message is found in the folder where the run left it, by its size and the digest of its bytes. One that its owner has
moved on, or removed, is left alone. What returns is known in its folder, so it is neither judged again nor learnt.
"""

from collections import defaultdict
from collections.abc import Iterator

from textnb.mail.imap.connection import RefusedError
from textnb.mail.imap.memory import ImapChange
from textnb.mail.imap.messages import ImapMessage, Mailbox, move
from textnb.mail.imap.visit import Event, Returned, Visit


def undo_last_run(visit: Visit) -> Iterator[Event]:
    """Move messages back and remove flags, folder by folder; without ``apply`` only yield what would be done."""
    by_folder = defaultdict[str, dict[str, ImapChange]](dict)
    for digest, change in visit.memory.changes.items():
        by_folder[change.folder][digest] = change
    for folder, changes in by_folder.items():
        if not visit.folders.can_hold(folder):
            continue
        try:
            box = visit.open(folder, to_change=visit.plan.apply)
        except RefusedError:  # it was deleted meanwhile
            continue
        for digest, change in changes.items():
            message = _find(box, digest, change.size)
            if message is None:
                continue
            if visit.plan.apply:
                _put_back(visit, message, change)
                visit.memory.place([digest], change.origin)
                del visit.memory.changes[digest]
                visit.save()
            yield Returned(message.uid, folder, message.raw or b"")


def _find(box: Mailbox, digest: str, size: int) -> ImapMessage | None:
    batches = box.batches(box.same_size(size))
    return next((message for batch in batches for message in batch if message.digest == digest), None)


def _put_back(visit: Visit, message: ImapMessage, change: ImapChange) -> None:
    if change.flags:
        visit.client.remove_flags([message.uid], list(change.flags), silent=True)
    if change.folder != change.origin:
        visit.folders.make(change.origin)
        move(visit.client, [message.uid], visit.folders.written(change.origin))
