"""Verbs that go on until they are told to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from textnb.cli.console import one_line, say
from textnb.errors import TextnbError


@contextmanager
def told_to_stop() -> Iterator[Event]:
    """An event that SIGINT and SIGTERM set, in place of what they do otherwise."""
    stop = Event()

    def told(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    before = {number: signal.signal(number, told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def repeat(once: Callable[[], object], every: float, stop: Event) -> None:
    """Do it every so many seconds until told to stop; an error is said once, and does not end it."""
    said = ""
    while not stop.is_set():
        try:
            once()
            said = ""
        except (TextnbError, OSError) as error:
            if str(error) != said:
                said = str(error)
                say(f"textnb: {one_line(said)}; this goes on in case it passes")
        stop.wait(every)
