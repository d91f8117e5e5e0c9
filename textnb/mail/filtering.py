"""The filter: the bytes of a message in, the same bytes with a verdict out."""

from typing import NamedTuple

from textnb.classifier import TextClassifier
from textnb.evaluation.verdicts import is_thin
from textnb.mail.marking import marked, unmarked
from textnb.mail.verdict import Cutoffs, Verdict
from textnb.readers import Document, read_message


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
