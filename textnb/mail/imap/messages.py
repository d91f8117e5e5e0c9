r"""The messages of a folder, in batches: so many bytes at a time, whatever the folder holds.

A message longer than ``LONGEST`` is fetched up to there and judged by that. BODY.PEEK is what is asked for, so that
nothing becomes seen. What the server cannot give of one message does not keep the others back.

UIDs are numbers of 32 bits (RFC 9051), and may have gaps of any length: few messages are asked for all at once, many in
windows of UIDs.

Flags on messages, and messages from folder to folder, so that none is ever lost.

(1)  the server has MOVE         it moves them, in one step
(2)  it has UIDPLUS              copy; flag as \Deleted; expunge those, by their UIDs
(3)  it has neither              copy; flag as \Deleted; to expunge is left to the user

Nothing is expunged but by UID: a plain EXPUNGE would take whatever else is flagged. What breaks off (2) or (3) leaves a
copy too many at worst, never one too few.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from textnb.errors import InputError
from textnb.mail.header_field import message_digest
from textnb.mail.imap.connection import Client, RefusedError, ServerError, as_text, parsing_answer
from textnb.mail.imap.folders import Folders
from textnb.mail.imap.memory import FolderProgress

MAX_FETCHED_BYTES = 1 << 22
"""Bytes that are fetched of a message."""

_MAX_BATCH_BYTES, _MAX_BATCH_MESSAGES, _MAX_UIDS_PER_COMMAND = 1 << 23, 200, 500
_MAX_UIDS_PER_SEARCH = 80_000
"""UIDs that an answer to a search may hold: it is one line, and imaplib reads lines of up to a million bytes."""

_MAX_UID = 1 << 32


class ImapMessage:
    """A message of a folder; ``raw`` is None where the server could not give it."""

    def __init__(self, listed: "Listed", raw: bytes | None) -> None:
        self.uid, self.size, self.flags = listed
        self.raw = raw

    @cached_property
    def digest(self) -> str:
        """What it is known by."""
        return "" if self.raw is None else message_digest(self.raw)


class Listed(NamedTuple):
    """A message before it is fetched: its flags are in small letters."""

    uid: int
    size: int
    flags: frozenset[str]


class Mailbox:
    """A folder that is selected; for reading only, it stays as it is in every respect.

    stopping: whether to give up looking for messages; those that were found are then not all.
    """

    def __init__(
        self,
        client: Client,
        folders: Folders,
        name: str,
        *,
        readonly: bool,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._client, self.name, self._stopping = client, name, stopping
        answer = client.select_folder(folders.written(name), readonly)
        if not isinstance(answer.get(b"UIDVALIDITY"), int):
            raise ServerError(f"the server gives no UIDVALIDITY for {name!r}, so messages cannot be told apart")
        self.validity: int = answer[b"UIDVALIDITY"]
        with parsing_answer():
            self.end = int(answer.get(b"UIDNEXT") or 0)
            self._exists = int(answer.get(b"EXISTS", _MAX_UID))
            self._permanent = _flags(answer.get(b"PERMANENTFLAGS", ()))
        if self.end > _MAX_UID:
            raise ServerError(f"the server numbers the next message of {name!r} {self.end}, which cannot be a UID")

    def keeps(self, flag: str) -> bool:
        """Whether a flag or keyword that is set here stays set."""
        return flag.lower() in self._permanent or ("\\*" in self._permanent and not flag.startswith("\\"))

    def listed(self, looked: FolderProgress) -> Iterator[Listed]:
        """The messages still to be looked at, in their order."""
        new = (uid for uid in self._from(looked.next) if looked.next <= uid < _MAX_UID)
        return self._described(sorted({*looked.left, *new}))

    def same_size(self, size: int) -> Iterator[Listed]:
        """The messages of a size that are not flagged as deleted."""
        return self._described(self._client.search(["UNDELETED", "NOT", "LARGER", size, "NOT", "SMALLER", size]))

    def batches(self, listed: Iterable[Listed]) -> Iterator[list[ImapMessage]]:
        """The messages themselves, less those that have gone meanwhile."""
        batch: list[Listed] = []
        for message in listed:
            if batch and (len(batch) == _MAX_BATCH_MESSAGES or _bytes([*batch, message]) > _MAX_BATCH_BYTES):
                yield self._fetched(batch)
                batch = []
            batch.append(message)
        if batch:
            yield self._fetched(batch)

    def present(self, uids: list[int]) -> list[int]:
        """Those that are there still."""
        return [uid for piece in _pieces(uids) for uid in self._client.search(["UID", ",".join(map(str, piece))])]

    def _from(self, first: int) -> Iterator[int]:
        if not self._exists or 0 < self.end <= first:
            return
        if self._exists <= _MAX_UIDS_PER_SEARCH or not self.end:  # some servers do not tell where their numbers end
            yield from self._client.search(["UID", f"{first}:*"])  # the last one, at least, whatever its number
            return
        for start in range(first, self.end, _MAX_UIDS_PER_SEARCH):
            if self._stopping():
                return
            yield from self._client.search(["UID", f"{start}:{min(start + _MAX_UIDS_PER_SEARCH, self.end) - 1}"])

    def _described(self, uids: list[int]) -> Iterator[Listed]:
        return (listed for piece in _pieces(uids) for listed in self._sized(piece))

    def _sized(self, uids: list[int]) -> list[Listed]:
        """Those that are there still.

        A server may tell at any time of other messages' flags, without their UIDs; IMAPClient then takes the place of
        such a message for its UID. So what comes without a size is no answer, and what may be mixed with such flags is
        none to rely on: both are asked for again.
        """
        found: dict[int, Listed] = {}
        for is_last in (False, True):
            missing = {*uids} - {*found}
            if not missing:
                break
            answer = self._client.fetch(sorted(missing), ["RFC822.SIZE", "FLAGS"])
            with parsing_answer():
                for uid in missing & {*answer}:
                    if b"RFC822.SIZE" in answer[uid] and (is_last or not self._may_be_mixed(uid, answer[uid])):
                        found[uid] = Listed(uid, *_size_and_flags(answer[uid]))
        return sorted(found.values())

    def _may_be_mixed(self, uid: int, data: dict[bytes, Any]) -> bool:
        """Whether flags of the message in the place of that number may be among them; without gaps they are its own."""
        return data.get(b"SEQ") == uid and self._exists != self.end - 1

    def _fetched(self, batch: list[Listed]) -> list[ImapMessage]:
        whole = [message for message in batch if message.size <= MAX_FETCHED_BYTES]
        parts = [message for message in batch if message.size > MAX_FETCHED_BYTES]
        found = self._bodies(whole, "BODY.PEEK[]") + self._bodies(parts, f"BODY.PEEK[]<0.{MAX_FETCHED_BYTES}>")
        return sorted(found, key=lambda message: message.uid)

    def _bodies(self, batch: list[Listed], what: str) -> list[ImapMessage]:
        try:
            found = self._client.fetch([message.uid for message in batch], [what])
        except RefusedError:
            if len(batch) == 1:
                return [ImapMessage(batch[0], None)]
            return [message for one in batch for message in self._bodies([one], what)]
        return [ImapMessage(one, _body(found[one.uid])) for one in batch if one.uid in found]


def _pieces(uids: list[int]) -> Iterator[list[int]]:
    return (uids[start : start + _MAX_UIDS_PER_COMMAND] for start in range(0, len(uids), _MAX_UIDS_PER_COMMAND))


def _size_and_flags(data: dict[bytes, Any]) -> tuple[int, frozenset[str]]:
    return int(data[b"RFC822.SIZE"]), _flags(data.get(b"FLAGS", ()))


def _flags(given: Iterable[object]) -> frozenset[str]:
    return frozenset(as_text(flag).lower() for flag in given)


def _body(data: dict[bytes, Any]) -> bytes | None:
    return next((body for key, body in data.items() if key.startswith(b"BODY[]") and isinstance(body, bytes)), None)


def _bytes(batch: list[Listed]) -> int:
    return sum(min(message.size, MAX_FETCHED_BYTES) for message in batch)


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
