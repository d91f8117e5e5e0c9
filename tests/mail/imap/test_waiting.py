"""Waiting for news, from servers that do not play by the rules of IDLE; IMAPClient is real, so its words are."""

import pytest
from imap_lines import END, saying

from textnb.mail.imap import rounds
from textnb.mail.imap.connection import Account, connected
from textnb.mail.imap.password import Password
from textnb.mail.imap.rounds import wait_for_news

pytest.importorskip("imapclient", reason="needs IMAPClient: pip install 'textnb[imap]'")


class Stop:
    """Never told to stop; it writes down how long it was waited for, and does not wait."""

    def __init__(self):
        self.waits = []

    def is_set(self):
        return False

    def wait(self, seconds):
        self.waits.append(seconds)


def waited(idle, seconds=60.0):
    """How long was waited beside IDLE, and what the server was told, NOOP last; ``idle`` is what it says to IDLE."""
    told, tags = [], []

    def answer(tag, command):
        told.append(command or tag)
        if command == b"IDLE":
            tags.append(tag)
            return idle.replace(b"TAG", tag)
        if tag == b"DONE":
            return tags[-1] + b" OK done" + END
        said = b"* CAPABILITY IMAP4rev1 IDLE" + END if command == b"CAPABILITY" else b""
        return said + tag + b" OK done" + END

    stop = Stop()
    with saying(answer) as port:
        account = Account("127.0.0.1", "me", "plain", port, seconds=5)
        with connected(account, lambda: Password("secret")) as client:
            wait_for_news(client, stop, seconds)
            client.noop()
    start = told.index(b"IDLE")
    return stop.waits, told[start : told.index(b"NOOP") + 1]


@pytest.mark.parametrize("word", [b"NO", b"BAD"])
def test_a_server_that_refuses_idle_is_asked_again_after_so_long(word):
    [seconds], told = waited(b"TAG " + word + b" not now" + END)
    assert 50 < seconds <= 60
    assert told == [b"IDLE", b"NOOP"]  # over the same connection


@pytest.mark.parametrize("idle", [b"+ idling\r\n* OK still here\r\n", b"* 1 EXISTS\r\n+ idling\r\n"])
def test_rounds_do_not_follow_each_other_at_once_however_much_a_server_says(idle, monkeypatch):
    monkeypatch.setattr(rounds, "_PERIOD", 0.05)
    monkeypatch.setattr(rounds, "_LEAST", 40.0)
    [pause], told = waited(idle)
    assert 30 < pause <= 40
    assert told == [b"IDLE", b"DONE", b"NOOP"]


def test_the_least_pause_is_no_longer_than_what_was_asked_for(monkeypatch):
    monkeypatch.setattr(rounds, "_LEAST", 40.0)
    [pause], _ = waited(b"* 1 EXISTS\r\n+ idling\r\n", seconds=5)
    assert pause <= 5
