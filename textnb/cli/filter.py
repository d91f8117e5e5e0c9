"""textnb filter and textnb filterd.

Whatever happens, a mail that was read is written: with its class, or unchanged. This holds for wrong arguments, too. If
it cannot be written, the exit code says so, and the caller still has the mail.
"""

import os
import signal
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.decision import Judging
from textnb.cli.options.groups import FILE, argument, takes, verb
from textnb.cli.terminal import say, say_if_typing
from textnb.errors import InputError, ParameterError
from textnb.mail.corrections import learn_decided
from textnb.mail.decision import MailFilter, Verdict
from textnb.mail.live_filter import LiveFilter
from textnb.mail.protocol import FAILED, MAX_MESSAGE_BYTES, ask_service, read_stdin, write_stdout

if TYPE_CHECKING:
    import socket as sockets

    from textnb.mail.service import Service

_EXIT_CODES = ("-e", "--exit-code")


class _Outcome(NamedTuple):
    message: bytes
    code: int
    verdict: Verdict | None = None


learn_option = click.option("--learn", is_flag=True, help="Learn the decision, unless it is unsure.")


@verb
@argument("model", "[MODEL]", "Model file.", required=False, type=FILE)
@click.option("--socket", metavar="PATH", type=FILE, help="Ask textnb filterd instead of loading a model.")
@click.option(
    *_EXIT_CODES, is_flag=True, help="Exit with 0 for the class of --spam, 1 for another, 2 if unsure, 3 on an error."
)
@learn_option
@click.option(
    "--max-size",
    metavar="BYTES",
    type=click.IntRange(1),
    default=MAX_MESSAGE_BYTES,
    help="Pass on a larger mail unchanged, as on an error.",
)
@inputs.trust
@takes(judging=Judging)
def filter(
    model: Path | None,
    socket: Path | None,
    exit_code: bool,
    learn: bool,
    max_size: int,
    trust: Collection[str],
    judging: Judging,
) -> None:
    """Read a mail, add a header field with its class, and write it.

    The mail goes from standard input to standard output with a field such as

        X-Textnb: class=spam; probability=0.998877; unsure=no

    Earlier X-Textnb fields are removed; nothing else is changed. On any error, and if the mail is larger than
    --max-size, it is written unchanged, with one line on standard error, and the exit code is 0 unless -e is given.

    Examples:

        textnb filter mail.textnb --spam spam < mail
        textnb filter --socket /run/user/1000/textnb.sock < mail
    """
    say_if_typing("reading mail from the terminal; end it with {keys}")
    message = read_stdin(max_size + 1)
    try:
        if len(message) > max_size:
            raise InputError("it has more than {most:,} bytes; to filter it, increase --max-size", most=max_size)
        if exit_code and judging.spam is None and socket is None:
            raise ParameterError("-e needs the class that is spam; add --spam CLASS")
        if socket is not None:
            outcome = _asked(socket, model, judging, trust, learn, message)
        else:
            outcome = _filtered(model, judging, trust, message)
    except Exception as error:  # whatever it is, the mail must be written
        outcome = _Outcome(message, _failed(error))
    _write(outcome.message, rest=len(message) > max_size)
    if learn and outcome.verdict is not None and not outcome.verdict.unsure and model is not None:
        try:
            learn_decided(model, message, outcome.verdict, tuple(trust))
        except Exception as error:  # the mail has been written already
            say("textnb: the mail was filtered but not learnt: {error}", error=error)
    sys.exit(outcome.code if exit_code else 0)


def run_filter(app: click.Group) -> int:
    """Run ``textnb filter``; if its arguments are wrong, the mail is written unchanged."""
    try:
        return int(app(prog_name="textnb", standalone_mode=False) or 0)
    except click.ClickException as error:  # raised before anything is read
        code = _failed(error.format_message())
        _write(b"", rest=True)
        return code if any(name in sys.argv for name in _EXIT_CODES) else 0


def _filtered(model: Path | None, judging: Judging, trust: Collection[str], message: bytes) -> _Outcome:
    if model is None:
        raise ParameterError("no model; name a model file, or the socket of textnb filterd: --socket PATH")
    cutoffs = judging.cutoffs
    filtered = MailFilter(TextClassifier.load(model, trust, labels="text"), cutoffs)(message)
    return _Outcome(filtered.message, filtered.verdict.code(cutoffs.spam), filtered.verdict)


def _asked(
    socket: Path, model: Path | None, judging: Judging, trust: Collection[str], learn: bool, message: bytes
) -> _Outcome:
    if model is not None or judging != Judging() or learn or trust:
        raise ParameterError(
            "with --socket, model and decision are those that textnb filterd was started with; leave out the others"
        )
    reply = ask_service(str(socket), message)
    if reply.code == FAILED:
        _failed(reply.reason)
    return _Outcome(reply.message, reply.code)


def _failed(error: object) -> int:
    say("textnb: the mail is passed on unchanged: {error}", error=error)
    return FAILED


def _write(message: bytes, *, rest: bool) -> None:
    try:
        write_stdout(message, rest)
    except OSError as error:
        say("textnb: the mail could not be written: {error}", error=error)
        sys.exit(FAILED)


@verb
@inputs.model_path
@click.option(
    "--socket", metavar="PATH", type=FILE, help="Socket to listen at.  [default: $XDG_RUNTIME_DIR/textnb.sock]"
)
@learn_option
@inputs.trust
@inputs.quiet
@takes(judging=Judging)
def filterd(
    model: Path, socket: Path | None, learn: bool, trust: Collection[str], quiet: bool, judging: Judging
) -> None:
    """Filter mails for `textnb filter --socket PATH`, without loading a model per mail.

    Runs until SIGTERM or SIGINT. Only its owner can ask it. A changed model file is loaded again. After ten minutes
    without a correction, those in the journal are written into the model, as by refit.

    Example:

        textnb filterd mail.textnb --spam spam --socket /run/user/1000/textnb.sock
    """
    import asyncio

    from textnb.mail.service import Service, listen_at

    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust), learns=learn)
    live.answer(b"")  # loads now what is loaded at first use
    listening = listen_at(socket or _own_place())
    if not quiet:
        say("textnb: listening at {address}", address=listening.getsockname())
    asyncio.run(_serve(Service(live.answer, tidy=live.fold_if_rested), listening))


async def _serve(service: "Service", listening: "sockets.socket") -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.stop)
    await service.run(listening)


def _own_place() -> Path:
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        raise InputError("XDG_RUNTIME_DIR is not set; give a socket to listen at: --socket PATH")
    return Path(folder) / "textnb.sock"
