"""The installed Janome: its folder, its version, and a digest of its dictionary; Janome is not imported.

The version is read from Janome's file, because importing importlib.metadata takes as long as loading the dictionary.
"""

import re
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from textnb.errors import InputError

KNOWN_VERSIONS = ("0.5.0",)
"""Versions of Janome whose tokens the engines in C and Python are tested to give."""


@cache
def janome_folder() -> Path:
    """Folder of the package."""
    spec = find_spec("janome")
    if spec is None or spec.origin is None:
        raise InputError("the tokenizer 'janome' needs the package janome: pip install janome")
    return Path(spec.origin).parent


@cache
def janome_version() -> str:
    """Version of Janome and so of its dictionary, which it contains."""
    found = re.search(r"""['"](.+)['"]""", (janome_folder() / "version.py").read_text(encoding="utf-8"))
    return "unknown" if found is None else found[1]


def dictionary_folder() -> Path:
    """Folder of Janome's dictionary."""
    return janome_folder() / "sysdic"


def dictionary_digest() -> str:
    """Digest of the names and sizes of the dictionary's files, and of their hashes if the installer recorded them."""
    digest = blake2b(digest_size=8)
    for path in sorted(dictionary_folder().glob("*.py")):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    for record in sorted(janome_folder().parent.glob("[Jj]anome-*.dist-info/RECORD")):
        lines = record.read_text(encoding="utf-8").splitlines()
        for line in sorted(line for line in lines if re.match(r"janome/sysdic/\w+\.py,", line)):
            digest.update(f"{line}\n".encode())
    return digest.hexdigest()
