"""The mail filter: how it decides about a mail, and the filter from bytes to bytes.

P (D, C) are the probabilities of the classes, s is the class of spam, p = P[:, s]. Losing good mail costs more than
seeing spam, so the two cut-offs for spam are far from symmetric. The default for spam is set by the good mail that is
lost when the mail of a week is judged by what came before (scripts/experiments/mail_weeks.py).

    spam     if odds(p) >= t odds(spam_cutoff)                   odds(p) = p / (1 - p)                            (1)
    good     if p <= good_cutoff: the most probable other class                                                   (2)
    unsure   otherwise; it names the most probable class

t is ``thin`` for a mail without Received fields, else 1. A model that learnt from mails with Received fields knows less
about such a mail than its probability says. Only (1) becomes stricter, since letting spam through costs little.

Without a class of spam, the most probable class is decided; it is unsure if its probability is below ``unsure``.  (3)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.classifier.explanation import ABSENT
from textnb.classifier.text_classifier import TextClassifier
from textnb.errors import InputError, ParameterError, listed
from textnb.mail import protocol
from textnb.mail.header_field import add_field, format_field, remove_field
from textnb.numerics import is_number
from textnb.readers import Document, read_message
from textnb.text.analyzer import CHARS_PREFIX


@dataclass(frozen=True)
class Cutoffs:
    """Cut-offs that decide whether a mail is spam, good or unsure.

    spam: class of spam, eq. (1) and (2); None: all classes are alike, eq. (3). thin: factor, at least 1, by which the
    odds must be higher for a mail without Received fields.

    >>> codes, unsure = Cutoffs("spam").decide([[0.05, 0.95], [0.995, 0.005]], ["ham", "spam"])
    >>> codes.tolist(), unsure.tolist()
    ([1, 0], [True, False])
    """

    spam: str | None = None
    spam_cutoff: float = 0.999
    good_cutoff: float = 0.1
    thin: float = 3.0
    unsure: float = 0.9

    def __post_init__(self) -> None:
        for name in ("spam_cutoff", "good_cutoff", "thin", "unsure"):
            value = getattr(self, name)
            if not is_number(value) or not 0 <= value < np.inf:
                raise ParameterError("{name} must be a number and not negative, not {value!r}", name=name, value=value)
        if not self.good_cutoff < self.spam_cutoff <= 1:
            template = "the cut-offs must satisfy 0 <= good < spam <= 1, not good={good!r} and spam={spam!r}"
            raise ParameterError(template, good=self.good_cutoff, spam=self.spam_cutoff)
        if self.thin < 1:
            raise ParameterError("thin multiplies odds and must be 1 or more, not {thin!r}", thin=self.thin)
        if self.unsure > 1:
            raise ParameterError("unsure must be a probability from 0 to 1, not {unsure!r}", unsure=self.unsure)

    def check_classes(self, classes: Sequence[str]) -> None:
        """Raise InputError if the class of spam is not one of the classes."""
        if self.spam is not None:
            check_class(self.spam, classes)

    def spam_from(self, thin: ArrayLike = False) -> NDArray[np.float64]:
        """Spam cut-off, eq. (1); shaped like ``thin``.

        >>> Cutoffs("spam").spam_from([False, True]).round(4).tolist()
        [0.999, 0.9997]
        """
        odds = self.spam_cutoff * self.thin
        return np.where(thin, odds / (odds + 1 - self.spam_cutoff), self.spam_cutoff)

    def decide(
        self, probabilities: ArrayLike, classes: Sequence[str], thin: ArrayLike = False
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Decide about mails by the probabilities (D, C) of their classes; of equally likely classes the first one.

        Return the column of each mail's class and whether it is unsure, (D,). thin: whether it has no Received fields.
        """
        self.check_classes(classes)
        P = np.asarray(probabilities, np.float64)
        likeliest = P.argmax(axis=1)
        if self.spam is None:
            return likeliest, ~(P.max(axis=1) >= self.unsure)  # NaN is unsure
        s = list(classes).index(self.spam)
        p = P[:, s]
        is_spam = p >= self.spam_from(thin)
        is_good = ~is_spam & (p <= self.good_cutoff) & (len(classes) > 1)
        other = np.where(np.arange(len(classes)) == s, -np.inf, P).argmax(axis=1)
        codes = np.where(is_spam, s, np.where(is_good, other, likeliest))
        return codes, ~(is_spam | is_good) | np.isnan(P).any(axis=1)


def check_class(name: str, classes: Sequence[str], hint: str = "") -> None:
    """Raise InputError if a name is not one of the classes."""
    if name not in classes:
        raise InputError("{name!r} is not among the model's classes: {known}" + hint, name=name, known=listed(classes))


class Verdict(NamedTuple):
    """Decision about one mail: a class, its probability, and whether it is too uncertain to act on."""

    label: str
    probability: float
    unsure: bool

    def code(self, spam: str | None) -> int:
        """Code of the protocol and of ``filter -e``: 0 for the class of spam, 1 for another class, 2 for unsure."""
        if self.unsure:
            return protocol.UNSURE
        return protocol.SPAM if self.label == spam else protocol.OTHER


class Filtered(NamedTuple):
    """Message with its header field, and the decision about it."""

    message: bytes
    verdict: Verdict


class MailFilter:
    r"""Classifier with cut-offs that decides about mails and writes the decision into their headers.

    >>> mails = [Document("cheap pills", "spam"), Document("see you at lunch", "ham")]
    >>> classifier = TextClassifier(tokenizer="words", calibrate=False).fit(mails)
    >>> MailFilter(classifier, Cutoffs(unsure=0.6))(b"Subject: lunch\n\nsee you").message
    b'X-Textnb: class=ham; probability=0.676413; unsure=no\nSubject: lunch\n\nsee you'
    """

    def __init__(self, classifier: TextClassifier, cutoffs: Cutoffs) -> None:
        self.classifier, self.cutoffs = classifier, cutoffs
        self.classes = classifier.fitted.classes
        cutoffs.check_classes(self.classes)

    def __call__(self, message: bytes) -> Filtered:
        """Decide about one message and add the header field."""
        [verdict] = self.decide([mail_document(message)])
        return Filtered(add_field(message, format_field(*verdict)), verdict)

    def decide(self, documents: Sequence[Document]) -> list[Verdict]:
        """Decide about mails that have been read with ``mail_document``."""
        P = self.classifier.predict_proba(documents)
        codes, unsure = self.cutoffs.decide(P, self.classes, [is_thin(document) for document in documents])
        rows = zip(codes.tolist(), P[np.arange(len(P)), codes].tolist(), unsure.tolist(), strict=True)
        return [Verdict(self.classes[k], probability, is_unsure) for k, probability, is_unsure in rows]


def reasons(classifier: TextClassifier, mail: Document, label: str, number: int = 3) -> list[str]:
    """Return the terms that speak most for a class against the most probable other one; one per field of the mail.

    >>> mails = [Document("cheap pills", "spam"), Document("see you at lunch", "ham")]
    >>> reasons(TextClassifier(tokenizer="words").fit(mails), Document("cheap lunch"), "spam")
    ['cheap']
    """
    if len(classifier.fitted.classes) < 2:
        return []
    terms = classifier.explain(mail, label).by_term()
    found: dict[str, str] = {}
    for term in (term for term, _, value in terms if value > 0 and term != ABSENT):
        field = term.partition(":")[0]
        found.setdefault(field if field in mail.fields else term, term.removeprefix(CHARS_PREFIX))
    return list(dict.fromkeys(found.values()))[:number]


def mail_document(message: bytes) -> Document:
    """Document of a message without its X-Textnb field, so that a filtered message is recognised as learnt."""
    return read_message(remove_field(message))


def is_thin(mail: Document) -> bool:
    """Return whether a mail has no Received fields, which name the hosts that passed it on."""
    return not mail.fields.get("received")
