r"""Names of mail folders in ASCII, as IMAP and Maildir++ write them: modified UTF-7, RFC 3501, 5.1.3.

(1)  " " to "~"              itself, but for "&", which is "&-"
(2)  a run of any others     "&", base64 of its UTF-16BE with "," for "/" and without "=", "-"

Each name has one form only: ``decoded`` refuses what ``encoded`` would never give.
"""

import re
from base64 import b64decode, b64encode

from textnb.errors import InputError

_TO_CODE = re.compile("&|[^ -~]+")
_CODED = re.compile("&([^-]*)-")


def encoded(name: str) -> str:
    """The name in ASCII.

    >>> encoded("仕事 & more")
    '&TtVOiw- &- more'
    """
    try:
        return _TO_CODE.sub(_code, name)
    except UnicodeEncodeError:
        raise InputError(f"{name!r} cannot be a folder's name: it holds half a character") from None


def decoded(name: str) -> str:
    """The name that was encoded.

    >>> decoded("&TtVOiw- &- more")
    '仕事 & more'
    """
    try:
        found = _CODED.sub(_text, name)
        if encoded(found) == name:
            return found
    except ValueError:  # of base64, of UTF-16, or our own
        pass
    raise InputError(f"{name!r} is not a folder's name in modified UTF-7")


def _code(run: re.Match[str]) -> str:
    if run[0] == "&":
        return "&-"
    coded = b64encode(run[0].encode("utf-16-be"), b"+,").decode("ascii")
    return f"&{coded.rstrip('=')}-"


def _text(code: re.Match[str]) -> str:
    if not code[1]:
        return "&"
    padding = "=" * (-len(code[1]) % 4)
    return b64decode(code[1] + padding, b"+,", validate=True).decode("utf-16-be")
