"""The command ``textnb``, and ``python -m textnb``.

``textnb filter --socket PATH [-e]`` runs once per mail. It is answered here, without loading numpy and the command
line, which would take ten times as long as the answer.
"""

import gc
import signal
import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line, also while its modules are loaded."""
    try:
        _run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from textnb.language import spoken

        sys.stderr.write(f"textnb: {spoken().name('interrupted')}\n")
        sys.exit(INTERRUPTED)


def _run() -> None:
    path, exit_code = _only_asks(sys.argv[1:])
    if path is None:
        gc.disable()  # nothing that is loaded becomes garbage; `cli.verbs` enables it again
        from textnb.cli import main as command_line

        command_line()
    else:
        sys.exit(_ask(path, exit_code))


def _only_asks(arguments: list[str]) -> tuple[str | None, bool]:
    """Return the socket to ask and whether the exit code is wanted; no socket for any other command.

    >>> _only_asks(["filter", "--socket", "s", "-e"]), _only_asks(["filter", "--socket", "s", "--help"])
    (('s', True), (None, False))
    """
    verb, *rest = arguments or [""]
    exit_code = "-e" in rest
    rest = [word for word in rest if word != "-e"]
    if len(rest) == 1 and rest[0].startswith("--socket="):
        rest = rest[0].split("=", 1)
    asks = verb == "filter" and len(rest) == 2 and rest[0] == "--socket"
    return (rest[1], exit_code) if asks else (None, False)


def _ask(path: str, exit_code: bool) -> int:
    """Filter the mail by the service and return the exit code; if the service fails, write the mail unchanged."""
    from textnb.mail.protocol import FAILED, MAX_MESSAGE_BYTES, ask_service, read_stdin, write_stdout

    reply = ask_service(path, read_stdin(MAX_MESSAGE_BYTES + 1))
    if reply.code == FAILED:
        sys.stderr.write(f"textnb: the mail is passed on unchanged: {_printable(reply.reason)}\n")
    try:
        write_stdout(reply.message, rest=len(reply.message) > MAX_MESSAGE_BYTES)
    except OSError as error:
        sys.stderr.write(f"textnb: the mail could not be written: {_printable(error)}\n")
        return FAILED
    return reply.code if exit_code else 0


def _printable(value: object) -> str:
    """Return a value as one line without control characters."""
    return "".join(c if c.isprintable() else " " for c in str(value))


if __name__ == "__main__":
    main()
