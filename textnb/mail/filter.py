"""The filter: the bytes of a message in, the same bytes with a verdict out.

What to call a message, by the probability p that it is spam: good mail lost costs more than spam that is seen.

    spam    where odds(p) >= t odds(spam)            odds(p) = p / (1 - p)                                       (1)
    good    where p <= good                                                                                      (2)
    unsure  between

t is 1 for a message with its headers and ``thin`` for one without. Where the way it took is not told, less is known of
a message than its probability says, for the model has learnt from messages that tell. Only calling it spam is made
harder: letting spam through costs little.

What the filter decides of one message, by cut-offs, and how a header field says so.

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

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.classifier.text_classifier import TextClassifier
from textnb.errors import InputError, listed
from textnb.mail import protocol
from textnb.mail.header_field import NAME, marked, unmarked
from textnb.numerics import is_number
from textnb.readers import Document, read_message

SPAM, GOOD, UNSURE = "spam", "good", "unsure"


@dataclass(frozen=True)
class Verdicts:
    """The numbers of eq. (1) and (2): 0 <= good < spam <= 1, thin >= 1.

    >>> Verdicts()([0.995, 0.995, 0.5, 0.05], thin=[False, True, False, False]).tolist()
    ['spam', 'unsure', 'unsure', 'good']
    """

    spam: float = 0.99
    good: float = 0.1
    thin: float = 3.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not is_number(value) or not 0 <= value < np.inf:
                raise InputError(f"{name} must be a number and not negative, not {value!r}")
        if not self.good < self.spam <= 1:
            raise InputError(
                "the probabilities to call a message good and spam must be in order, from 0 to 1, "
                f"not {self.good!r} and {self.spam!r}"
            )
        if not self.thin >= 1:
            raise InputError(f"thin is what odds are multiplied by, 1 or more, not {self.thin!r}")

    def __call__(self, probabilities: ArrayLike, thin: ArrayLike = False) -> NDArray[np.str_]:
        """``spam``, ``good`` or ``unsure`` for probabilities of spam (D,). thin: whether headers are, (D,) or all."""
        p = np.asarray(probabilities, np.float64)
        is_spam = p >= np.where(thin, self.spam_from(thin=True), self.spam_from())
        return np.where(is_spam, SPAM, np.where(p <= self.good, GOOD, UNSURE))

    def spam_from(self, *, thin: bool = False) -> float:
        """The probability from which on a message is called spam, by eq. (1).

        >>> Verdicts().spam_from(), round(Verdicts().spam_from(thin=True), 4)
        (0.99, 0.9966)
        """
        return self.spam * self.thin / (self.spam * self.thin + 1 - self.spam) if thin else self.spam


def is_thin(message: Document) -> bool:
    """Whether a message does not tell which hosts have passed it on.

    >>> is_thin(Document("hello", fields={"from": ["a@example.jp"]}))
    True
    """
    return not message.fields.get("received")


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
            return protocol.UNSURE
        return protocol.SPAM if self.label == spam else protocol.OTHER

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


class Filtered(NamedTuple):
    """A message as it goes on, and what was decided of it."""

    message: bytes
    verdict: Verdict


class MailFilter:
    r"""A classifier and its cut-offs, applied to one message at a time.

    >>> mails = [Document("cheap pills", "spam"), Document("see you at lunch", "ham")]
    >>> classifier = TextClassifier(tokenizer="words", calibrate=False).fit(mails)
    >>> MailFilter(classifier, Cutoffs(least=0.6))(b"Subject: lunch\n\nsee you").message
    b'X-Textnb: class=ham; probability=0.676413; unsure=no\nSubject: lunch\n\nsee you'
    """

    def __init__(self, classifier: TextClassifier, cutoffs: Cutoffs) -> None:
        self.classifier, self.cutoffs = classifier, cutoffs
        self.classes = classifier.fitted.classes
        cutoffs.check(self.classes)

    def __call__(self, message: bytes) -> Filtered:
        """The message with its verdict."""
        verdict = self.verdict(mail_document(message))
        return Filtered(marked(message, verdict.field), verdict)

    def verdict(self, document: Document) -> Verdict:
        """What is decided of a message that has been read."""
        probabilities = self.classifier.predict_proba([document])[0].tolist()
        return self.cutoffs.verdict(self.classes, probabilities, thin=is_thin(document))


def mail_document(message: bytes) -> Document:
    """What is counted of a message: the same before and after the filter, so that it is known again."""
    return read_message(unmarked(message))
