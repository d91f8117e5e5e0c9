"""Tokenizers whose workers end or fail; a worker process imports them by name."""

import os
import signal
from pathlib import Path


def killing_once(text: str) -> list[str]:
    """Kill the process at a text that names a file, unless the file is there."""
    words = text.split()
    if words and words[0] == "KILL":
        try:
            Path(words[1]).touch(exist_ok=False)
        except FileExistsError:
            return words[2:]
        os.kill(os.getpid(), signal.SIGKILL)
    return words


def failing(text: str) -> list[str]:
    """Fail at a text."""
    if text.startswith("FAIL"):
        raise ZeroDivisionError("no way")
    return text.split()
