"""A password, from a file or from a command; it is shown nowhere."""

import os
import shlex
import stat
import subprocess
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textnb.errors import InputError

_SECONDS = 120.0
"""How long a command may take: it may have to ask its user."""

_PIECE = 4
"""Characters of a password that are no coincidence."""


class Password:
    """A secret that does not get into messages by accident.

    >>> Password("hunter2"), Password("hunter2").appears_in("NO hunter-2 is wrong")
    (Password(...), True)
    """

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return "Password(...)"

    def appears_in(self, text: str, user: str = "") -> bool:
        """Whether a server repeats what it was sent, in words or in base64: any piece of it, however it is quoted."""
        coded = b64encode(f"\0{user}\0{self.secret}".encode()).decode("ascii")
        return any(piece in text for form in (self.secret, coded) for piece in _pieces(form))


def _pieces(form: str) -> list[str]:
    return [form[i : i + _PIECE] for i in range(max(1, len(form) - _PIECE + 1))]


AskPassword = Callable[[], Password]


def password_source(*, command: str | None, file: Path | None) -> AskPassword:
    """The one way that was given; it is asked at each connection, so that a new password is heard of."""
    if (command is None) == (file is None):
        raise InputError("say where the password is: --password-command COMMAND or --password-file FILE, one of them")
    if file is not None:
        return partial(_of_file, file)
    assert command is not None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--password-command cannot be read: {error}") from error
    if not words:
        raise InputError("--password-command names no command")
    return partial(_of_command, words)


def _of_file(path: Path) -> Password:
    """The first line of a file that nobody else may read."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # nor wait for who writes into a pipe
    except OSError as error:
        raise InputError(f"the password file {path} cannot be read: {error.strerror}") from error
    try:
        found = os.fstat(handle).st_mode
        if not stat.S_ISREG(found):
            raise InputError(f"the password file {path} is no ordinary file")
        if os.name == "posix" and stat.S_IMODE(found) not in (0o600, 0o400):
            mode = stat.S_IMODE(found)
            raise InputError(f"the password file {path} has mode {mode:04o}, and must have 0600: chmod 600 {path}")
        return _first_line(os.read(handle, 1 << 16), f"the password file {path}")
    finally:
        os.close(handle)


def _of_command(words: list[str]) -> Password:
    """The first line that a command writes.

    No shell is between: the words are what was written, whatever signs are in them. Who wants a pipe says ``sh -c``.
    Only the command's name is ever told, for its arguments may be secrets as well.
    """
    what = f"the password command {words[0]!r}"
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"{what} has not ended after {_SECONDS:g} seconds") from None
    except OSError as error:
        raise InputError(f"{what} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise InputError(f"{what} failed, with exit code {done.returncode}")
    return _first_line(done.stdout, what)


def _first_line(written: bytes, what: str) -> Password:
    line = written.partition(b"\n")[0].removesuffix(b"\r")
    try:
        secret = line.decode("utf-8")
    except UnicodeDecodeError:  # its message would tell a part of it
        raise InputError(f"{what} gives a first line that is not UTF-8") from None
    if not secret or "\0" in secret:
        raise InputError(f"{what} gives no password in its first line")
    return Password(secret)
