"""The C extension ``textnb._native``, which is optional: whether it is there, and whether it may be used."""

import os
from functools import cache
from importlib.util import find_spec

VARIABLE = "TEXTNB_ENGINE"
"""The environment variable that forces an engine for Japanese, where ``engine=`` does not."""


@cache
def has_extension() -> bool:
    """Whether it was built."""
    return find_spec("textnb._native") is not None


def uses_extension() -> bool:
    """Whether it may do what needs no dictionary; an engine that is forced by the environment forbids it."""
    return has_extension() and os.environ.get(VARIABLE, "auto") in ("", "auto", "native")
