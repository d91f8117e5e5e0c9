"""Janome's dictionary as flat arrays: compiled from Janome's files once, and kept in the user's cache folder.

``load_dictionary`` reads the file in the cache folder, or compiles the dictionary and writes it there. The file is
checked whenever it is opened, and memory-mapped, so that all processes share it.

The file: a line that names the format, the SHA-256 of all that follows, the length of a JSON header, the header, and
the arrays, each at a multiple of 64 bytes. The header identifies the dictionary by Janome's version and a digest.
"""

import json
import logging
import mmap
import os
import re
import struct
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from textnb.errors import InputError, ReadingWarning
from textnb.storage import atomic
from textnb.text.janome.dictionary import (
    MAX_UNKNOWN_LENGTH,
    Array,
    Categories,
    Dictionary,
    Features,
    Lexicon,
    pack_entries,
)
from textnb.text.janome.installed import dictionary_digest, dictionary_folder
from textnb.text.janome.user_dictionary import Entry

CACHE_VARIABLE = "TEXTNB_CACHE"
"""Environment variable with another folder than ``$XDG_CACHE_HOME/textnb``."""

_FORMAT = 2  # in the name of the file too: several versions of textnb may share the folder
_MAGIC = f"textnb dictionary {_FORMAT}\n".encode()
_HEADER_START = len(_MAGIC) + 32 + 8
_ALIGNMENT = 64
_KEPT_FILES = 3  # of other versions of Janome that stay in the folder
_NOT_KEPT = (
    "the compiled dictionary could not be kept and will be made again, {error}; set {variable} to a folder that can be "
    "written"
)

# How Janome's files spell the entries of its dictionary.
_N_FILES = 10
_COMPACT_ENTRY = re.compile(r"(\d+):\(u'(.*?)', *(\d+), *(\d+), *(-?\d+)\)")
_EXTRA_ENTRY = re.compile(r"(\d+):\(u'(.*?)',u'(.*?)',u'(.*?)',u'(.*?)',u'(.*?)',u'(.*?)'\)")

_log = logging.getLogger(__name__)


@cache
def load_dictionary(version: str) -> Dictionary:
    """Dictionary of the installed Janome of this version: from the cache folder, or compiled and written there."""
    key = {"janome": version, "digest": dictionary_digest(), "byteorder": sys.byteorder}
    path = cache_folder() / f"janome-{version}-{key['digest']}-{_FORMAT}.dictionary"
    with suppress(OSError, ValueError):
        return read_dictionary(path, key)
    _log.info("compiling Janome's dictionary once, which takes some seconds; it is kept in %s", path.parent)
    made = compile_dictionary()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_dictionary(path, key, made)
        _remove_old_files(path)
        return read_dictionary(path, key)
    except (OSError, ValueError, InputError) as error:
        warnings.warn(_NOT_KEPT.format(error=error, variable=CACHE_VARIABLE), ReadingWarning, stacklevel=2)
        return made


def cache_folder() -> Path:
    """Folder of compiled dictionaries."""
    if folder := os.environ.get(CACHE_VARIABLE):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "textnb" / "cache"
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "textnb"


def _remove_old_files(path: Path) -> None:
    """Remove the files of other versions except the newest few."""
    others = sorted(path.parent.glob("janome-*.dictionary"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in others[1 + _KEPT_FILES :]:
        with suppress(OSError):
            old.unlink()


def write_dictionary(path: Path, key: Mapping[str, Any], made: Dictionary) -> None:
    """Write a dictionary to a file, completely or not at all."""
    arrays, at, body = {}, 0, []
    for name, array in made.arrays().items():
        data = np.ascontiguousarray(array).tobytes()
        arrays[name] = {"dtype": array.dtype.str, "shape": array.shape, "at": at}
        body.append(data + bytes(-len(data) % _ALIGNMENT))
        at += len(body[-1])
    names = {"pos_names": made.features.pos_names, "inflection_names": made.features.inflection_names}
    header = {"key": dict(key), **names, "arrays": arrays}
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-(_HEADER_START + len(text)) % _ALIGNMENT)
    rest = [struct.pack("<q", len(text)), text, *body]
    digest = sha256()
    for part in rest:
        digest.update(part)
    with atomic(path) as file:
        file.writelines([_MAGIC, digest.digest(), *rest])


def read_dictionary(path: Path, key: Mapping[str, Any]) -> Dictionary:
    """Dictionary in a file, memory-mapped; ValueError if the file is damaged or has another key."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    checked = len(_MAGIC) + sha256().digest_size
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : checked] != sha256(memoryview(data)[checked:]).digest():
        raise ValueError("not a compiled dictionary, or damaged")
    (length,) = struct.unpack("<q", data[checked:_HEADER_START])
    header = json.loads(data[_HEADER_START : _HEADER_START + length])
    if header["key"] != dict(key):
        raise ValueError("compiled from another Janome")
    view = memoryview(data)[_HEADER_START + length :]
    arrays = {name: _array(view, **place) for name, place in header["arrays"].items()}
    return Dictionary.of(arrays, header["pos_names"], header["inflection_names"])


def _array(view: memoryview, dtype: str, shape: list[int], at: int) -> Array:
    return np.frombuffer(view, np.dtype(dtype), int(np.prod(shape)), at).reshape(shape)


def compile_dictionary() -> Dictionary:
    """Dictionary made from the files of the installed Janome; takes a few seconds."""
    from janome.sysdic import chardef, connections, unknowns

    kinds = list(chardef.DATA[0])
    templates = [
        Entry("", left, right, cost, pos, "", "*") for kind in kinds for left, right, cost, pos in unknowns.DATA[kind]
    ]
    lexicon, entries = Lexicon.of(list(_entries()))
    return Dictionary(
        system=lexicon,
        user=None,
        categories=_categories(chardef.DATA, templates, [len(unknowns.DATA[kind]) for kind in kinds]),
        connections=_as_int16(np.array(connections).T),
        features=Features.of([*entries, *templates]),
    )


def _entries() -> Iterator[Entry]:
    """Entries of Janome's dictionary in the order of their numbers, as Janome's memory-mapped mode reads them."""
    expected = 0
    for part in range(_N_FILES):
        compact = _COMPACT_ENTRY.findall(_text(f"entries_compact{part}.py"))
        extra = _EXTRA_ENTRY.findall(_text(f"entries_extra{part}.py"))
        for (number, surface, left, right, cost), (same, pos, *more) in zip(compact, extra, strict=True):
            if not int(number) == int(same) == expected:
                raise ValueError("the entries of Janome's dictionary are not numbered from 0 without gaps")
            expected += 1
            infl_type, infl_form, base, reading, phonetic = more
            ids_and_cost = int(left), int(right), int(cost)
            yield Entry(surface, *ids_and_cost, pos, base, reading, infl_type, infl_form, phonetic)


def _text(name: str) -> str:
    return (dictionary_folder() / name).read_bytes().decode("unicode_escape")


def _categories(chardef: Any, templates: list[Entry], n_templates: list[int]) -> Categories:
    kinds = list(chardef[0])
    own, accepts = np.zeros(0x10000, np.uint16), np.zeros(0x10000, np.uint16)
    order: dict[int, list[int]] = {}
    for chars in chardef[1]:
        first, last, kind = ord(chars["from"]), ord(chars["to"]), kinds.index(chars["cate"])
        if last >= 0x10000:
            raise ValueError("Janome's dictionary has kinds of characters beyond the BMP")
        for char in range(first, last + 1):
            order.setdefault(char, [])
            if kind not in order[char]:
                order[char].append(kind)
        also = [kinds.index(name) for name in chars.get("compat_cates", ())]
        own[first : last + 1] |= np.uint16(1 << kind)
        accepts[first : last + 1] |= np.uint16(sum(1 << k for k in {kind, *also}))
    if any(found != sorted(found) for found in order.values()):
        raise ValueError("Janome's dictionary orders the kinds of a character in a new way")
    beyond = 1 << kinds.index("DEFAULT")
    accepts[own == 0] = own[own == 0] = beyond
    settings = [chardef[0][kind] for kind in kinds]
    left, right, cost = (np.array([template[k] for template in templates]) for k in (1, 2, 3))
    return Categories(
        own=own,
        accepts=accepts,
        limits=np.array([MAX_UNKNOWN_LENGTH if s["GROUP"] else s["LENGTH"] for s in settings], np.int32),
        always=np.array([s["INVOKE"] for s in settings], np.uint8),
        firsts=np.cumsum([0, *n_templates]).astype(np.int32),
        unknowns=pack_entries(cost, left, right, np.ones(len(templates), bool)),
        beyond=np.array([beyond], np.uint16),
    )


def _as_int16(values: Any) -> Any:
    small = np.ascontiguousarray(values, np.int16)
    if not np.array_equal(small, values):
        raise ValueError("a connection cost of Janome's dictionary does not fit 16 bits")
    return small
