"""The service on its socket: whole answers for good clients, and no harm from bad ones."""

import asyncio
import gc
import os
import socket
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest
from on_words import classifier_on_words

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.mail.corrections import REST_SECONDS
from textnb.mail.decision import Cutoffs, mail_document
from textnb.mail.live_filter import LiveFilter
from textnb.mail.protocol import FAILED, OTHER, SPAM, UNSURE, Lesson, Reply, ask_service, ask_to_correct
from textnb.mail.service import Service, ServiceLimits, listen_at

MAIL = b"Subject: a\n\nhello\n"


@contextmanager
def served(path, answer, limits=None, tidy=None):
    """A service in a thread of its own."""
    line = listen_at(path)
    begun, loops = threading.Event(), []

    async def run():
        service = Service(answer, limits, tidy)
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


def test_a_model_that_is_shortened_in_place_does_not_stop_the_service(tmp_path):
    model = tmp_path / "m.textnb"
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam", 0.8, thin=1))
    before = live.answer(MAIL)[0]
    os.truncate(model, 0)
    assert live.answer(MAIL)[0] == before
    assert before.code != FAILED


def test_a_service_maps_no_model_whatever_it_does(tmp_path, monkeypatch):
    model, now = tmp_path / "m.textnb", [1_000_000_000.0]
    trained().save(model)
    monkeypatch.setattr("time.time", lambda: now[0])
    monkeypatch.setattr("textnb.files.bundle.mmap.mmap", None)  # calling it fails
    live = LiveFilter(model, Cutoffs("spam", 0.8, thin=1), learns=True)
    live.answer(b"Subject: pills\n\nbuy")[1]()
    live.answer(Lesson("learn", "ham").request(b"Subject: lunch\n\nlunch"))[1]()
    live.answer(Lesson("unlearn", "ham").request(b"Subject: lunch\n\nlunch"))
    now[0] += REST_SECONDS
    live.fold_if_rested()
    monkeypatch.undo()
    loaded = TextClassifier.load(model)
    assert (loaded.state.n_pending, len(loaded.learnt.digests)) == (0, 3)


def test_a_live_filter_learns_what_a_client_asks_and_the_next_answer_knows_it(tmp_path, path):
    model = tmp_path / "m.textnb"
    texts = [f"{text} {n}" for n in range(60) for text in ("buy pills", "see you")]
    classifier_on_words(tokenizer="words").fit(texts, ["spam", "ham"] * 60).save(model)
    before, live = model.read_bytes(), LiveFilter(model, Cutoffs("spam"))
    mail = b"Subject: pills\n\npills for lunch, pills"

    def spam():
        return float(live.current().classifier.predict_proba([mail.decode()])[0, 1])

    first = spam()
    with served(path, live.answer):
        asked = [
            ask_to_correct(str(path), lesson, mail)
            for lesson in (
                Lesson("learn", "ham"),
                Lesson("learn", "ham"),
                Lesson("learn", "spam"),
                Lesson("learn", "spam", was="ham"),
                Lesson("unlearn", "spam"),
                Lesson("learn", "ham"),
            )
        ]
        reply = ask_service(str(path), mail)
    assert [each.code for each in asked] == [0, 0, 3, 0, 0, 0]
    assert [each.reason.split(",")[0] for each in asked if each.code == 0] == [
        "learnt",
        "known already",
        "moved",
        "unlearnt",
        "learnt",
    ]
    assert "was learnt as ham; use --was ham" in asked[2].reason
    assert reply.message.endswith(mail)
    assert spam() < first
    assert model.read_bytes() == before
    assert TextClassifier.load(model).learnt_as(mail_document(mail)) == ["ham"]


LINES = [b"{}", b"[]", b"", b"{", b'{"do": "learn", "as": 1}', b'{"do": "x", "as": "ham"}', b"[" * 9999]


@pytest.mark.parametrize("line", LINES)
def test_half_a_lesson_is_refused(tmp_path, line):
    trained().save(tmp_path / "m.textnb")
    reply, follow_up = LiveFilter(tmp_path / "m.textnb", Cutoffs("spam")).answer(b"\0textnb/1 " + line + b"\nmail")
    assert (reply.code, reply.message, follow_up) == (3, b"", None)
    assert reply.reason == "the line before the message is not a lesson"


def test_a_message_that_looks_like_a_lesson_is_passed_on(path):
    with served(path, echo):
        message = Lesson("learn", "spam").request(b"mail")
        reason = f"{path}: the message starts as a correction of the model does"
        assert ask_service(str(path), message) == (3, message, reason)


def test_a_live_filter_folds_the_journal_when_it_is_due(tmp_path):
    model = tmp_path / "m.textnb"
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam"))
    reply, fold = live.answer(Lesson("learn", "ham").request(b"Subject: lunch\n\nlunch"))
    assert reply.code == 0
    assert TextClassifier.load(model).state.n_pending == 1
    fold()
    assert TextClassifier.load(model).state.n_pending == 0
    assert TextClassifier.load(model).learnt_as(mail_document(b"Subject: lunch\n\nlunch")) == ["ham"]


def test_a_service_tidies_regularly_and_an_error_there_affects_nobody(path, monkeypatch):
    monkeypatch.setattr("textnb.mail.service.TIDY_SECONDS", 0.01)
    calls, often = [], threading.Event()

    def tidy():
        calls.append(1)
        if len(calls) == 3:
            often.set()
        raise ZeroDivisionError

    with served(path, echo, tidy=tidy):
        assert often.wait(10)
        assert ask_service(str(path), MAIL).message == b"X: y\n" + MAIL


def test_a_live_filter_folds_the_journal_after_a_rest(tmp_path, monkeypatch):
    model, now = tmp_path / "m.textnb", [1_000_000_000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    trained().save(model)
    live = LiveFilter(model, Cutoffs("spam"))
    live.fold_if_rested()
    live.answer(Lesson("learn", "ham").request(b"Subject: lunch\n\nlunch"))
    now[0] += REST_SECONDS - 1
    live.fold_if_rested()
    assert TextClassifier.load(model).state.n_pending == 1
    now[0] += 1
    live.fold_if_rested()
    assert TextClassifier.load(model).state.n_pending == 0
    assert live.current().classifier.learnt_as(mail_document(b"Subject: lunch\n\nlunch")) == ["ham"]
    live.answer(Lesson("unlearn", "ham").request(b"Subject: lunch\n\nlunch"))
    model.unlink()
    now[0] += REST_SECONDS
    live.fold_if_rested()  # no model, no error
