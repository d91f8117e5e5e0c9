"""Folders that mails are moved to by their class, and the names of mail folders in ASCII.

v is the verdict on a message, F the folders by class, U the folder for unsure messages.

(1)  v is unsure      U; without U the message stays
(2)  v is sure        F[v.label]; without that folder the message stays

Folder names are written as their owner sees them. IMAP and Maildir++ store them in modified UTF-7, RFC 3501, 5.1.3:

(3)  " " to "~"                itself, except "&", which is "&-"
(4)  a run of other characters "&", base64 of its UTF-16BE with "," for "/" and without "=", "-"

Each name has exactly one such form: ``decode_folder_name`` refuses what ``encode_folder_name`` never returns.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textnb.errors import InputError, ParameterError, listed
from textnb.mail.decision import Verdict


@dataclass(frozen=True)
class Destinations:
    """Folders of classes and of unsure mails; formulas (1) and (2).

    >>> to = Destinations({"spam": "Junk"})
    >>> to(Verdict("spam", 0.999, unsure=False)), to(Verdict("spam", 0.6, unsure=True))
    ('Junk', None)
    """

    folders: Mapping[str, str] = field(default_factory=dict)
    unsure: str | None = None

    def __post_init__(self) -> None:
        if self.unsure == "":
            raise ParameterError("the folder for unsure messages has an empty name; name a folder or leave it out")

    def __call__(self, verdict: Verdict) -> str | None:
        """Folder that a message goes to; None if it stays."""
        return self.unsure if verdict.unsure else self.folders.get(verdict.label)

    @property
    def names(self) -> list[str]:
        """Folders that a message may go to, each once, sorted."""
        return sorted({*self.folders.values(), *([] if self.unsure is None else [self.unsure])})


def parse_class_pairs(pairs: Sequence[str], classes: Sequence[str], option: str) -> dict[str, str]:
    """Value of each class from ``CLASS=VALUE``; of several "=" the first one after a class name separates.

    >>> parse_class_pairs(["spam=Junk", "a=b=c"], ["a=b", "ham", "spam"], "--move")
    {'spam': 'Junk', 'a=b': 'c'}
    """
    values: dict[str, str] = {}
    for pair in pairs:
        name, value = _split_pair(pair, classes, option)
        if name in values:
            template = "{option} names the class {name!r} twice: {a!r} and {b!r}; leave one out"
            raise ParameterError(template, option=option, name=name, a=values[name], b=value)
        values[name] = value
    return values


def _split_pair(pair: str, classes: Sequence[str], option: str) -> tuple[str, str]:
    ends = [place for place, character in enumerate(pair) if character == "="]
    if not ends:
        template = "{option} takes CLASS=NAME, such as {example}=NAME, not {pair!r}"
        raise ParameterError(template, option=option, example=classes[0], pair=pair)
    end = next((end for end in ends if pair[:end] in classes), None)
    if end is None:
        template = "{option} {pair}: {name!r} is not among the model's classes: {classes}"
        raise InputError(template, option=option, pair=pair, name=pair[: ends[0]], classes=listed(classes))
    if not pair[end + 1 :]:
        raise ParameterError("{option} {pair}: write a name after '='", option=option, pair=pair)
    return pair[:end], pair[end + 1 :]


_TO_ENCODE = re.compile("&|[^ -~]+")
_ENCODED = re.compile("&([^-]*)-")


def encode_folder_name(name: str) -> str:
    """Folder name in modified UTF-7; formulas (3) and (4)."""
    try:
        return _TO_ENCODE.sub(_encode_run, name)
    except UnicodeEncodeError:
        raise InputError("{name!r} cannot be a folder's name: it has half a surrogate pair", name=name) from None


def decode_folder_name(name: str) -> str:
    """Folder name from its form in modified UTF-7."""
    try:
        found = _ENCODED.sub(_decode_run, name)
        if encode_folder_name(found) == name:
            return found
    except ValueError:  # from base64, UTF-16 or encode_folder_name
        pass
    raise InputError("{name!r} is not a folder's name in modified UTF-7", name=name)


def _encode_run(run: re.Match[str]) -> str:
    if run[0] == "&":
        return "&-"
    coded = b64encode(run[0].encode("utf-16-be"), b"+,").decode("ascii")
    return f"&{coded.rstrip('=')}-"


def _decode_run(code: re.Match[str]) -> str:
    if not code[1]:
        return "&"
    padding = "=" * (-len(code[1]) % 4)
    return b64decode(code[1] + padding, b"+,", validate=True).decode("utf-16-be")
