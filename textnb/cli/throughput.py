"""Throughput of a run: its documents and bytes per second and its peak memory, said at its end for logs."""

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from textnb.cli.terminal import plural, say

Item = TypeVar("Item")

_LINE = "{documents} in {seconds:,.1f} s: {rate:,.0f} documents/s, {speed:,.2f} MB/s; peak memory {peak:,.0f} MB"
LONG_RUN = 30.0
"""Seconds from which on a run ends with its throughput; that of a short one says nothing."""


class Throughput:
    """Counts the documents of a run from now on; ``n_bytes``: size of the files that they are read from."""

    def __init__(self) -> None:
        self.n_documents = self.n_bytes = 0
        self._begun = time.monotonic()

    def watch(self, documents: Iterable[Item]) -> Iterator[Item]:
        """Yield the documents and count them."""
        for document in documents:
            self.n_documents += 1
            yield document

    def say(self, *, quiet: bool) -> None:
        """Print one line about the run, if it was long."""
        seconds = time.monotonic() - self._begun
        if quiet or seconds < LONG_RUN or not self.n_documents:
            return
        documents, rate = plural(self.n_documents, "document"), self.n_documents / seconds
        peak, speed = peak_bytes() / 1e6, self.n_bytes / seconds / 1e6
        if peak and speed:
            say(_LINE, documents=documents, seconds=seconds, rate=rate, speed=speed, peak=peak)
        else:
            say(
                "{documents} in {seconds:,.1f} s: {rate:,.0f} documents/s",
                documents=documents,
                seconds=seconds,
                rate=rate,
            )


def peak_bytes() -> int:
    """Largest resident size of this process so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def size_of(path: object) -> int:
    """Number of bytes of a file, or of all files below a folder; 0 for what is no path of this machine."""
    if not isinstance(path, Path):
        return 0
    return sum(each.stat().st_size for each in (path.rglob("*") if path.is_dir() else [path]) if each.is_file())
