"""Partitions: the units of work of a cluster. Each is read by the worker that counts it; only its name is sent there.

A partition is a file, a part of a file (``OpenCorpus.parts``), or a partition of a Dask bag or data frame. What is
computed from it is a pure function of it, so a worker that has ended costs time and nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from textnb.address import Address, Location
from textnb.document import Document
from textnb.errors import InputError
from textnb.extension import cached_property
from textnb.readers.corpus import TABLES, OpenCorpus, expand_paths, open_corpus, open_input
from textnb.readers.frames import column, column_names, is_frame
from textnb.readers.settings import Settings
from textnb.readers.streamed import Pipe
from textnb.readers.texts import described
from textnb.version import __version__

_NAME_SIZE = 8  # bytes of the digest in the name of a file
_MAX_STEM = 80  # characters of the input's name in the name of a file
_NOT_DISTRIBUTED = (
    "documents must be paths, patterns, or a bag or data frame of Dask, not {kind}; dask.bag.from_sequence and "
    "dask.dataframe.from_pandas make these"
)


class PartReader(Protocol):
    """What reads the documents of a partition on a worker."""

    name: str

    def documents(self) -> Iterator[Document]:
        """Yield the documents."""

    def columns(self) -> list[str]:
        """Names of the columns of the records, if they are records."""

    def schema(self) -> Any:
        """Types of these columns, as pyarrow has them; None if cells are text."""

    @property
    def has_own_ids(self) -> bool:
        """Whether the columns show which record a row comes from."""


@dataclass(frozen=True)
class FileReader:
    """Reader of a corpus. shown: its path as it was given, by which ids begin if ``is_one_of_many``."""

    corpus: OpenCorpus
    shown: str
    is_one_of_many: bool = False

    @property
    def name(self) -> str:
        """Path and rows for messages."""
        part = self.corpus.part
        return str(self.corpus.path) if part is None else f"{self.corpus.path}, from row {part.first_row} on"

    def documents(self) -> Iterator[Document]:
        """Yield the documents, with the ids that they have on one machine."""
        absolute = str(self.corpus.path)
        for document in self.corpus.documents():
            own = self.shown + document.id[len(absolute) :] if document.id.startswith(absolute) else document.id
            name = f"{self.shown}:{own}" if self.is_one_of_many else own
            yield document if name == document.id else replace(document, id=name)

    def columns(self) -> list[str]:
        """Names of the columns of a table."""
        return self.corpus.columns()

    def schema(self) -> Any:
        """Types of the columns of a Parquet or Arrow file."""
        return self.corpus.schema()

    @property
    def has_own_ids(self) -> bool:
        """Whether it is a table."""
        return self.corpus.kind in TABLES


@dataclass(frozen=True)
class HeldColumns:
    """Names of the columns, or keys, of text, label and id."""

    text: str | None = None
    label: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class HeldReader:
    """Reader of a partition of a Dask bag or data frame, whose items are held by the worker."""

    name: str
    items: Any
    used: HeldColumns

    def documents(self) -> Iterator[Document]:
        """Yield the documents; a label keeps its kind."""
        if self.has_own_ids:
            yield from self._rows()
            return
        for number, item in enumerate(self.items):
            yield self._document(number, item)

    def columns(self) -> list[str]:
        """Names of the columns of a data frame."""
        return [*map(str, column_names(self.items))] if self.has_own_ids else []

    def schema(self) -> Any:
        """Types of the columns of a data frame, in which a column without a value is text; None for a bag."""
        if not self.has_own_ids:
            return None
        try:
            import pyarrow as pa

            found = pa.Schema.from_pandas(self.items, preserve_index=False)
        except (ImportError, pa.ArrowException):  # cells of several types
            return None
        return pa.schema([field.with_type(pa.string()) if pa.types.is_null(field.type) else field for field in found])

    @property
    def has_own_ids(self) -> bool:
        """Whether it is a data frame."""
        return hasattr(self.items, "columns")

    def _rows(self) -> Iterator[Document]:
        names, used = column_names(self.items), self.used
        cells = [list(column(self.items, name)) for name in names]
        for name in (used.text, used.label, used.id):
            if name is not None:
                column(self.items, name)  # refuses a column that is not there
        if used.text is None:
            raise InputError("name the column of the text of a data frame: text=")
        for number, row in zip(self.items.index, zip(*cells, strict=True), strict=True):
            yield self._record(str(number), dict(zip(names, row, strict=True)))

    def _document(self, number: int, item: Any) -> Document:
        if isinstance(item, Document):
            return item
        if isinstance(item, str):
            return Document(item, id=str(number))
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            return Document(item[0], item[1], str(number))
        if isinstance(item, Mapping):
            return self._record(str(number), item)
        template = "item {i} of a bag must be a text, a Document, (text, label) or a record, not {kind}"
        raise InputError(template, i=number, kind=described(item))

    def _record(self, number: str, record: Mapping[Any, Any]) -> Document:
        used = self.used
        text, name = record.get(used.text or "text"), number if used.id is None else str(record.get(used.id))
        if not isinstance(text, str):
            template = "record {id!r} has no text in {column!r}, but {kind}"
            raise InputError(template, id=name, column=used.text or "text", kind=described(text))
        return Document(text, record.get(used.label or "label"), name, columns=dict(record))


@dataclass(frozen=True)
class Partition:
    """Unit of work: its name, and what becomes a reader on a worker (a PartReader, or a Delayed one).

    identity: text that changes with the content, as far as size and time of a file or the key of a Dask task show it.
    """

    name: str
    reader: Any
    identity: str

    def file_name(self, recipe: object, suffix: str) -> str:
        """Name of the file of a result: that of the input, and a fingerprint of the partition and of the recipe."""
        whole = repr((__version__, self.identity, recipe)).encode("utf-8", "surrogatepass")
        stem = Path(self.name.partition(",")[0]).name[:_MAX_STEM] or "part"
        return f"{stem}-{blake2b(whole, digest_size=_NAME_SIZE).hexdigest()}{suffix}"


@dataclass(frozen=True)
class Source:
    """Partitions in order, and whether they come from corpora, whose labels are text."""

    partitions: tuple[Partition, ...]

    @cached_property
    def names(self) -> list[str]:
        """Names of the partitions."""
        return [each.name for each in self.partitions]


def as_source(
    documents: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # the name of the column
    reader: str | None = None,
    labelled: bool = True,
) -> Source:
    """Return the partitions of paths, patterns, a Dask bag, or a Dask data frame."""
    if isinstance(documents, Source):
        return documents
    if hasattr(documents, "to_delayed"):
        if text is not None and not isinstance(text, str):
            raise InputError("a bag or data frame has one column of text; text= must be one name")
        return _held(documents, HeldColumns(text, label if labelled else None, id))
    given = text if text is None or isinstance(text, str) else tuple(text)
    settings = Settings(text=given, label=label, id=id, labelled=labelled)
    paths = [documents] if isinstance(documents, str | Path) or is_frame(documents) else list(documents)
    for other in paths:
        if not isinstance(other, str | Path | Address):
            raise InputError(_NOT_DISTRIBUTED, kind=type(other).__name__)
    opened = open_corpus if labelled else open_input
    return source_of([opened(path, reader, own) for path, own in expand_paths(paths, reader, settings)], labelled)


def source_of(corpora: Sequence[OpenCorpus], labelled: bool) -> Source:
    """Return the partitions of open corpora; of several, the ids of labelled documents begin with the path."""
    parts = []
    for corpus in corpora:
        if isinstance(corpus.path, Pipe):
            raise InputError("{path} is a pipe, which only one process can read; copy it to a file", path=corpus.path)
        path = corpus.path.absolute() if isinstance(corpus.path, Path) else corpus.path
        own = replace(corpus, path=path, settings=replace(corpus.settings, jobs=1, then=None))
        whole = FileReader(own, str(corpus.path), labelled and len(corpora) > 1)
        identity = _identity(whole)
        for each in own.parts():
            part = replace(whole, corpus=each)
            parts.append(Partition(part.name, part, repr((identity, each.part))))
    return Source(tuple(parts))


def _identity(part: FileReader) -> str:
    """Text of the path, the sizes and times of its files, and the settings that read it."""
    return repr((part.shown, part.is_one_of_many, part.corpus.kind, part.corpus.settings, _state(part.corpus.path)))


def _state(path: Location | Pipe) -> object:
    """Sizes and times of the files of a corpus."""
    assert not isinstance(path, Pipe)
    if not isinstance(path, Path):
        return path.state()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [(str(each), (found := each.stat()).st_size, found.st_mtime_ns) for each in files if each.is_file()]


def _held(collection: Any, used: HeldColumns) -> Source:
    from dask import delayed

    parts = []
    for number, each in enumerate(collection.to_delayed()):
        name = f"partition {number}"
        parts.append(Partition(name, delayed(HeldReader)(name, each, used), str(each.key)))
    return Source(tuple(parts))
