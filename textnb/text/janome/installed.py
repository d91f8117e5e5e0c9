"""The installed Janome, looked at without importing it: where it lies, its version, what its dictionary is.

Read from its files rather than asked of importlib.metadata, whose import alone takes as long as loading the dictionary.
"""

import re
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from textnb.errors import InputError

KNOWN_VERSIONS = ("0.5.0",)
"""The versions whose tokens the engines are known to give."""


@cache
def janome_folder() -> Path:
    """Where the package lies."""
    spec = find_spec("janome")
    if spec is None or spec.origin is None:
        raise InputError("the tokenizer 'janome' needs the package janome: pip install janome")
    return Path(spec.origin).parent


@cache
def janome_version() -> str:
    """Its version, which is its dictionary's too: Janome carries the dictionary inside."""
    found = re.search(r"""['"](.+)['"]""", (janome_folder() / "version.py").read_text(encoding="utf-8"))
    return "unknown" if found is None else found[1]


def dictionary_folder() -> Path:
    """Where its dictionary lies."""
    return janome_folder() / "sysdic"


def dictionary_digest() -> str:
    """Stands for the contents of the dictionary: the names and sizes of its files, and, where the installer has noted
    them, their hashes.
    """
    digest = blake2b(digest_size=8)
    for path in sorted(dictionary_folder().glob("*.py")):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
    for record in sorted(janome_folder().parent.glob("[Jj]anome-*.dist-info/RECORD")):
        lines = record.read_text(encoding="utf-8").splitlines()
        for line in sorted(line for line in lines if re.match(r"janome/sysdic/\w+\.py,", line)):
            digest.update(f"{line}\n".encode())
    return digest.hexdigest()
