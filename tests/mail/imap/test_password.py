"""Passwords: where they come from, and where they never appear."""

import os
import shlex
import sys

import pytest

from textnb.errors import InputError
from textnb.mail.imap.password import Password, password_source

SECRET = "hunter2 'ひみつ\""


def of(text, path, mode=0o600):
    path.write_bytes(text)
    path.chmod(mode)
    return password_source(command=None, file=path)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nanother line\n"])
def test_the_first_line_of_a_file_is_the_password(tmp_path, end):
    assert of((SECRET + end).encode(), tmp_path / "p")().secret == SECRET


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o700])
def test_a_file_that_others_may_read_is_refused_with_the_remedy(tmp_path, mode):
    path = tmp_path / "p"
    with pytest.raises(InputError, match=f"has mode {mode:04o} and must have 0600; run chmod 600 {path}"):
        of(b"secret", path, mode)()
    assert of(b"secret", path, 0o400)().secret == "secret"


def test_what_is_no_password_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    regular = "not a regular file"
    for path, error in (("none", "cannot be read: No such file"), ("pipe", regular), ("", regular)):
        with pytest.raises(InputError, match=error):
            password_source(command=None, file=tmp_path / path)()
    for content in (b"", b"\nsecond", b"\xff\xfe", b"a\0b"):
        with pytest.raises(InputError) as error:
            of(content, tmp_path / "p")()
        assert "first line" in str(error.value)


def test_a_command_is_run_as_it_is_written_and_by_no_shell(tmp_path):
    code = f"print({SECRET!r}); print('more')"
    command = shlex.join([sys.executable, "-c", code]) + " $(touch made) > made; touch made"
    assert password_source(command=command, file=None)().secret == SECRET
    assert not list(tmp_path.parent.glob("made"))


def test_of_a_command_that_fails_only_the_name_is_told():
    for command, error in (
        ("false secret", "'false' failed with exit code 1"),
        ("no-such-command secret", "cannot be run"),
        ("true secret", "first line of the password command .true. is not a password"),
    ):
        with pytest.raises(InputError, match=error) as raised:
            password_source(command=command, file=None)()
        assert "secret" not in str(raised.value)


def test_there_is_one_way_to_the_password(tmp_path):
    for command, file in ((None, None), ("true", tmp_path / "p"), ("", None), ("'open", None)):
        with pytest.raises(InputError, match="--password-command"):
            password_source(command=command, file=file)


def test_a_password_is_not_shown_and_is_noticed_in_any_form():
    password = Password('hunter2"x')
    assert "hunter" not in f"{password} {password!r}"
    for text in ('LOGIN me "hunter2\\"x"', "AG1lAGh1bnRlcjIieA==", "unter"):
        assert password.appears_in(text, "me")
    assert not password.appears_in("[AUTHENTICATIONFAILED] Authentication failed.", "me")
    assert Password("abc").appears_in("xabcx")
