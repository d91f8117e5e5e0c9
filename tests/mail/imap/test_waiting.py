"""Waiting for news by the real IMAPClient: from a real server, and from servers that answer IDLE in odd ways."""

import threading
import time

import pytest
from dovecot import PASSWORD, PLAIN_USERS
from imap_lines import END, saying
from mailbox_of_user import Box, mail

from textnb.mail.imap import rounds
from textnb.mail.imap.connection import Account, connect
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
        account = Account("127.0.0.1", "me", "plain", port, timeout=5)
        with connect(account, lambda: Password("secret")) as client:
            wait_for_news(client, stop, seconds)
            client.noop()
    start = told.index(b"IDLE")
    return stop.waits, told[start : told.index(b"NOOP") + 1]


@pytest.mark.parametrize("word", [b"NO", b"BAD"])
def test_a_server_that_refuses_idle_is_asked_again_after_so_long(word):
    [seconds], told = waited(b"TAG " + word + b" not now" + END)
    assert 50 < seconds <= 60
    assert told == [b"IDLE", b"NOOP"]  # over the same connection


@pytest.mark.parametrize("idle", ["+ idling|* OK here|", "* 1 EXISTS|+ idling|", "* 1 EXISTS|* 1 RECENT|+ idling|"])
def test_rounds_do_not_follow_each_other_at_once_however_much_a_server_says(idle, monkeypatch):
    monkeypatch.setattr(rounds, "_FIRST_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(rounds, "_MIN_GAP_SECONDS", 40.0)
    [pause], told = waited(idle.encode().replace(b"|", END))
    assert 30 < pause <= 40
    assert [word for word in told if word != b'LIST "" ""'] == [b"IDLE", b"DONE", b"NOOP"]


def test_the_least_pause_is_no_longer_than_what_was_asked_for(monkeypatch):
    monkeypatch.setattr(rounds, "_MIN_GAP_SECONDS", 40.0)
    [pause], _ = waited(b"* 1 EXISTS\r\n+ idling\r\n", seconds=5)
    assert pause <= 5


@pytest.fixture
def idling(dovecot, monkeypatch):
    """A client over TLS that has selected its inbox, where IDLE lasts long enough to hear of news during it."""
    monkeypatch.setattr(rounds, "_FIRST_IDLE_SECONDS", 60.0)
    account = Account("localhost", PLAIN_USERS[-1], port=dovecot.tls, cafile=dovecot.certificate)
    with connect(account, lambda: Password(PASSWORD)) as client:
        client.select_folder("INBOX")
        yield client


def seconds_waited(client, stop):
    begun = time.monotonic()
    wait_for_news(client, stop, 60.0)
    return time.monotonic() - begun


def test_a_server_tells_of_a_message_while_it_is_waited_for(idling, dovecot):
    box = Box(dovecot, PLAIN_USERS[-1])
    threading.Timer(0.3, box.deliver, [mail("news", "news")]).start()
    assert 0.2 < seconds_waited(idling, threading.Event()) < 20
    assert idling.search(["SUBJECT", "news"])
    box.client.logout()


def test_waiting_ends_soon_after_it_is_told_to_stop(idling):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    assert seconds_waited(idling, stop) < 5
    idling.noop()
