"""Parameters of header fields: ``text/plain; charset=utf-8; name*0*=utf-8''%E6; name*1*=%97%A5`` (RFC 2045, 2231).

Encoded words and raw bytes in a parameter are wrong but common, and read. A missing semicolon is forgiven.
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from textnb.readers.mail.charsets import Texts
from textnb.readers.mail.encoded_words import header_text

_LONGEST = 4096
_PARAMETER = re.compile(
    rb'[;\s]([^\s=;*"]{1,60})(?:\*(\d{1,3}))?(\*)?[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"?|[^;\s][^;]*|)', re.DOTALL
)
_ESCAPED = re.compile(rb'\\(["\\])')


class Value(NamedTuple):
    """The bytes of a parameter, and its charset where RFC 2231 names one."""

    data: bytes
    charset: str | None

    def text(self, texts: Texts) -> str:
        """The text of it."""
        if self.charset is None:
            return header_text(self.data, texts, "parameter")
        return texts.of(self.data, self.charset, "parameter")


class Parametrised(NamedTuple):
    """What stands first in a field, in lower case, its parameters, and the charset among them, as it is written."""

    main: str
    parameters: dict[str, Value]
    charset: str

    def plain(self, name: str) -> bytes:
        """The bytes of a parameter; nothing where it is not there."""
        return self.parameters[name].data if name in self.parameters else b""


@lru_cache(512)
def parametrised(value: bytes) -> Parametrised:
    r"""A field's value taken apart.

    >>> found = parametrised(b"Text/Plain; charset=\"UTF-8\"; name*=utf-8'ja'%E6%97%A5.txt")
    >>> found.main, found.plain("charset"), found.parameters["name"]
    ('text/plain', b'UTF-8', Value(data=b'\xe6\x97\xa5.txt', charset='utf-8'))
    """
    value = value[:_LONGEST]
    main = re.split(rb"[;\s]", value.lstrip(), maxsplit=1)[0].lower()
    segments: dict[bytes, dict[int, tuple[bytes, bytes]]] = {}
    for name, number, star, content in _PARAMETER.findall(value):
        segments.setdefault(name.lower(), {}).setdefault(int(number or b"0"), (star, content))
    parameters = {name.decode("ascii", "replace"): _value(segments[name]) for name in segments}
    charset = parameters["charset"].data.decode("ascii", "replace") if "charset" in parameters else ""
    return Parametrised(main.decode("ascii", "replace"), parameters, charset)


def _value(segments: dict[int, tuple[bytes, bytes]]) -> Value:
    charset = None
    joined = []
    for number in sorted(segments):
        star, content = segments[number]
        content = _unquoted(content)
        if star:
            if charset is None:
                label, quote, rest = content.partition(b"'")
                charset = label.decode("ascii", "replace") if quote else ""
                content = rest.partition(b"'")[2] if quote else content
            content = unquote_to_bytes(content)
        joined.append(content)
    return Value(b"".join(joined), charset)


def _unquoted(content: bytes) -> bytes:
    if content.startswith(b'"'):
        return _ESCAPED.sub(rb"\1", content[1:].removesuffix(b'"'))
    return content.strip()
