r"""Messages of an IMAP folder, fetched in batches of limited size; their flags, and moves to other folders.

A message longer than ``MAX_FETCHED_BYTES`` is fetched and judged up to there. BODY.PEEK is fetched, so that no message
becomes seen. A message that the server cannot deliver does not hold up the others. UIDs are numbers of 32 bits (RFC
9051) and may have gaps of any length: few messages are searched for at once, many in windows of UIDs.

Messages are moved so that none is ever lost:

(1)  the server has MOVE         it moves them in one step
(2)  it has UIDPLUS              copy; flag as \Deleted; expunge those by their UIDs
(3)  it has neither              copy; flag as \Deleted; expunging is left to the user

Nothing is expunged except by UID: a plain EXPUNGE would remove whatever else is flagged. An interrupted (2) or (3)
leaves one copy too many at worst, never one too few.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from textnb.errors import ParameterError
from textnb.extension import cached_property
from textnb.mail.header_field import message_digest
from textnb.mail.imap.connection import Client, RefusedError, ServerError, as_text, parsing_answer
from textnb.mail.imap.folders import Folders
from textnb.mail.imap.memory import FolderProgress

MAX_FETCHED_BYTES = 1 << 22
"""Bytes of a message that are fetched at most."""

_MAX_BATCH_BYTES, _MAX_BATCH_MESSAGES, _MAX_UIDS_PER_COMMAND = 1 << 23, 200, 500
_MAX_UIDS_PER_SEARCH = 80_000
"""Limits the answer to a search, which is one line: imaplib reads lines of up to a million bytes."""

_MAX_UID = 1 << 32


class ImapMessage:
    """Message of a folder; ``raw`` is None if the server could not deliver it."""

    def __init__(self, listed: "Listed", raw: bytes | None) -> None:
        self.uid, self.size, self.flags = listed
        self.raw = raw

    @cached_property
    def digest(self) -> str:
        """Digest that identifies the message; empty without its bytes."""
        return "" if self.raw is None else message_digest(self.raw)


class Listed(NamedTuple):
    """Message before it is fetched; its flags are in lower case."""

    uid: int
    size: int
    flags: frozenset[str]


class Mailbox:
    """Selected folder; with ``readonly`` nothing in it changes, not even \\Recent flags.

    stopping: asked between searches; if it returns True, the remaining messages are not listed.
    """

    def __init__(
        self, client: Client, folders: Folders, name: str, *, readonly: bool, stopping: Callable[[], bool]
    ) -> None:
        self._client, self.name, self._stopping = client, name, stopping
        answer = client.select_folder(folders.written(name), readonly)
        if not isinstance(answer.get(b"UIDVALIDITY"), int):
            raise ServerError("the server gives no UIDVALIDITY for {name!r}, which identifies messages", name=name)
        self.validity: int = answer[b"UIDVALIDITY"]
        with parsing_answer():
            self.end = int(answer.get(b"UIDNEXT") or 0)
            self._exists = int(answer.get(b"EXISTS", _MAX_UID))
            self._permanent = _flags(answer.get(b"PERMANENTFLAGS", ()))
        if self.end > _MAX_UID:
            raise ServerError("the next UID of {name!r} is {uid}, which is too large", name=name, uid=self.end)

    def keeps(self, flag: str) -> bool:
        """Return whether the folder stores a flag or keyword permanently."""
        return flag.lower() in self._permanent or ("\\*" in self._permanent and not flag.startswith("\\"))

    def listed(self, progress: FolderProgress) -> Iterator[Listed]:
        """List the messages still to be examined, in the order of their UIDs."""
        new = (uid for uid in self._from(progress.next) if progress.next <= uid < _MAX_UID)
        return self._described(sorted({*progress.left, *new}))

    def same_size(self, size: int) -> Iterator[Listed]:
        """List the messages of a size that are not flagged as deleted."""
        return self._described(self._client.search(["UNDELETED", "NOT", "LARGER", size, "NOT", "SMALLER", size]))

    def batches(self, listed: Iterable[Listed]) -> Iterator[list[ImapMessage]]:
        """Fetch listed messages in batches, without those that have gone meanwhile."""
        batch: list[Listed] = []
        for message in listed:
            if batch and (len(batch) == _MAX_BATCH_MESSAGES or _bytes([*batch, message]) > _MAX_BATCH_BYTES):
                yield self._fetch(batch)
                batch = []
            batch.append(message)
        if batch:
            yield self._fetch(batch)

    def present(self, uids: list[int]) -> list[int]:
        """UIDs among these that still exist."""
        return [uid for piece in _pieces(uids) for uid in self._client.search(["UID", ",".join(map(str, piece))])]

    def _from(self, first: int) -> Iterator[int]:
        if not self._exists or 0 < self.end <= first:
            return
        if self._exists <= _MAX_UIDS_PER_SEARCH or not self.end:  # some servers give no UIDNEXT
            yield from self._client.search(["UID", f"{first}:*"])  # returns at least the last message, whatever its UID
            return
        for start in range(first, self.end, _MAX_UIDS_PER_SEARCH):
            if self._stopping():
                return
            yield from self._client.search(["UID", f"{start}:{min(start + _MAX_UIDS_PER_SEARCH, self.end) - 1}"])

    def _described(self, uids: list[int]) -> Iterator[Listed]:
        return (listed for piece in _pieces(uids) for listed in self._sized(piece))

    def _sized(self, uids: list[int]) -> list[Listed]:
        """Sizes and flags of the messages that still exist.

        A server may report flags of other messages at any time, without their UIDs; IMAPClient then takes the sequence
        number of such a message for its UID. So an entry without a size is no answer, and one that may be mixed with
        such flags is not reliable: both are asked for again.
        """
        found: dict[int, Listed] = {}
        for is_last in (False, True):
            missing = {*uids} - {*found}
            if not missing:
                break
            answer = self._client.fetch(sorted(missing), ["RFC822.SIZE", "FLAGS"])
            with parsing_answer():
                for uid, data in ((uid, answer[uid]) for uid in missing & {*answer}):
                    if b"RFC822.SIZE" in data and (is_last or not self._may_be_mixed(uid, data)):
                        found[uid] = Listed(uid, int(data[b"RFC822.SIZE"]), _flags(data.get(b"FLAGS", ())))
        return sorted(found.values())

    def _may_be_mixed(self, uid: int, data: dict[bytes, Any]) -> bool:
        """Return whether the entry may contain flags of the message with that sequence number; not without gaps."""
        return data.get(b"SEQ") == uid and self._exists != self.end - 1

    def _fetch(self, batch: list[Listed]) -> list[ImapMessage]:
        whole = [message for message in batch if message.size <= MAX_FETCHED_BYTES]
        parts = [message for message in batch if message.size > MAX_FETCHED_BYTES]
        found = self._fetch_bodies(whole, "BODY.PEEK[]")
        found += self._fetch_bodies(parts, f"BODY.PEEK[]<0.{MAX_FETCHED_BYTES}>")
        return sorted(found, key=lambda message: message.uid)

    def _fetch_bodies(self, batch: list[Listed], what: str) -> list[ImapMessage]:
        try:
            found = self._client.fetch([message.uid for message in batch], [what])
        except RefusedError:
            if len(batch) == 1:
                return [ImapMessage(batch[0], None)]
            return [message for one in batch for message in self._fetch_bodies([one], what)]
        return [ImapMessage(one, _body(found[one.uid])) for one in batch if one.uid in found]


def _pieces(uids: list[int]) -> Iterator[list[int]]:
    return (uids[start : start + _MAX_UIDS_PER_COMMAND] for start in range(0, len(uids), _MAX_UIDS_PER_COMMAND))


def _flags(given: Iterable[object]) -> frozenset[str]:
    return frozenset(as_text(flag).lower() for flag in given)


def _body(data: dict[bytes, Any]) -> bytes | None:
    return next((body for key, body in data.items() if key.startswith(b"BODY[]") and isinstance(body, bytes)), None)


def _bytes(batch: list[Listed]) -> int:
    return sum(min(message.size, MAX_FETCHED_BYTES) for message in batch)


DELETED = "\\Deleted"
_OPPOSITES = {"$junk": "$NotJunk", "$notjunk": "$Junk"}
"""RFC 9051: a message has at most one of these two."""

_SYSTEM_FLAGS = {flag.lower(): flag for flag in ("\\Seen", "\\Flagged", "\\Answered", "\\Draft")}
_ATOM = re.compile(r"[!#$&'+-\[^-z|}~]+")


def as_flags(given: str) -> tuple[str, ...]:
    """Parse keywords and flags separated by blanks."""
    flags = tuple(_SYSTEM_FLAGS.get(flag.lower(), flag) for flag in given.split())
    for flag in flags:
        if flag not in _SYSTEM_FLAGS.values() and not (_ATOM.fullmatch(flag)):
            template = "{flag!r} cannot be set: use {known} or a keyword of ASCII letters, digits and signs like $"
            raise ParameterError(template, flag=flag, known=", ".join(_SYSTEM_FLAGS.values()))
    return flags


def set_flags(client: Client, uids: Sequence[int], flags: Sequence[str]) -> None:
    """Set flags on messages and remove their opposites."""
    if not uids or not flags:
        return
    opposites = [_OPPOSITES[flag.lower()] for flag in flags if flag.lower() in _OPPOSITES]
    if opposites:
        client.remove_flags(uids, opposites, silent=True)
    client.add_flags(uids, list(flags), silent=True)


def move(client: Client, uids: Sequence[int], folder: str) -> None:
    """Move messages to a folder, whose name is as sent."""
    if client.has_capability("MOVE"):
        client.move(uids, folder)
        return
    client.copy(uids, folder)
    client.add_flags(uids, [DELETED], silent=True)
    if client.has_capability("UIDPLUS"):
        client.uid_expunge(uids)
