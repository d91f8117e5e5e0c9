"""A round over an account: what its owner has put into folders is learnt first, then what is new is judged.

The memory of the account is locked meanwhile, so that of several programs each waits for the one before.

Rounds until told to stop: at once when the server has news (IDLE), after so many seconds at the latest.

Where a server offers IDLE and then refuses it, it is not asked again before the next round. One that always has
something to say is listened to once in a while: rounds do not follow each other at once.

A connection that breaks is made anew after a pause, each twice as long as the one before, until a round ends well.
"""

import logging
import re
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from textnb.mail.imap.connection import Account, Client, RefusedError, ServerError, connect
from textnb.mail.imap.learning import learn_from
from textnb.mail.imap.memory import Memory, memory_path
from textnb.mail.imap.password import AskPassword
from textnb.mail.imap.sorting import sort_folder
from textnb.mail.imap.visit import Event, Visit, VisitPlan
from textnb.mail.live_filter import LiveFilter
from textnb.storage import locked


class Rounds:
    """One round after the other. stopping: whether to end after the batch at hand.

    What is not done in earnest is remembered only between rounds, and in no file.
    """

    def __init__(
        self, account: Account, plan: VisitPlan, live: LiveFilter, stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self.path, self.plan, self.live, self.stopping = memory_path(account), plan, live, stopping
        self._imagined: Memory | None = None

    def round(self, client: Client) -> Iterator[Event]:
        """A round, as it happens."""
        with self._locked():
            visit = Visit(client, self.plan, self.live, self._memory(), self.stopping)
            for folder, label in visit.lessons.items():
                if folder != visit.here and not self.stopping():
                    yield from learn_from(visit, folder, label)
            if not self.stopping():
                yield from sort_folder(visit)
        self.plan = replace(self.plan, again=False)  # all have been judged again

    def _memory(self) -> Memory:
        if self.plan.apply:
            return Memory.read(self.path)
        self._imagined = self._imagined or Memory.read(self.path)
        return self._imagined

    def _locked(self) -> AbstractContextManager[None]:
        if not self.plan.apply:
            return nullcontext()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return locked(self.path)


_log = logging.getLogger("textnb")
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 1.0, 300.0
_FIRST_IDLE_SECONDS = 1.0
_MIN_GAP_SECONDS = 1.0
"""Seconds from the end of a round to the next, at least, unless fewer were asked for."""

_STOP_CHECK_SECONDS = 0.5
"""Seconds between two looks at the stop event."""

_NEWS_FIRST = re.compile(r"""IDLE response: b['"]\*""")
"""In an error of ``IMAPClient.idle``: the answer to IDLE was untagged, so not a refusal."""


def watch(
    account: Account, ask: AskPassword, round_of: Callable[[Client], None], stop: threading.Event, every: float
) -> None:
    """Rounds, until told to stop. The first of them has to end well."""
    begun, pause = False, _FIRST_PAUSE_SECONDS
    while not stop.is_set():
        try:
            with connect(account, ask) as client:
                while not stop.is_set():
                    round_of(client)
                    begun, pause = True, _FIRST_PAUSE_SECONDS
                    wait_for_news(client, stop, every)
        except ServerError as error:
            if not begun:
                raise
            _log.info("%s; trying again in %g seconds", error, pause)
            stop.wait(pause)
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)


def wait_for_news(client: Client, stop: threading.Event, seconds: float) -> None:
    """Wait until the folder that is selected has news, or for so long, or until told to stop.

    What comes in one piece with the server's consent to IDLE is seen only when IDLE ends; so it ends soon at first.
    """
    if not client.has_capability("IDLE"):
        stop.wait(seconds)
        return
    begun, period = time.monotonic(), _FIRST_IDLE_SECONDS
    while not stop.is_set() and (left := begun + seconds - time.monotonic()) > 0:
        try:
            has_news = _news_within(client, stop, min(left, period))
        except RefusedError:
            stop.wait(left)
            return
        if has_news:
            stop.wait(max(0.0, begun + min(_MIN_GAP_SECONDS, seconds) - time.monotonic()))
            return
        period *= 2


def _news_within(client: Client, stop: threading.Event, seconds: float) -> bool:
    """Return whether there were news during one IDLE of so many seconds."""
    if _begin_idle(client):
        return True
    heard = _is_readable(client.socket(), stop, time.monotonic() + seconds)
    _, responses = client.idle_done()
    return heard or bool(responses)


def _begin_idle(client: Client) -> bool:
    """Begin IDLE; True if the server sent news before it agreed, in which case IDLE has ended already.

    A server may send news first (RFC 3501, 7). ``IMAPClient.idle`` raises an error for that, and ``idle_done``, which
    sends DONE, raises another for the continuation that follows. What the server says to DONE is then read with the
    answer to the shortest command that skips other answers: LIST "" "", which lists no folder.
    """
    try:
        client.idle()
    except RefusedError as error:
        if not _NEWS_FIRST.search(str(error)):
            raise
        with suppress(ServerError):
            client.idle_done()
        client.list_folders("", "")
        return True
    return False


def _is_readable(line: Any, stop: threading.Event, deadline: float) -> bool:
    """Wait until the socket has data, decrypted already or not.

    ``IMAPClient.idle_check`` would lose a line that has arrived in part, and does not tell a lost connection from
    silence; polling its socket does not read.
    """
    if hasattr(line, "pending") and line.pending():
        return True
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        while not stop.is_set() and (left := deadline - time.monotonic()) > 0:
            if selector.select(min(left, _STOP_CHECK_SECONDS)):
                return True
    return False
