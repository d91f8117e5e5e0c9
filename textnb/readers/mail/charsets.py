"""From a charset's label to text: labels are misspelt, missing or false, and then the bytes decide.

``textnb.readers.decoding`` decides, in its order; what a message adds is decided here:
  1. a label that is misspelt or old is taken for the charset that was meant;
  2. ASCII without escapes is ASCII whatever the label (but for the few charsets whose every byte looks like ASCII);
  3. where the message names a Japanese charset somewhere, or the label is UTF-8, bytes that do not fit are looked at
     as Japanese; elsewhere only kana prove that, and the last resort is cp1252;
  4. bytes without a label are read in the charset that the message names elsewhere, where it is the only one.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from textnb.readers.decoding import Decoded, charset_named, decoded, passes_for_ascii, superset_of
from textnb.readers.mail.defects import Defects

_LABEL = re.compile(r"[\w.:+-]+", re.ASCII)
_MISSPELT = {
    "xsjis": "cp932",
    "sjiswin": "cp932",
    "mssjis": "cp932",
    "xmscp932": "cp932",
    "windows932": "cp932",
    "windows31j": "cp932",
    "cswindows31j": "cp932",
    "shiftjisms": "cp932",
    "xeucjp": "euc_jp",
    "eucjpms": "euc_jp",
    "eucjpwin": "euc_jp",
    "iso2022jpms": "iso2022_jp",
    "iso2022jpascii": "iso2022_jp",
    "cp50220": "iso2022_jp",
    "cp50221": "iso2022_jp",
    "cp50222": "iso2022_jp",
    "jis": "iso2022_jp",
    "utf8n": "utf-8",
    "utf8mb4": "utf-8",
    "unicode11utf7": "utf-7",
    "unicode20utf7": "utf-7",
    "xunicode20utf7": "utf-7",
    "xgbk": "gbk",
    "ksc56011987": "cp949",
    "ksc5601": "cp949",
    "xbig5": "big5",
    "ansix341968": "ascii",
    "usascii": "ascii",
    "asciius": "ascii",
    "xmacroman": "mac_roman",
}
_JAPANESE = ("iso2022_jp", "cp932", "shift_jis", "euc_jp", "euc_jis_2004")
_SAYS_NOTHING = ("ascii", "iso8859-1", "cp1252")
_NOTHING_SAID = ("unknown", "unknown-8bit", "x-unknown", "8bit", "default", "user-defined", "x-user-defined", "binary")


@lru_cache(1024)
def charset_of(label: str) -> str | None:
    """The codec that a label means, None where it means none.

    >>> charset_of("X-SJIS"), charset_of('"utf8"'), charset_of("windows-31j"), charset_of("unknown-8bit")
    ('cp932', 'utf-8', 'cp932', None)
    """
    written = _LABEL.search(label[:100])
    if written is None or (name := written.group().lower()) in _NOTHING_SAID:
        return None
    squeezed = re.sub("[^a-z0-9]", "", name)
    return _MISSPELT.get(squeezed) or charset_named(name) or charset_named(squeezed)


_FEW = 8  # labels that are worth keeping


@lru_cache(1024)
def _telling(labels: tuple[str, ...]) -> tuple[bool, str | None]:
    """Whether one of the charsets is Japanese, and the charset where they are but one."""
    named = {charset for charset in map(charset_of, labels) if charset and charset not in _SAYS_NOTHING}
    return any(charset.startswith(_JAPANESE) for charset in named), named.pop() if len(named) == 1 else None


class Texts:
    """Decodes the pieces of one message, and records what was done.

    labels: every charset that the message names, in encoded words and in parts.
    """

    def __init__(self, labels: Iterable[str], defects: Defects) -> None:
        named = tuple(labels)
        self.japanese, self.only = (_telling if len(named) <= _FEW else _telling.__wrapped__)(named)
        self.defects = defects

    def of(self, data: bytes, label: str = "", where: str = "text") -> str:
        r"""The text of some bytes under a label.

        >>> defects = Defects()
        >>> Texts(["iso-2022-jp"], defects).of("会議".encode("cp932"), "utf-8")
        '会議'
        >>> defects.words
        ('text: utf-8 is said, cp932 was read',)
        """
        charset = charset_of(label)
        if data.isascii() and b"\x1b" not in data and not passes_for_ascii(charset):
            return data.decode("ascii")
        content = self._decoded(data, charset)
        self._record(content, label, charset, where)
        return content.text

    def _decoded(self, data: bytes, charset: str | None) -> Decoded:
        if self.japanese and (charset is None or charset in _SAYS_NOTHING):
            return decoded(data)
        if charset in (None, "ascii"):
            charset = self.only
        believes_japanese = charset is not None and charset.startswith((*_JAPANESE, "utf-8"))
        return decoded(data, charset, western=not (self.japanese or believes_japanese))

    def _record(self, content: Decoded, label: str, charset: str | None, where: str) -> None:
        for words in content.defects:
            self.defects.add("charset", f"{where}: {words}")
        read = content.encoding
        if not label and read == "utf-8":  # what is meant where nothing is said
            return
        if charset is not None and read.removesuffix("-sig") in (charset, superset_of(charset)):
            return
        if charset is not None and charset.startswith("iso2022_jp") and read == "iso2022_jp":
            return
        said = f"{label[:40]} is said" if label else "no charset is said"
        self.defects.add("charset", f"{where}: {said}, {read} was read")
