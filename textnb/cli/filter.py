"""textnb filter: a mail through, whatever happens.

From the moment it has been read the mail is written, with a verdict or as it was; a mistake in the arguments, too, lets
it through. Where it could not be written the exit code says so, and who called us still has it.

textnb filterd.
"""

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import Judging
from textnb.cli.terminal import one_line, say
from textnb.errors import InputError
from textnb.mail.corrections import learn_decided
from textnb.mail.filter import MailFilter, Verdict
from textnb.mail.live_filter import LiveFilter
from textnb.mail.protocol import FAILED, ask_service, read_stdin, write_stdout

if TYPE_CHECKING:
    import socket as sockets

    from textnb.mail.service import Service

_EXIT_CODES = ("-e", "--exit-code")


class _Outcome(NamedTuple):
    message: bytes
    code: int
    verdict: Verdict | None = None


def filter(
    judging: Judging,
    model: Annotated[Path | None, typer.Argument(metavar="[MODEL]", help="A model file.", show_default=False)] = None,
    socket: Annotated[
        Path | None, typer.Option("--socket", metavar="PATH", help="Ask `textnb filterd` in place of a model.")
    ] = None,
    exit_code: Annotated[
        bool, typer.Option(*_EXIT_CODES, help="Exit with 0 for the class of --spam, 1 another, 2 unsure, 3 an error.")
    ] = False,
    learn: Annotated[bool, typer.Option("--learn", help="Learn what was decided, where it was not unsure.")] = False,
    trust: inputs.Trust = None,
) -> None:
    """A mail from standard input to standard output, with a field that tells what it is:

        X-Textnb: class=spam; probability=0.998877; unsure=no

    Examples:

        textnb filter mail.textnb --spam spam < mail

        textnb filter --socket /run/user/1000/textnb.sock < mail

    Nothing else is changed, but that earlier X-Textnb fields are taken out. On any error the mail goes through as it
    is, with one line on standard error, and the exit code is 0 unless `-e` asks for another.
    """
    message = read_stdin()
    try:
        if exit_code and judging.spam is None and socket is None:
            raise InputError("-e needs to know which class is spam: --spam CLASS")
        outcome = (
            _asked(socket, model, judging, learn, message) if socket else _filtered(model, judging, trust, message)
        )
    except Exception as error:  # whatever it is, the mail goes on
        outcome = _Outcome(message, _failed(error))
    _write(outcome.message)
    if learn and outcome.verdict is not None and not outcome.verdict.unsure and model is not None:
        try:
            learn_decided(model, message, outcome.verdict, tuple(trust or ()))
        except Exception as error:  # the mail has gone through, with its verdict
            say(f"textnb: the mail was filtered but not learnt: {one_line(error)}")
    raise typer.Exit(outcome.code if exit_code else 0)


def run_filter(app: typer.Typer) -> int:
    """Run ``textnb filter``; a mistake in its arguments lets the mail through, too."""
    try:
        return int(app(standalone_mode=False) or 0)
    except Exception as error:
        if not hasattr(error, "format_message"):  # what typer's own errors have: they come before anything is read
            raise
        code = _failed(error.format_message())
        _write(read_stdin())
        return code if any(name in sys.argv for name in _EXIT_CODES) else 0


def _filtered(model: Path | None, judging: Judging, trust: list[str] | None, message: bytes) -> _Outcome:
    if model is None:
        raise InputError("name a model file, or the socket of textnb filterd: --socket PATH")
    cutoffs = judging.cutoffs
    filtered = MailFilter(TextClassifier.load(model, trust or ()), cutoffs)(message)
    return _Outcome(filtered.message, filtered.verdict.code(cutoffs.spam), filtered.verdict)


def _asked(socket: Path, model: Path | None, judging: Judging, learn: bool, message: bytes) -> _Outcome:
    if model is not None or judging != Judging() or learn:
        raise InputError("with --socket the model and how it decides are those that textnb filterd was started with")
    reply = ask_service(str(socket), message)
    if reply.code == FAILED:
        _failed(reply.reason)
    return _Outcome(reply.message, reply.code)


def _failed(error: object) -> int:
    say(f"textnb: the mail goes through as it is: {one_line(error)}")
    return FAILED


def _write(message: bytes) -> None:
    try:
        write_stdout(message)
    except OSError as error:
        say(f"textnb: the mail could not be written: {one_line(error)}")
        sys.exit(FAILED)


def filterd(
    model: inputs.ModelPath,
    judging: Judging,
    socket: Annotated[
        Path | None,
        typer.Option("--socket", metavar="PATH", help="Where to listen.  [default: $XDG_RUNTIME_DIR/textnb.sock]"),
    ] = None,
    learn: Annotated[bool, typer.Option("--learn", help="Learn what was decided, where it was not unsure.")] = False,
    trust: inputs.Trust = None,
    quiet: inputs.Quiet = False,
) -> None:
    """Filter mails for `textnb filter --socket PATH` until told to stop (SIGTERM), which is far quicker a mail.

    Example:

        textnb filterd mail.textnb --spam spam --socket /run/user/1000/textnb.sock

    Only its owner can ask it. When the model file changes it is loaded again.
    """
    import asyncio

    from textnb.mail.service import Service, listen_at

    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust or ()), learns=learn)
    live.answer(b"")  # what is loaded when it is first used is loaded now
    listening = listen_at(socket or _own_place())
    if not quiet:
        say(f"textnb: listening at {listening.getsockname()}")
    asyncio.run(_serve(Service(live.answer), listening))


async def _serve(service: "Service", listening: "sockets.socket") -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stop)
    await service.run(listening)


def _own_place() -> Path:
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        raise InputError("XDG_RUNTIME_DIR is not set, so say where to listen: --socket PATH")
    return Path(folder) / "textnb.sock"
