"""Names of mail folders in modified UTF-7, as IMAP, Maildir++ and Thunderbird store them (RFC 3501, 5.1.3).

(1)  " " to "~"                itself, except "&", which is "&-"
(2)  a run of other characters "&", base64 of its UTF-16BE with "," for "/" and without "=", "-"

Each name has exactly one such form: ``decode_folder_name`` refuses what ``encode_folder_name`` never returns.
"""

import re
from base64 import b64decode, b64encode

from textnb.errors import InputError

_TO_ENCODE = re.compile("&|[^ -~]+")
_ENCODED = re.compile("&([^-]*)-")


def encode_folder_name(name: str) -> str:
    """Folder name in modified UTF-7; formulas (1) and (2)."""
    try:
        return _TO_ENCODE.sub(_encode_run, name)
    except UnicodeEncodeError:
        raise InputError("{name!r} cannot be a folder's name: it has half a surrogate pair", name=name) from None


def decode_folder_name(name: str) -> str:
    """Folder name from its form in modified UTF-7."""
    try:
        found = _ENCODED.sub(_decode_run, name)
        if encode_folder_name(found) == name:
            return found
    except ValueError:  # from base64, UTF-16 or encode_folder_name
        pass
    raise InputError("{name!r} is not a folder's name in modified UTF-7", name=name)


def _encode_run(run: re.Match[str]) -> str:
    if run[0] == "&":
        return "&-"
    coded = b64encode(run[0].encode("utf-16-be"), b"+,").decode("ascii")
    return f"&{coded.rstrip('=')}-"


def _decode_run(code: re.Match[str]) -> str:
    if not code[1]:
        return "&"
    padding = "=" * (-len(code[1]) % 4)
    return b64decode(code[1] + padding, b"+,", validate=True).decode("utf-16-be")
