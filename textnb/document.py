"""Document: a text with its label, id, extra tokens and other facts, as every reader returns it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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

    @property
    def digest(self) -> bytes:
        """Digest of 16 bytes of the text and the fields; the label, id and other facts do not matter.

        >>> Document("a").digest == Document("a", label="x", id="1").digest
        True
        >>> Document("a").digest == Document("", fields={"a": []}).digest
        False
        """
        parts = [self.text]
        for name in sorted(self.fields):
            parts += [f"{name}:{len(self.fields[name])}", *self.fields[name]]
        whole = "".join(parts)
        sizes = map(len, parts if whole.isascii() else [part.encode("utf-8", "surrogatepass") for part in parts])
        data = f"{','.join(map(str, sizes))};{whole}".encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=DIGEST_SIZE).digest()
