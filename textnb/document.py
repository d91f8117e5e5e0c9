"""One document as every reader gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

DIGEST_SIZE = 16


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what is known about it.

    fields: named groups of extra tokens, counted under the name ``group:token``.
    group: documents of one group (a thread, copies of one text) belong on the same side of a split.
    defects: what went wrong in reading it, in words.
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
        """16 bytes that stand for what is counted: the text and the fields.

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
        said = f"{','.join(map(str, sizes))};{whole}".encode("utf-8", "surrogatepass")
        return blake2b(said, digest_size=DIGEST_SIZE).digest()
