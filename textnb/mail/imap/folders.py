"""The folders of an account: by the names that their owner sees, "/" between levels, whatever the server has there.

    asked       Lists/仕事             as on the command line
    name        INBOX.Lists.仕事       with the server's prefix for personal folders, and its sign between levels
    written     INBOX.Lists.&TtVOiw-   as it is sent

A folder that is there under the name as asked is meant; else one with the prefix; else it is made, with the prefix.
"""

import re
from unicodedata import normalize

from textnb.errors import InputError
from textnb.mail.destinations import decode_folder_name, encode_folder_name
from textnb.mail.imap.connection import Client, as_text, parsing_answer

INBOX = "INBOX"


class Folders:
    """What folders an account has."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.prefix, self.between = _namespace(client)
        self._written: dict[str, str] = {}
        self._holding_none: set[str] = set()
        answer = client.list_folders()
        with parsing_answer():
            for flags, between, written in answer:
                self.between = self.between or _text(between)
                self._add(as_text(written), {as_text(flag).lower() for flag in flags})

    def name(self, asked: str) -> str:
        """The name of a folder on the server, whether it is there or not."""
        _check(asked)
        asked = normalize("NFC", asked)
        if asked.upper() == INBOX:
            return INBOX
        levelled = asked.replace("/", self.between) if self.between else asked
        full = levelled if levelled.startswith(self.prefix) else self.prefix + levelled
        return next((name for name in (asked, levelled, full) if name in self._written), full)

    def written(self, name: str) -> str:
        """A name as it is sent."""
        if name in self._holding_none:
            raise InputError(f"the folder {name!r} holds other folders and no messages; choose another")
        return self._written.get(name, encode_folder_name(name))

    def can_hold(self, name: str) -> bool:
        """Whether a folder is there that may have messages in it."""
        return name in self and name not in self._holding_none

    def make(self, name: str) -> None:
        """Make a folder, and let mail programs show it, unless it is there."""
        if name in self._written or name == INBOX:
            return
        written = encode_folder_name(name)
        self._client.create_folder(written)
        self._client.subscribe_folder(written)
        self._written[name] = written

    def __contains__(self, name: str) -> bool:
        return name == INBOX or name in self._written

    def _add(self, written: str, flags: set[str]) -> None:
        try:
            name = normalize("NFC", decode_folder_name(written))
        except InputError:  # a name that only its server understands
            name = written
        if "\\nonexistent" in flags:
            return
        self._written[name] = written
        if "\\noselect" in flags:
            self._holding_none.add(name)


def _namespace(client: Client) -> tuple[str, str]:
    """What stands before the names of personal folders, and between their levels."""
    if not client.has_capability("NAMESPACE"):
        return "", ""
    personal = client.namespace().personal
    if not personal:
        return "", ""
    with parsing_answer():
        prefix, between = personal[0]
        return _text(prefix), _text(between)


def _text(given: object) -> str:
    return "" if given is None else as_text(given)


def _check(asked: str) -> None:
    if not asked or re.search(r"[\x00-\x1f\x7f-\x9f]", asked) or "" in asked.split("/"):
        raise InputError(f"{asked!r} cannot be a folder's name: it is empty, has an empty part or a control character")
    encode_folder_name(asked)
