"""Three ways to Janome's tokens: Janome itself, a lattice in Python, the same lattice in C."""

from textnb.text.janome.engines import ENGINES, Engine, check_engine, chosen_engine, engine_for
from textnb.text.janome.installed import janome_version

__all__ = [
    "ENGINES",
    "Engine",
    "check_engine",
    "chosen_engine",
    "engine_for",
    "janome_version",
]
