"""textnb imap: the messages of an IMAP folder, moved and flagged by their class, and learnt from.

The way into an account on a server: --password-command, --starttls and their kin.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textnb.cli.options import inputs
from textnb.cli.options.decision import DAY, Judging, Moving
from textnb.cli.terminal import OutputRows, fail, one_line, plural, progress, say, told_to_stop
from textnb.errors import InputError, listed
from textnb.mail.destinations import parse_class_pairs
from textnb.mail.live_filter import LiveFilter

if TYPE_CHECKING:
    from textnb.mail.imap.connection import Account, Client
    from textnb.mail.imap.password import AskPassword
    from textnb.mail.imap.visit import Event, Judged, Taught, VisitPlan


def _entry(name: str, metavar: str | None, help: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help, rich_help_panel="Connection")


@dataclass(frozen=True)
class Entering:
    """The way into an account, beside its host and user."""

    password_command: Annotated[
        str | None, _entry("--password-command", "COMMAND", "A command whose first line is the password; no shell.")
    ] = None
    password_file: Annotated[
        Path | None, _entry("--password-file", "FILE", "A file, of mode 0600, whose first line is the password.")
    ] = None
    port: Annotated[int | None, _entry("--port", "N", "[default: 993; 143 with --starttls and --plain]")] = None
    starttls: Annotated[bool, _entry("--starttls", None, "Encrypt by STARTTLS.")] = False
    plain: Annotated[bool, _entry("--plain", None, "Do not encrypt; for a server on this machine.")] = False
    insecure: Annotated[
        bool, _entry("--insecure", None, "--plain for any server: password and mail can be read on the way.")
    ] = False
    cafile: Annotated[
        Path | None, _entry("--cafile", "FILE", "Certificates (PEM) to believe in place of the system's.")
    ] = None
    timeout: Annotated[float, _entry("--timeout", "SECONDS", "How long to wait for the server.")] = 30.0

    def account(self, host: str, user: str) -> "Account":
        """The account, if the way there is safe."""
        from textnb.mail.imap.connection import Account, Security

        if self.starttls and self.plain:
            raise InputError("--starttls encrypts and --plain does not; choose one")
        if not self.timeout > 0:
            raise InputError(f"--timeout must be a number of seconds above 0, not {self.timeout:g}")
        security: Security = "starttls" if self.starttls else "plain" if self.plain else "tls"
        account = Account(host, user, security, self.port or 0, self.cafile, self.timeout)
        if self.plain and not (account.is_local or self.insecure):
            raise InputError(f"--plain would send the password to {host} for all to read; --insecure insists on it")
        return account

    @property
    def ask(self) -> "AskPassword":
        """How to come by the password."""
        from textnb.mail.imap.password import password_source

        return password_source(command=self.password_command, file=self.password_file)


_ACTIONS = "say --move CLASS=FOLDER, --flag CLASS=KEYWORD or --learn FOLDER=CLASS"
_NO_ENTRY = 77
"""The exit code where the server lets nobody in: EX_NOPERM of sysexits. A service is not to try that again."""


@dataclass(frozen=True)
class ImapMoving(Moving):
    """The same as in a Maildir, but that a server may call."""

    every: Annotated[
        float,
        typer.Option(
            "--every",
            metavar="SECONDS",
            min=0.1,
            max=DAY,
            help="--watch looks after so long at the latest; at once where the server has IDLE.",
        ),
    ] = 60.0


def imap(
    model: inputs.ModelPath,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The server.", show_default=False)],
    user: Annotated[str, typer.Option("--user", metavar="USER", help="The user there.", show_default=False)],
    moving: ImapMoving,
    entering: Entering,
    judging: Judging,
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="The folder to judge.")] = "INBOX",
    flag: Annotated[
        list[str] | None,
        typer.Option("--flag", metavar="CLASS=KEYWORD", help="Messages of the class get it: spam=$Junk; repeatable."),
    ] = None,
    learn: Annotated[
        list[str] | None,
        typer.Option("--learn", metavar="FOLDER=CLASS", help="Learn what you move to the folder; repeatable."),
    ] = None,
    trust: inputs.Trust = None,
    quiet: inputs.Quiet = False,
) -> None:
    """Move or flag the messages of an IMAP folder by their class; without `--apply` it is only said what would be done.

    Examples:

        textnb imap mail.textnb --host imap.example.jp --user me --password-command 'pass show mail' --spam spam

        textnb imap mail.textnb --host imap.example.jp --user me --password-file ~/.mail-password --spam spam
        --move spam=Junk --flag 'spam=$Junk' --learn Junk=spam --learn INBOX=ham --apply --watch

    Classes that `--move` does not name stay, and so do unsure messages without `--unsure-to`. Folders are made when
    needed; `/` stands between levels. No message is ever lost or marked as read.

    `--learn Junk=spam` learns what you, not textnb, have put into Junk. In the folder that is judged, where mail
    arrives by itself, only what you have brought back is learnt. A message is judged once; `--again` judges all.

    The exit code is 77 where the server does not let this user in.
    """
    from textnb.mail.imap.connection import LoginError

    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust or ()))
    plan = _plan(live.current().classes, moving, folder, flag or (), learn or ())
    try:
        _run(_Teller(entering.account(host, user), plan, live, moving, quiet), entering.ask)
    except LoginError as error:
        fail(error, _NO_ENTRY)


def _run(teller: "_Teller", ask: "AskPassword") -> None:
    from textnb.mail.imap.connection import connect
    from textnb.mail.imap.rounds import watch

    if not teller.moving.watch:
        with connect(teller.account, ask) as client:
            teller.round(client)
        raise typer.Exit(1 if teller.failed else 0)
    with told_to_stop() as stop:
        if not teller.quiet:
            say(f"textnb: watching {teller.plan.folder} at {teller.account.address}")
        teller.rounds.stopping = stop.is_set
        watch(teller.account, ask, teller.round, stop, teller.moving.every)


class _Teller:
    """Rounds over an account, and what is said of them."""

    def __init__(self, account: "Account", plan: "VisitPlan", live: LiveFilter, moving: Moving, quiet: bool) -> None:
        from textnb.mail.imap.rounds import Rounds

        self.account, self.plan, self.moving, self.quiet = account, plan, moving, quiet
        self.rounds = Rounds(account, plan, live)
        self.failed: set[tuple[str, int]] = set()
        self._missing: set[str] = set()
        self._rows: OutputRows | None = None

    def round(self, client: "Client") -> None:
        """Go through the account once."""
        if self._rows is None and not self.plan.apply:
            self._rows = OutputRows(["uid", "class", "probability", "unsure", "destination"], "tsv")
        counts = Counter[str]()
        silent = self.quiet or self.moving.watch
        for event in progress(self.rounds.round(client), "sorting", lambda: None, silent):
            counts.update(self._told(event))
        if not silent:
            say(_summary(counts, self.plan))

    def _told(self, event: "Event") -> list[str]:
        """Say what is to be said of it; what it counts as, in the words of the summary."""
        from textnb.mail.imap.visit import Judged, Missing, Taught

        if isinstance(event, Judged):
            return self._told_judged(event)
        if isinstance(event, Taught):
            self._say(_lesson(event))
            return []
        if isinstance(event, Missing):
            if event.folder not in self._missing:
                self._say(f"there is no folder {event.folder!r} yet, so nothing is learnt from it")
            self._missing.add(event.folder)
            return []
        if (event.folder, event.uid) not in self.failed:
            say(one_line(f"textnb: message {event.uid} of {event.folder} stays as it is: {event.why}"))
        self.failed.add((event.folder, event.uid))
        return ["failed"]

    def _told_judged(self, event: "Judged") -> list[str]:
        verdict, to = event.verdict, event.destination
        if self._rows is not None:
            unsure = "yes" if verdict.unsure else "no"
            self._rows.row([event.uid, verdict.label, verdict.probability, unsure, to or ""])
            sys.stdout.flush()
        elif self.moving.watch and to is not None:
            self._say(f"{event.uid}: {verdict.label}, {verdict.probability:.4f}, moved to {to}")
        place = ["stay", *(["unsure"] if verdict.unsure else [])] if to is None else [f"to {to}"]
        return ["judged", *place]

    def _say(self, line: str) -> None:
        if not self.quiet:
            say(one_line(line))


def _lesson(taught: "Taught") -> str:
    """What was learnt from a folder, in a line."""
    from textnb.mail.corrections import Done

    found = f"{plural(taught.messages, 'message')} that you put into {taught.folder}"
    if taught.done is None:
        return f"{found} would be learnt as {taught.label}"
    spoken = {Done.LEARNT: "learnt", Done.MOVED: "moved from another class", Done.KNOWN: "known already"}
    parts = [f"{number:,} {spoken[what]}" for what, number in taught.done.items()]
    return f"{found}, as {taught.label}: {', '.join(parts)}"


def _summary(counts: Counter[str], plan: "VisitPlan") -> str:
    """One line on a round.

    >>> from textnb.mail.imap.visit import VisitPlan
    >>> _summary(Counter({"judged": 3, "to Junk": 1, "stay": 2, "unsure": 1}), VisitPlan(apply=True))
    '3 messages judged: 1 moved to Junk, 2 stay, 1 of them unsure'
    """
    moved = "moved" if plan.apply else "would go"
    parts = [f"{number:,} {moved} {place}" for place, number in sorted(counts.items()) if place.startswith("to ")]
    parts += [f"{counts['stay']:,} stay" + (f", {counts['unsure']:,} of them unsure" if counts["unsure"] else "")]
    line = [f"{plural(counts['judged'], 'message')} judged: {', '.join(parts)}"]
    line += [f"{counts['failed']:,} could not be read or judged"] if counts["failed"] else []
    remedy = "--apply does it" if plan.does_something else f"and --apply would have nothing to do: {_ACTIONS}"
    return "; ".join(line if plan.apply else [*line, f"nothing was changed, {remedy}"])


def _plan(
    classes: Sequence[str], moving: Moving, folder: str, flag: Sequence[str], learn: Sequence[str]
) -> "VisitPlan":
    from textnb.mail.imap.messages import as_flags
    from textnb.mail.imap.visit import VisitPlan

    to = moving.destinations(classes, alike=False)
    flags = {name: as_flags(given) for name, given in parse_class_pairs(flag, classes, "--flag").items()}
    plan = VisitPlan(folder, to, flags, _lessons(learn, classes), moving.again, moving.apply)
    if plan.apply and not plan.does_something:
        raise InputError(f"there is nothing to do: {_ACTIONS}")
    return plan


def _lessons(pairs: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """The class of each folder from ``FOLDER=CLASS``; where there are several "=", the last before a class.

    >>> _lessons(["Junk=spam", "a=b=ham"], ["ham", "spam"])
    {'Junk': 'spam', 'a=b': 'ham'}
    """
    lessons: dict[str, str] = {}
    for pair in pairs:
        ends = [place for place, sign in enumerate(pair) if sign == "=" and pair[place + 1 :] in classes]
        if not ends or not pair[: ends[-1]]:
            raise InputError(f"--learn takes a folder, '=' and a class ({listed(classes)}), not {pair!r}")
        name, label = pair[: ends[-1]], pair[ends[-1] + 1 :]
        if lessons.setdefault(name, label) != label:
            raise InputError(f"--learn gives the folder {name!r} two classes: {lessons[name]} and {label}")
    return lessons
