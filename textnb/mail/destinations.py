r"""Where messages go by what was decided of them: pairs such as ``spam=Junk``, as the command line has them.

v is the verdict on a message, F the folders by class, U the folder of the unsure.

(1)  v is unsure      U; without U it stays
(2)  v is sure        F[v.label]; without such an F it stays

A folder's name is as its owner sees it; how a mail store writes it is the store's affair.

Names of mail folders in ASCII, as IMAP and Maildir++ write them: modified UTF-7, RFC 3501, 5.1.3.

(1)  " " to "~"              itself, but for "&", which is "&-"
(2)  a run of any others     "&", base64 of its UTF-16BE with "," for "/" and without "=", "-"

Each name has one form only: ``decoded`` refuses what ``encoded`` would never give.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textnb.errors import InputError, listed
from textnb.mail.filter import Verdict


@dataclass(frozen=True)
class Destinations:
    """The folders of classes, and the one of the unsure.

    >>> to = Destinations({"spam": "Junk"})
    >>> to(Verdict("spam", 0.999, unsure=False)), to(Verdict("spam", 0.6, unsure=True))
    ('Junk', None)
    """

    folders: Mapping[str, str] = field(default_factory=dict)
    unsure: str | None = None

    def __post_init__(self) -> None:
        if self.unsure == "":
            raise InputError("name the folder that unsure messages go to")

    def __call__(self, verdict: Verdict) -> str | None:
        """The folder that a message goes to; None where it stays."""
        return self.unsure if verdict.unsure else self.folders.get(verdict.label)

    @property
    def names(self) -> list[str]:
        """All folders that a message may go to, each once."""
        return sorted({*self.folders.values(), *([] if self.unsure is None else [self.unsure])})


def folders_like(classes: Sequence[str]) -> dict[str, str]:
    """For every class the folder that is named like it."""
    return {name: name for name in classes}


def parse_class_pairs(pairs: Sequence[str], classes: Sequence[str], option: str) -> dict[str, str]:
    """The value of each class from ``CLASS=VALUE``; where there are several "=", the first that ends a class.

    >>> parse_class_pairs(["spam=Junk", "a=b=c"], ["a=b", "ham", "spam"], "--move")
    {'spam': 'Junk', 'a=b': 'c'}
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, value = _split(pair, classes, option)
        if name in values:
            raise InputError(f"{option} names the class {name!r} twice: {values[name]!r} and {value!r}")
        values[name] = value
    return values


def _split(pair: str, classes: Sequence[str], option: str) -> tuple[str, str]:
    ends = [place for place, character in enumerate(pair) if character == "="]
    if not ends:
        raise InputError(f"{option} takes a class, '=' and a name, such as {classes[0]}=NAME, not {pair!r}")
    end = next((end for end in ends if pair[:end] in classes), None)
    if end is None:
        raise InputError(f"{option} {pair}: {pair[: ends[0]]!r} is not among the model's classes: {listed(classes)}")
    if not pair[end + 1 :]:
        raise InputError(f"{option} {pair}: there is no name after '='")
    return pair[:end], pair[end + 1 :]


_TO_CODE = re.compile("&|[^ -~]+")
_CODED = re.compile("&([^-]*)-")


def encode_folder_name(name: str) -> str:
    """The name in ASCII.

    >>> encode_folder_name("仕事 & more")
    '&TtVOiw- &- more'
    """
    try:
        return _TO_CODE.sub(_code, name)
    except UnicodeEncodeError:
        raise InputError(f"{name!r} cannot be a folder's name: it holds half a character") from None


def decode_folder_name(name: str) -> str:
    """The name that was encoded.

    >>> decode_folder_name("&TtVOiw- &- more")
    '仕事 & more'
    """
    try:
        found = _CODED.sub(_text, name)
        if encode_folder_name(found) == name:
            return found
    except ValueError:  # of base64, of UTF-16, or our own
        pass
    raise InputError(f"{name!r} is not a folder's name in modified UTF-7")


def _code(run: re.Match[str]) -> str:
    if run[0] == "&":
        return "&-"
    coded = b64encode(run[0].encode("utf-16-be"), b"+,").decode("ascii")
    return f"&{coded.rstrip('=')}-"


def _text(code: re.Match[str]) -> str:
    if not code[1]:
        return "&"
    padding = "=" * (-len(code[1]) % 4)
    return b64decode(code[1] + padding, b"+,", validate=True).decode("utf-16-be")
