"""The service on its socket: whole answers for good clients, and no harm from bad ones."""

import asyncio
import gc
import socket
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.mail.decision import Cutoffs
from textnb.mail.live_filter import LiveFilter
from textnb.mail.protocol import FAILED, OTHER, SPAM, UNSURE, Reply, ask_service
from textnb.mail.service import Service, ServiceLimits, listen_at

MAIL = b"Subject: a\n\nhello\n"


@contextmanager
def served(path, answer, limits=None):
    """A service in a thread of its own."""
    line = listen_at(path)
    begun, loops = threading.Event(), []

    async def run():
        service = Service(answer, limits)
        loops.extend([asyncio.get_running_loop(), service])
        begun.set()
        await service.run(line)

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    begun.wait(10)
    try:
        yield loops[1]
    finally:
        loops[0].call_soon_threadsafe(loops[1].stop)
        thread.join(10)
        assert not thread.is_alive()


def echo(message):
    return Reply(OTHER, b"X: y\n" + message), None


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.sock"


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_a_message_comes_back_whole(path, size):
    with served(path, echo):
        assert ask_service(str(path), b"a" * size) == Reply(OTHER, b"X: y\n" + b"a" * size)


def test_only_the_owner_may_ask_and_nothing_is_left_behind(path):
    with served(path, echo):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not path.exists()


def test_where_nobody_listens_the_message_stays_as_it_is(path):
    reply = ask_service(str(path), MAIL)
    assert (reply.code, reply.message) == (FAILED, MAIL)
    assert "No such file" in reply.reason


@pytest.mark.parametrize(
    "answer", [b"", b"textnb/1 1 9 \nshort", b"textnb/1 1 1 \nlong", b"HTTP/1.1 200 OK\n\n", b"textnb/1 7 0 \n"]
)
def test_half_an_answer_is_none(answer):
    with pytest.raises(ConnectionError):
        Reply.of(answer)


def test_a_reason_of_two_lines_is_sent_as_one():
    reply = Reply(FAILED, MAIL, "two\nlines")
    assert Reply.of(reply.line + reply.message) == reply._replace(reason="two lines")


def connected(path, sent=b"", ended=False):
    """A client that has sent something and goes no further."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(path))
    with suppress(ConnectionError):
        line.sendall(sent)
        if ended:
            line.shutdown(socket.SHUT_WR)
    return line


@contextmanager
def all_connected(lines):
    """These clients, until the end."""
    with ExitStack() as stack:
        yield [stack.enter_context(line) for line in lines]


@pytest.mark.parametrize("sent", [b"", b"S", b"Subject: half"])
@pytest.mark.parametrize("number", [1, 32, 33, 400])
def test_clients_that_are_silent_do_not_hold_up_the_others(path, number, sent):
    with served(path, echo), all_connected(connected(path, sent) for _ in range(number)) as silent:
        assert ask_service(str(path), MAIL).code == OTHER
        for line in silent:  # all are still connected, so it did not wait for the end of their time
            line.setblocking(False)
            with pytest.raises(BlockingIOError):
                line.recv(1)


def test_a_client_that_was_silent_for_long_gives_way_to_a_new_one(path, monkeypatch):
    monkeypatch.setattr("textnb.mail.service.GRACE_SECONDS", 0.05)
    with served(path, echo, ServiceLimits(clients=4)), all_connected(connected(path) for _ in range(20)):
        for _ in range(5):
            assert ask_service(str(path), MAIL).code == OTHER


def test_clients_who_come_at_once_are_all_answered_however_few_may_be_connected(path):
    with served(path, echo, ServiceLimits(clients=2, threads=1)), ThreadPoolExecutor(40) as threads:
        replies = threads.map(lambda _: ask_service(str(path), MAIL), range(40))
        assert {reply.code for reply in replies} == {OTHER}


@pytest.mark.parametrize("ended", [False, True])
def test_clients_that_send_much_and_go_no_further_take_limited_memory(path, ended, monkeypatch):
    monkeypatch.setattr("textnb.mail.service.GRACE_SECONDS", 0.05)
    size, total, number, held = 1_000_000, 2_000_000, 8, []
    limits = ServiceLimits(longest=total, total=total)
    with served(path, echo, limits) as service, all_connected(connected(path) for _ in range(number)) as lines:
        for line in lines:
            with suppress(ConnectionError):  # it has been disconnected, to make room
                line.sendall(b"a" * size)
                if ended:
                    line.shutdown(socket.SHUT_WR)
            held.append(service._held)
        assert ask_service(str(path), b"a" * size).code == OTHER
    assert size / 2 < max(held) < total + number * 2 * 65536


def test_clients_that_disconnect_at_any_stage_leave_no_traceback(path, caplog):
    stages = [(sent, ended, received) for sent in (0, 1, 9, None) for ended in (0, 1) for received in (0, 1, None)]
    answer = MAIL * 20_000

    def cut_off(stage):
        sent, ended, received = stage
        with suppress(OSError), connected(path, MAIL[:sent], ended) as line:
            line.settimeout(0.001)
            line.recv(len(answer) if received is None else received)

    with served(path, lambda _: (Reply(OTHER, answer), None)), ThreadPoolExecutor(8) as threads:
        list(threads.map(cut_off, stages * 20))
        assert ask_service(str(path), MAIL) == Reply(OTHER, answer)
    gc.collect()  # an exception that nobody has retrieved is logged when its task is collected
    assert {record.name for record in caplog.records} <= {"textnb"}
    assert not [record for record in caplog.records if "could not be answered" in record.getMessage()]


def test_what_follows_an_answer_delays_no_other_answer(path):
    release = threading.Event()
    with served(path, lambda message: (Reply(OTHER, message), release.wait), ServiceLimits(threads=2)):
        for _ in range(50):
            assert ask_service(str(path), MAIL, 5).code == OTHER
        release.set()


def test_a_client_that_does_not_take_its_answer_is_left(path):
    with served(path, lambda _: (Reply(OTHER, b"a" * 5_000_000), None), ServiceLimits(seconds=0.2)):
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(path))
        line.shutdown(socket.SHUT_WR)
        time.sleep(0.5)
        line.settimeout(5)
        got = 0
        with line:
            while piece := _received(line):
                got += len(piece)
        assert got < 5_000_000


def _received(line):
    try:
        return line.recv(1 << 16)
    except ConnectionResetError:
        return b""


def test_a_message_that_is_too_long_is_refused_and_goes_on_as_it_is(path):
    with served(path, echo, ServiceLimits(longest=1000)):
        reply = ask_service(str(path), b"a" * 1001)
        assert (reply.code, reply.message) == (FAILED, b"a" * 1001)
        assert ask_service(str(path), b"a" * 1000).code == OTHER


def test_an_answer_that_fails_fails_alone(path):
    def answer(message):
        return echo(message) if message else 1 / 0

    with served(path, answer):
        assert ask_service(str(path), b"").code == FAILED
        assert ask_service(str(path), MAIL).code == OTHER


def test_what_comes_afterwards_comes_only_to_those_who_have_their_answer(path):
    done, release = [], threading.Event()

    def answer(message):
        if message == b"gone":
            release.wait(5)
        return Reply(OTHER, message), lambda: done.append(message)

    with served(path, answer):
        line = socket.socket(socket.AF_UNIX)
        line.connect(str(path))
        line.sendall(b"gone")
        line.close()
        release.set()
        assert ask_service(str(path), MAIL).code == OTHER
    assert done == [MAIL]


def test_a_socket_left_behind_is_replaced_and_one_in_use_is_not(path):
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    with served(path, echo), pytest.raises(InputError, match="already listens at"):
        listen_at(path)
    path.write_text("mine")
    with pytest.raises(InputError, match="is not a socket"):
        listen_at(path)
    with pytest.raises(InputError, match="cannot listen at"):
        listen_at(path.parent / "nowhere" / "s")


def trained(text="buy pills"):
    return TextClassifier(tokenizer="words", calibrate=False, alpha=0.01).fit([text, "see you"], ["spam", "ham"])


def test_the_model_is_loaded_again_when_its_file_changes(tmp_path):
    model = tmp_path / "m.textnb"
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam", 0.8, thin=1))
    lunch = b"Subject: lunch\n\nbuy lunch"
    assert live.answer(b"Subject: pills\n\nbuy")[0].code == SPAM
    assert live.answer(b"Subject: lunch\n\n")[0].code == UNSURE
    trained("buy lunch").save(model)
    assert live.answer(lunch)[0].code == SPAM
    model.write_bytes(b"damaged")
    assert live.answer(lunch)[0].code == SPAM
    model.unlink()
    assert live.answer(lunch)[0].code == SPAM


def test_a_live_filter_learns_what_it_is_sure_of_once_it_is_delivered(tmp_path):
    model = tmp_path / "m.textnb"
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam", 0.8, thin=1), learns=True)
    reply, afterwards = live.answer(b"Subject: pills\n\nbuy")
    assert reply.code == SPAM
    assert len(TextClassifier.load(model).learnt.digests) == 2
    afterwards()
    assert len(TextClassifier.load(model).learnt.digests) == 3
    careful = LiveFilter(model, Cutoffs("spam", 1.0, 0.0), learns=True)
    assert careful.answer(b"Subject: pills\n\nbuy")[1] is None


def test_what_a_live_filter_cannot_judge_comes_back_as_it_is(tmp_path, monkeypatch):
    model = tmp_path / "m.textnb"
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam"))
    monkeypatch.setattr(live, "current", lambda: 1 / 0)
    assert live.answer(MAIL) == (Reply(FAILED, MAIL, "division by zero"), None)


def test_a_live_filter_needs_a_model_to_begin_with(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        LiveFilter(tmp_path / "none", Cutoffs())
