"""What Thunderbird keeps in its folders, and what it writes into its messages.

Beside each mbox ``X`` there is an index ``X.msf``; subfolders are in ``X.sbd``; a few files hold settings. Folders of
IMAP accounts are named in modified UTF-7.

Thunderbird puts fields of its own before the first field of a message. A deleted message stays in the mbox, marked,
until the folder is compacted:

    X-Mozilla-Status    four hexadecimal digits; bit 3 marks a message that is deleted
    X-Mozilla-Status2   eight hexadecimal digits; bit 21 marks a message that is deleted on its IMAP server
    X-Mozilla-Keys      keywords; Junk and NonJunk are what the owner, or Thunderbird's filter, has decided

Only fields before the first field of another program are read: whatever a sender writes comes later. In folders that
are not synchronised with an IMAP server, junk marks are often in the index alone, which is not read.
"""

import re
from pathlib import Path

from textnb.errors import InputError
from textnb.readers.folder_names import decode_folder_name

SUBFOLDERS_SUFFIX = ".sbd"
"""End of the name of a folder in which Thunderbird keeps the subfolders of an mbox."""

INDEX_SUFFIX = ".msf"
"""End of the name of the index of an mbox."""

_STORES = ("Mail", "ImapMail")
_FILES = ("msgfilterrules.dat", "popstate.dat", "filterlog.html", "virtualfolders.dat")
_OWN_FIELDS = re.compile(rb"(?:(?:X-Account-Key|X-UIDL|X-Mozilla-[\w-]{1,40}):[^\n]{0,2000}\n)+", re.IGNORECASE)
_FIELD = re.compile(rb"^X-Mozilla-(Status2?|Keys):[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_DELETED = {b"status": 1 << 3, b"status2": 1 << 21}
_JUNK, _GOOD = {"junk", "$junk"}, {"nonjunk", "notjunk", "$notjunk", "$nonjunk"}


def has_index(path: Path) -> bool:
    """Whether a file has an index of Thunderbird beside it."""
    return path.with_name(path.name + INDEX_SUFFIX).is_file()


def accounts_in(path: Path) -> list[Path]:
    """Folders of the accounts of a profile, or of all profiles in a folder, that have a folder with mail."""
    stores = [store for name in _STORES for store in (path / name, *path.glob(f"*/{name}")) if store.is_dir()]
    if path.name in _STORES:
        stores.append(path)
    accounts = [account for store in stores for account in store.iterdir() if account.is_dir()]
    return sorted(account for account in accounts if any(account.glob(f"*{INDEX_SUFFIX}")))


def is_of_thunderbird(name: str) -> bool:
    """Whether a file is an index or has settings of Thunderbird, by its name."""
    return name.lower().endswith(INDEX_SUFFIX) or name.lower() in _FILES


def shown_folder_name(name: str) -> str:
    """Name of a folder as Thunderbird shows it.

    >>> shown_folder_name("&U,BTFw-"), shown_folder_name("R&D")
    ('台北', 'R&D')
    """
    try:
        return decode_folder_name(name)
    except InputError:
        return name


def is_deleted(raw: bytes) -> bool:
    r"""Whether Thunderbird has marked a message as deleted.

    >>> is_deleted(b"X-Mozilla-Status: 0009\nSubject: a\n\n"), is_deleted(b"Subject: a\nX-Mozilla-Status: 0009\n\n")
    (True, False)
    """
    return any(_number(value) & _DELETED.get(name, 0) for name, value in _own_fields(raw).items())


def junk_mark(raw: bytes) -> bool | None:
    r"""Return True if a message is marked as junk, False if as not junk; None without a mark, or with both.

    >>> junk_mark(b"X-Mozilla-Keys: $label1 NonJunk   \nSubject: a\n\n")
    False
    """
    keywords = {*_own_fields(raw).get(b"keys", b"").decode("ascii", "replace").lower().split()}
    is_junk, is_good = bool(keywords & _JUNK), bool(keywords & _GOOD)
    return None if is_junk == is_good else is_junk


def without_own_fields(raw: bytes) -> bytes:
    r"""Return a message without the fields that Thunderbird has put before its first field.

    >>> without_own_fields(b"X-Mozilla-Keys: Junk\nSubject: a\n\n")
    b'Subject: a\n\n'
    """
    own = _OWN_FIELDS.match(raw)
    return raw if own is None else raw[own.end() :]


def _own_fields(raw: bytes) -> dict[bytes, bytes]:
    """First value of each field at the start of a message; a From_ line may come before it."""
    if raw[:1] not in (b"X", b"x", b"F"):
        return {}
    start = raw.find(b"\n") + 1 if raw.startswith(b"From ") else 0
    own = _OWN_FIELDS.match(raw, start)
    return {} if own is None else {name.lower(): value for name, value in reversed(_FIELD.findall(own[0]))}


def _number(digits: bytes) -> int:
    try:
        return int(digits.split()[0][:16], 16)
    except (ValueError, IndexError):
        return 0
