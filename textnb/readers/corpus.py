"""Corpora: from a path to documents.

    path, reader, Settings -> open_corpus -> OpenCorpus(kind, settings) -> documents()

``open_corpus`` looks at a path once: it recognises the kind (folder, table, lines or mail) and completes the settings
with the corpus.toml of a folder. ``open_input`` does this for documents to classify, which need no labels: there, any
file that is no table and no mailbox is one document.
"""

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.binary import START_BYTES, check_text
from textnb.readers.decoding import MAX_LINE_LENGTH
from textnb.readers.folders import document_of, is_kind, read_folder
from textnb.readers.frames import is_frame, read_frame
from textnb.readers.mail_corpus import MAIL_DAMAGE, read_mail
from textnb.readers.mailboxes import MAIL_COLUMNS, is_mail_corpus, is_store
from textnb.readers.settings import DESCRIPTION, MAX_SKIPPED, Settings, Troubles, complete_settings, header_field
from textnb.readers.tables import column_names, open_bytes, read_records
from textnb.readers.thunderbird import accounts_in

READERS = ("folder", "csv", "tsv", "jsonl", "xlsx", "lines", "mail")
"""Kinds of corpora, as ``reader=`` and ``--reader`` name them."""

_ONE_DOCUMENT = "document"
_MAX_SHOWN_ACCOUNTS = 4
_KIND_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
TABLES = frozenset(_KIND_BY_SUFFIX.values())
"""Kinds of corpora whose documents are records with columns."""
_LABELLED_START = re.compile(rb"\s*__label__\S")
_GLOB = re.compile(r"[*?\[]")
_MAX_SHOWN_PATH = 200


@dataclass(frozen=True)
class OpenCorpus:
    """Corpus whose kind and settings are known, and whose documents are read when they are asked for.

    kind: one of ``READERS``, or "document" for a file that is one document. settings: completed by the corpus.toml.
    """

    path: Path
    kind: str
    settings: Settings

    @property
    def is_mail(self) -> bool:
        """Whether the documents are messages."""
        return self.kind == "mail"

    def columns(self) -> list[str]:
        """Names of the columns of a table or of mails, ``text`` for lines; none for any other corpus."""
        if self.kind == "lines":
            return ["text"]
        if self.kind == "mail":
            return [*MAIL_COLUMNS]
        return column_names(self.path, self.kind, self.settings) if self.kind in TABLES else []

    def documents(self) -> Iterator[Document]:
        """Read the documents, one at a time; a ReadingWarning at the end counts what went wrong."""
        troubles = Troubles(str(self.path), self.settings.skip_bad, self.settings.max_skipped)
        if self.kind == "mail":
            troubles.damage = MAIL_DAMAGE
            documents = read_mail(self.path, self.settings, troubles)
        elif self.kind == "folder":
            documents = read_folder(self.path, self.settings, troubles)
        elif self.kind == _ONE_DOCUMENT:
            documents = iter([_read_whole_file(self.path, self.settings)])
        else:
            documents = read_records(self.path, self.kind, self.settings, troubles)
        return troubles.watch(documents)


def open_corpus(path: str | Path, reader: str | None = None, settings: Settings | None = None) -> OpenCorpus:
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
    path = _as_existing_path(path)
    settings = settings or Settings()
    if path.is_dir() and reader in (None, "folder", "mail"):
        settings = complete_settings(path, settings)
    kind = reader or settings.kind or recognise_kind(path, by_header=header_field(settings.label) is not None)
    if kind not in READERS:
        raise InputError("unknown reader {kind!r}; use {known}", kind=kind, known=", ".join(READERS))
    if kind != "mail" and path.is_dir() != (kind == "folder"):
        what = "folder" if path.is_dir() else "file"
        raise InputError("{path} is a {what}; reader {kind!r} cannot read it", path=path, what=what, kind=kind)
    return OpenCorpus(path, kind, settings)


def open_corpora(
    paths: str | Path | Sequence[str | Path], reader: str | None = None, settings: Settings | None = None
) -> list[OpenCorpus]:
    """Open each of several corpora, as ``open_corpus``; see ``expand_paths`` for what the paths may be."""
    return [open_corpus(path, reader, own) for path, own in expand_paths(paths, reader, settings or Settings())]


def expand_paths(
    paths: str | Path | Sequence[str | Path], reader: str | None, settings: Settings
) -> list[tuple[Path, Settings]]:
    """Paths of corpora, each with its settings.

    A pattern, as in ``2026-*.csv``, stands for the files of such names. A folder that holds only tables stands for
    them, with ``reader`` for those of that kind; its corpus.toml completes their settings.
    """
    found: list[tuple[Path, Settings]] = []
    for path in [paths] if isinstance(paths, str | Path) else paths:
        matching = [Path(path)]
        if _GLOB.search(str(path)) and not is_kind(Path(path).exists):
            matching = [Path(each) for each in sorted(glob(str(path), recursive=True))]  # noqa: PTH207  # absolute too
            if not matching:
                raise InputError("{path} matches no file", path=path)
        for each in matching:
            tables = _tables_in(each, reader) if reader in (None, *TABLES) and is_kind(each.is_dir) else []
            own = complete_settings(each, settings) if tables else settings
            found += [(path, own) for path in tables or [each]]
    return found


def _tables_in(folder: Path, reader: str | None) -> list[Path]:
    """Tables of a folder, by name; without a reader none if there is anything else in it but a corpus.toml."""
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith((".", "~$")))
    except OSError:  # reading it will say why
        return []
    entries = [entry for entry in entries if entry.name != DESCRIPTION]
    tables = [entry for entry in entries if entry.is_file() and _KIND_BY_SUFFIX.get(_suffix(entry), "") in TABLES]
    if reader is not None:
        return [table for table in tables if _KIND_BY_SUFFIX[_suffix(table)] == reader]
    return tables if len(tables) == len(entries) else []


def open_input(path: str | Path, reader: str | None, settings: Settings) -> OpenCorpus:
    """Recognise documents to classify, as ``open_corpus``; any file but a table or mailbox is one document."""
    path = _as_existing_path(path)
    if reader is None and is_store(path):
        reader = "mail"
    if reader is None and path.is_file() and _suffix(path) not in _KIND_BY_SUFFIX:
        return OpenCorpus(path, "lines" if _has_labelled_lines(path) else _ONE_DOCUMENT, settings)
    return open_corpus(path, reader, settings)


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
        A folder with one subfolder per class; a CSV, TSV or JSONL file (plain or .gz) or an Excel workbook (.xlsx)
        with a text and a label column; a folder of such tables; a file of lines that start with fastText's
        ``__label__x``; or a folder with one mail store per class (mbox, Maildir, MH, .eml files). Several of these,
        and patterns as in ``2026-*.csv``, are read one after the other. Of links below a folder, only those to files
        of the same folder are followed; a link in place of a class is an error. A file that is not text (PDF, an
        image) is refused, and so is a line or record of more than 67,108,864 characters. A data frame of pandas, polars
        or pyarrow is read as a table.
    reader : {"folder", "csv", "tsv", "jsonl", "xlsx", "lines", "mail"}, optional
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
    """Read the labelled documents of a CSV, TSV, JSONL, .xlsx or lines file, one per record.

    Parameters and result are as in ``read_corpus``; a folder is refused. ``Document.columns`` has all cells.
    """
    if _as_existing_path(path).is_dir():
        raise InputError("{path} is a folder, not a table; use read_corpus", path=path)
    options = {"id": id, "sheet": sheet, "encoding": encoding, "skip_bad": skip_bad, "max_skipped": max_skipped}
    return read_corpus(path, reader, text, label, **options)  # type: ignore[arg-type]  # kinds as above


def read_input(path: Path, reader: str | None, settings: Settings) -> Iterator[Document]:
    """Read documents to classify: the records of a table or mailbox, the files of a folder, or one file as a whole."""
    return open_input(path, reader, settings).documents()


def recognise_kind(path: Path, *, by_header: bool = False) -> str:
    """Recognise the kind of a corpus from its content if it is a folder, else from its name, or ``__label__`` in it.

    by_header: whether a header field has the labels, so that it is mail if it is not a table.
    """
    if by_header and _suffix(path) not in _KIND_BY_SUFFIX:
        return "mail"
    if path.is_dir():
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
        with suppress(OSError, EOFError, zlib.error), open_bytes(path) as stream:
            check_text(stream.read(START_BYTES), path)
        template = "{path}: the name does not show how to read it; give --reader (reader=) as one of {known}"
        raise InputError(template, path=path, known=", ".join(READERS))
    return _KIND_BY_SUFFIX[_suffix(path)]


def _has_labelled_lines(path: Path) -> bool:
    """Whether a file begins with fastText's ``__label__x``."""
    with suppress(OSError, EOFError, zlib.error), open_bytes(path) as stream:
        return _LABELLED_START.match(stream.read(START_BYTES).removeprefix(BOM_UTF8)) is not None
    return False


def _read_whole_file(path: Path, settings: Settings) -> Document:
    is_packed = path.suffix.lower() == ".gz"
    try:
        with open_bytes(path) as stream:
            data = stream.read(MAX_LINE_LENGTH + 1 if is_packed else -1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError("{path}: {why}", path=path, why=error) from error
    check_text(data, path)
    if is_packed and len(data) > MAX_LINE_LENGTH:
        template = "{path}: the document has more than {limit:,} bytes; unpack it, and divide it if you can"
        raise InputError(template, path=path, limit=MAX_LINE_LENGTH)
    return document_of(data, settings, None, str(path))


def _as_existing_path(path: str | Path) -> Path:
    """Check that a path is a folder or an ordinary file; a table is read twice, so a pipe is refused."""
    path = Path(path)
    try:
        if not path.exists():
            raise InputError("{path} does not exist", path=path)
        if not path.is_dir() and not path.is_file():
            raise InputError("{path} is neither a file nor a folder; copy its content to a file first", path=path)
    except OSError as error:  # the name is longer than the system allows
        shown = str(path)[:_MAX_SHOWN_PATH]
        raise InputError("{path}... does not exist: {why}", path=shown, why=error.strerror) from error
    return path


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if suffix == ".gz" else suffix
