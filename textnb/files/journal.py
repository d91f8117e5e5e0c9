"""The journal beside a model: corrections that are not in the model file yet, in an SQLite database (MODEL-journal).

    bound   model, folded        the rows up to number ``folded`` are in the model file with this sha256
    rows    number, ...          one correction each: a document that is learnt or unlearnt as a class, with its terms,
                                 its day, and the time at which it was added

The pending corrections of a model file H are the rows above folded(H). A file that is not bound has none: a model that
was trained again, or copied here, never inherits a journal. Folding writes a file with all corrections up to row n:

    1  bind the new file H' at row n        2  rename it to the name of the model        3  remove rows up to n

A crash before 2 leaves H, and after 2 leaves H', with exactly the corrections that are not in it. A row that is added
meanwhile has a number above n, so it is pending for both.

Adding is one transaction (WAL, synchronous=FULL): it is on disk when ``writing`` ends, and its time does not depend on
the size of the model. Several processes may add at once. Nothing in a journal is executed: its tables must be exactly
those written here, and each row has a checksum.
"""

import os
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from textnb.counts.examples import SIZE
from textnb.errors import InputError, ModelFileError
from textnb.files.bundle import identity_of
from textnb.files.correction import LEARN, UNLEARN, Correction, ModelReplacedError, Pending, has_journal, journal_path
from textnb.storage import create

_SECONDS = 60.0  # to wait for other processes
_MAX_BYTES = 1 << 28  # of one row
_MAX_TERMS = _MAX_BYTES // 2  # bytes of the terms of one document
_SCHEMA = (
    "CREATE TABLE bound (model TEXT PRIMARY KEY, folded INTEGER NOT NULL)",
    "CREATE TABLE rows (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, label TEXT NOT NULL, "
    "document BLOB NOT NULL, labelled BLOB NOT NULL, model TEXT NOT NULL, entries BLOB NOT NULL, terms BLOB NOT NULL, "
    "checksum INTEGER NOT NULL, day INTEGER, added INTEGER)",
    "CREATE INDEX by_document ON rows (labelled)",
)
_ADDED_COLUMNS = ", day INTEGER, added INTEGER"
_FIRST_SCHEMA = tuple(statement.replace(_ADDED_COLUMNS, "") for statement in _SCHEMA)
_COLUMNS = "kind, label, document, model, entries, terms, labelled, checksum"
_UNUSABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}
_DAMAGED = "{path} is damaged: {why}; remove it to use the model without the corrections in it"
_NOT_WRITABLE = "{path} cannot be written: {why}"
_OTHER_TABLES = "it does not have the tables of a journal"
_TOO_LONG = "the terms of the document have {size:,} bytes, and the journal takes {most:,}; learn it by textnb update"


class JournalUnusableError(InputError):
    """The journal cannot be used: no permission, a file system without shared memory, or it belongs to another user."""


class Journal:
    """Journal of a model file; nothing is created before something is written.

    Parameters
    ----------
    model : Path
        The model file. A link is followed.
    stays_open : bool
        Keep the journal open between transactions, which saves some milliseconds each; only for one thread at a time.
    """

    def __init__(self, model: str | Path, *, stays_open: bool = False) -> None:
        self.model, self._stays_open = Path(os.path.realpath(model)), stays_open
        self._open: tuple[int, sqlite3.Connection] | None = None
        self.path = journal_path(model)

    @property
    def exists(self) -> bool:
        """True if there is a journal, perhaps an empty one."""
        return has_journal(self.model)

    def pending(self, identity: str) -> Pending:
        """Return the pending corrections of the model file with this sha256, in their order.

        Raise ModelReplacedError if another file has taken its place, JournalUnusableError if SQLite cannot open it.
        """
        if not self.exists:
            return Pending(identity, 0)
        with self._reading() as connection:
            folded = _folded(connection, identity)
            if folded is None:
                self._check_model(identity)
                return Pending(identity, 0)
            day = "day" if self._is_current(connection) else "NULL"
            statement = f"SELECT number, {_COLUMNS}, {day} FROM rows WHERE number > ? ORDER BY number"
            rows = connection.execute(statement, [folded]).fetchall()
        try:
            corrections = tuple(_correction(row[1:]) for row in rows)
        except ValueError as error:
            raise ModelFileError(_DAMAGED, path=self.path, why=error) from error
        return Pending(identity, rows[-1][0] if rows else folded, corrections)

    @contextmanager
    def writing(self, identity: str) -> Iterator["Transaction"]:
        """Add corrections to the model file with this sha256; all are on disk when the block ends, or none.

        Raise ModelReplacedError if another file has taken its place.
        """
        with self._transaction() as connection:
            self._check_model(identity)
            yield Transaction(connection, _bind_current(connection, identity))

    def announce(self, new: str, before: Collection[Pending]) -> None:
        """Bind the file that is about to replace the model (step 1 of folding).

        before: what the new file was made from. If the present model is among that, its corrections up to there are in
        the new file, and later ones stay pending. If it is not, the new file inherits nothing of the journal.
        """
        rows = {each.model: each.row for each in reversed([*before])}
        if not (self.exists or _identity(self.model) in rows):
            return
        with self._transaction() as connection:
            current = _identity(self.model)
            folded = _bind_current(connection, current) if current else 0
            row = max(rows[current], folded) if current in rows else _last(connection)
            connection.execute("INSERT OR REPLACE INTO bound VALUES (?, ?)", [new, row])

    def last_added(self) -> float | None:
        """Return the time at which the last pending correction of the model file was added; None if none is pending."""
        if not self.exists:
            return None
        with self._reading() as connection:
            folded = _folded(connection, _identity(self.model))
            if folded is None or not self._is_current(connection):
                return None
            return _time(connection, "DESC", folded)

    def tidy(self) -> None:
        """Remove what is in the model file (step 3 of folding)."""
        if not self.exists:
            return
        with self._transaction() as connection:
            identity = _identity(self.model)
            folded = _folded(connection, identity)
            if folded is not None:
                connection.execute("DELETE FROM bound WHERE model != ?", [identity])
                connection.execute("DELETE FROM rows WHERE number <= ?", [folded])

    def _check_model(self, identity: str) -> None:
        if _identity(self.model) != identity:
            raise ModelReplacedError("{path} was replaced while it was read; try again", path=self.model)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Open the journal for reading, as it is at one moment."""
        with self._content(), closing(self._opened()) as connection:
            yield connection

    def _opened(self) -> sqlite3.Connection:
        """Connection for reading; to a copy in memory if SQLite cannot share the journal, for want of permission."""
        try:
            return self._begun("mode=rw" if os.access(self.path, os.W_OK) else "mode=ro")
        except sqlite3.Error as error:
            copy = self._copy_at_rest() if _code(error) in _UNUSABLE else None
            if copy is None:
                raise
            return copy

    def _begun(self, how: str) -> sqlite3.Connection:
        connection = self._connected(how)
        try:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("BEGIN")
            self._check_schema(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _copy_at_rest(self) -> sqlite3.Connection | None:
        """Copy of the journal in memory; None if some transactions are not in the file itself, or it is changing."""
        before = self._stamps()
        if before[1]:
            return None
        copy = sqlite3.connect(":memory:", isolation_level=None)
        with closing(self._connected("mode=ro&immutable=1")) as connection:
            connection.backup(copy)
        if self._stamps() != before:
            copy.close()
            return None
        self._check_tables(copy)
        return copy

    def _stamps(self) -> tuple[tuple[int, int, int], int]:
        """Inode, time and size of the journal, and the size of the file with its latest transactions."""
        found, latest = self.path.stat(), self.path.with_name(f"{self.path.name}-wal")
        return (found.st_ino, found.st_mtime_ns, found.st_size), latest.stat().st_size if latest.exists() else 0

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Open the journal, create it if needed, and commit what the block does, or nothing."""
        try:
            if not self.exists:
                create(self.path, _empty_journal(), self.model.stat())
        except OSError as error:
            raise InputError(_NOT_WRITABLE, path=self.path, why=error.strerror or error) from error
        with self._content(), self._for_writing() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_schema(connection)
                if not self._is_current(connection):
                    for column in _ADDED_COLUMNS.split(", ")[1:]:
                        connection.execute(f"ALTER TABLE rows ADD COLUMN {column}")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise

    @contextmanager
    def _for_writing(self) -> Iterator[sqlite3.Connection]:
        inode = self.path.stat().st_ino
        if self._open is None or self._open[0] != inode:
            self.close()
            self._open = inode, self._connected("mode=rw")
            self._open[1].execute("PRAGMA synchronous=FULL")
            self._open[1].execute("PRAGMA secure_delete=ON")  # nothing of a folded correction is left
        try:
            yield self._open[1]
        finally:
            if not self._stays_open:
                self.close()

    def close(self) -> None:
        """Close the journal if it is open."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def check(self) -> None:
        """Refuse a journal that could not be written, before long work whose result replaces the model."""
        if self.exists:
            with self._transaction():
                pass

    def _check_owner(self) -> None:
        """Refuse a journal that belongs neither to this user, nor to the owner of the model, nor to root."""
        if not self.path.is_file():  # to open a pipe would take forever
            raise JournalUnusableError("{path} is not an ordinary file; remove it", path=self.path)
        if not hasattr(os, "geteuid"):
            return
        owner = self.path.stat().st_uid
        if owner not in (os.geteuid(), 0) and not (self.model.exists() and owner == self.model.stat().st_uid):
            raise JournalUnusableError("{path} belongs to another user than the model; remove it", path=self.path)

    def _connected(self, how: str) -> sqlite3.Connection:
        self._check_owner()
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{how}",
            timeout=_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        connection.text_factory = lambda text: text.decode("utf-8", "replace")  # then it does not have its checksum
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_BYTES)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA cell_size_check=ON")
        return connection

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        self._check_tables(connection)
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            raise sqlite3.DatabaseError(_OTHER_TABLES)

    def _check_tables(self, connection: sqlite3.Connection) -> None:
        if self._schema(connection) - {"CREATE TABLE sqlite_sequence(name,seq)"} not in ({*_SCHEMA}, {*_FIRST_SCHEMA}):
            raise sqlite3.DatabaseError(_OTHER_TABLES)

    def _schema(self, connection: sqlite3.Connection) -> set[str]:
        return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema") if sql is not None}

    def _is_current(self, connection: sqlite3.Connection) -> bool:
        """False for a journal of earlier days, without day and time of corrections."""
        return self._schema(connection) >= {*_SCHEMA}

    @contextmanager
    def _content(self) -> Iterator[None]:
        """Raise errors of SQLite as errors of one line that name the journal."""
        try:
            yield
        except sqlite3.Error as error:
            if _code(error) in _UNUSABLE:
                raise JournalUnusableError("{path} cannot be used: {why}", path=self.path, why=error) from error
            raise ModelFileError(_DAMAGED, path=self.path, why=error) from error
        except UnicodeDecodeError as error:  # in a message of SQLite about a damaged schema
            raise ModelFileError(_DAMAGED, path=self.path, why="its tables have no valid names") from error


class Transaction:
    """Corrections that are added together; ``Journal.writing`` makes it."""

    def __init__(self, connection: sqlite3.Connection, folded: int) -> None:
        self._connection, self._folded = connection, folded

    def __len__(self) -> int:
        """Return the number of pending corrections."""
        return self._one("SELECT COUNT(*) FROM rows WHERE number > ?", self._folded)

    @property
    def classes(self) -> list[str]:
        """Classes of the pending corrections."""
        found = self._connection.execute("SELECT DISTINCT label FROM rows WHERE number > ?", [self._folded])
        return [str(name) for (name,) in found]

    def times(self, labelled: bytes, before: int) -> int:
        """How often a document with this labelled digest is learnt, which it was ``before`` times in the model file.

        To unlearn what another process has forgotten in the meantime has no effect.
        """
        statement = "SELECT kind FROM rows WHERE labelled = ? AND number > ? ORDER BY number"
        for (kind,) in self._connection.execute(statement, [labelled, self._folded]):
            before = before + 1 if kind == LEARN else max(before - 1, 0)
        return before

    def documents(self, label: str) -> int:
        """Number of documents of a class that were learnt since the model file, less unlearnt."""
        net = "SELECT COALESCE(SUM(CASE kind WHEN ? THEN 1 ELSE -1 END), 0) FROM rows WHERE number > ? AND label = ?"
        return self._one(net, LEARN, self._folded, label)

    @property
    def first_added(self) -> float | None:
        """Time at which the oldest pending correction was added; None if none is pending, or it is not known."""
        return _time(self._connection, "ASC", self._folded)

    def append(self, correction: Correction) -> None:
        """Add one correction."""
        *parts, day = correction
        if len(correction.terms) > _MAX_TERMS:
            raise InputError(_TOO_LONG, size=len(correction.terms), most=_MAX_TERMS)
        row = [*parts, correction.labelled, _checksum(correction), day, int(time.time())]
        marks = ", ".join("?" * len(row))
        try:
            self._connection.execute(f"INSERT INTO rows ({_COLUMNS}, day, added) VALUES ({marks})", row)
        except UnicodeEncodeError as error:
            raise InputError("class {label!r} is not valid Unicode; rename it", label=correction.label) from error

    def _one(self, statement: str, *values: object) -> int:
        (number,) = self._connection.execute(statement, values).fetchone()
        if type(number) is not int:
            raise sqlite3.DatabaseError("a number is missing")
        return number


def _code(error: sqlite3.Error) -> int:
    """Primary result code of SQLite."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _identity(model: Path) -> str:
    """sha256 of a model file; empty if there is none, or one of an old format."""
    try:
        return identity_of(model)
    except OSError:
        return ""


def _empty_journal() -> bytes:
    """Content of a journal without corrections, in WAL mode from the start: two processes may create it at once."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA auto_vacuum=FULL")  # it becomes small again when it is folded
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.commit()
        data = bytearray(connection.serialize())
    data[18:20] = b"\2\2"  # versions of the format to write and to read: WAL
    return bytes(data)


def _folded(connection: sqlite3.Connection, identity: str) -> int | None:
    """Number of the last row that is in a model file; None if it is not bound."""
    found = connection.execute("SELECT folded FROM bound WHERE model = ?", [identity]).fetchone()
    if found is not None and (type(found[0]) is not int or found[0] < 0):
        raise sqlite3.DatabaseError("the number of folded rows is not a number")
    return None if found is None else found[0]


def _last(connection: sqlite3.Connection) -> int:
    """Number of the last row that was ever added."""
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'rows'").fetchone()
    if found is not None and type(found[0]) is not int:
        raise sqlite3.DatabaseError("the number of the last row is not a number")
    return 0 if found is None else found[0]


def _time(connection: sqlite3.Connection, order: str, folded: int) -> float | None:
    """Time at which the first (ASC) or last (DESC) of the pending corrections was added."""
    statement = f"SELECT added FROM rows WHERE number > ? ORDER BY number {order} LIMIT 1"
    found = connection.execute(statement, [folded]).fetchone()
    if found is None or found[0] is None:
        return None
    if type(found[0]) is not int:
        raise sqlite3.DatabaseError("the time of a correction is not a number")
    return float(found[0])


def _bind_current(connection: sqlite3.Connection, identity: str) -> int:
    """Bind the present model; if it is a new one, the rows of another are removed. Return its folded rows."""
    folded = _folded(connection, identity)
    if folded is None:
        folded = _last(connection)
        connection.execute("DELETE FROM rows")
        connection.execute("DELETE FROM bound")
        connection.execute("INSERT INTO bound VALUES (?, ?)", [identity, folded])
    return folded


def _checksum(correction: Correction) -> int:
    """Sum that finds damage; it does not protect against anyone who can write the journal."""
    known = [part for part in correction if part is not None]
    parts = [part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass") for part in known]
    return zlib.crc32(b"".join([*(len(part).to_bytes(8, "little") for part in parts), *parts]))


def _correction(row: Sequence[Any]) -> Correction:
    """Correction of a row; ValueError if it is not what was written."""
    parts, (labelled, checksum, day) = row[:6], row[6:]
    is_dated = day is None or (type(day) is int and 0 < day <= date.max.toordinal())
    if [*map(type, parts)] != [str, str, bytes, str, bytes, bytes] or not is_dated:
        raise ValueError("a correction is not of its kind")
    kind, label, document, model, entries, terms = parts
    found = Correction(kind, label, document, model, entries, terms, day)
    is_sound = _checksum(found) == checksum and found.labelled == labelled
    if not is_sound or found.kind not in (LEARN, UNLEARN) or len(found.document) != SIZE:
        raise ValueError("a correction does not have its checksum")
    return found
