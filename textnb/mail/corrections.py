"""Corrections, one mail at a time: what becomes of a learnt value L by a message m under the classes a and b.

L(m, a) is what m teaches under a; whether it is in L is known by the digests of all that was learnt.

(1)  learn m as a               L where L(m, a) is in it already, else L + L(m, a)
(2)  learn m as a, was b        (1) of L - L(m, b) where L(m, b) is in L, else (1) of L
(3)  unlearn m as a             L - L(m, a), refused where L(m, a) is not in L
(4)  learn many m, each as a    (2) for each, whatever it was; of several words on the same m the last

After (2) m is learnt as a, once, and not as b, whatever was before; so a correction may be repeated. Learning what is
known under another class is refused without ``was``: one mail would speak for two classes.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from pathlib import Path

from textnb.classifier.text_classifier import TextClassifier
from textnb.counts.examples import labelled_digest
from textnb.errors import InputError, NotLearntError, listed
from textnb.mail.filter import Verdict, mail_document
from textnb.readers import Document
from textnb.storage import locked


class Done(Enum):
    """What a correction came to."""

    LEARNT = "learnt"
    MOVED = "moved"
    KNOWN = "known already, so nothing was changed"
    UNLEARNT = "unlearnt"
    REFITTED = "refitted"


Change = Callable[[TextClassifier], Done]


def learn(
    classifier: TextClassifier, document: Document, label: str, *, was: str | None = None, new: bool = False
) -> Done:
    """Formulas (1) and (2). new: whether ``label`` may be a class that the model has not.

    >>> classifier = TextClassifier(tokenizer="words").fit(["cheap pills", "see you"], ["spam", "ham"])
    >>> mail = Document("pills for you")
    >>> [learn(classifier, mail, "spam"), learn(classifier, mail, "spam"), learn(classifier, mail, "ham", was="spam")]
    [<Done.LEARNT: 'learnt'>, <Done.KNOWN: 'known already, so nothing was changed'>, <Done.MOVED: 'moved'>]
    """
    known = learnt_as(classifier, document)
    _check_classes(classifier, label, was, new)
    others = [name for name in known if name not in (label, was)]
    if others:
        raise InputError(f"the message was learnt as {listed(others)}; --was {others[0]} moves it, unlearn forgets it")
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
    """Formula (4), fitted once: how many messages were learnt, moved, and known.

    >>> classifier = TextClassifier(tokenizer="words").fit(["cheap pills", "see you"], ["spam", "ham"])
    >>> learn_all(classifier, [(Document("see you"), "spam"), (Document("pills"), "spam")])
    Counter({<Done.MOVED: 'moved'>: 1, <Done.LEARNT: 'learnt'>: 1})
    """
    added, taken, done = list[Document](), list[Document](), Counter[Done]()
    for document, label in {document.digest: (document, label) for document, label in lessons}.values():
        _check_classes(classifier, label, None, new=False)
        known = learnt_as(classifier, document)
        others = [name for name in known if name != label]
        taken += [replace(document, label=name) for name in others]
        added += [] if label in known else [replace(document, label=label)]
        done[Done.MOVED if others else Done.KNOWN if label in known else Done.LEARNT] += 1
    if added or taken:
        classifier.revise(add=added, remove=taken, refit="when due")
    return done


def unlearn(classifier: TextClassifier, document: Document, label: str) -> Done:
    """Formula (3)."""
    known = learnt_as(classifier, document)
    if label not in known:
        hint = f"it was learnt as {listed(known)}" if known else "it is not known under any class"
        raise NotLearntError(f"the message was never learnt as {label!r}, so nothing was changed; {hint}")
    classifier.forget([document], [label], refit="when due")
    return Done.UNLEARNT


def refit(classifier: TextClassifier) -> Done:
    """Fit anew, to all that was learnt, whatever is fitted only now and then."""
    classifier.refit()
    return Done.REFITTED


def learnt_as(classifier: TextClassifier, document: Document) -> list[str]:
    """The classes under which a document was learnt."""
    learnt = classifier.learnt
    return [name for name in learnt.counts.classes if labelled_digest(document.digest, name) in learnt.digests]


def change_file(path: Path, change: Change, trust: tuple[str, ...] = ()) -> tuple[TextClassifier, Done]:
    """Change the model in a file. Of several processes each waits for the one before; the file is always whole."""
    if not path.is_file():
        raise InputError(f"{path} does not exist; train a model first")
    with locked(path):
        classifier = TextClassifier.load(path, trust)
        done = change(classifier)
        if done is not Done.KNOWN:
            classifier.save(path)
    return classifier, done


def learn_into_file(path: Path, lessons: Iterable[tuple[Document, str]], trust: tuple[str, ...] = ()) -> Counter[Done]:
    """Formula (4) on the model in a file, which is locked and written once."""
    done = Counter[Done]()

    def change(classifier: TextClassifier) -> Done:
        done.update(learn_all(classifier, lessons))
        return next((what for what in done if what is not Done.KNOWN), Done.KNOWN)

    change_file(path, change, trust)
    return done


def learn_decided(path: Path, message: bytes, verdict: Verdict, trust: tuple[str, ...] = ()) -> Done:
    """Learn what the filter has decided of a message, into the model's file; not what is known under any class."""
    document = mail_document(message)

    def change(classifier: TextClassifier) -> Done:
        return Done.KNOWN if learnt_as(classifier, document) else learn(classifier, document, verdict.label)

    return change_file(path, change, trust)[1]


def _check_classes(classifier: TextClassifier, label: str, was: str | None, new: bool) -> None:
    classes = classifier.learnt.counts.classes
    if label == was:
        raise InputError(f"the message is to be learnt as {label!r} and was so; name two classes")
    if label not in classes and not new:
        raise InputError(f"{label!r} is not among the model's classes: {listed(classes)}; --new makes it one")
    if was is not None and was not in classes:
        raise InputError(f"{was!r} is not among the model's classes: {listed(classes)}")
