"""How far the file that is being read has been read, for progress where the number of documents is not known."""

from typing import IO, Any


class _Reading:
    """Stream of the file that was opened last; there is one, for corpora are read one after the other."""

    stream: Any = None


def note_stream(stream: IO[bytes]) -> None:
    """Say that a file is being read from its beginning; of a compressed one its own position counts."""
    _Reading.stream = getattr(getattr(stream, "raw", None), "packed", stream)


def forget_position() -> None:
    """Say that no file is being read any more."""
    _Reading.stream = None


def position() -> int:
    """Number of bytes read of the file that was opened last; 0 before it, and where that is not known."""
    try:
        return int(_Reading.stream.tell())
    except (AttributeError, OSError, ValueError):  # none yet, one that cannot tell, or a closed one
        return 0
