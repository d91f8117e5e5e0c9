"""The filter of a long-lived process: its model is loaded again when the file has changed."""

import logging
from pathlib import Path
from threading import Lock

from textnb.classifier.text_classifier import TextClassifier
from textnb.errors import InputError, TextnbError
from textnb.mail.corrections import learn_decided
from textnb.mail.filter import Cutoffs, MailFilter, Verdict
from textnb.mail.protocol import FAILED, Answer, Reply

_log = logging.getLogger("textnb")
_Stamp = tuple[int, int, int]


class LiveFilter:
    """Replies to messages, from several threads at once; a message that comes after a change is judged by it.

    While the file is missing or damaged the last model that could be read goes on. learns: whether messages that were
    decided without doubt are learnt.
    """

    def __init__(self, path: Path, cutoffs: Cutoffs, *, trust: tuple[str, ...] = (), learns: bool = False) -> None:
        self.path, self.cutoffs, self.trust, self.learns = path, cutoffs, trust, learns
        self._lock = Lock()
        stamp = self._stamp()
        if stamp is None:
            raise InputError(f"{path} does not exist; train a model first")
        self._seen, self._filter = stamp, self._loaded()

    def answer(self, message: bytes) -> Answer:
        """The reply to a message, and what is to be done once it has been delivered."""
        try:
            filtered = self.current()(message)
        except Exception as error:  # whatever it is, the mail goes on
            _log.info("a message goes on as it came: %s", error)
            return Reply(FAILED, message, str(error)), None
        reply = Reply(filtered.verdict.code(self.cutoffs.spam), filtered.message)
        if not self.learns or filtered.verdict.unsure:
            return reply, None
        return reply, lambda: self._learn(message, filtered.verdict)

    def current(self) -> MailFilter:
        """The filter by the model as it is in the file now."""
        with self._lock:
            stamp = self._stamp()
            if stamp is not None and stamp != self._seen:
                self._seen = stamp
                try:
                    self._filter = self._loaded()
                    _log.info("%s has changed and was loaded again", self.path)
                except (TextnbError, OSError) as error:
                    _log.info("the model that was there before goes on: %s", error)
            return self._filter

    def _learn(self, message: bytes, verdict: Verdict) -> None:
        try:
            learn_decided(self.path, message, verdict, self.trust)
        except Exception as error:  # the mail has gone through, with its verdict
            _log.info("a message was filtered but not learnt: %s", error)

    def _loaded(self) -> MailFilter:
        return MailFilter(TextClassifier.load(self.path, self.trust), self.cutoffs)

    def _stamp(self) -> _Stamp | None:
        """What tells one content of the file from another, for the file is always replaced as a whole."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
