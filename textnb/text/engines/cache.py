"""The compiled dictionary in the user's cache folder: made once, checked at every start, shared by all processes.

The file: a line that says what it is, the SHA-256 of all that follows, the length of a JSON header, the header, and the
arrays, each at a multiple of 64 bytes. The header names the dictionary by Janome's version and a digest.
"""

import json
import logging
import mmap
import os
import struct
import sys
import warnings
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from textnb.errors import InputError, ReadingWarning
from textnb.storage import atomic
from textnb.text.engines.compiling import compiled
from textnb.text.engines.dictionary import Dictionary
from textnb.text.engines.installed import dictionary_digest
from textnb.text.engines.lexicon import Array

_log = logging.getLogger(__name__)
VARIABLE = "TEXTNB_CACHE"
"""Names another folder than ``$XDG_CACHE_HOME/textnb``."""

_MAGIC = b"textnb dictionary 1\n"
_START = len(_MAGIC) + 32 + 8
_ALIGNED = 64
_KEPT = 3  # files of other versions of Janome that are left in the folder


def cache_folder() -> Path:
    """Where compiled dictionaries are kept."""
    if folder := os.environ.get(VARIABLE):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "textnb" / "cache"
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "textnb"


@cache
def dictionary(version: str) -> Dictionary:
    """The dictionary of the installed Janome, of that version: from the cache, or compiled and put there."""
    key = {"janome": version, "digest": dictionary_digest(), "byteorder": sys.byteorder}
    path = cache_folder() / f"janome-{version}-{key['digest']}.dictionary"
    with suppress(OSError, ValueError):
        return read(path, key)
    _log.info("compiling Janome's dictionary, once, some seconds; it is kept in %s", path.parent)
    made = compiled()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, key, made)
        _sweep(path)
        return read(path, key)
    except (OSError, ValueError, InputError) as error:
        warnings.warn(
            f"the compiled dictionary could not be kept and will be made again, {error}; set {VARIABLE} to a folder "
            f"that can be written",
            ReadingWarning,
            stacklevel=2,
        )
        return made


def write(path: Path, key: Mapping[str, Any], made: Dictionary) -> None:
    """Put a dictionary into a file, whole or not at all."""
    arrays, at, body = {}, 0, []
    for name, array in made.arrays().items():
        data = np.ascontiguousarray(array).tobytes()
        arrays[name] = {"dtype": array.dtype.str, "shape": array.shape, "at": at}
        body.append(data + bytes(-len(data) % _ALIGNED))
        at += len(body[-1])
    header = {"key": dict(key), "pos_names": made.features.pos_names, "arrays": arrays}
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-(_START + len(text)) % _ALIGNED)
    rest = [struct.pack("<q", len(text)), text, *body]
    digest = sha256()
    for part in rest:
        digest.update(part)
    with atomic(path) as file:
        file.writelines([_MAGIC, digest.digest(), *rest])


def read(path: Path, key: Mapping[str, Any]) -> Dictionary:
    """The dictionary in a file, memory-mapped; ValueError if the file is damaged or another one than asked for."""
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    checked = len(_MAGIC) + sha256().digest_size
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : checked] != sha256(memoryview(data)[checked:]).digest():
        raise ValueError("no compiled dictionary, or a damaged one")
    (length,) = struct.unpack("<q", data[checked:_START])
    header = json.loads(data[_START : _START + length])
    if header["key"] != dict(key):
        raise ValueError("the compiled dictionary of another Janome")
    view = memoryview(data)[_START + length :]
    arrays = {name: _array(view, **place) for name, place in header["arrays"].items()}
    return Dictionary.of(arrays, header["pos_names"])


def _array(view: memoryview, dtype: str, shape: list[int], at: int) -> Array:
    return np.frombuffer(view, np.dtype(dtype), int(np.prod(shape)), at).reshape(shape)


def _sweep(path: Path) -> None:
    """Leave few files of other versions: those used last."""
    others = sorted(path.parent.glob("janome-*.dictionary"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in others[1 + _KEPT :]:
        with suppress(OSError):
            old.unlink()
