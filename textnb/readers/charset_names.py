"""Names of charsets: from what a user or a mail has written to a codec of Python.

    "Shift-JIS"  ->  letters and digits, "shiftjis"  ->  shift_jis  ->  superset_of: cp932

Every name is looked up in a table of fixed size. Python itself remembers each name that it was ever asked for, also
those that do not exist, so it is never asked for a name that a mail has made up.
"""

import codecs
import re
from encodings.aliases import aliases
from functools import cache, lru_cache

from textnb.errors import ParameterError

_NO_CHARSETS = ("base64_codec", "bz2_codec", "hex_codec", "quopri_codec", "rot_13", "uu_codec", "zlib_codec")
_WITHOUT_ALIASES = ["cp1006", "cp720", "cp737", "cp856", "cp874", "cp875", "iso8859_1", "koi8_t", "koi8_u", "oem"]
_WITHOUT_ALIASES += ["mac_arabic", "mac_croatian", "mac_farsi", "mac_romanian", "palmos", "utf_8_sig"]
_NOT_IN_KEYS = re.compile("[^a-z0-9]+")
_MAX_NAME_LENGTH = 60
_LABELS_OF_CODECS = {
    "cp932": "xsjis sjiswin mssjis xmscp932 windows932 windows31j cswindows31j shiftjisms",
    "euc_jp": "xeucjp eucjpms eucjpwin",
    "iso2022_jp": "iso2022jpms iso2022jpascii cp50220 cp50221 cp50222 jis",
    "utf_8": "utf8n utf8mb4",
    "utf_7": "unicode11utf7 unicode20utf7 xunicode20utf7",
    "gbk": "xgbk",
    "cp949": "ksc56011987 ksc5601",
    "big5": "xbig5",
    "ascii": "ansix341968 usascii asciius",
    "mac_roman": "xmacroman",
}
_LABEL = re.compile(r"[\w.:+-]+", re.ASCII)
_EMPTY_LABELS = ("unknown", "unknown-8bit", "x-unknown", "8bit", "default", "user-defined", "x-user-defined", "binary")
_SUPERSETS = {"shift_jis": "cp932", "iso8859-1": "cp1252", "euc_jp": "euc_jis_2004", "gb2312": "gb18030"}
_SUPERSETS |= {"gbk": "gb18030", "euc_kr": "cp949", "big5": "cp950"}


def _key(name: str) -> str:
    """Letters and digits of a name, in lower case."""
    return _NOT_IN_KEYS.sub("", name.lower())


def _modules() -> dict[str, str]:
    """Module of each charset of Python, by the key of each of its names."""
    names = {**aliases, **{module: module for module in [*_WITHOUT_ALIASES, *aliases.values()]}}
    return {_key(name): module for name, module in names.items() if module not in _NO_CHARSETS}


_MODULE_BY_KEY = _modules()
_MODULE_BY_LABEL = {label: module for module, labels in _LABELS_OF_CODECS.items() for label in labels.split()}


def check_charset(name: str | None) -> None:
    """Refuse a name that is not that of a charset of Python."""
    if name is not None and charset_named(name) is None:
        raise ParameterError("unknown encoding {name!r}; use a name such as utf-8, cp932, euc-jp or latin-1", name=name)


def charset_named(name: str | None) -> str | None:
    """Name of the codec of a charset, None if it is not a charset.

    >>> charset_named("Latin-1"), charset_named("made-up"), charset_named("hex")
    ('iso8859-1', None, None)
    """
    if not name or len(name) > _MAX_NAME_LENGTH or not name.isascii():
        return None
    module = _MODULE_BY_KEY.get(_key(name))
    return None if module is None else _codec_name(module)


@lru_cache(256)
def charset_of(label: str) -> str | None:
    """Name of the codec that the label of a mail means, None if it means none.

    >>> charset_of("'UTF-8'"), charset_of("x-sjis"), charset_of("unknown-8bit")
    ('utf-8', 'cp932', None)
    """
    written = _LABEL.search(label[:100])
    if written is None or (name := written[0].lower().removesuffix("_charset")) in _EMPTY_LABELS:
        return None
    module = _MODULE_BY_LABEL.get(_key(name))
    return charset_named(name) if module is None else _codec_name(module)


@cache
def _codec_name(module: str) -> str | None:
    """Name of the codec of a module of Python; None for one of another system, such as mbcs."""
    try:
        return codecs.lookup(module).name
    except LookupError:
        return None


def superset_of(charset: str) -> str:
    """Charset that senders mean when they declare this one."""
    return _SUPERSETS.get(charset, charset)
