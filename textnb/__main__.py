"""The command ``textnb``, and ``python -m textnb``.

``textnb filter --socket PATH [-e]`` runs once per mail, ``textnb learn`` and ``unlearn --socket PATH --as CLASS`` once
per correction. They are answered here, without loading numpy and the models, which would take ten times as long as the
answer.
"""

import gc
import signal
import sys
from collections.abc import Sequence

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
    verb, given = sys.argv[1] if len(sys.argv) > 1 else "", _only_asks(sys.argv[1:])
    if given is None:
        gc.disable()  # nothing that is loaded becomes garbage; `cli.verbs` enables it again
        from textnb.cli import main as command_line

        command_line()
    elif verb == "filter":
        sys.exit(_ask(str(given["--socket"]), "-e" in given))
    else:
        from textnb.cli.service_client import main as correct

        correct(verb, given)


_FLAGS = frozenset({"-e", "--new", "-q", "--quiet"})
_ASKING = {
    "filter": ("--socket", "-e"),
    "learn": ("--socket", "--as", "--was", "--new", "-q", "--quiet"),
    "unlearn": ("--socket", "--as", "-q", "--quiet"),
}
"""Options of the verbs that the service answers; with others, or a model, the whole command line is needed."""


def _only_asks(arguments: Sequence[str]) -> dict[str, str] | None:
    """Return the options of a command that only asks the service, flags as ""; None for any other command.

    >>> _only_asks(["filter", "--socket", "s", "-e"]), _only_asks(["filter", "--socket", "s", "--help"])
    ({'--socket': 's', '-e': ''}, None)
    >>> _only_asks(["learn", "--socket=s", "--as", "spam"]), _only_asks(["learn", "m", "--as", "spam"])
    ({'--socket': 's', '--as': 'spam'}, None)
    """
    verb, *rest = arguments or [""]
    given: dict[str, str] = {}
    words = iter(rest)
    for word in words:
        name, equals, value = word.partition("=")
        is_flag = name in _FLAGS
        if name not in _ASKING.get(verb, ()) or name in given or (is_flag and equals):
            return None
        given[name] = value if is_flag or equals else next(words, "")
    needed = ("--socket",) if verb == "filter" else ("--socket", "--as")
    return given if all(given.get(name) for name in needed) else None


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
