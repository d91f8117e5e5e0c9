"""Rounds over an account: each learns what its owner has put into folders, then judges what is new.

The memory of the account is locked during a round, so several programs take turns.

``watch`` repeats rounds until it is stopped: at once when the server has news (IDLE), else after a given time. If a
server offers IDLE and then refuses it, IDLE is tried again in the next wait. Rounds keep a minimum distance, also for a
server that always has news. A lost connection is opened again after a pause, which doubles until a round succeeds.
"""

import logging
import re
import secrets
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
from textnb.mail.imap.undoing import undo_last_run
from textnb.mail.imap.visit import Event, Visit, VisitPlan
from textnb.mail.live_filter import LiveFilter
from textnb.storage import locked

_log = logging.getLogger("textnb")
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 1.0, 300.0  # before a lost connection is opened again
_FIRST_IDLE_SECONDS = 1.0  # the next IDLE is twice as long
_MIN_GAP_SECONDS = 1.0  # from the end of a round to the next, unless a shorter time is asked for
_STOP_CHECK_SECONDS = 0.5  # between two looks at the stop event
_NEWS_FIRST = re.compile(r"""IDLE response: b['"]\*""")  # in an error of IMAPClient.idle: not a refusal


class Rounds:
    """Rounds over an account; a dry run is remembered from round to round but not in the file.

    stopping: returns True if a round is to end after the current batch.
    """

    def __init__(
        self, account: Account, plan: VisitPlan, live: LiveFilter, stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self.path, self.plan, self.live, self.stopping = memory_path(account), plan, live, stopping
        self._dry_run_memory: Memory | None = None
        self._run = secrets.token_hex(8)

    def round(self, client: Client) -> Iterator[Event]:
        """Run one round and yield its events as they happen."""
        with self._lock():
            visit = Visit(client, self.plan, self.live, self._memory(), self.stopping, self._run)
            for folder, label in visit.lessons.items():
                if folder != visit.here and not self.stopping():
                    yield from learn_from(visit, folder, label)
            if not self.stopping():
                yield from sort_folder(visit)
        self.plan = replace(self.plan, again=False)  # all have been judged again

    def undo(self, client: Client) -> Iterator[Event]:
        """Reverse the last run that has changed something, and yield events as they happen."""
        with self._lock():
            yield from undo_last_run(Visit(client, self.plan, self.live, self._memory(), self.stopping))

    def _memory(self) -> Memory:
        if self.plan.apply:
            return Memory.read(self.path)
        self._dry_run_memory = self._dry_run_memory or Memory.read(self.path)
        return self._dry_run_memory

    def _lock(self) -> AbstractContextManager[None]:
        if not self.plan.apply:
            return nullcontext()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return locked(self.path)


def watch(
    account: Account, ask: AskPassword, round_of: Callable[[Client], None], stop: threading.Event, every: float
) -> None:
    """Run rounds until ``stop`` is set; an error before the first round has succeeded is raised."""
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
            _log.info("%s; will try again in %g seconds", error, pause)
            stop.wait(pause)
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)


def wait_for_news(client: Client, stop: threading.Event, seconds: float) -> None:
    """Wait until the selected folder has news, the time is over, or ``stop`` is set.

    News that arrive together with the server's answer to IDLE are read only when IDLE ends, so the first IDLE is short.
    """
    if not client.has_capability("IDLE"):
        stop.wait(seconds)
        return
    begun, idle_seconds = time.monotonic(), _FIRST_IDLE_SECONDS
    while not stop.is_set() and (left := begun + seconds - time.monotonic()) > 0:
        try:
            has_news = _news_within(client, stop, min(left, idle_seconds))
        except RefusedError:
            stop.wait(left)
            return
        if has_news:
            stop.wait(max(0.0, begun + min(_MIN_GAP_SECONDS, seconds) - time.monotonic()))
            return
        idle_seconds *= 2


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
