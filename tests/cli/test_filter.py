"""Mail on the command line: filtered whatever happens, learnt, unlearnt."""

import io
import os
import signal
import subprocess
import sys

import pytest

import textnb.__main__
from textnb.cli import main
from textnb.mail.protocol import ask_service

PILLS = "From a@example.jp Fri Jan  2 03:04:05 2026\nSubject: 薬\nX-Textnb: class=ham;\n forged\n\n安い薬 安い薬\n"
LUNCH = "Subject: 昼食\r\n\r\n昼食 会議\r\n"
TEXTNB = [sys.executable, "-m", "textnb"]


def test_a_mail_goes_through_with_a_verdict_and_nothing_else_is_changed(run, mail_model):
    done = run("filter", mail_model, "--spam", "迷惑", stdin=PILLS).ok
    from_line, field, rest = done.out.split("\n", 2)
    assert field.startswith("X-Textnb: class*=utf-8''%E8%BF%B7%E6%83%91; probability=")
    assert field.endswith("; unsure=no")
    assert f"{from_line}\n{rest}" == PILLS.replace("X-Textnb: class=ham;\n forged\n", "")
    assert done.err == ""


def test_without_spam_the_likeliest_class_is_named(run, mail_model):
    done = run("filter", mail_model, stdin=LUNCH)
    assert done.out.startswith("X-Textnb: class=ham; probability=")
    assert done.out.endswith("; unsure=no\r\n" + LUNCH)
    assert "unsure=yes" in run("filter", mail_model, "--unsure", "1", stdin="Subject: x\n\n").out


@pytest.mark.parametrize(("mail", "code"), [(PILLS, 0), (LUNCH, 1), ("Subject: none\n\n", 2)])
def test_exit_codes_are_those_of_bogofilter_where_they_are_asked_for(run, mail_model, mail, code):
    assert run("filter", mail_model, "-e", "--spam", "迷惑", stdin=mail).code == code
    assert run("filter", mail_model, "--spam", "迷惑", stdin=mail).code == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere.textnb", "--spam", "x"], "nowhere.textnb"),
        (["damaged.textnb", "--spam", "x"], "damaged.textnb"),
        (["mail.textnb", "--spam", "junk"], "'junk' is not among the model's classes"),
        (["mail.textnb", "--spam", "ham", "--spam-cutoff", "0.01"], "must satisfy 0 <= good < spam <= 1"),
        (["mail.textnb", "--spam", "ham", "--unsure", "0.5"], "not --unsure"),
        (["mail.textnb", "--good-cutoff", "0.5"], "need a class; add --spam CLASS"),
        (["mail.textnb", "--spam", "ham", "--spam-cutoff", "high"], "'--spam-cutoff'"),
        (["mail.textnb", "--no-such-option"], "No such option"),
        (["mail.textnb", "--socket", "s.sock"], "textnb filterd was started with"),
        (["--socket", "s.sock"], "s.sock"),
        ([], "name a model file"),
    ],
)
def test_on_any_error_the_mail_goes_through_as_it_is(run, mail_model, arguments, error):
    (mail_model.parent / "damaged.textnb").write_bytes(b"PK\x03\x04 no model")
    done = run("filter", *arguments, stdin=PILLS)
    assert (done.code, done.out) == (0, PILLS)
    assert error in done.err
    assert done.err.startswith("textnb: the mail is passed on unchanged: ")
    assert done.err.count("\n") == 1
    assert run("filter", *arguments, "-e", stdin=PILLS).code == 3


@pytest.mark.parametrize("least", [0, 1])
@pytest.mark.parametrize("size", [1, 100, 70_000, 300_000])
def test_a_mail_beyond_the_largest_size_goes_through_as_it_is(run, mail_model, size, least):
    mail = ("Subject: x\n\n" + "text " * size)[: size + least]
    done = run("filter", mail_model, "--max-size", str(size), "-e", "--spam", "迷惑", stdin=mail)
    if least:
        assert (done.code, done.out) == (3, mail)
        template = (
            "textnb: the mail is passed on unchanged: it has more than {:,} bytes; to filter it, increase --max-size\n"
        )
        assert done.err == template.format(size)
    else:
        assert done.code < 3
        assert done.out.endswith(mail) or size == 1
        assert "X-Textnb: " in done.out


def test_wrong_arguments_pass_on_a_mail_of_any_size(run, mail_model):
    mail = "Subject: x\n\n" + "text " * 100_000
    done = run("filter", mail_model, "--max-size", "0", "-e", stdin=mail)
    assert (done.code, done.out) == (3, mail)


def test_a_mail_beyond_the_limit_of_the_service_goes_through_as_it_is(monkeypatch, capfdbinary, tmp_path):
    monkeypatch.setattr("textnb.mail.protocol.MAX_MESSAGE_BYTES", 1000)
    for size in (1000, 1001, 200_000):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a" * size)))
        assert textnb.__main__._ask(str(tmp_path / "s.sock"), True) == 3
        assert capfdbinary.readouterr().out == b"a" * size


def test_exit_codes_need_a_class_of_spam(run, mail_model):
    done = run("filter", mail_model, "-e", stdin=LUNCH)
    assert (done.code, done.out) == (3, LUNCH)
    assert "--spam CLASS" in done.err


def test_help_reads_no_mail(run):
    done = run("filter", "--help", stdin=PILLS).ok
    assert "Usage" in done.out
    assert "安い" not in done.out


def test_a_mail_that_cannot_be_written_is_not_said_to_have_gone_through(mail_model, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["textnb", "filter", str(mail_model)])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PILLS.encode())))
    with open("/dev/full", "w") as full, pytest.raises(SystemExit) as end:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdout", full)
        main()
    assert end.value.code == 3
    assert "could not be written: [Errno 28]" in capsys.readouterr().err


def test_the_filter_learns_what_it_is_sure_of(run, mail_model):
    for _ in range(2):
        assert run("filter", mail_model, "--spam", "迷惑", "--learn", stdin=PILLS).err == ""
    assert run("filter", mail_model, "--spam", "迷惑", "--learn", stdin="Subject: x\n\n").err == ""
    assert run("unlearn", mail_model, "--as", "迷惑", stdin=PILLS).err == f"unlearnt; {mail_model} has 4 documents\n"


def test_learning_counts_a_mail_once_and_moves_it(run, mail_model):
    def told(*arguments):
        done = run(*arguments, stdin=PILLS)
        assert (done.code, done.out) == (0, "")
        return done.err.partition(";")[0], done.err.split()[-2]

    assert told("learn", mail_model, "--as", "ham") == ("learnt", "5")
    assert told("learn", mail_model, "--as", "ham") == ("known already, so nothing was changed", "5")
    assert told("learn", mail_model, "--as", "迷惑", "--was", "ham") == ("moved", "5")
    assert told("unlearn", mail_model, "--as", "迷惑") == ("unlearnt", "4")
    assert told("learn", mail_model, "--as", "friends", "--new") == ("learnt", "5")
    assert told("refit", mail_model) == ("refitted", "5")


def test_what_cannot_be_learnt_is_said_in_a_line(run, mail_model):
    for arguments, error in (
        (("learn", mail_model, "--as", "spma"), "use --new to add it"),
        (("unlearn", mail_model, "--as", "ham"), "never learnt as 'ham'"),
        (("learn", "nowhere.textnb", "--as", "ham"), "train a model first"),
    ):
        assert error in run(*arguments, stdin=PILLS).refusal
    assert "standard input is empty" in run("learn", mail_model, "--as", "ham", stdin="\n").err


def test_a_service_filters_for_its_client_until_it_is_told_to_stop(run, mail_model, tmp_path):
    place = tmp_path / "textnb.sock"
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    command = [*TEXTNB, "filterd", str(mail_model), "--spam", "迷惑"]
    service = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr.readline() == f"textnb: listening at {place}\n"
        code = "import sys; from textnb.__main__ import main\ntry: main()\nfinally: assert 'numpy' not in sys.modules"
        client = [sys.executable, "-c", code, "filter", "--socket", str(place), "-e"]
        asked = subprocess.run(client, input=PILLS.encode(), capture_output=True, check=False)
        alone = run("filter", mail_model, "-e", "--spam", "迷惑", stdin=PILLS)
        assert (asked.returncode, asked.stdout.decode(), asked.stderr) == (0, alone.out, b"")
        assert run("filter", "--socket", place, "-e", stdin=LUNCH).code == 1
        learn = ["learn", "--socket", str(place), "--as", "ham"]
        taught, again = (
            subprocess.run([*client[:3], *learn, *more], input=b"Subject: x\n\nnew\n", capture_output=True, check=False)
            for more in ([], ["--quiet"])
        )
        assert (taught.returncode, taught.stdout, taught.stderr) == (0, b"", b"learnt\n")
        assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")
        assert run(*learn, stdin="Subject: x\n\nnew\n").err == "known already, so nothing was changed\n"
        refused = subprocess.run([*client[:3], *learn[:-1], "hma"], input=b"x", capture_output=True, check=False)
        assert (refused.returncode, refused.stderr.count(b"\n")) == (1, 1)
        assert refused.stderr.decode() == run(*learn[:-1], "hma", stdin="x").err
        service.send_signal(signal.SIGTERM)
        assert service.wait(20) == 0
        assert not place.exists()
        assert ask_service(str(place), LUNCH.encode()).message == LUNCH.encode()
    finally:
        service.kill()
        service.communicate()


def test_a_service_must_know_where_to_listen(run, mail_model, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert "--socket PATH" in run("filterd", mail_model).refusal
