"""A password from a file or a command; it is never shown."""

import os
import shlex
import stat
import subprocess
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textnb.errors import InputError, ParameterError

_COMMAND_TIMEOUT_SECONDS = 120.0
"""The command may have to ask its user."""

_MIN_LEAK_LENGTH = 4
"""Characters of a password whose appearance in a text is not a coincidence."""


class Password:
    """Secret whose ``repr`` does not show it.

    >>> Password("hunter2"), Password("hunter2").appears_in("NO hunter-2 is wrong")
    (Password(...), True)
    """

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return "Password(...)"

    def appears_in(self, text: str, user: str = "") -> bool:
        """Return whether a text repeats any piece of the password, plain or in base64 as it was sent."""
        coded = b64encode(f"\0{user}\0{self.secret}".encode()).decode("ascii")
        return any(piece in text for form in (self.secret, coded) for piece in _pieces(form))


def _pieces(form: str) -> list[str]:
    return [form[i : i + _MIN_LEAK_LENGTH] for i in range(max(1, len(form) - _MIN_LEAK_LENGTH + 1))]


AskPassword = Callable[[], Password]


def password_source(*, command: str | None, file: Path | None) -> AskPassword:
    """Function that gets the password from a command or a file; it is called for each connection."""
    if (command is None) == (file is None):
        raise ParameterError("give either --password-command COMMAND or --password-file FILE")
    if file is not None:
        return partial(_read_file, file)
    assert command is not None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ParameterError("--password-command cannot be parsed: {reason}", reason=error) from error
    if not words:
        raise ParameterError("--password-command is empty; name a command")
    return partial(_run_command, words)


def _read_file(path: Path) -> Password:
    """Password from the first line of a file that only its owner may read."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # do not wait for the writer of a pipe
    except OSError as error:
        raise InputError("password file {path} cannot be read: {why}", path=path, why=error.strerror) from error
    try:
        found = os.fstat(handle).st_mode
        if not stat.S_ISREG(found):
            raise InputError("password file {path} is not a regular file", path=path)
        if os.name == "posix" and stat.S_IMODE(found) not in (0o600, 0o400):
            template = "password file {path} has mode {mode:04o} and must have 0600; run chmod 600 {path}"
            raise InputError(template, path=path, mode=stat.S_IMODE(found))
        return _first_line(os.read(handle, 1 << 16), f"the password file {path}")
    finally:
        os.close(handle)


def _run_command(words: list[str]) -> Password:
    """Password from the first line that a command prints.

    The command runs without a shell; for a pipe, use ``sh -c``. Messages show only the command's name, since its
    arguments may be secret as well.
    """
    what = f"the password command {words[0]!r}"
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, timeout=_COMMAND_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InputError("{what} took over {s:g} seconds", what=what, s=_COMMAND_TIMEOUT_SECONDS) from None
    except OSError as error:
        raise InputError("{what} cannot be run: {reason}", what=what, reason=error.strerror) from None
    if done.returncode:
        raise InputError("{what} failed with exit code {code}", what=what, code=done.returncode)
    return _first_line(done.stdout, what)


def _first_line(written: bytes, what: str) -> Password:
    line = written.partition(b"\n")[0].removesuffix(b"\r")
    try:
        secret = line.decode("utf-8")
    except UnicodeDecodeError:  # its message would show a part of the password
        raise InputError("the first line of {what} is not UTF-8", what=what) from None
    if not secret or "\0" in secret:
        raise InputError("the first line of {what} is not a password", what=what)
    return Password(secret)
