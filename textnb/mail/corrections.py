"""Corrections: one mail is learnt, moved from class to class, or forgotten (unlearnt).

L is what a classifier has learnt, L(m, a) what the message m teaches as class a. The digests of all learnt documents
say whether L(m, a) is in L.

(1)  learn m as a               L if L(m, a) is in it already, else L + L(m, a)
(2)  learn m as a, was b        (1) of L - L(m, b) if L(m, b) is in L, else (1) of L
(3)  unlearn m as a             L - L(m, a); refused if L(m, a) is not in L
(4)  learn many m, each as a    (2) for each, whatever it was before; of several labels of one m the last counts

After (2) m is learnt as a, once, and not as b, whatever was before; so a correction may be repeated. Without ``was``, a
message that is learnt as another class is refused: one mail would count for two classes.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from pathlib import Path

from textnb.classifier.text_classifier import TextClassifier
from textnb.counts.examples import labelled_digest
from textnb.errors import InputError, NotLearntError, ParameterError, listed
from textnb.mail.decision import Verdict, check_class, mail_document
from textnb.readers import Document
from textnb.storage import locked


class Done(Enum):
    """Result of a correction."""

    LEARNT = "learnt"
    MOVED = "moved"
    KNOWN = "known already, so nothing was changed"
    UNLEARNT = "unlearnt"
    REFITTED = "refitted"


Change = Callable[[TextClassifier], Done]


def learn(
    classifier: TextClassifier, document: Document, label: str, *, was: str | None = None, new: bool = False
) -> Done:
    """Learn one mail (see ``mail_document``) as a class; formulas (1) and (2).

    was: class to forget it under, if it was learnt as that. new: the label may be a class that the model does not have.
    """
    known = learnt_as(classifier, document)
    _check_classes(classifier, label, was, new, "; use --new to add it")
    others = [name for name in known if name not in (label, was)]
    if others:
        template = "the message was learnt as {classes}; use --was {first} to move it, or unlearn it first"
        raise InputError(template, classes=listed(others), first=others[0])
    moved = was is not None and was in known
    if label in known and not moved:
        return Done.KNOWN
    classifier.revise(
        add=[] if label in known else [replace(document, label=label)],
        remove=[replace(document, label=was)] if moved else [],
        refit="when due",
    )
    return Done.MOVED if moved else Done.LEARNT


def learn_all(classifier: TextClassifier, lessons: Iterable[tuple[Document, str]]) -> Counter[Done]:
    """Learn many mails, each as its class, fit once, and count what was done; formula (4).

    >>> classifier = TextClassifier(tokenizer="words").fit(["cheap pills", "see you"], ["spam", "ham"])
    >>> learn_all(classifier, [(Document("see you"), "spam"), (Document("pills"), "spam")])
    Counter({<Done.MOVED: 'moved'>: 1, <Done.LEARNT: 'learnt'>: 1})
    """
    added, removed, done = list[Document](), list[Document](), Counter[Done]()
    for document, label in {document.digest: (document, label) for document, label in lessons}.values():
        _check_classes(classifier, label, None, new=False)
        known = learnt_as(classifier, document)
        others = [name for name in known if name != label]
        removed += [replace(document, label=name) for name in others]
        added += [] if label in known else [replace(document, label=label)]
        done[Done.MOVED if others else Done.KNOWN if label in known else Done.LEARNT] += 1
    if added or removed:
        classifier.revise(add=added, remove=removed, refit="when due")
    return done


def unlearn(classifier: TextClassifier, document: Document, label: str) -> Done:
    """Forget one mail that was learnt as a class, formula (3); raise NotLearntError if it was not."""
    known = learnt_as(classifier, document)
    if label not in known:
        template = "the message was never learnt as {label!r}, so nothing was changed; it was learnt as {known}"
        raise NotLearntError(template, label=label, known=listed(known) or "no class")
    classifier.forget([document], [label], refit="when due")
    return Done.UNLEARNT


def refit(classifier: TextClassifier) -> Done:
    """Fit all parts of the model to everything learnt, also those that are fitted only now and then."""
    classifier.refit()
    return Done.REFITTED


def learnt_as(classifier: TextClassifier, document: Document) -> list[str]:
    """Classes that a document was learnt as."""
    learnt = classifier.learnt
    return [name for name in learnt.counts.classes if labelled_digest(document.digest, name) in learnt.digests]


def change_file(path: Path, change: Change, trust: tuple[str, ...] = ()) -> tuple[TextClassifier, Done]:
    """Load the model in a file, change it, and save it if it changed.

    The file is locked meanwhile, so several processes take turns, and it is replaced as a whole.
    """
    if not path.is_file():
        raise InputError("{path} does not exist; train a model first", path=path)
    with locked(path):
        classifier = TextClassifier.load(path, trust)
        done = change(classifier)
        if done is not Done.KNOWN:
            classifier.save(path)
    return classifier, done


def learn_into_file(path: Path, lessons: Iterable[tuple[Document, str]], trust: tuple[str, ...] = ()) -> Counter[Done]:
    """Learn many mails into the model in a file (see `learn_all`); it is locked and written once."""
    done = Counter[Done]()

    def change(classifier: TextClassifier) -> Done:
        done.update(learn_all(classifier, lessons))
        return next((what for what in done if what is not Done.KNOWN), Done.KNOWN)

    change_file(path, change, trust)
    return done


def learn_decided(path: Path, message: bytes, verdict: Verdict, trust: tuple[str, ...] = ()) -> Done:
    """Learn a message as the filter's own decision, into the model's file; not one that is learnt as any class."""
    document = mail_document(message)

    def change(classifier: TextClassifier) -> Done:
        return Done.KNOWN if learnt_as(classifier, document) else learn(classifier, document, verdict.label)

    return change_file(path, change, trust)[1]


def _check_classes(classifier: TextClassifier, label: str, was: str | None, new: bool, hint: str = "") -> None:
    classes = classifier.learnt.counts.classes
    if label == was:
        raise ParameterError("the new class and the old one (was) are both {label!r}; name two classes", label=label)
    if not new:
        check_class(label, classes, hint)
    if was is not None:
        check_class(was, classes)
