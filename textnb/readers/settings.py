"""Settings of a reader, the corpus.toml that completes them, and the record of what went wrong while reading.

A corpus.toml in the folder of a corpus, or in the folder above for a part that it names in ``parts``, may have a table
``[reader]`` with settings. Settings of the caller take precedence.

``Troubles`` counts documents that could be read only in part, records that were skipped, files that were not read,
links that were not followed and deleted messages, and reports each kind once, in a ReadingWarning with a number and
examples.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textnb.document import Document
from textnb.errors import InputError, ParameterError, ReadingWarning, fill_in, parameters_from_file
from textnb.readers.charset_names import check_charset
from textnb.storage import read_toml

if TYPE_CHECKING:
    from textnb.readers.message.features import MailFeatures

DESCRIPTION = "corpus.toml"

MAX_SKIPPED = 0.1
"""Largest proportion of bad records that are skipped, unless another one is given."""

Then = Callable[[list[Document]], list[Document]]
"""Picklable function from documents to as many others, in the same order."""

TEXT_DAMAGE = "{number} of {total} documents could not be decoded completely; U+FFFD marks the gaps"
_SKIPPED = ("{number} bad record was skipped", "{number} bad records were skipped")
_TOO_MANY_BAD = (
    "{source}: {number} of {total} records are bad, more than a proportion of {limit:g} ({first}); "
    "correct them, or allow more (--max-skipped, max_skipped=)"
)
_NOT_READ = (
    "{number} file was not read: it is in no class folder, is not an ordinary file, or is not mail",
    "{number} files were not read: they are in no class folder, are not ordinary files, or are not mail",
)
_LINKS = (
    "{number} link was not followed: only links to files of this folder are",
    "{number} links were not followed: only links to files of this folder are",
)
_UNLABELLED = (
    "{number} message has no label in that header field and was left out",
    "{number} messages have no label in that header field and were left out",
)
_HEADER = "header:"
_DELETED = (
    "{number} message was not read: Thunderbird has marked it as deleted",
    "{number} messages were not read: Thunderbird has marked them as deleted",
)
_WARNING = "{source}: {what} ({examples})"
_MAX_EXAMPLES = 3


@dataclass(frozen=True)
class Settings:
    """Settings of a reader; the defaults leave the choice to the reader.

    Parameters
    ----------
    text, label, glob, id, sheet, encoding, skip_bad, max_skipped, jobs
        As in ``read_corpus``.
    exclude : tuple of str
        Names of files to leave out without a warning.
    labels : Mapping[str, str]
        Label of a class folder, where it is not the folder's name.
    skip_lines : int, default=0
        Number of lines to drop at the beginning of each file.
    labelled : bool, default=True
        Whether a document without a label is a bad record.
    kind : str, optional
        Name of the reader; a corpus.toml sets it.
    mail : MailFeatures, optional
        Groups of tokens that a message gives; by default all.
    then : callable, optional
        Function that the processes apply to the mails they have read, so that less is sent back; not with one process.
    whole_records : bool, default=True
        Whether ``Document.columns`` has all cells; else those of text, label, id and group may do, which is quicker.
    """

    text: str | tuple[str, ...] | None = None
    label: str | None = None
    glob: str | None = None
    id: str | None = None
    sheet: str | int | None = None
    exclude: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    skip_lines: int = 0
    encoding: str | None = None
    skip_bad: bool = False
    max_skipped: float = MAX_SKIPPED
    labelled: bool = True
    kind: str | None = None
    mail: "MailFeatures | None" = None
    jobs: int = 1
    then: Then | None = None
    whole_records: bool = True

    def __post_init__(self) -> None:
        check_charset(self.encoding)
        if not 0 <= self.max_skipped <= 1:
            raise ParameterError("max_skipped must be between 0 and 1, not {value!r}", value=self.max_skipped)

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Text columns as they were given; none if they are to be found."""
        return (self.text,) if isinstance(self.text, str) else tuple(self.text or ())


def header_field(label: str | None) -> str | None:
    """Name of the header field that a setting names; None if it names none.

    >>> header_field("header:X-Gmail-Labels"), header_field("label")
    ('X-Gmail-Labels', None)
    """
    if label is None or not label.lower().startswith(_HEADER):
        return None
    return label[len(_HEADER) :].strip() or None


def complete_settings(folder: Path, given: Settings) -> Settings:
    """Complete the caller's settings with the [reader] table of the corpus.toml that describes the folder."""
    path, table = _read_description(folder)
    parts = _as_strings(table.get("parts", []), path, "parts")
    if parts and path.parent == folder:
        paths = ", ".join(str(folder / part) for part in parts)
        raise InputError("{folder} has parts; read one of them: {paths}", folder=folder, paths=paths)
    reader = table.get("reader", {})
    if not isinstance(reader, dict):
        raise InputError("{path}: reader must be a table", path=path)
    default = Settings()
    checked = {key: _as_setting(key, value, path) for key, value in reader.items()}
    missing = {f.name for f in fields(Settings) if getattr(given, f.name) == getattr(default, f.name)}
    with parameters_from_file():
        return replace(given, **{key: value for key, value in checked.items() if key in missing})


def _read_description(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Read the corpus.toml of a folder, or that of the folder above if it names the folder as a part."""
    own, above = folder / DESCRIPTION, folder.resolve().parent / DESCRIPTION
    if own.is_file():
        return own, read_toml(own)
    if above.is_file():
        try:
            table = read_toml(above)
        except InputError:  # the file above may belong to something else
            return own, {}
        if folder.resolve().name in _as_strings(table.get("parts", []), above, "parts"):
            return above, table
    return own, {}


def _as_setting(key: str, value: Any, path: Path) -> Any:
    """Check one value of the [reader] table."""
    if key in ("glob", "encoding", "text", "label", "id", "sheet", "kind") and isinstance(value, str):
        return value
    if key == "skip_lines" and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if key == "exclude":
        return _as_strings(value, path, f"[reader] {key}")
    if key == "labels" and isinstance(value, dict):
        return dict(zip(value, _as_strings(list(value.values()), path, f"[reader.{key}]"), strict=True))
    known = "glob, exclude, labels, skip_lines (0 or more), encoding, text, label, id, sheet or kind"
    template = "{path}: invalid setting [reader] {key} = {value!r}; use {known}"
    raise InputError(template, path=path, key=key, value=value, known=known)


def _as_strings(value: Any, path: Path, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError("{path}: {what} = {value!r} must be a list of strings", path=path, what=what, value=value)
    return tuple(value)


@dataclass
class Troubles:
    """Record of what went wrong in one pass over a source.

    ``skip_bad`` decides whether a bad record is skipped or an error; more than a proportion of ``max_skipped`` is an
    error at the end. ``damage`` is the template of the warning about documents with defects. ``total`` is the number of
    records of the whole source where only a part of it is read.
    """

    source: str
    skip_bad: bool = False
    max_skipped: float = MAX_SKIPPED
    skipped: list[str] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    unlabelled: list[str] = field(default_factory=list)
    documents: int = 0
    damage: str = TEXT_DAMAGE
    n_skipped: int = 0
    total: int | None = None

    def reject(self, where: str, why: str, number: int = 1) -> None:
        """Record a bad record, or a number of them with one cause, as skipped, or raise an error."""
        if not self.skip_bad:
            template = "{where}: {why}; correct it, or skip such records (--skip-bad, skip_bad=True)"
            raise InputError(template, where=where, why=why)
        self.skipped.append(f"{where}: {why}")
        self.n_skipped += number

    def watch(self, documents: Iterator[Document]) -> Iterator[Document]:
        """Yield the documents unchanged; at the end, warn if something went wrong, or raise if too much did."""
        for document in documents:
            self.documents += 1
            if document.defects:
                self.damaged.append(f"{document.id}: {document.defects[0]}")
            yield document
        self._check_skipped()
        self._warn(self.damaged, (self.damage, self.damage))
        self._warn(self.skipped, _SKIPPED, self.n_skipped)
        self._warn(self.not_read, _NOT_READ)
        self._warn(self.links, _LINKS)
        self._warn(self.unlabelled, _UNLABELLED)
        self._warn(self.deleted, _DELETED)

    def _check_skipped(self) -> None:
        """Refuse a source of which more than a proportion of ``max_skipped`` is bad."""
        total = self.documents + self.n_skipped if self.total is None else self.total
        if self.n_skipped > self.max_skipped * total:
            values = {"number": self.n_skipped, "total": total, "limit": self.max_skipped}
            raise InputError(_TOO_MANY_BAD, source=self.source, first=self.skipped[0], **values)

    def _warn(self, cases: list[str], templates: tuple[str, str], number: int | None = None) -> None:
        """Warn about cases with the template for one case or for several; by default each is one."""
        if cases:
            number = len(cases) if number is None else number
            what = templates[number > 1].format(number=number, total=self.documents)
            examples = "; ".join(cases[:_MAX_EXAMPLES]) + ("; ..." if len(cases) > _MAX_EXAMPLES else "")
            message = fill_in(_WARNING, source=self.source, what=what, examples=examples)
            warnings.warn(message, ReadingWarning, stacklevel=3)
