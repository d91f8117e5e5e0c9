"""Corpora: from a path to documents.

    path, reader, Settings -> open_corpus -> OpenCorpus(kind, settings) -> documents()

``open_corpus`` looks at a path once: it recognises the kind (folder, table, lines or mail) and completes the settings
with the corpus.toml of a folder. ``open_input`` does this for documents to classify, which need no labels: there, any
file that is no table and no mailbox is one document.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from textnb.address import Address, Location, location
from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.binary import START_BYTES, check_text
from textnb.readers.columnar import Part, columnar_names, n_rows_of, parts_of, read_columnar, schema_of
from textnb.readers.compression import is_compressed, open_bytes
from textnb.readers.decoding import MAX_LINE_LENGTH
from textnb.readers.folders import document_of, is_kind, is_pipe, read_folder
from textnb.readers.frames import is_frame, read_frame
from textnb.readers.mail_corpus import MAIL_DAMAGE, read_mail
from textnb.readers.mailboxes import MAIL_COLUMNS, is_mail_corpus, is_store
from textnb.readers.settings import DESCRIPTION, MAX_SKIPPED, Settings, Troubles, complete_settings, header_field
from textnb.readers.streamed import Pipe
from textnb.readers.tables import column_names, open_stream, read_records
from textnb.readers.thunderbird import accounts_in

READERS = ("folder", "csv", "tsv", "jsonl", "xlsx", "parquet", "arrow", "lines", "mail")
"""Kinds of corpora, as ``reader=`` and ``--reader`` name them."""

_ONE_DOCUMENT = "document"
_MAX_SHOWN_ACCOUNTS = 4
_KIND_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
_KIND_BY_SUFFIX |= {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
TABLES = frozenset(_KIND_BY_SUFFIX.values())
"""Kinds of corpora whose documents are records with columns."""
STREAMED = ("csv", "tsv", "jsonl", "lines")
"""Kinds that are read from a pipe, without a copy."""
COLUMNAR = ("parquet", "arrow")
"""Kinds of tables that pyarrow reads, by columns."""
_PACKED_THEMSELVES = ("xlsx", *COLUMNAR)  # read from any place, not from the beginning on
_LABELLED_START = re.compile(rb"\s*__label__\S")
_GLOB = re.compile(r"[*?\[]")
_MAX_SHOWN_PATH = 200
_MAIL_SUFFIXES = (".eml", ".mbox", ".mbx")


@dataclass(frozen=True)
class OpenCorpus:
    """Corpus whose kind and settings are known, and whose documents are read when they are asked for.

    kind: one of ``READERS``, or "document" for a file that is one document. settings: completed by the corpus.toml.
    part: run of rows of a parquet or arrow file, if only these are read. It can be pickled unless it is of a pipe.
    """

    path: Location | Pipe
    kind: str
    settings: Settings
    part: Part | None = None

    @property
    def is_mail(self) -> bool:
        """Whether the documents are messages."""
        return self.kind == "mail"

    @property
    def _file(self) -> Location:
        """Path or address of a corpus that is no pipe."""
        assert not isinstance(self.path, Pipe)
        return self.path

    def columns(self) -> list[str]:
        """Names of the columns of a table or of mails, ``text`` for lines; none for any other corpus."""
        if self.kind == "lines":
            return ["text"]
        if self.kind == "mail":
            return [*MAIL_COLUMNS]
        if self.kind in COLUMNAR:
            return columnar_names(self._file, self.kind)
        return column_names(self.path, self.kind, self.settings) if self.kind in TABLES else []

    def schema(self) -> Any:
        """Return the schema of a parquet or arrow file, as pyarrow has it; None for any other corpus."""
        return schema_of(self._file, self.kind) if self.kind in COLUMNAR else None

    def n_rows(self) -> int | None:
        """Return the number of rows of a parquet file; None for any other corpus, which does not say it."""
        return n_rows_of(self._file, self.kind) if self.kind in COLUMNAR else None

    def parts(self) -> list["OpenCorpus"]:
        """Return pieces that can be read independently and give together the same documents, with the same ids.

        Runs of row groups of a Parquet file, or of record batches of an Arrow file; any other corpus is one part. With
        ``skip_bad``, each part compares its own bad records with those that the whole file may have.
        """
        if self.kind not in COLUMNAR or self.part is not None:
            return [self]
        return [replace(self, part=part) for part in parts_of(self._file, self.kind)] or [self]

    def documents(self) -> Iterator[Document]:
        """Read the documents, one at a time; a ReadingWarning at the end counts what went wrong."""
        troubles = Troubles(str(self.path), self.settings.skip_bad, self.settings.max_skipped)
        if self.kind in ("folder", "mail"):
            assert isinstance(self.path, Path)
            troubles.damage = MAIL_DAMAGE if self.kind == "mail" else troubles.damage
            read = read_mail if self.kind == "mail" else read_folder
            documents = read(self.path, self.settings, troubles)
        elif self.kind == _ONE_DOCUMENT:
            documents = iter([_read_whole_file(self.path, self.settings)])
        elif self.kind in COLUMNAR:
            documents = read_columnar(self._file, self.kind, self.settings, troubles, self.part)
        else:
            documents = read_records(self.path, self.kind, self.settings, troubles)
        return troubles.watch(documents)


def open_corpus(
    path: str | Path | Address | Pipe, reader: str | None = None, settings: Settings | None = None
) -> OpenCorpus:
    """Recognise the kind of a corpus and complete its settings; no document is read yet.

    Parameters
    ----------
    path, reader
        As in ``read_corpus``.
    settings : Settings, optional
        Settings of the caller, which take precedence over those of a corpus.toml.

    Returns
    -------
    OpenCorpus
        Its ``documents()`` are read when they are asked for.
    """
    where = _as_existing(path)
    settings = settings or Settings()
    if isinstance(where, Address):
        _check_readable_there(where, reader, settings)
    elif isinstance(where, Path) and where.is_dir() and reader in (None, "folder", "mail"):
        settings = complete_settings(where, settings)
    kind = reader or settings.kind or recognise_kind(where, by_header=header_field(settings.label) is not None)
    if isinstance(where, Pipe) and kind in READERS and kind not in STREAMED:
        template = "{path} is a pipe, which is read as {known}; copy its content to a file first"
        raise InputError(template, path=where, known=", ".join(STREAMED))
    if kind not in READERS:
        raise InputError("unknown reader {kind!r}; use {known}", kind=kind, known=", ".join(READERS))
    if kind in _PACKED_THEMSELVES and is_compressed(where):
        raise InputError(
            "{path}: {kind} files are not unpacked while they are read; unpack it first", path=where, kind=kind
        )
    if kind != "mail" and where.is_dir() != (kind == "folder"):
        what = "folder" if where.is_dir() else "file"
        raise InputError("{path} is a {what}; reader {kind!r} cannot read it", path=where, what=what, kind=kind)
    return OpenCorpus(where, kind, settings)


def _check_readable_there(address: Address, reader: str | None, settings: Settings) -> None:
    """Refuse a folder with one subfolder per class, or mail, at an address."""
    by_header = header_field(settings.label) is not None
    if by_header or reader in ("folder", "mail") or address.suffix.lower() in _MAIL_SUFFIXES or address.is_dir():
        template = "{address}: folders of documents and mail are read from this machine only; copy it first"
        raise InputError(template, address=address)


def open_corpora(
    paths: str | Path | Sequence[str | Path], reader: str | None = None, settings: Settings | None = None
) -> list[OpenCorpus]:
    """Open each of several corpora, as ``open_corpus``; see ``expand_paths`` for what the paths may be."""
    return [open_corpus(path, reader, own) for path, own in expand_paths(paths, reader, settings or Settings())]


def expand_paths(
    paths: str | Path | Address | Sequence[str | Path | Address], reader: str | None, settings: Settings
) -> list[tuple[Location, Settings]]:
    """Paths and addresses of corpora, each with its settings.

    A pattern, as in ``2026-*.csv``, stands for the files of such names. A folder that holds only tables stands for
    them, with ``reader`` for those of that kind; its corpus.toml completes their settings.
    """
    found: list[tuple[Location, Settings]] = []
    for path in [paths] if isinstance(paths, str | Path | Address) else paths:
        for each in matching(location(path)):
            tables = _tables_in(each, reader) if reader in (None, *TABLES) and is_kind(each.is_dir) else []
            own = complete_settings(each, settings) if tables and isinstance(each, Path) else settings
            found += [(path, own) for path in tables or [each]]
    return found


def matching(path: Location) -> Sequence[Location]:
    """Paths or addresses for which a pattern stands; another path stands for itself."""
    if isinstance(path, Path):
        is_pattern = _GLOB.search(str(path)) is not None and not is_kind(path.exists)
    else:
        is_pattern = path.is_pattern
    if not is_pattern:
        return [path]
    found: Sequence[Location]
    if isinstance(path, Path):
        found = [Path(each) for each in sorted(glob(str(path), recursive=True))]  # noqa: PTH207  # absolute too
    else:
        found = path.matching()
    if not found:
        raise InputError("{path} matches no file", path=path)
    return found


def _tables_in(folder: Location, reader: str | None) -> Sequence[Location]:
    """Tables of a folder, by name; without a reader none if there is anything else in it but a corpus.toml.

    Hidden files do not count, nor does what begins with an underscore and is no table, such as _SUCCESS of Spark.
    """
    try:
        inside: list[Location] = [*folder.iterdir()] if isinstance(folder, Path) else [*folder.entries()]
    except OSError:  # reading it will say why
        return []
    entries = sorted(inside, key=str)
    entries = [entry for entry in entries if not entry.name.startswith((".", "~$"))]
    tables = [entry for entry in entries if _KIND_BY_SUFFIX.get(_suffix(entry), "") in TABLES and _is_plain(entry)]
    entries = [entry for entry in entries if entry in tables or not (entry.name == DESCRIPTION or entry.name[0] == "_")]
    if reader is not None:
        return [table for table in tables if _KIND_BY_SUFFIX[_suffix(table)] == reader]
    return tables if len(tables) == len(entries) else []


def _is_plain(entry: Location) -> bool:
    """Whether an entry of a folder is a file; at an address its name is enough."""
    return isinstance(entry, Address) or entry.is_file()


def open_input(path: str | Path | Address | Pipe, reader: str | None, settings: Settings) -> OpenCorpus:
    """Recognise documents to classify, as ``open_corpus``; any file but a table or mailbox is one document."""
    where = _as_existing(path)
    if isinstance(where, Address):
        _check_readable_there(where, reader, settings)
    elif isinstance(where, Path) and reader is None and is_store(where):
        reader = "mail"
    if reader is None and where.is_file() and _suffix(where) not in _KIND_BY_SUFFIX:
        return OpenCorpus(where, "lines" if _has_labelled_lines(where) else _ONE_DOCUMENT, settings)
    return open_corpus(where, reader, settings)


def read_corpus(  # noqa: PLR0913  # each says what the path does not
    path: Any,
    reader: str | None = None,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    glob: str | None = None,
    *,
    id: str | None = None,  # noqa: A002  # the name of the column
    sheet: str | int | None = None,
    encoding: str | None = None,
    skip_bad: bool = False,
    max_skipped: float = MAX_SKIPPED,
    jobs: int = 1,
) -> Iterator[Document]:
    """Read the labelled documents of a corpus, one at a time.

    What could not be decoded and what was skipped is counted in a ReadingWarning at the end.

    Parameters
    ----------
    path : str, Path, sequence of these, or data frame
        A folder with one subfolder per class; a CSV, TSV or JSONL file (plain, .gz, .bz2, .xz or .zst), an Excel
        workbook (.xlsx), a Parquet or an Arrow file (.parquet, .arrow, .feather) with a text and a label column; a
        folder of such tables; a file of lines that start with fastText's ``__label__x``; or a folder with one mail
        store per class (mbox, Maildir, MH, .eml files). Several of these, and patterns as in ``2026-*.csv``, are read
        one after the other. Tables may be at addresses of fsspec, such as ``s3://bucket/a.parquet``. Of links below a
        folder, only those to files of the same folder are followed; a link in place of a class is an error. A file that
        is not text (PDF, an image) is refused, and so is a line or record of more than 67,108,864 characters. A data
        frame of pandas, polars or pyarrow is read as a table.
    reader : {"folder", "csv", "tsv", "jsonl", "xlsx", "parquet", "arrow", "lines", "mail"}, optional
        Kind of the corpus, where the path does not show it.
    text : str or sequence of str, optional
        Names of the text columns, where it is not a common one. Several are one text, in this order; they may also be
        one string with commas, as in ``"件名,本文"``.
    label : str, optional
        Name of the label column, where it is not a common one; or ``header:NAME`` for a header field of mails.
    glob : str, optional
        Pattern of the files of a folder to read.
    id : str, optional
        Name of the column of ids; by default a common one, or else the number of the record.
    sheet : str or int, optional
        Name or number, from 1, of the sheet of a workbook; by default the first.
    encoding : str, optional
        Charset of texts that are not UTF-8, where it is known.
    skip_bad : bool, default=False
        Skip bad records; by default they are errors.
    max_skipped : float, default=0.1
        Largest proportion of the records that ``skip_bad`` skips; more is an error.
    jobs : int, default=1
        Number of processes that read mail, 0 for one per processor. The documents are the same.

    Returns
    -------
    Iterator[Document]
        Documents in the order of the corpus.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder, "pets.csv")
    ...     _ = table.write_text("text,label\\nmeow,cat\\nwoof,dog\\n", encoding="utf-8")
    ...     [(document.text, document.label) for document in read_corpus(table)]
    [('meow', 'cat'), ('woof', 'dog')]
    """
    settings = Settings(
        text=text if text is None or isinstance(text, str) else tuple(text),
        label=label,
        glob=glob,
        id=id,
        sheet=sheet,
        encoding=encoding,
        skip_bad=skip_bad,
        max_skipped=max_skipped,
        jobs=jobs,
    )
    if is_frame(path):
        if reader is not None or glob is not None or sheet is not None:
            raise InputError("a data frame has no reader, no glob and no sheet; leave them out")
        return read_frame(path, settings)
    return chain.from_iterable(corpus.documents() for corpus in open_corpora(path, reader, settings))


def read_table(  # noqa: PLR0913  # as read_corpus
    path: str | Path,
    reader: str | None = None,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    *,
    id: str | None = None,  # noqa: A002
    sheet: str | int | None = None,
    encoding: str | None = None,
    skip_bad: bool = False,
    max_skipped: float = MAX_SKIPPED,
) -> Iterator[Document]:
    """Read the labelled documents of a CSV, TSV, JSONL, .xlsx, Parquet, Arrow or lines file, one per record.

    Parameters and result are as in ``read_corpus``; a folder is refused. ``Document.columns`` has all cells.
    """
    if _as_existing(path).is_dir():
        raise InputError("{path} is a folder, not a table; use read_corpus", path=path)
    options = {"id": id, "sheet": sheet, "encoding": encoding, "skip_bad": skip_bad, "max_skipped": max_skipped}
    return read_corpus(path, reader, text, label, **options)  # type: ignore[arg-type]  # kinds as above


def read_input(path: Path, reader: str | None, settings: Settings) -> Iterator[Document]:
    """Read documents to classify: the records of a table or mailbox, the files of a folder, or one file as a whole."""
    return open_input(path, reader, settings).documents()


def recognise_kind(path: Location | Pipe, *, by_header: bool = False) -> str:
    """Recognise the kind of a corpus from its content if it is a folder, else from its name, or ``__label__`` in it.

    by_header: whether a header field has the labels, so that it is mail if it is not a table.
    """
    if by_header and _suffix(path) not in _KIND_BY_SUFFIX:
        return "mail"
    if isinstance(path, Path) and path.is_dir():
        if is_mail_corpus(path):
            return "mail"
        if accounts := accounts_in(path):
            shown = ", ".join(map(repr, map(str, accounts[:_MAX_SHOWN_ACCOUNTS])))
            raise InputError(
                "{path} is a profile of Thunderbird; name the folder of an account: {shown}", path=path, shown=shown
            )
        return "folder"
    if _suffix(path) not in _KIND_BY_SUFFIX:
        if _has_labelled_lines(path):
            return "lines"
        with suppress(OSError), _opened(path, look=True) as stream:
            check_text(stream.read(START_BYTES), path)
        template = "{path}: the name does not show how to read it; give --reader (reader=) as one of {known}"
        raise InputError(template, path=path, known=", ".join(READERS))
    return _KIND_BY_SUFFIX[_suffix(path)]


def _has_labelled_lines(path: Location | Pipe) -> bool:
    """Whether a file begins with fastText's ``__label__x``."""
    with suppress(OSError), _opened(path, look=True) as stream:
        return _LABELLED_START.match(stream.read(START_BYTES).removeprefix(BOM_UTF8)) is not None
    return False


def _opened(path: Location | Pipe, look: bool = False) -> BinaryIO:
    return open_bytes(path) if isinstance(path, Path) else open_stream(path, look)


def _read_whole_file(path: Location | Pipe, settings: Settings) -> Document:
    is_packed = is_compressed(path)
    try:
        with _opened(path) as stream:
            data = stream.read(MAX_LINE_LENGTH + 1 if is_packed else -1)
    except OSError as error:
        raise InputError("{path}: {why}", path=path, why=error) from error
    check_text(data, path)
    if is_packed and len(data) > MAX_LINE_LENGTH:
        template = "{path}: the document has more than {limit:,} bytes; unpack it, and divide it if you can"
        raise InputError(template, path=path, limit=MAX_LINE_LENGTH)
    return document_of(data, settings, None, str(path))


def _as_existing(path: str | Path | Address | Pipe) -> Location | Pipe:
    """Check that a path is a folder, an ordinary file or a named pipe, which is read once."""
    if isinstance(path, Pipe):
        return path
    where = location(path)
    try:
        if not where.exists():
            raise InputError("{path} does not exist", path=where)
        if isinstance(where, Path) and is_pipe(where):
            return Pipe(str(where), partial(open_bytes, where), closes=True)
        if not where.is_dir() and not where.is_file():
            raise InputError("{path} is neither a file nor a folder; copy its content to a file first", path=where)
    except OSError as error:  # the name is longer than the system allows
        shown = str(path)[:_MAX_SHOWN_PATH]
        raise InputError("{path}... does not exist: {why}", path=shown, why=error.strerror) from error
    return where


def _suffix(path: Location | Pipe) -> str:
    """End of the name of a file without that of its compression."""
    name = Path(path.name)
    return (name.with_suffix("") if is_compressed(name) else name).suffix.lower()
