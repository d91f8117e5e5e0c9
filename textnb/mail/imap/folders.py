"""Folders of an account by the names their owner sees, with "/" between levels, whatever the server uses.

    asked       Lists/仕事             as on the command line
    name        INBOX.Lists.仕事       with the server's prefix for personal folders and its separator of levels
    written     INBOX.Lists.&TtVOiw-   as it is sent

A folder that exists under the asked name is used; else one with the prefix; else it is created, with the prefix.
"""

import re
from unicodedata import normalize

from textnb.errors import InputError, ParameterError
from textnb.mail.imap.connection import Client, as_text, parsing_answer
from textnb.readers.folder_names import decode_folder_name, encode_folder_name

INBOX = "INBOX"


class Folders:
    """Folders of an account."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.prefix, self.separator = _namespace(client)
        self._written: dict[str, str] = {}
        self._without_messages: set[str] = set()
        answer = client.list_folders()
        with parsing_answer():
            for flags, separator, written in answer:
                self.separator = self.separator or _text_or_empty(separator)
                self._add(as_text(written), {as_text(flag).lower() for flag in flags})

    def name(self, asked: str) -> str:
        """Name of a folder on the server, whether it exists or not."""
        _check_name(asked)
        asked = normalize("NFC", asked)
        if asked.upper() == INBOX:
            return INBOX
        levelled = asked.replace("/", self.separator) if self.separator else asked
        full = levelled if levelled.startswith(self.prefix) else self.prefix + levelled
        return next((name for name in (asked, levelled, full) if name in self._written), full)

    def written(self, name: str) -> str:
        """Name as it is sent; raise InputError for a folder that cannot hold messages."""
        if name in self._without_messages:
            raise InputError("the folder {name!r} can only hold other folders, not messages; choose another", name=name)
        return self._written.get(name, encode_folder_name(name))

    def can_hold(self, name: str) -> bool:
        """Return whether a folder exists and may hold messages."""
        return name in self and name not in self._without_messages

    def make(self, name: str) -> None:
        """Create and subscribe to a folder, unless it exists."""
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
        except InputError:  # a name in the server's own encoding
            name = written
        if "\\nonexistent" in flags:
            return
        self._written[name] = written
        if "\\noselect" in flags:
            self._without_messages.add(name)


def _namespace(client: Client) -> tuple[str, str]:
    """Prefix of personal folders, and separator of their levels."""
    if not client.has_capability("NAMESPACE"):
        return "", ""
    personal = client.namespace().personal
    if not personal:
        return "", ""
    with parsing_answer():
        prefix, separator = personal[0]
        return _text_or_empty(prefix), _text_or_empty(separator)


def _text_or_empty(given: object) -> str:
    return "" if given is None else as_text(given)


def _check_name(asked: str) -> None:
    if not asked or re.search(r"[\x00-\x1f\x7f-\x9f]", asked) or "" in asked.split("/"):
        raise ParameterError("{name!r} cannot be a folder's name: an empty part or a control character", name=asked)
    encode_folder_name(asked)
