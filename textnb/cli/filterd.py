"""textnb filterd."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textnb.cli import options
from textnb.cli.console import say
from textnb.cli.judging import Judging
from textnb.errors import InputError
from textnb.mail.live_filter import LiveFilter

if TYPE_CHECKING:
    import socket as sockets

    from textnb.mail.service import Service


def filterd(
    model: options.ModelPath,
    judging: Judging,
    socket: Annotated[
        Path | None,
        typer.Option("--socket", metavar="PATH", help="Where to listen.  [default: $XDG_RUNTIME_DIR/textnb.sock]"),
    ] = None,
    learn: Annotated[bool, typer.Option("--learn", help="Learn what was decided, where it was not unsure.")] = False,
    trust: options.Trust = None,
    quiet: options.Quiet = False,
) -> None:
    """Filter mails for `textnb filter --socket PATH` until told to stop (SIGTERM), which is far quicker a mail.

    Example:

        textnb filterd mail.textnb --spam spam --socket /run/user/1000/textnb.sock

    Only its owner can ask it. When the model file changes it is loaded again.
    """
    import asyncio

    from textnb.mail.service import Service, listening_at

    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust or ()), learns=learn)
    live.answer(b"")  # what is loaded when it is first used is loaded now
    listening = listening_at(socket or _own_place())
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
