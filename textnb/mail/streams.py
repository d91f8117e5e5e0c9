"""A message from standard input, and on to standard output: all of it, or an error."""

import os
import sys


def message_in() -> bytes:
    """What standard input holds."""
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def message_out(message: bytes) -> None:
    """Write a message and see it off; OSError where it does not go."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    try:
        sys.stdout.buffer.write(message)
        sys.stdout.buffer.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again when it ends
        raise
