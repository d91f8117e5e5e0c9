"""Three ways to Janome's tokens: Janome itself, a lattice in Python, the same lattice in C."""

from textnb.text.engines.choice import (
    ENGINES,
    VARIABLE,
    Engine,
    check_engine,
    chosen_engine,
    engine_for,
    uses_extension,
)
from textnb.text.engines.installed import janome_version

__all__ = [
    "ENGINES",
    "VARIABLE",
    "Engine",
    "check_engine",
    "chosen_engine",
    "engine_for",
    "janome_version",
    "uses_extension",
]
