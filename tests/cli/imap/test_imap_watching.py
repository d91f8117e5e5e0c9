"""textnb imap --watch: news at once, over broken connections, until it is told to stop."""

import os
import signal
import threading
import time

from imap_lines import Relay
from mailbox_of_user import SPAM, mail

from textnb.mail.imap import rounds


def until(condition):
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_watching_goes_on_over_a_broken_connection_until_it_is_told_to_stop(imap, box, monkeypatch):
    monkeypatch.setattr(rounds, "_FIRST_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(rounds, "_FIRST_IDLE_SECONDS", 0.1)
    failures = []

    def user():
        try:
            until(lambda: box.subjects("Junk") == ["one"])
            box.deliver(mail("two", SPAM))  # IDLE tells of it, and the line is cut when that ends
            until(lambda: box.subjects("Junk") == ["one", "two"])
        except BaseException as error:
            failures.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    box.deliver(mail("one", SPAM))
    with Relay(box.server.plain, b"DONE", heard=False) as relay:
        thread = threading.Thread(target=user)
        thread.start()
        done = imap(box, "--move", "迷惑=Junk", "--apply", "--watch", port=relay.port)
        thread.join()
    assert (failures, done.code, relay.cuts) == ([], 0, 1)
    assert "moved to Junk" in done.err
    assert "will try again in 0.05 seconds" in done.err
