"""Whether a message has been brought back from a folder, or is one more copy of what is there still.

The same bytes may be delivered twice: by a list and by its writer, by a sender that tries again, to two addresses of
one owner. So bytes that are known in another folder were brought back only if that folder no longer holds them. What
is flagged as deleted there counts as gone: programs without MOVE leave that behind.
"""

from collections.abc import Sequence

from textnb.mail.imap.connection import RefusedError
from textnb.mail.imap.messages import Mailbox, Message
from textnb.mail.imap.visit import Visit


def held(visit: Visit, folder: str, messages: Sequence[Message]) -> set[str]:
    """The digests of those messages of which the folder holds a copy; afterwards the folder is the one selected."""
    if not visit.folders.can_hold(folder):
        return set()
    try:
        box = visit.opened(folder)
    except RefusedError:  # it has gone since folders were listed
        return set()
    return {message.digest for message in messages if _holds(box, message)}


def _holds(box: Mailbox, wanted: Message) -> bool:
    copies = box.batches(box.same_size(wanted.size))
    return any(message.digest == wanted.digest for batch in copies for message in batch)
