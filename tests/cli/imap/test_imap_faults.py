"""What can go wrong with textnb imap is one line, without the password in it."""

import sys
import threading

import pytest
from dovecot import PASSWORD, certify
from imap_lines import END, saying
from mailbox_of_user import SPAM, mail


def check_no_password(done, secret, code=1):
    assert done.code == code
    assert done.err.count("\n") == 1
    assert not any(part in done.out + done.err for part in (secret, "hunter2", "ひみつ"))


def test_a_wrong_password_is_one_line_and_told_nowhere(imap, box, secret):
    secret.write_text("hunter3 ひみつ\n")
    done = imap(box)
    check_no_password(done, "hunter3", code=77)
    assert f"check --user ({box.user}) and the password" in done.err


def test_a_server_that_repeats_the_password_is_not_repeated(imap, stranger, secret):
    def echo(tag, command):
        if command.startswith(b"CAPABILITY"):
            return b"* CAPABILITY IMAP4rev1" + END + tag + b" OK done" + END
        return tag + b" NO you said: " + command + END

    secret.write_text('hunter2"x')
    with saying(echo) as port:
        done = imap(stranger, port=port)
    check_no_password(done, "hunter2", code=77)
    assert "refuses the login and repeats the password" in done.err


def test_the_password_comes_from_a_command_without_a_shell(run, box, model):
    way = ["--host", "127.0.0.1", "--user", box.user, "--plain", "--port", box.server.plain]
    command = f"printf '%s\\n%s' '{PASSWORD}' '; $(exit 1)'"
    assert run("imap", model, *way, "--password-command", command).code == 0


def test_certificates_are_verified(run, box, model, secret, tmp_path):
    def tls(*arguments, host="localhost", port=box.server.tls):
        return run(
            "imap", model, "--host", host, "--port", port, "--user", box.user, "--password-file", secret, *arguments
        )

    own = box.server.certificate
    for done in (tls(), tls("--starttls", port=box.server.plain)):
        assert "is not valid for localhost: self-signed certificate" in done.err
        check_no_password(done, PASSWORD, code=77)
    assert tls("--cafile", own).code == 0
    assert tls("--starttls", "--cafile", own, port=box.server.plain).code == 0
    wrong = tls("--cafile", own, host="127.0.0.1")
    assert "certificate is not valid for '127.0.0.1'" in wrong.err
    certify(tmp_path, "localhost")
    assert "is not valid for localhost" in tls("--cafile", tmp_path / "cert.pem").err
    assert "if the port is not for TLS, use --starttls" in tls("--cafile", own, port=box.server.plain).err
    check_no_password(wrong, PASSWORD, code=77)
    for done in (tls("--cafile", secret), tls("--cafile", own, port=1)):
        check_no_password(done, PASSWORD)


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request", b"* BYE go away", b"\xff\x00" * 50])
def test_a_server_that_is_none_is_one_line(imap, stranger, greeting):
    with saying(lambda *_: None, greeting) as port:
        check_no_password(imap(stranger, port=port), PASSWORD)


@pytest.mark.parametrize("fault", [b"EXAMINE", b"LIST", b"UID SEARCH", b"UID FETCH"])
@pytest.mark.parametrize("answer", [b"* 7 NONSENSE (((", b"+ go on", b"", None, b"{no"])
def test_nonsense_at_any_time_is_one_line(imap, stranger, fault, answer):
    def serve(tag, command):
        if command.startswith(fault):
            return None if answer is None else answer + END + tag + b" NO never" + END
        said = {
            b"CAPABILITY": b"* CAPABILITY IMAP4rev1" + END,
            b"LIST": b'* LIST () "/" INBOX' + END,
            b"EXAMINE": b"* 1 EXISTS" + END + b"* OK [UIDVALIDITY 3] x" + END + b"* OK [UIDNEXT 8] x" + END,
            b"UID SEARCH": b"* SEARCH 7" + END,
            b"UID FETCH": b"* 1 FETCH (UID 7 RFC822.SIZE 3 FLAGS ())" + END,
        }
        return next((text for key, text in said.items() if command.startswith(key)), b"") + tag + b" OK" + END

    with saying(serve) as port:
        done = imap(stranger, "--timeout", "5", port=port)
    assert done.code == 1
    assert len(done.err.splitlines()) <= 2
    assert "Traceback" not in done.err


def test_a_server_that_is_silent_is_not_waited_for(imap, stranger):
    release = threading.Event()
    with saying(lambda *_: release.wait(5) and None) as port:
        done = imap(stranger, "--timeout", "0.2", port=port)
        release.set()
    check_no_password(done, PASSWORD)
    assert "no answer in time" in done.err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--apply"], "nothing to do"),
        (["--move", "迷惑="], "write a name after"),
        (["--move", "迷惑=a\rb", "--apply"], "cannot be a folder's name"),
        (["--folder", "a//b"], "cannot be a folder's name"),
        (["--move", "ham=a//b"], "cannot be a folder's name"),
        (["--unsure-to", "a//b"], "cannot be a folder's name"),
        (["--learn", "INBOX=ham", "--learn", "inbox=迷惑"], "two classes"),
        (["--flag", "迷惑=\\Deleted"], "cannot be set"),
        (["--flag", "迷惑=a(b"], "cannot be set"),
        (["--learn", "Junk=ham", "--learn", "Junk=迷惑"], "two classes"),
        (["--starttls"], "use one of them"),
        (["--learn", "Junk"], "--learn takes FOLDER=CLASS"),
        (["--password-command", "true"], "give either --password-command"),
    ],
)
def test_wrong_options_are_said_in_a_line_with_exit_code_2(imap, box, arguments, error):
    box.deliver(mail("pills", SPAM))
    done = imap(box, *arguments)
    assert (done.code, error in done.err, done.err.count("\n")) == (2, True, 1)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--move", "junk=Junk"], "'junk' is not among the model's classes"),
        (["--folder", "nowhere"], "ailbox doesn't exist: nowhere"),
        (["--learn", "Junk=spam"], "--learn takes FOLDER=CLASS"),
    ],
)
def test_what_the_model_or_the_server_lacks_is_said_in_a_line(imap, box, arguments, error):
    box.deliver(mail("pills", SPAM))
    done = imap(box, *arguments)
    assert (done.code, error in done.err, done.err.count("\n")) == (1, True, 1)


@pytest.mark.parametrize("arguments", [["--timeout", "0"], ["--timeout", "1e300"], ["--timeout", "nan"]])
def test_the_time_to_wait_is_between_a_moment_and_a_day(imap, stranger, arguments):
    done = imap(stranger, *arguments)
    assert (done.code, "--timeout" in done.err) == (2, True)


def test_nothing_is_sent_in_the_clear_to_other_machines(imap, stranger):
    assert "use --starttls, or add --insecure" in imap(stranger, host="imap.example.jp").misuse


def test_host_and_user_are_needed(run, model):
    assert run("imap", model, "--user", "me").code == 2


def test_without_imapclient_the_extra_is_named(imap, stranger, monkeypatch):
    monkeypatch.setitem(sys.modules, "imapclient", None)
    done = imap(stranger)
    assert (done.code, done.err) == (1, "textnb: IMAP needs the package IMAPClient; run pip install 'textnb[imap]'\n")
