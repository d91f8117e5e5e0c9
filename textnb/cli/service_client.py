"""The client of ``textnb filterd`` that corrects its model; it loads neither numpy nor models, for it runs per mail."""

from collections.abc import Mapping
from pathlib import Path

from textnb.cli.terminal import fail, prepare_streams, say, say_if_typing
from textnb.errors import InputError, Phrase, TextnbError
from textnb.mail.protocol import FAILED, Lesson, ask_to_correct, read_stdin

_EMPTY = "standard input is empty; give one mail, as in: textnb learn MODEL --as CLASS < mail"


def main(verb: str, given: Mapping[str, str]) -> None:
    """Run ``textnb learn`` or ``unlearn`` with these options, flags as ""; an error is one line and exit code 1."""
    prepare_streams()
    lesson = Lesson(verb, given["--as"], given.get("--was"), "--new" in given)
    try:
        correct_by_service(Path(given["--socket"]), lesson, read_mail(), quiet=bool({"-q", "--quiet"} & given.keys()))
    except (TextnbError, OSError) as error:
        fail(error)


def read_mail() -> bytes:
    """Read one mail from standard input; an empty one is refused."""
    say_if_typing("reading mail from the terminal; end it with {keys}")
    message = read_stdin()
    if not message.strip():
        raise InputError(_EMPTY)
    return message


def correct_by_service(socket: Path, lesson: Lesson, message: bytes, *, quiet: bool) -> None:
    """Let the service at a socket learn or unlearn a mail, and say what was done."""
    reply = ask_to_correct(str(socket), lesson, message)
    if reply.code == FAILED:
        raise InputError("{reason}", reason=reply.reason)
    if not quiet:
        say("{done}", done=Phrase(reply.reason))
