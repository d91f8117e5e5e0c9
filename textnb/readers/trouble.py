"""Counting what went wrong while reading, so that it is said once, with a number, and never in silence."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from textnb.errors import InputError, ReadingWarning
from textnb.readers.document import Document

_SHOWN = 3


@dataclass
class Troubles:
    """What one pass over a source met; ``skip_bad`` decides whether a bad record stops it."""

    source: str
    skip_bad: bool = False
    skipped: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    documents: int = 0
    damage: str = "documents could not be decoded whole; U+FFFD stands in the gaps"

    def bad(self, where: str, what: str) -> None:
        """Report a record that is not a document: an error, or one more skipped."""
        if not self.skip_bad:
            raise InputError(f"{where}: {what}; mend it, or skip such records (--skip-bad, skip_bad=True)")
        self.skipped.append(f"{where}: {what}")

    def watch(self, documents: Iterator[Document]) -> Iterator[Document]:
        """The documents themselves; at their end a warning, if there was trouble."""
        for document in documents:
            self.documents += 1
            if document.defects:
                self.damaged.append(f"{document.id}: {document.defects[0]}")
            yield document
        self._say(self.damaged, f"of {self.documents} {self.damage}")
        self._say(self.skipped, "bad records were skipped")
        self._say(self.outside, "files were not read: they lie in no class folder or are no ordinary files")

    def _say(self, cases: list[str], what: str) -> None:
        if cases:
            shown = "; ".join(cases[:_SHOWN]) + ("; ..." if len(cases) > _SHOWN else "")
            warnings.warn(f"{self.source}: {len(cases)} {what} ({shown})", ReadingWarning, stacklevel=3)
