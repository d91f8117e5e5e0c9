"""How a corpus is to be read: what the caller says, and what a corpus.toml in its folder says.

Counting what went wrong while reading, so that it is said once, with a number, and never in silence.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textnb.document import Document
from textnb.errors import InputError, ReadingWarning
from textnb.readers.decoding import as_charset
from textnb.storage import read_toml

if TYPE_CHECKING:
    from textnb.readers.message.features import MailFeatures

DESCRIPTION = "corpus.toml"

Then = Callable[[list[Document]], list[Document]]
"""Documents to as many others, in their order; picklable."""


@dataclass(frozen=True)
class Settings:
    """Everything a reader may be told; None and () leave it to the reader.

    text, label: names of columns. glob: which files of a folder. exclude: names of files to leave out without a word.
    labels: the label of a class folder, where it is not its name.
    skip_lines: lines to drop at the beginning of each file. encoding: the charset to believe where bytes are not
    UTF-8. skip_bad: leave bad records out and count them. labelled: whether a document without a label is bad.
    kind: the reader, where a corpus.toml names it. mail: which groups of tokens a message gives; all by default.
    jobs: how many processes read mail; other documents take no time worth sharing. then: what these processes make of
    the documents that they have read, so that what is handed over is small; where there is one process it is not asked.
    """

    text: str | None = None
    label: str | None = None
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    skip_lines: int = 0
    encoding: str | None = None
    skip_bad: bool = False
    labelled: bool = True
    kind: str | None = None
    mail: "MailFeatures | None" = None
    jobs: int = 1
    then: Then | None = None

    def __post_init__(self) -> None:
        as_charset(self.encoding)


def described(folder: Path, given: Settings) -> Settings:
    """The caller's settings, completed by the [reader] table of the corpus.toml that describes the folder.

    The description lies in the folder itself or, for a part named in its ``parts``, in the folder above.
    """
    path, table = _description(folder)
    parts = _strings(table.get("parts", []), path, "parts")
    if parts and path.parent == folder:
        raise InputError(f"{folder} has parts; read one of them: {', '.join(str(folder / part) for part in parts)}")
    told = table.get("reader", {})
    if not isinstance(told, dict):
        raise InputError(f"{path}: reader must be a table")
    default = Settings()
    checked = {key: _setting(key, value, path) for key, value in told.items()}
    missing = {f.name for f in fields(Settings) if getattr(given, f.name) == getattr(default, f.name)}
    return replace(given, **{key: value for key, value in checked.items() if key in missing})


def _description(folder: Path) -> tuple[Path, dict[str, Any]]:
    own, above = folder / DESCRIPTION, folder.resolve().parent / DESCRIPTION
    if own.is_file():
        return own, read_toml(own)
    if above.is_file():
        try:
            table = read_toml(above)
        except InputError:  # whatever lies above may be none of ours
            return own, {}
        if folder.resolve().name in _strings(table.get("parts", []), above, "parts"):
            return above, table
    return own, {}


def _setting(key: str, value: Any, path: Path) -> Any:
    """A checked value of the [reader] table."""
    if key in ("glob", "encoding", "text", "label", "kind") and isinstance(value, str):
        return value
    if key == "skip_lines" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if key == "exclude":
        return _strings(value, path, f"[reader] {key}")
    if key == "labels" and isinstance(value, dict):
        _strings(list(value.values()), path, f"[reader.{key}]")
        return value
    raise InputError(
        f"{path}: [reader] {key} = {value!r} is not understood; known: glob, exclude, labels, skip_lines (from 0 on), "
        "encoding, text, label, kind"
    )


def _strings(value: Any, path: Path, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{path}: {what} = {value!r} must be a list of strings")
    return tuple(value)


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
