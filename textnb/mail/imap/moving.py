r"""Flags on messages, and messages from folder to folder, so that none is ever lost.

(1)  the server has MOVE         it moves them, in one step
(2)  it has UIDPLUS              copy; flag as \Deleted; expunge those, by their UIDs
(3)  it has neither              copy; flag as \Deleted; to expunge is left to the user

Nothing is expunged but by UID: a plain EXPUNGE would take whatever else is flagged. What breaks off (2) or (3) leaves a
copy too many at worst, never one too few.
"""

import re
from collections.abc import Sequence

from textnb.errors import InputError
from textnb.mail.imap.connection import Client

DELETED = "\\Deleted"
_OPPOSITES = {"$junk": "$NotJunk", "$notjunk": "$Junk"}
"""RFC 9051: of these two a message has one at most."""

_SYSTEM = {flag.lower(): flag for flag in ("\\Seen", "\\Flagged", "\\Answered", "\\Draft")}
_ATOM = re.compile(r"[!#$&'+-\[^-z|}~]+")


def as_flags(given: str) -> tuple[str, ...]:
    r"""Keywords and flags, blanks between them.

    >>> as_flags(r"$Junk \seen")
    ('$Junk', '\\Seen')
    """
    flags = tuple(_SYSTEM.get(flag.lower(), flag) for flag in given.split())
    for flag in flags:
        if flag not in _SYSTEM.values() and not (_ATOM.fullmatch(flag)):
            raise InputError(
                f"{flag!r} cannot be set: a keyword has ASCII letters, digits and signs such as $ or -, "
                f"a flag is one of {', '.join(_SYSTEM.values())}"
            )
    return flags


def set_flags(client: Client, uids: Sequence[int], flags: Sequence[str]) -> None:
    """Set flags, and take away what they are the opposite of."""
    if not uids or not flags:
        return
    opposites = [_OPPOSITES[flag.lower()] for flag in flags if flag.lower() in _OPPOSITES]
    if opposites:
        client.remove_flags(uids, opposites, silent=True)
    client.add_flags(uids, list(flags), silent=True)


def move(client: Client, uids: Sequence[int], folder: str) -> None:
    """Move messages to a folder, named as it is sent."""
    if client.has_capability("MOVE"):
        client.move(uids, folder)
        return
    client.copy(uids, folder)
    client.add_flags(uids, [DELETED], silent=True)
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)
