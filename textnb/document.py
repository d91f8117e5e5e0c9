"""Document: a text with its label, id, extra tokens and other facts, as every reader returns it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b

DIGEST_SIZE = 16


@dataclass(frozen=True, slots=True)
class Document:
    """Text with its label and other facts.

    Parameters
    ----------
    text : str
        The text.
    label : str, optional
        Name of the class.
    id : str, default=""
        Name of the document, such as a path or the number of a line.
    fields : Mapping[str, Sequence[str]], optional
        Groups of extra tokens by name, counted as ``group:token``.
    date : datetime, optional
        Date of the document; aware if a reader has set it.
    group : str, optional
        Documents of one group (a thread, copies of one text) belong in the same fold or split.
    defects : tuple of str, default=()
        Descriptions of what went wrong when the document was read.
    received : datetime, optional
        When it arrived, as the receiving host says; ``date`` is what its author says.
    columns : Mapping[str, object], optional
        All cells of the record of a table that the document was read from, by column.

    Examples
    --------
    >>> document = Document("See you at noon", label="friends", fields={"from": ["taro@example.jp"]})
    >>> document.label, len(document.digest)
    ('friends', 16)
    """

    text: str
    label: str | None = None
    id: str = ""
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    date: datetime | None = None
    group: str | None = None
    defects: tuple[str, ...] = ()
    received: datetime | None = None
    columns: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def day(self) -> int | None:
        """Number of the day (``date.toordinal``), in UTC, on which it was received, or else of its date; None without.

        >>> Document("a", date=datetime(2002, 8, 31)).day == datetime(2002, 8, 31).toordinal()
        True
        """
        date = self.received or self.date
        if date is None:
            return None
        try:
            return (date if date.tzinfo is None else date.astimezone(UTC)).toordinal()
        except OverflowError:  # the first or last day that there is
            return date.toordinal()

    @property
    def digest(self) -> bytes:
        """Digest of 16 bytes of the text and the fields; the label, id and other facts do not matter.

        >>> Document("a").digest == Document("a", label="x", id="1").digest
        True
        >>> Document("a").digest == Document("", fields={"a": []}).digest
        False
        """
        if not self.fields:  # most documents
            text = self.text.encode("utf-8", "surrogatepass")
            return blake2b(b"%d;%b" % (len(text), text), digest_size=DIGEST_SIZE).digest()
        parts = [self.text]
        for name in sorted(self.fields):
            parts += [f"{name}:{len(self.fields[name])}", *self.fields[name]]
        whole = "".join(parts)
        sizes = map(len, parts if whole.isascii() else [part.encode("utf-8", "surrogatepass") for part in parts])
        data = f"{','.join(map(str, sizes))};{whole}".encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=DIGEST_SIZE).digest()
