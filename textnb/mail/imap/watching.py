"""Rounds until told to stop: at once when the server has news (IDLE), after so many seconds at the latest.

A connection that breaks is made anew after a pause, each twice as long as the one before, until a round ends well.
"""

import logging
import select
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from textnb.mail.imap.connection import Account, Client, RefusedError, ServerError, connected
from textnb.mail.imap.password import Ask

_log = logging.getLogger("textnb")
_PAUSE, _LONGEST_PAUSE = 1.0, 300.0


class Stop:
    """Whether the user has asked for the end, which can be waited for."""

    def __init__(self) -> None:
        self.asked = False
        self._heard, self._told = socket.socketpair()

    def __call__(self) -> bool:
        return self.asked

    def ask(self) -> None:
        """Ask for the end."""
        self.asked = True
        self._told.send(b".")

    def wait(self, seconds: float, *others: socket.socket) -> None:
        """Wait for it, or until one of some sockets has something to read."""
        if not self.asked:
            select.select([self._heard, *others], [], [], seconds)

    @contextmanager
    def by_signals(self) -> Iterator[None]:
        """Meanwhile SIGINT and SIGTERM ask for the end, in peace; a second one has its usual effect."""
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def restore() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        def heard(number: int, frame: FrameType | None) -> None:
            del number, frame
            restore()
            self.ask()

        for number in before:
            signal.signal(number, heard)
        try:
            yield
        finally:
            restore()
            self._heard.close()
            self._told.close()


def watch(account: Account, ask: Ask, round_of: Callable[[Client], None], stop: Stop, every: float) -> None:
    """Rounds, until ``stop`` is asked for. The first connection has to succeed."""
    begun, pause = False, _PAUSE
    while not stop():
        try:
            with connected(account, ask) as client:
                while not stop():
                    round_of(client)
                    begun, pause = True, _PAUSE
                    _wait(client, stop, every)
        except ServerError as error:
            if not begun:
                raise
            _log.info("%s; trying again in %g seconds", error, pause)
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


def _wait(client: Client, stop: Stop, seconds: float) -> None:
    """Wait until the folder that is selected has news, or for so long."""
    if not client.has_capability("IDLE"):
        stop.wait(seconds)
        return
    try:
        client.idle()
    except RefusedError:  # IMAPClient's word for news that come before the server has agreed to tell them
        pass
    else:
        line = client.socket()
        if not (hasattr(line, "pending") and line.pending()):
            stop.wait(seconds, line)
    client.idle_done()
