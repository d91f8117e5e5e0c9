"""Corrections: one mail is learnt, moved from class to class, or forgotten (unlearnt).

L is what a classifier has learnt, L(m, a) what the message m teaches as class a. The digests of all learnt documents
say whether L(m, a) is in L.

(1)  learn m as a               L if L(m, a) is in it already, else L + L(m, a)
(2)  learn m as a, was b        (1) of L - L(m, b) if L(m, b) is in L, else (1) of L
(3)  unlearn m as a             L - L(m, a); refused if L(m, a) is not in L
(4)  learn many m, each as a    (2) for each, whatever it was before; of several labels of one m the last counts

A model file is not rewritten for that: the correction is added to its journal (``files/journal.py``) and is part of L
from then on. The journal is folded into the file, and the model is fitted to all that it has learnt, by ``refit_file``
and when it is due: with c pending corrections of a file of D documents, if

(5)  c >= min(DUE_PROPORTION D, MAX_PENDING),  or a class comes or goes,  or the first is MAX_PENDING_SECONDS old

A service (``live_filter.py``) also folds it after REST_SECONDS without a correction.

After (2) m is learnt as a, once, and not as b, whatever was before; so a correction may be repeated. Without ``was``, a
message that is learnt as another class is refused: one mail would count for two classes.
"""

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from textnb.classifier.state import DUE_PROPORTION
from textnb.classifier.text_classifier import ModelFile, TextClassifier
from textnb.counts.examples import labelled_digest
from textnb.errors import FitWarning, InputError, ModelFileError, NotFittedError, NotLearntError, ParameterError, listed
from textnb.files.correction import LEARN, UNLEARN, Correction, ModelReplacedError, journal_path
from textnb.files.journal import Journal, Transaction
from textnb.mail.decision import Verdict, check_class, mail_document
from textnb.mail.protocol import Lesson
from textnb.readers import Document
from textnb.storage import locked

MAX_PENDING = 1000
"""Corrections that a journal holds at most, about: with so many it is folded into the model file."""

MAX_PENDING_SECONDS = 24 * 3600.0
"""Age of the first pending correction at which the next one folds the journal into the model file."""

REST_SECONDS = 600.0
"""Time without a correction after which a service folds the journal into the model file."""

_TRIES = 100
_NOT_FITTED = "{error}; the model could not be fitted after this correction, so nothing was changed"
_NOT_FOLDED = (
    "the correction is in {journal} and stays there, because the model could not be fitted again: {why}; "
    "textnb refit {path} tries again"
)


class Done(Enum):
    """Result of a correction."""

    LEARNT = "learnt"
    MOVED = "moved"
    KNOWN = "known already, so nothing was changed"
    UNLEARNT = "unlearnt"
    REFITTED = "refitted"


class Correctable(Protocol):
    """What corrections need: a TextClassifier, or a model file with its journal."""

    @property
    def classes_(self) -> Any:
        """Labels."""

    def learnt_as(self, document: Document) -> list[str]:
        """Return the classes that a document was learnt as."""

    def revise(self, *, add: Sequence[Document], remove: Sequence[Document], refit: str) -> object:
        """Forget labelled documents and learn others."""


Change = Callable[[Correctable], Done]


def learn(learner: Correctable, document: Document, label: str, *, was: str | None = None, new: bool = False) -> Done:
    """Learn one mail (see ``mail_document``) as a class; formulas (1) and (2).

    was: class to forget it under, if it was learnt as that. new: the label may be a class that the model does not have.
    """
    known = learner.learnt_as(document)
    _check_classes(learner, label, was, new, "; use --new to add it")
    others = [name for name in known if name not in (label, was)]
    if others:
        template = "the message was learnt as {classes}; use --was {first} to move it, or unlearn it first"
        raise InputError(template, classes=listed(others), first=others[0])
    moved = was is not None and was in known
    if label in known and not moved:
        return Done.KNOWN
    learner.revise(
        add=[] if label in known else [replace(document, label=label)],
        remove=[replace(document, label=was)] if moved else [],
        refit="when due",
    )
    return Done.MOVED if moved else Done.LEARNT


def learn_all(learner: Correctable, lessons: Iterable[tuple[Document, str]]) -> Counter[Done]:
    """Learn many mails, each as its class, fit once, and count what was done; formula (4).

    >>> classifier = TextClassifier(tokenizer="words").fit(["cheap pills", "see you"], ["spam", "ham"])
    >>> learn_all(classifier, [(Document("see you"), "spam"), (Document("pills"), "spam")])
    Counter({<Done.MOVED: 'moved'>: 1, <Done.LEARNT: 'learnt'>: 1})
    """
    added, removed, done = list[Document](), list[Document](), Counter[Done]()
    for document, label in {document.digest: (document, label) for document, label in lessons}.values():
        _check_classes(learner, label, None, new=False)
        known = learner.learnt_as(document)
        others = [name for name in known if name != label]
        removed += [replace(document, label=name) for name in others]
        added += [] if label in known else [replace(document, label=label)]
        done[Done.MOVED if others else Done.KNOWN if label in known else Done.LEARNT] += 1
    if added or removed:
        learner.revise(add=added, remove=removed, refit="when due")
    return done


def unlearn(learner: Correctable, document: Document, label: str) -> Done:
    """Forget one mail that was learnt as a class, formula (3); raise NotLearntError if it was not."""
    known = learner.learnt_as(document)
    if label not in known:
        template = "the message was never learnt as {label!r}, so nothing was changed; it was learnt as {known}"
        raise NotLearntError(template, label=label, known=listed(known) or "no class")
    learner.revise(add=[], remove=[replace(document, label=label)], refit="when due")
    return Done.UNLEARNT


def follow_lesson(learner: Correctable, document: Document, lesson: Lesson) -> Done:
    """Learn or unlearn one mail as a client of ``textnb filterd`` asks."""
    if lesson.do == "unlearn":
        return unlearn(learner, document, lesson.label)
    return learn(learner, document, lesson.label, was=lesson.was, new=lesson.new)


def follow_verdict(learner: Correctable, document: Document, verdict: Verdict) -> Done:
    """Learn one mail as the filter has decided, unless it was learnt as any class."""
    return Done.KNOWN if learner.learnt_as(document) else learn(learner, document, verdict.label)


class JournalledModel:
    """A model file and a transaction of its journal, in which corrections are added."""

    def __init__(self, classifier: TextClassifier, file: ModelFile, journal: Transaction) -> None:
        self._classifier, self._file, self._journal = classifier, file, journal
        self._documents = dict(zip(classifier.state.classes, classifier.state.summary.documents, strict=True))

    @property
    def classes_(self) -> list[str]:
        """Labels of the file and of the journal, sorted."""
        names = sorted({*self._documents, *self._journal.classes})
        return [name for name in names if self._number(name) > 0]

    def learnt_as(self, document: Document) -> list[str]:
        """Return the classes that a document was learnt as."""
        digests = {name: labelled_digest(document.digest, name) for name in self.classes_}
        return [name for name, each in digests.items() if self._journal.times(each, self._file.digests.times(each)) > 0]

    def revise(self, *, add: Sequence[Document], remove: Sequence[Document], refit: str) -> object:  # noqa: ARG002
        """Add corrections to the journal."""
        if remove:
            self._classifier.recipe.check_forgets(self._classifier.state.summary.dropped)
        for kind, documents in ((UNLEARN, remove), (LEARN, add)):
            for document in documents:
                self._journal.append(self._correction(kind, document))
        try:
            self._classifier.check_correctable(self.classes_)
        except InputError as error:
            raise InputError(_NOT_FITTED, error=error) from error
        return self

    def _correction(self, kind: str, document: Document) -> Correction:
        terms = self._classifier.recipe.terms_of.stream(document)
        return Correction.of(kind, document, terms, self._file.sha256, self._classifier.fitted.vocabulary)

    @property
    def n_documents(self) -> int:
        """Number of documents learnt."""
        return int(sum(self._number(name) for name in self.classes_))

    @property
    def is_due(self) -> bool:
        """True if the journal should be folded into the file, formula (5)."""
        number, most = len(self._journal), min(DUE_PROPORTION * sum(self._documents.values()), MAX_PENDING)
        if number == 0:
            return False
        return number >= most or self._is_old or set(self.classes_) != set(self._documents)

    @property
    def _is_old(self) -> bool:
        first = self._journal.first_added
        return first is not None and time.time() - first >= MAX_PENDING_SECONDS

    def _number(self, name: str) -> float:
        return self._documents.get(name, 0) + self._journal.documents(name)


class Corrected(NamedTuple):
    """Result of a correction of a model file, and the number of documents that it has learnt then."""

    done: Done
    n_documents: int


class CorrectedFile:
    """A model file that is corrected, once or many times; several processes may do so at once, each in one thread.

    stays_open: for a process that corrects it many times; model and journal stay open. ``is_due``: the journal should
    be folded into the file, formula (5).
    """

    def __init__(self, path: Path, trust: tuple[str, ...] = (), *, stays_open: bool = False) -> None:
        self.path, self.trust, self._stays_open = path, trust, stays_open
        self.journal = Journal(path, stays_open=stays_open)
        self._classifier: TextClassifier | None = None
        self.is_due = False
        self._tried: float | None = None

    def change(self, change: Change) -> Corrected:
        """Add a change to the journal; it is on disk when this returns. The journal is not folded, see ``is_due``."""
        if not self.path.is_file():
            raise InputError("{path} does not exist; train a model first", path=self.path)
        for _ in range(_TRIES):
            classifier = self._classifier or self._opened()
            self._classifier = None
            if classifier.file is None or classifier.state.fitted is None:  # of an old format, or stripped, or empty
                return self._rewrite(change)
            try:
                with self.journal.writing(classifier.file.sha256) as journal:
                    model = JournalledModel(classifier, classifier.file, journal)
                    done = change(model)
                    self.is_due, number = model.is_due, model.n_documents
            except ModelReplacedError:
                continue
            self._classifier = classifier
            return Corrected(done, number)
        raise ModelFileError("{path} is replaced again and again while it is corrected; try again", path=self.path)

    def fold_if_rested(self) -> bool:
        """Fold the journal into the file if REST_SECONDS have passed since the last correction; True if it was.

        If that fails, it is tried again after the next correction.
        """
        last = self.journal.last_added()
        if last is None or last == self._tried or time.time() - last < REST_SECONDS:
            return False
        self.is_due, self._tried = False, last
        refit_file(self.path, self.trust)
        return True

    def _opened(self) -> TextClassifier:
        # In memory if it stays open: a mapped file that somebody shortens would end the process.
        return TextClassifier.load(self.path, self.trust, in_memory=self._stays_open, journal=False, labels="text")

    def _rewrite(self, change: Change) -> Corrected:
        with locked(self.path):
            classifier = TextClassifier.load(self.path, self.trust, in_memory=True, labels="text")
            done = change(classifier)
            if done is not Done.KNOWN:
                classifier.save(self.path)
            return Corrected(done, len(classifier.learnt.digests))


def change_file(path: Path, change: Change, trust: tuple[str, ...] = ()) -> Corrected:
    """Add a change of the model in a file to its journal, and fold the journal if that is due.

    If folding fails, the change stays in the journal, and a FitWarning says why.
    """
    file = CorrectedFile(path, trust)
    corrected = file.change(change)
    if file.is_due:
        try:
            fold_if_due(path, trust)
        except Exception as error:  # the change is on disk, whatever is wrong with the model
            why = str(error) or type(error).__name__
            message = _NOT_FOLDED.format(journal=journal_path(path), why=why, path=path)
            warnings.warn(message, FitWarning, stacklevel=2)
    return corrected


def fold_if_due(path: Path, trust: tuple[str, ...] = ()) -> None:
    """Fold the journal into a model file if it is due, formula (5); another process may have just folded it."""
    with locked(path):
        if _is_due(path, trust):
            _refit(path, trust)


def _is_due(path: Path, trust: tuple[str, ...]) -> bool:
    classifier = TextClassifier.load(path, trust, in_memory=True, journal=False, labels="text")
    if classifier.file is None:
        return False
    with Journal(path).writing(classifier.file.sha256) as journal:
        return JournalledModel(classifier, classifier.file, journal).is_due


def refit_file(
    path: Path, trust: tuple[str, ...] = (), *, choose: bool = False, forget_before: date | None = None
) -> Corrected:
    """Fold the journal into a model file and fit all parts of the model to everything learnt.

    choose: True to choose model and smoothing again, as ``auto`` does. forget_before: first day that is not forgotten.
    """
    if not path.is_file():
        raise InputError("{path} does not exist; train a model first", path=path)
    with locked(path):
        return _refit(path, trust, choose=choose, forget_before=forget_before)


def _refit(
    path: Path, trust: tuple[str, ...] = (), *, choose: bool = False, forget_before: date | None = None
) -> Corrected:
    """Refit a file that is locked; parameters as in ``refit_file``."""
    classifier = TextClassifier.load(path, trust, in_memory=True, labels="text")  # a service refits, too
    if forget_before is not None:
        classifier.forget_before(forget_before)
    if choose or forget_before is None:
        classifier.refit(choose=choose)
    classifier.save(path)
    return Corrected(Done.REFITTED, len(classifier.learnt.digests))


def learn_into_file(path: Path, lessons: Iterable[tuple[Document, str]], trust: tuple[str, ...] = ()) -> Counter[Done]:
    """Learn many mails into the model in a file (see `learn_all`), in one transaction."""
    lessons, done = list(lessons), Counter[Done]()

    def change(learner: Correctable) -> Done:
        done.clear()
        done.update(learn_all(learner, lessons))
        return next((what for what in done if what is not Done.KNOWN), Done.KNOWN)

    change_file(path, change, trust)
    return done


def add_to_file(path: Path, documents: Sequence[Document], trust: tuple[str, ...] = ()) -> Corrected:
    """Learn labelled documents into the model in a file, known ones again, in one transaction."""

    def change(learner: Correctable) -> Done:
        learner.revise(add=documents, remove=[], refit="when due")
        return Done.LEARNT

    return change_file(path, change, trust)


def learn_decided(path: Path, message: bytes, verdict: Verdict, trust: tuple[str, ...] = ()) -> Done:
    """Learn a message as the filter's own decision, into the model's file; not one that is learnt as any class."""
    return change_file(path, partial(follow_verdict, document=mail_document(message), verdict=verdict), trust).done


def _check_classes(learner: Correctable, label: str, was: str | None, new: bool, hint: str = "") -> None:
    try:
        classes = list(learner.classes_)
    except NotFittedError:  # nothing has been learnt yet
        classes = []
    if label == was:
        raise ParameterError("the new class and the old one (was) are both {label!r}; name two classes", label=label)
    if not new:
        check_class(label, classes, hint)
    if was is not None:
        check_class(was, classes)
