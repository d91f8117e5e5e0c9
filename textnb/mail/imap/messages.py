"""The messages of a folder, in batches: so many bytes at a time, whatever the folder holds.

A message longer than ``LONGEST`` is fetched up to there and judged by that. BODY.PEEK is what is asked for, so that
nothing becomes seen. What the server cannot give of one message does not keep the others back.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from textnb.mail.imap.connection import Client, RefusedError, ServerError
from textnb.mail.imap.folders import Folders
from textnb.mail.imap.memory import Looked
from textnb.mail.marking import message_digest

LONGEST = 1 << 22
"""Bytes that are fetched of a message."""

_BATCH_BYTES, _BATCH, _LISTED = 1 << 23, 200, 500
_WINDOW = 100_000
"""UIDs to search through at once, for the answer is one line and lines have a longest length."""


class Message:
    """A message of a folder; ``raw`` is None where the server could not give it."""

    def __init__(self, uid: int, flags: Collection[str], raw: bytes | None) -> None:
        self.uid, self.flags, self.raw = uid, flags, raw

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
    """A folder that is selected; for reading only, it stays as it is in every respect."""

    def __init__(self, client: Client, folders: Folders, name: str, *, readonly: bool) -> None:
        self._client, self.name = client, name
        answer = client.select_folder(folders.written(name), readonly)
        if not isinstance(answer.get(b"UIDVALIDITY"), int):
            raise ServerError(f"the server gives no UIDVALIDITY for {name!r}, so messages cannot be told apart")
        self.validity: int = answer[b"UIDVALIDITY"]
        self.end = int(answer.get(b"UIDNEXT") or 0)
        self._permanent = {flag.decode("latin-1").lower() for flag in answer.get(b"PERMANENTFLAGS", ())}

    def keeps(self, flag: str) -> bool:
        """Whether a flag or keyword that is set here stays set."""
        return flag.lower() in self._permanent or ("\\*" in self._permanent and not flag.startswith("\\"))

    def listed(self, looked: Looked) -> Iterator[Listed]:
        """The messages still to be looked at, in their order."""
        uids = sorted({*looked.left, *self._from(looked.next)})
        for start in range(0, len(uids), _LISTED):
            found = self._client.fetch(uids[start : start + _LISTED], ["RFC822.SIZE", "FLAGS"])
            for uid, data in sorted(found.items()):
                flags = frozenset(flag.decode("latin-1").lower() for flag in data.get(b"FLAGS", ()))
                yield Listed(uid, int(data.get(b"RFC822.SIZE") or LONGEST), flags)

    def batches(self, listed: Iterable[Listed]) -> Iterator[list[Message]]:
        """The messages themselves, less those that have gone meanwhile."""
        batch: list[Listed] = []
        for message in listed:
            if batch and (len(batch) == _BATCH or _bytes([*batch, message]) > _BATCH_BYTES):
                yield self._fetched(batch)
                batch = []
            batch.append(message)
        if batch:
            yield self._fetched(batch)

    def present(self, uids: list[int]) -> list[int]:
        """Those that are there still."""
        pieces = (uids[start : start + _LISTED] for start in range(0, len(uids), _LISTED))
        return [uid for piece in pieces for uid in self._client.search(["UID", ",".join(map(str, piece))])]

    def _from(self, first: int) -> Iterator[int]:
        if not self.end:  # a server that does not tell where its numbers end
            yield from (uid for uid in self._client.search(["UID", f"{first}:*"]) if uid >= first)
        for start in range(first, self.end, _WINDOW):
            yield from self._client.search(["UID", f"{start}:{min(start + _WINDOW, self.end) - 1}"])

    def _fetched(self, batch: list[Listed]) -> list[Message]:
        whole = [message for message in batch if message.size <= LONGEST]
        parts = [message for message in batch if message.size > LONGEST]
        found = self._bodies(whole, "BODY.PEEK[]") + self._bodies(parts, f"BODY.PEEK[]<0.{LONGEST}>")
        return sorted(found, key=lambda message: message.uid)

    def _bodies(self, batch: list[Listed], what: str) -> list[Message]:
        try:
            found = self._client.fetch([message.uid for message in batch], [what])
        except RefusedError:
            if len(batch) == 1:
                return [Message(batch[0].uid, batch[0].flags, None)]
            return [message for one in batch for message in self._bodies([one], what)]
        return [Message(one.uid, one.flags, _body(found[one.uid])) for one in batch if one.uid in found]


def _body(data: dict[bytes, Any]) -> bytes | None:
    return next((body for key, body in data.items() if key.startswith(b"BODY[]") and isinstance(body, bytes)), None)


def _bytes(batch: list[Listed]) -> int:
    return sum(min(message.size, LONGEST) for message in batch)
