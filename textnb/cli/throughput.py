"""Throughput of a run: its documents and bytes, shown while it reads and said in one line at its end, for logs."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from textnb.address import Address
from textnb.cli.terminal import plural, progress_of_bytes, say
from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.corpus import COLUMNAR, STREAMED, OpenCorpus
from textnb.readers.position import forget_position, position

_SHORT_LINE = "{documents} in {seconds:,.1f} s: {rate:,.0f} documents/s"
_LINE_WITHOUT_BYTES = "{documents} in {seconds:,.1f} s: {rate:,.0f} documents/s; peak memory {peak:,.0f} MB"
_LINE = "{documents} in {seconds:,.1f} s: {rate:,.0f} documents/s, {speed:,.2f} MB/s; peak memory {peak:,.0f} MB"
LONG_RUN = 30.0
"""Seconds from which on a run ends with its throughput; that of a short one says nothing."""


class Input(NamedTuple):
    """What is read: its kind, a function that reads it, and its files; None if they are not known (standard input)."""

    kind: str
    documents: Callable[[], Iterable[Document]]
    corpus: OpenCorpus | None = None

    @property
    def n_bytes(self) -> int:
        """Number of bytes; 0 if it is not known."""
        return 0 if self.corpus is None else size_of(self.corpus.path)

    @property
    def n_documents(self) -> int | None:
        """Number of rows or files; None if only reading will show it."""
        if self.corpus is None or self.kind in STREAMED:
            return None
        if self.kind in COLUMNAR:
            return self.corpus.n_rows()
        return _n_files(self.corpus) if isinstance(self.corpus.path, Path) else None


class Throughput:
    """Counts the documents and bytes of a run from now on.

    Attributes
    ----------
    n_documents : int
        Number of documents read so far.
    n_bytes : int
        Number of bytes of the inputs that have been read to their end.
    """

    def __init__(self) -> None:
        self.n_documents = self.n_bytes = 0
        self._begun = time.monotonic()
        self._total: int | None = None
        self._within: Callable[[], int] = lambda: 0  # bytes that have been read of the present input

    def begin(self, inputs: Iterable[Input], *, quiet: bool) -> None:
        """Begin to read these inputs, which are all; where progress is shown, their sizes are found now."""
        self.n_documents = self.n_bytes = 0
        self._total = None
        if not quiet and sys.stderr.isatty():
            sizes = [each.n_bytes for each in inputs]
            self._total = sum(sizes) if all(sizes) else None

    def watch(self, inputs: Sequence[Input], what: str, *, quiet: bool) -> Iterator[Document]:
        """Yield the documents of some of the inputs, and show the progress among all."""
        documents = self._counted(inputs, is_shown=not quiet and sys.stderr.isatty())
        return documents if quiet else progress_of_bytes(documents, what, self._total, self._so_far)

    def add(self, n_documents: int, n_bytes: int) -> None:
        """Count documents that have been read elsewhere."""
        self.n_documents += n_documents
        self.n_bytes += n_bytes

    def _so_far(self) -> tuple[int, int, float]:
        """Documents, bytes and seconds so far."""
        return self.n_documents, self.n_bytes + self._within(), time.monotonic() - self._begun

    def _counted(self, inputs: Sequence[Input], *, is_shown: bool) -> Iterator[Document]:
        for each in inputs:
            forget_position()
            before = self.n_documents
            self._within = self._place_in(each, before) if is_shown else position
            for document in each.documents():
                self.n_documents += 1
                yield document
            self._within = lambda: 0
            self.n_bytes += each.n_bytes or position()

    def _place_in(self, each: Input, before: int) -> Callable[[], int]:
        """Return a function for the bytes that have been read of an input: by its stream, or else by its documents."""
        number, size = each.n_documents, each.n_bytes
        if not number:
            return position
        return lambda: size * min(self.n_documents - before, number) // number

    def say(self, *, quiet: bool) -> None:
        """Print one line about the run, if it was long."""
        seconds = time.monotonic() - self._begun
        if quiet or seconds < LONG_RUN or not self.n_documents:
            return
        documents, rate = plural(self.n_documents, "document"), self.n_documents / seconds
        speed, peak = self.n_bytes / seconds / 1e6, peak_bytes() / 1e6
        values = {"documents": documents, "seconds": seconds, "rate": rate, "speed": speed, "peak": peak}
        say(_LINE if speed and peak else _LINE_WITHOUT_BYTES if peak else _SHORT_LINE, **values)


def peak_bytes() -> int:
    """Largest resident size of this process so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def size_of(path: object) -> int:
    """Number of bytes of a file, here or at an address, or of all files below a folder; 0 if it is not known."""
    if isinstance(path, Address):
        with suppress(InputError, FileNotFoundError):
            return path.size
    if not isinstance(path, Path):
        return 0
    return sum(each.stat().st_size for each in (path.rglob("*") if path.is_dir() else [path]) if each.is_file())


def _n_files(corpus: OpenCorpus) -> int | None:
    """Number of files of a folder; None for a pattern that names nothing below it, or a file."""
    assert isinstance(corpus.path, Path)
    if corpus.path.is_dir():
        with suppress(NotImplementedError, ValueError):
            return sum(1 for file in corpus.path.rglob(corpus.settings.glob or "*") if file.is_file())
    return None
