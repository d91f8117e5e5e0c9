"""The mail filter of a long-running process: it loads its model again when the file has changed."""

import logging
from pathlib import Path
from threading import Lock

from textnb.classifier.text_classifier import TextClassifier
from textnb.errors import InputError, TextnbError
from textnb.files.correction import ModelReplacedError, journal_path
from textnb.mail.corrections import CorrectedFile, fold_if_due, follow_lesson, follow_verdict
from textnb.mail.decision import Cutoffs, MailFilter, Verdict, mail_document
from textnb.mail.protocol import FAILED, SPAM, Answer, Lesson, Reply, split_request

_log = logging.getLogger("textnb")
_Stamp = tuple[int, int, int]
_Stamps = tuple[_Stamp | None, ...]


class LiveFilter:
    """Mail filter that follows the changes of its model file; several threads may use it at once.

    While the file is missing or damaged, the last model that could be loaded stays in use. trust: as in
    ``TextClassifier.load``. learns: messages are learnt as what was decided, unless unsure.
    """

    def __init__(self, path: Path, cutoffs: Cutoffs, *, trust: tuple[str, ...] = (), learns: bool = False) -> None:
        self.path, self.cutoffs, self.trust, self.learns = path, cutoffs, trust, learns
        self._lock = Lock()
        stamp = self._stamp()
        if stamp is None:
            raise InputError("{path} does not exist; train a model first", path=path)
        self._journal_seen = self._journal_stamps()
        self._seen, self._filter = stamp, self._load()
        self._correcting, self._file = Lock(), CorrectedFile(path, trust, stays_open=True)

    def answer(self, message: bytes) -> Answer:
        """Filter a message, or learn from it; return the reply and what to do once the reply has been delivered."""
        try:
            lesson, message = split_request(message)
        except ValueError as error:
            return Reply(FAILED, b"", str(error)), None
        if lesson is not None:
            return self._correct(lesson, message)
        try:
            filtered = self.current()(message)
        except Exception as error:  # on any error the mail is passed on
            _log.info("message passed on unchanged: %s", error)
            return Reply(FAILED, message, str(error)), None
        reply = Reply(filtered.verdict.code(self.cutoffs.spam), filtered.message)
        if not self.learns or filtered.verdict.unsure:
            return reply, None
        return reply, lambda: self._learn(message, filtered.verdict)

    def current(self) -> MailFilter:
        """Filter with the model that the file holds now."""
        with self._lock:
            stamp = self._stamp()
            if stamp is not None and stamp != self._seen:
                self._seen = stamp
                try:
                    self._journal_seen = self._journal_stamps()
                    self._filter = self._load()
                    _log.info("%s has changed; loaded it again", self.path)
                except (TextnbError, OSError) as error:
                    _log.info("still using the previous model: %s", error)
            self._follow_journal()
            return self._filter

    def _follow_journal(self) -> None:
        """Read the pending corrections again if there are others."""
        stamps = self._journal_stamps()
        if stamps != self._journal_seen:
            self._journal_seen = stamps
            try:
                self._filter.classifier.follow_journal(self.path)
            except ModelReplacedError:
                self._journal_seen = ()  # the new file comes with the next question
            except (TextnbError, OSError) as error:
                _log.info("still using the previous corrections: %s", error)

    def _correct(self, lesson: Lesson, message: bytes) -> Answer:
        """Learn or unlearn a message; the correction is on disk before the reply."""
        try:
            document = mail_document(message)
            with self._correcting:
                corrected = self._file.change(lambda learner: follow_lesson(learner, document, lesson))
                is_due = self._file.is_due
        except Exception as error:
            _log.info("message not learnt: %s", error)
            return Reply(FAILED, b"", str(error)), None
        return Reply(SPAM, b"", corrected.done.value), self._fold if is_due else None

    def _fold(self) -> None:
        """Fold the journal if it is still due; corrections may be added meanwhile."""
        is_due, self._file.is_due = self._file.is_due, False
        try:
            if is_due:
                fold_if_due(self.path, self.trust)
        except Exception as error:  # the corrections stay in the journal
            _log.info("the journal could not be folded into %s: %s", self.path, error)

    def fold_if_rested(self) -> None:
        """Fold the journal if no process has added a correction for some time; called now and then."""
        try:
            if self._file.fold_if_rested():
                _log.info("the journal was folded into %s after a rest", self.path)
        except Exception as error:  # the corrections stay in the journal
            _log.info("the journal could not be folded into %s: %s", self.path, error)

    def _learn(self, message: bytes, verdict: Verdict) -> None:
        try:
            document = mail_document(message)
            with self._correcting:
                self._file.change(lambda learner: follow_verdict(learner, document, verdict))
        except Exception as error:  # the mail has been delivered with its verdict
            _log.info("message filtered but not learnt: %s", error)
        self._fold()

    def _load(self) -> MailFilter:
        # In memory: a mapped file that somebody shortens would end the process.
        return MailFilter(TextClassifier.load(self.path, self.trust, in_memory=True, labels="text"), self.cutoffs)

    def _stamp(self) -> _Stamp | None:
        return _stamp(self.path)

    def _journal_stamps(self) -> _Stamps:
        """Stamps of the journal, and of the file that SQLite writes its latest transactions to."""
        path = journal_path(self.path)
        return _stamp(path), _stamp(path.with_name(path.name + "-wal"))


def _stamp(path: Path) -> _Stamp | None:
    """Inode, time and size of a file; None if it is missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
