"""Names of messages in a Maildir.

    name = stem fields info      1700000000.M1P2.host  ,S=1234,W=1260  :2,RS

The stem is unique for ever; the fields are Dovecot's, the size of the file and its size with CRLF line ends; the info
holds flags, of which small letters are keywords that only their own folder knows the meaning of. Unique is everything
before the info. Two things are put to the end of a stem, and known again there:

    .t and 8 digits of the content      written anew, with a tag; for servers remember by its name what was in a file
    .x and 16 digits by chance          moved to where the name was taken

A stem without a letter would be a hidden file's then, and hidden files are no messages: it begins with a word of ours.
"""

import re
import secrets
from hashlib import blake2b
from typing import NamedTuple

_ADDED = re.compile(r"(\.t[0-9a-f]{8}|\.x[0-9a-f]{16})+$")
_SIZE = re.compile(r",([SW])=\d+")
_NAMELESS = "textnb"
_KEYWORDS = re.compile(r"(?<=^:2,)[A-Za-z]*")


class Name(NamedTuple):
    """The parts of a name; as a string, the name itself."""

    stem: str
    fields: str = ""
    info: str = ""

    @classmethod
    def of(cls, name: str) -> "Name":
        """The parts of a file's name.

        >>> Name.of("17.host,S=12:2,S")
        Name(stem='17.host', fields=',S=12', info=':2,S')
        """
        unique, colon, info = name.partition(":")
        size = _SIZE.search(unique)
        end = len(unique) if size is None else size.start()
        return cls(unique[:end], unique[end:], colon + info)

    def __str__(self) -> str:
        return self.stem + self.fields + self.info

    @property
    def unique(self) -> str:
        """What stays while flags change."""
        return self.stem + self.fields

    @property
    def origin(self) -> str:
        """The stem that the message came with; where it is empty, what is put in its place."""
        return _ADDED.sub("", self.stem) or _NAMELESS

    @property
    def deleted(self) -> bool:
        """Whether the message is marked to be deleted."""
        return "T" in self.info

    def in_another_folder(self) -> "Name":
        """The same with flags, and without keywords.

        >>> str(Name.of("17.host:2,FSac").in_another_folder())
        '17.host:2,FS'
        """
        return self._replace(info=_KEYWORDS.sub(lambda flags: re.sub("[a-z]", "", flags[0]), self.info))

    def holding(self, message: bytes) -> "Name":
        r"""The name of the same message with other bytes; sizes are renewed where there are any.

        >>> str(Name.of("17.host,S=3,W=4:2,S").holding(b"To: a\n\n"))
        '17.host.t3136373f,S=7,W=9:2,S'
        """
        sizes = {"S": len(message), "W": len(message) + message.count(b"\n") - message.count(b"\r\n")}
        fields = _SIZE.sub(lambda field: f",{field[1]}={sizes[field[1]]}", self.fields)
        return Name(f"{self.origin}.t{blake2b(message, digest_size=4).hexdigest()}", fields, self.info)

    def another(self) -> "Name":
        """A name that nobody has, for where this one is taken."""
        return self._replace(stem=f"{self.stem or _NAMELESS}.x{secrets.token_hex(8)}")
