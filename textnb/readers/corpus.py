"""Corpora: from a path to documents.

    path, reader, Settings -> open_corpus -> OpenCorpus(kind, settings) -> documents()

``open_corpus`` looks at a path once: it recognises the kind (folder, table, lines or mail) and completes the settings
with the corpus.toml of a folder. ``open_input`` does this for documents to classify, which need no labels: there, any
file that is no table and no mailbox is one document.
"""

import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.binary import START_BYTES, check_text
from textnb.readers.decoding import MAX_LINE_LENGTH
from textnb.readers.folders import document_of, read_folder
from textnb.readers.mail_corpus import MAIL_DAMAGE, read_mail
from textnb.readers.mailboxes import is_mail_corpus, is_store
from textnb.readers.settings import MAX_SKIPPED, Settings, Troubles, complete_settings
from textnb.readers.tables import open_bytes, read_records

READERS = ("folder", "csv", "tsv", "jsonl", "lines", "mail")
"""Kinds of corpora, as ``reader=`` and ``--reader`` name them."""

_ONE_DOCUMENT = "document"
_KIND_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
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
    kind = reader or settings.kind or recognise_kind(path)
    if kind not in READERS:
        raise InputError("unknown reader {kind!r}; use {known}", kind=kind, known=", ".join(READERS))
    if kind != "mail" and path.is_dir() != (kind == "folder"):
        what = "folder" if path.is_dir() else "file"
        raise InputError("{path} is a {what}; reader {kind!r} cannot read it", path=path, what=what, kind=kind)
    return OpenCorpus(path, kind, settings)


def open_input(path: str | Path, reader: str | None, settings: Settings) -> OpenCorpus:
    """Recognise documents to classify, as ``open_corpus``; any file but a table or mailbox is one document."""
    path = _as_existing_path(path)
    if reader is None and is_store(path):
        reader = "mail"
    if reader is None and path.is_file() and _suffix(path) not in _KIND_BY_SUFFIX:
        return OpenCorpus(path, _ONE_DOCUMENT, settings)
    return open_corpus(path, reader, settings)


def read_corpus(  # noqa: PLR0913  # each says what the path does not
    path: str | Path,
    reader: str | None = None,
    text: str | None = None,
    label: str | None = None,
    glob: str | None = None,
    *,
    encoding: str | None = None,
    skip_bad: bool = False,
    max_skipped: float = MAX_SKIPPED,
    jobs: int = 1,
) -> Iterator[Document]:
    """Read the labelled documents of a corpus, one at a time.

    What could not be decoded and what was skipped is counted in a ReadingWarning at the end.

    Parameters
    ----------
    path : str or Path
        A folder with one subfolder per class; a CSV, TSV or JSONL file (plain or .gz) with a text and a label column;
        or a folder with one mail store per class (mbox, Maildir, MH, .eml files). Of links below a folder, only those
        to files of the same folder are followed; a link in place of a class is an error. A file that is not text
        (.xlsx, PDF, an image) is refused, and so is a line or record of more than 67,108,864 characters.
    reader : {"folder", "csv", "tsv", "jsonl", "lines", "mail"}, optional
        Kind of the corpus, where the path does not show it. A line of "lines" starts with fastText's ``__label__x``.
    text, label : str, optional
        Names of the text and label columns, where they are not common ones.
    glob : str, optional
        Pattern of the files of a folder to read.
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
    settings = Settings(text, label, glob, encoding=encoding, skip_bad=skip_bad, max_skipped=max_skipped, jobs=jobs)
    return open_corpus(path, reader, settings).documents()


def read_table(
    path: str | Path,
    reader: str | None = None,
    text: str | None = None,
    label: str | None = None,
    *,
    encoding: str | None = None,
    skip_bad: bool = False,
    max_skipped: float = MAX_SKIPPED,
) -> Iterator[Document]:
    """Read the labelled documents of a CSV, TSV, JSONL or lines file, one per record.

    Parameters and result are as in ``read_corpus``; a folder is refused.
    """
    if _as_existing_path(path).is_dir():
        raise InputError("{path} is a folder, not a table; use read_corpus", path=path)
    return read_corpus(path, reader, text, label, encoding=encoding, skip_bad=skip_bad, max_skipped=max_skipped)


def read_input(path: Path, reader: str | None, settings: Settings) -> Iterator[Document]:
    """Read documents to classify: the records of a table or mailbox, the files of a folder, or one file as a whole."""
    return open_input(path, reader, settings).documents()


def recognise_kind(path: Path) -> str:
    """Recognise the kind of a corpus from its content if it is a folder, and from its name if it is a file."""
    if path.is_dir():
        return "mail" if is_mail_corpus(path) else "folder"
    if _suffix(path) not in _KIND_BY_SUFFIX:
        with suppress(OSError, EOFError, zlib.error), open_bytes(path) as stream:
            check_text(stream.read(START_BYTES), path)
        template = "{path}: the name does not show how to read it; give --reader (reader=) as one of {known}"
        raise InputError(template, path=path, known=", ".join(READERS))
    return _KIND_BY_SUFFIX[_suffix(path)]


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
