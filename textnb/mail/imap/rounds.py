"""A round over an account: what its owner has put into folders is learnt first, then what is new is judged.

The memory of the account is locked meanwhile, so that of several programs each waits for the one before.

Rounds until told to stop: at once when the server has news (IDLE), after so many seconds at the latest.

Where a server offers IDLE and then refuses it, it is not asked again before the next round. One that always has
something to say is listened to once in a while: rounds do not follow each other at once.

A connection that breaks is made anew after a pause, each twice as long as the one before, until a round ends well.
"""

import logging
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from textnb.mail.imap.connection import Account, Client, RefusedError, ServerError, connected
from textnb.mail.imap.learning import learn_from
from textnb.mail.imap.memory import Memory, memory_path
from textnb.mail.imap.password import Ask
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
_PAUSE, _LONGEST_PAUSE = 1.0, 300.0
_PERIOD = 1.0
_LEAST = 1.0
"""Seconds from the end of a round to the next, at least, unless fewer were asked for."""

_SLICE = 0.5
"""Seconds after which, at the latest, it is noticed that the end was asked for."""


def watch(account: Account, ask: Ask, round_of: Callable[[Client], None], stop: threading.Event, every: float) -> None:
    """Rounds, until told to stop. The first of them has to end well."""
    begun, pause = False, _PAUSE
    while not stop.is_set():
        try:
            with connected(account, ask) as client:
                while not stop.is_set():
                    round_of(client)
                    begun, pause = True, _PAUSE
                    wait_for_news(client, stop, every)
        except ServerError as error:
            if not begun:
                raise
            _log.info("%s; trying again in %g seconds", error, pause)
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def wait_for_news(client: Client, stop: threading.Event, seconds: float) -> None:
    """Wait until the folder that is selected has news, or for so long, or until told to stop.

    What comes in one piece with the server's consent to IDLE is seen only when IDLE ends; so it ends soon at first.
    """
    if not client.has_capability("IDLE"):
        stop.wait(seconds)
        return
    begun, period = time.monotonic(), _PERIOD
    while not stop.is_set() and (left := begun + seconds - time.monotonic()) > 0:
        try:
            has_news = _news_within(client, stop, min(left, period))
        except RefusedError:
            stop.wait(left)
            return
        if has_news:
            stop.wait(max(0.0, begun + min(_LEAST, seconds) - time.monotonic()))
            return
        period *= 2


def _news_within(client: Client, stop: threading.Event, seconds: float) -> bool:
    heard = client.idle() or _is_heard(client.socket(), stop, time.monotonic() + seconds)
    _, told = client.idle_done()
    return heard or bool(told)


def _is_heard(line: Any, stop: threading.Event, deadline: float) -> bool:
    """Wait until there is something to read, decrypted already or not."""
    if hasattr(line, "pending") and line.pending():
        return True
    while not stop.is_set() and (left := deadline - time.monotonic()) > 0:
        if select.select([line], [], [], min(left, _SLICE))[0]:
            return True
    return False
