"""textnb imap: move and flag the messages of an IMAP folder by class, and learn from folders."""

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from textnb.cli.options import inputs
from textnb.cli.options.decision import SECONDS, UNDONE, Judging, Moving, PlanRows, counts_of
from textnb.cli.options.groups import check_unused, flag, option, takes, verb
from textnb.cli.terminal import fail, plural, progress, say, stop_on_signals
from textnb.errors import InputError, ParameterError, Phrase, listed
from textnb.language import spoken
from textnb.mail.destinations import parse_class_pairs
from textnb.mail.live_filter import LiveFilter

if TYPE_CHECKING:
    from textnb.mail.imap.connection import Account, Client
    from textnb.mail.imap.password import AskPassword
    from textnb.mail.imap.visit import Event, Taught, VisitPlan


@dataclass(frozen=True)
class Entering:
    """How to log in to an account, beside its host and user."""

    section: ClassVar[str] = "Connection"
    password_command: str | None = option("COMMAND", "Command whose first line is the password; run without a shell.")
    password_file: Path | None = option("FILE", "File of mode 0600 whose first line is the password.")
    port: int | None = option(
        "N", "Port.  [default: 993; 143 with --starttls and --plain]", type=click.IntRange(1, 65_535)
    )
    starttls: bool = flag("Encrypt with STARTTLS.")
    plain: bool = flag("Do not encrypt; for a server on this machine.")
    insecure: bool = flag("Allow --plain for any server: password and mail can be read in transit.")
    cafile: Path | None = option("FILE", "Certificates (PEM) to trust instead of those of the system.")
    timeout: float = option("SECONDS", "Seconds to wait for the server.", type=SECONDS, default=30.0)

    def account(self, host: str, user: str) -> "Account":
        """Return the account; a connection without encryption to another machine is refused."""
        from textnb.mail.imap.connection import Account, Security

        if self.starttls and self.plain:
            raise ParameterError("--starttls and --plain exclude each other; use one of them")
        check_unused("cafile" if self.plain else "insecure", why=f"{'with' if self.plain else 'without'} --plain")
        security: Security = "starttls" if self.starttls else "plain" if self.plain else "tls"
        account = Account(host, user, security, self.port or 0, self.cafile, self.timeout)
        if self.plain and not (account.is_local or self.insecure):
            template = "--plain sends the password to {host} unencrypted; use --starttls, or add --insecure"
            raise ParameterError(template, host=host)
        return account

    @property
    def ask(self) -> "AskPassword":
        """Source of the password."""
        from textnb.mail.imap.password import password_source

        return password_source(command=self.password_command, file=self.password_file)


_ACTIONS = "add --move CLASS=FOLDER, --flag CLASS=KEYWORD or --learn FOLDER=CLASS"
_NO_ACTIONS = "--apply would do nothing: " + _ACTIONS
LOGIN_REFUSED = 77
"""Exit code if the server refuses the login: EX_NOPERM of sysexits; a service manager must not retry."""


@dataclass(frozen=True)
class ImapMoving(Moving):
    """What happens to messages of a server, which can notify about new ones."""

    every: float = option(
        "SECONDS",
        "Longest time between two looks of --watch; a server with IDLE notifies at once.",
        type=SECONDS,
        default=60.0,
    )


@verb
@inputs.model_path
@click.option("--host", metavar="HOST", required=True, help="Server.")
@click.option("--user", metavar="USER", required=True, help="User.")
@click.option("--folder", metavar="FOLDER", default="INBOX", help="Folder to judge.")
@click.option(
    "--flag", metavar="CLASS=KEYWORD", multiple=True, help="Flag messages of the class, as in spam=$Junk; repeatable."
)
@click.option(
    "--learn", metavar="FOLDER=CLASS", multiple=True, help="Learn messages that you move to the folder; repeatable."
)
@inputs.trust
@inputs.quiet
@takes(moving=ImapMoving, judging=Judging, entering=Entering)
def imap(
    model: Path,
    host: str,
    user: str,
    folder: str,
    flag: Sequence[str],
    learn: Sequence[str],
    trust: Collection[str],
    quiet: bool,
    moving: ImapMoving,
    judging: Judging,
    entering: Entering,
) -> None:
    """Move or flag the messages of an IMAP folder by class; a dry run without --apply.

    Classes that --move does not name stay, and so do unsure messages without --unsure-to. Folders are created when
    needed; / separates levels. No message is lost or marked as read. A message is judged once; --again judges all.
    --undo moves back what the last run has moved, and removes its flags.

    --learn Junk=spam learns messages that you, not textnb, have moved to Junk. From the judged folder, where mail
    arrives by itself, only messages that you have moved back are learnt.

    The exit code is 77 if the server refuses the login.

    Examples:

        textnb imap mail.textnb --host imap.example.jp --user me \\
            --password-command 'pass show mail' --spam spam
        textnb imap mail.textnb --host imap.example.jp --user me \\
            --password-file ~/.mail-password --spam spam --move spam=Junk --flag 'spam=$Junk' \\
            --learn Junk=spam --learn INBOX=ham --apply --watch
    """
    from textnb.mail.imap.connection import LoginError

    moving.check()
    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust))
    plan = _plan(live.current().classes, moving, folder, flag, learn)
    try:
        _run(_Reporter(entering.account(host, user), plan, live, moving, quiet), entering.ask)
    except LoginError as error:
        fail(error, LOGIN_REFUSED)


def _run(teller: "_Reporter", ask: "AskPassword") -> None:
    from textnb.mail.imap.connection import connect
    from textnb.mail.imap.rounds import watch

    if not teller.moving.watch:
        with connect(teller.account, ask) as client:
            (teller.undo if teller.moving.undo else teller.round)(client)
        sys.exit(1 if teller.failed else 0)
    with stop_on_signals() as stop:
        if not teller.quiet:
            say("textnb: watching {folder} at {server}", folder=teller.plan.folder, server=teller.account.address)
        teller.rounds.stopping = stop.is_set
        watch(teller.account, ask, teller.round, stop, teller.moving.every)


class _Reporter:
    """Rounds over an account, and the messages about them."""

    def __init__(self, account: "Account", plan: "VisitPlan", live: LiveFilter, moving: Moving, quiet: bool) -> None:
        from textnb.mail.imap.rounds import Rounds

        self.account, self.plan, self.moving, self.quiet = account, plan, moving, quiet
        self.rounds = Rounds(account, plan, live)
        self.failed: set[tuple[str, int]] = set()
        self._missing: set[str] = set()
        self._rows: PlanRows | None = None

    def round(self, client: "Client") -> None:
        """Go through the account once."""
        if self._rows is None and not self.plan.apply:
            self._rows = PlanRows("uid")
        counts = Counter[str]()
        silent = self.quiet or self.moving.watch
        for event in progress(self.rounds.round(client), "sorting", lambda: None, silent):
            counts.update(self._report_event(event))
        if not silent:
            remedy = () if self.plan.does_something else (_NO_ACTIONS,)
            more = {"failed": "{n:,} could not be read or judged"}
            say("{summary}", summary=self.moving.summary(counts, more, *remedy))

    def undo(self, client: "Client") -> None:
        """Reverse the last run."""
        from textnb.mail.imap.visit import Returned

        rows = None if self.plan.apply else PlanRows("uid")
        done = 0
        for event in self.rounds.undo(client):
            done += 1
            if rows is not None and isinstance(event, Returned):
                rows.returning(event.uid, self.plan.folder, event.message)
        if not self.quiet:
            say("{messages} {what}", messages=plural(done, "message"), what=Phrase(UNDONE[self.plan.apply]))

    def _report_event(self, event: "Event") -> list[str]:
        """Report an event; return what it counts as in the summary."""
        from textnb.mail.imap.visit import Judged, Missing, Returned, Taught

        if isinstance(event, Judged):
            if self._rows is None:
                self.moving.tell(event.uid, event.verdict, event.destination, self.quiet)
            else:
                classifier = self.rounds.live.current().classifier
                self._rows.judged(event.uid, event.verdict, event.destination, classifier, event.message)
            return counts_of(event.verdict, event.destination)
        if isinstance(event, Taught):
            if not self.quiet:
                _say_lesson(event)
            return []
        if isinstance(event, Missing):
            if event.folder not in self._missing and not self.quiet:
                say("folder {folder!r} does not exist yet; nothing is learnt from it", folder=event.folder)
            self._missing.add(event.folder)
            return []
        if isinstance(event, Returned):
            return []
        if (event.folder, event.uid) not in self.failed:
            template = "textnb: message {uid} of {folder} is unchanged: {why}"
            say(template, uid=event.uid, folder=event.folder, why=event.why)
        self.failed.add((event.folder, event.uid))
        return ["failed"]


def _say_lesson(taught: "Taught") -> None:
    """Print one line about what was learnt from a folder."""
    from textnb.mail.corrections import Done

    values = {"messages": plural(taught.messages, "message"), "folder": taught.folder, "label": taught.label}
    if taught.done is None:
        say("{messages} that you moved to {folder} would be learnt as {label}", **values)
        return
    wording = {Done.LEARNT: "learnt", Done.MOVED: "moved from another class", Done.KNOWN: "known already"}
    language = spoken()
    done = language(", ").join(language("{n:,} " + wording[what], n=n) for what, n in taught.done.items())
    say("{messages} that you moved to {folder}, as {label}: {done}", **values, done=done)


def _plan(
    classes: Sequence[str], moving: Moving, folder: str, flag: Sequence[str], learn: Sequence[str]
) -> "VisitPlan":
    from textnb.mail.imap.messages import as_flags
    from textnb.mail.imap.visit import VisitPlan

    to = moving.destinations(classes, alike=False)
    flags = {name: as_flags(given) for name, given in parse_class_pairs(flag, classes, "--flag").items()}
    plan = VisitPlan(folder, to, flags, _lessons(learn, classes), moving.again, moving.apply)
    if plan.apply and not plan.does_something and not moving.undo:
        raise ParameterError("nothing to do; {actions}", actions=_ACTIONS)
    return plan


def _lessons(pairs: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Return the class of each folder from ``FOLDER=CLASS``, split at the last "=" that is followed by a class.

    >>> _lessons(["Junk=spam", "a=b=ham"], ["ham", "spam"])
    {'Junk': 'spam', 'a=b': 'ham'}
    """
    lessons: dict[str, str] = {}
    for pair in pairs:
        ends = [place for place, sign in enumerate(pair) if sign == "=" and pair[place + 1 :] in classes]
        if not ends or not pair[: ends[-1]]:
            template = "--learn takes FOLDER=CLASS, not {pair!r}; the classes are {classes}"
            kind = InputError if "=" in pair else ParameterError
            raise kind(template, pair=pair, classes=listed(classes))
        name, label = pair[: ends[-1]], pair[ends[-1] + 1 :]
        if lessons.setdefault(name, label) != label:
            template = "--learn gives folder {folder!r} two classes, {one} and {other}; give it one"
            raise ParameterError(template, folder=name, one=lessons[name], other=label)
    return lessons
