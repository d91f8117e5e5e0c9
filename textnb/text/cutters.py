"""How the extension cuts texts that need no dictionary."""

from functools import cache
from typing import TYPE_CHECKING

from textnb.text.kinds import run_kinds, word_kinds

if TYPE_CHECKING:
    from textnb._native import Cutter

_ENDLESS = 2**31  # longer than any text the extension takes


@cache
def runs() -> "Cutter":
    """Runs of one kind of character."""
    from textnb._native import Cutter

    return Cutter("runs", run_kinds())


@cache
def words() -> "Cutter":
    """Words of spaced languages."""
    from textnb._native import Cutter

    return Cutter("words", word_kinds())


@cache
def grams(low: int, high: int) -> "Cutter":
    """Character n-grams."""
    from textnb._native import Cutter

    return Cutter("grams", min(low, _ENDLESS), min(high, _ENDLESS))


def stretches() -> "Cutter":
    """What stands between white space: every stretch is shorter than such an n-gram, and so kept whole."""
    return grams(_ENDLESS, _ENDLESS)
