"""The mail filter of a long-running process: it loads its model again when the file has changed."""

import logging
from pathlib import Path
from threading import Lock

from textnb.classifier.text_classifier import TextClassifier
from textnb.errors import InputError, TextnbError
from textnb.mail.corrections import learn_decided
from textnb.mail.decision import Cutoffs, MailFilter, Verdict
from textnb.mail.protocol import FAILED, Answer, Reply

_log = logging.getLogger("textnb")
_Stamp = tuple[int, int, int]


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
        self._seen, self._filter = stamp, self._load()

    def answer(self, message: bytes) -> Answer:
        """Filter a message; return the reply and what to do once the reply has been delivered."""
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
                    self._filter = self._load()
                    _log.info("%s has changed; loaded it again", self.path)
                except (TextnbError, OSError) as error:
                    _log.info("still using the previous model: %s", error)
            return self._filter

    def _learn(self, message: bytes, verdict: Verdict) -> None:
        try:
            learn_decided(self.path, message, verdict, self.trust)
        except Exception as error:  # the mail has been delivered with its verdict
            _log.info("message filtered but not learnt: %s", error)

    def _load(self) -> MailFilter:
        return MailFilter(TextClassifier.load(self.path, self.trust), self.cutoffs)

    def _stamp(self) -> _Stamp | None:
        """Inode, time and size of the file, which is always replaced as a whole; None if it is missing."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
