"""What the filter decides of one message, by cut-offs, and how a header field says so.

p (C,) are the probabilities of the classes, s is the class of spam.

(1)  with s       s where ``Verdicts`` call p_s spam; the likeliest of the others where they call it good; else unsure
(2)  without s    the likeliest class; unsure where its probability is below ``least``

Unsure, too, names the likeliest class. ``Verdicts`` (``evaluation/verdicts.py``) has the numbers: .99 and .1, stricter
where a message does not tell which way it took.

The field, RFC 2045 and, where quotes do not do, RFC 2231:  X-Textnb: class=spam; probability=0.998877; unsure=no
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from textnb.errors import InputError, listed
from textnb.evaluation.verdicts import Verdicts
from textnb.mail.marking import NAME
from textnb.mail.protocol import OTHER, SPAM, UNSURE

_DEFAULT = Verdicts()
_TOKEN = re.compile(r"[A-Za-z0-9!#$&+.^_`{|}~-]+")
_QUOTABLE = re.compile(r"[ !#-;=?-\[\]-~]+")  # programs differ in how they read quotes, backslashes and <> in quotes
_LONGEST, _LINE = 60, 78
_LEFT = "!#$&+-.^_`{|}~"
"""What RFC 2231 leaves as it is beside letters and digits."""


class Verdict(NamedTuple):
    """A class, its probability, and whether that is too little to go by."""

    label: str
    probability: float
    unsure: bool

    def code(self, spam: str | None) -> int:
        """0 for the class of spam, 1 for another, 2 for unsure."""
        if self.unsure:
            return UNSURE
        return SPAM if self.label == spam else OTHER

    @property
    def field(self) -> bytes:
        """The header field without a line end.

        >>> Verdict("spam", 0.99887712, False).field
        b'X-Textnb: class=spam; probability=0.998877; unsure=no'
        >>> Verdict("仕事", 0.5, True).field
        b"X-Textnb: class*=utf-8''%E4%BB%95%E4%BA%8B; probability=0.500000; unsure=yes"
        """
        label = _parameter("class", self.label)
        known = f"probability={self.probability:.6f}; unsure={'yes' if self.unsure else 'no'}"
        between = "; " if len(label) + len(known) <= _LINE else ";\n "
        return NAME + f": {label}{between}{known}".encode("ascii")


@dataclass(frozen=True)
class Cutoffs:
    """Formula (1) where ``spam`` names a class, else formula (2).

    >>> Cutoffs("spam").verdict(["ham", "spam"], [0.05, 0.95])
    Verdict(label='spam', probability=0.95, unsure=True)
    """

    spam: str | None = None
    by: Verdicts = _DEFAULT
    least: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.least <= 1:
            raise InputError(f"the probability to be unsure below must be a number from 0 to 1, not {self.least!r}")

    def check(self, classes: Sequence[str]) -> None:
        """Refuse classes among which the one of spam is not."""
        if self.spam is not None and self.spam not in classes:
            raise InputError(f"{self.spam!r} is not among the model's classes: {listed(classes)}")

    def verdict(self, classes: Sequence[str], probabilities: Sequence[float], *, thin: bool = False) -> Verdict:
        """What is decided; of equally probable classes the first. thin: whether the message's headers are."""
        self.check(classes)
        ranked = sorted(zip(classes, probabilities, strict=True), key=lambda pair: -pair[1])
        label, probability = ranked[0]
        if self.spam is None:
            return Verdict(label, probability, probability < self.least)
        p = dict(ranked)[self.spam]
        if p >= self.by.spam_from(thin=thin):
            return Verdict(self.spam, p, False)
        others = [pair for pair in ranked if pair[0] != self.spam]
        if p <= self.by.good and others:
            return Verdict(*others[0], False)
        return Verdict(label, probability, True)


def _parameter(name: str, value: str) -> str:
    """One parameter of a header field; a long value in several pieces, each on a line of its own."""
    if len(value) <= _LONGEST and _TOKEN.fullmatch(value):
        return f"{name}={value}"
    if len(value) <= _LONGEST and _QUOTABLE.fullmatch(value):
        return f'{name}="{value}"'
    coded = "utf-8''" + quote(value, safe=_LEFT, errors="surrogatepass")
    if len(coded) <= _LONGEST:
        return f"{name}*={coded}"
    characters = re.findall("%..|.", coded)
    pieces = ("".join(characters[i : i + _LONGEST // 3]) for i in range(0, len(characters), _LONGEST // 3))
    return ";\n ".join(f"{name}*{number}*={piece}" for number, piece in enumerate(pieces))
