"""From a path to documents: the kind is recognised, or said."""

import zlib
from collections.abc import Iterator
from pathlib import Path

from textnb.document import Document
from textnb.errors import InputError
from textnb.readers.folders import document_of, read_folder
from textnb.readers.mail_corpus import MAIL_DAMAGE, is_mail_corpus, read_mail
from textnb.readers.mailboxes import is_store
from textnb.readers.settings import Settings, Troubles, described
from textnb.readers.tables import open_bytes, read_records

READERS = ("folder", "csv", "tsv", "jsonl", "lines", "mail")
_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def read_corpus(  # noqa: PLR0913  # each says what the path does not
    path: str | Path,
    reader: str | None = None,
    text: str | None = None,
    label: str | None = None,
    glob: str | None = None,
    *,
    encoding: str | None = None,
    skip_bad: bool = False,
    jobs: int = 1,
) -> Iterator[Document]:
    """The labelled documents of a corpus, one at a time.

    path: a folder with one subfolder per class, a CSV, TSV or JSONL file (plain or .gz) with a text and a label
    column, or a folder with one mail store per class (mbox, Maildir, MH, .eml). reader: folder, csv, tsv, jsonl, lines
    or mail, where the path does not tell; a line of ``lines`` begins with fastText's ``__label__x``. text, label: names
    of the columns, where they are not common ones. glob: which files of a folder. encoding: the charset to believe
    where bytes are not UTF-8. skip_bad: leave bad records out. jobs: how many processes read mail, 0 for one a
    processor; what comes out is the same.

    What could not be decoded, and what was skipped, is counted in one ReadingWarning at the end.
    """
    settings = Settings(text, label, glob, encoding=encoding, skip_bad=skip_bad, jobs=jobs)
    return documents_in(Path(path), reader, settings)


def read_table(
    path: str | Path,
    reader: str | None = None,
    text: str | None = None,
    label: str | None = None,
    *,
    encoding: str | None = None,
    skip_bad: bool = False,
) -> Iterator[Document]:
    """The documents of a CSV, TSV, JSONL or lines file, as read_corpus gives them."""
    if _existing(Path(path)).is_dir():
        raise InputError(f"{path} is a folder, not a table")
    return read_corpus(path, reader, text, label, encoding=encoding, skip_bad=skip_bad)


def read_input(path: Path, reader: str | None, settings: Settings) -> Iterator[Document]:
    """What is to be classified: the records of a table or mailbox, the files of a folder, or one file as a whole."""
    if reader is None and is_store(_existing(path)):
        reader = "mail"
    if reader is None and path.is_file() and _suffix(path) not in _BY_SUFFIX:
        try:
            with open_bytes(path) as stream:
                data = stream.read()
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: {error}") from error
        one = iter([document_of(data, settings, None, str(path))])
        return Troubles(str(path)).watch(one)
    return documents_in(path, reader, settings)


def documents_in(path: Path, reader: str | None, settings: Settings) -> Iterator[Document]:
    """The documents of a folder, table or mail store, watched for trouble."""
    settings = _described(_existing(path), reader, settings)
    kind = _kind(path, reader, settings)
    if kind not in READERS:
        raise InputError(f"reader {kind!r} is not known; known: {', '.join(READERS)}")
    if kind != "mail" and path.is_dir() != (kind == "folder"):
        raise InputError(f"{path} is {'a folder' if path.is_dir() else 'a file'}, the reader {kind!r} cannot read it")
    troubles = Troubles(str(path), settings.skip_bad)
    if kind == "mail":
        troubles.damage = MAIL_DAMAGE
        return troubles.watch(read_mail(path, settings, troubles))
    if kind == "folder":
        return troubles.watch(read_folder(path, settings, troubles))
    return troubles.watch(read_records(path, kind, settings, troubles))


def is_mail(path: Path, reader: str | None = None) -> bool:
    """Whether a corpus is read as mail."""
    return _kind(_existing(path), reader, _described(path, reader, Settings())) == "mail"


def _described(path: Path, reader: str | None, settings: Settings) -> Settings:
    return described(path, settings) if path.is_dir() and reader in (None, "folder", "mail") else settings


def _kind(path: Path, reader: str | None, settings: Settings) -> str:
    return reader or settings.kind or kind_of(path)


def _existing(path: Path) -> Path:
    """The path, if it is a folder or an ordinary file; a table is read twice, so a pipe will not do."""
    try:
        if not path.exists():
            raise InputError(f"{path} does not exist")
        if not path.is_dir() and not path.is_file():
            raise InputError(f"{path} is neither a file nor a folder; copy what it gives into a file first")
    except OSError as error:  # the name is longer than the system allows
        raise InputError(f"{str(path)[:200]}... does not exist: {error.strerror}") from error
    return path


def kind_of(path: Path) -> str:
    """The reader that a path asks for by what it is and how it is called."""
    if path.is_dir():
        return "mail" if is_mail_corpus(path) else "folder"
    if _suffix(path) not in _BY_SUFFIX:
        raise InputError(
            f"{path}: its name does not tell how to read it; give --reader (reader=): {', '.join(READERS)}"
        )
    return _BY_SUFFIX[_suffix(path)]


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if suffix == ".gz" else suffix
