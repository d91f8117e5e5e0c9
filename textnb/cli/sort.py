"""textnb sort: move the messages of a Maildir to folders by class, or copy those of an mbox."""

import hashlib
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from threading import Event

import click

from textnb.cli.options import inputs
from textnb.cli.options.decision import UNDONE, Judging, Moving, PlanRows, counts_of
from textnb.cli.options.groups import FILE, argument, check_unused, takes, verb
from textnb.cli.terminal import plural, progress, repeat, say, stop_on_signals
from textnb.errors import Phrase
from textnb.mail.decision import MailFilter
from textnb.mail.live_filter import LiveFilter
from textnb.mail.maildir import Maildir
from textnb.mail.mbox_sorting import MboxPlan, check_mbox, sort_mbox
from textnb.mail.sort_memory import SortMemory
from textnb.mail.sorting import Outcome, SortPlan, SortRun, undo


@verb
@inputs.model_path
@argument("mailbox", "MAILBOX", "A Maildir, or an mbox.", type=FILE)
@click.option(
    "--to", metavar="FOLDER", type=FILE, help="For an mbox: folder of the new mboxes.  [default: MAILBOX-sorted]"
)
@click.option("--remove", is_flag=True, help="For an mbox: also take the copied messages out of it; keeps a backup.")
@click.option("--tag", is_flag=True, help="Write the decision into the message, as X-Textnb.")
@inputs.trust
@inputs.quiet
@takes(moving=Moving, judging=Judging)
def sort(
    model: Path,
    mailbox: Path,
    to: Path | None,
    remove: bool,
    tag: bool,
    trust: Collection[str],
    quiet: bool,
    moving: Moving,
    judging: Judging,
) -> None:
    """Move, tag or copy messages of a Maildir or mbox by class; a dry run without --apply.

    A dry run lists each message with its date, sender and subject, where it would go, and the three terms that speak
    most for its class. Without --move and --tag each message goes to the folder that has the name of its class. With
    either of them, classes that --move does not name stay. Unsure messages stay unless --unsure-to names a folder.
    Subfolders of the Maildir are not read.

    A message that was judged and stayed is not judged again, except an unsure one after the model has changed; nor is a
    message that its owner has moved back. --again judges them all. --undo moves back what the last run has moved, and
    removes what it wrote into messages. No message is lost, whatever interrupts the run.

    Of an mbox, as Thunderbird has them, messages are copied to new mboxes in the folder --to. The mbox itself changes
    only with --remove, and is kept as MAILBOX.before-textnb. Close the mail program first.

    Examples:

        textnb sort mail.textnb ~/Maildir --spam spam --move spam=Junk
        textnb sort mail.textnb ~/Maildir --spam spam --move spam=Junk --apply --watch
        textnb sort mail.textnb ~/Maildir --undo --apply
        textnb sort mail.textnb Inbox --spam spam --move spam=Junk --to sorted --apply
    """
    moving.check()
    if not mailbox.is_dir():
        check_unused("undo", "watch", "again", why="for an mbox")
        _sort_mbox(LiveFilter(model, judging.cutoffs, trust=tuple(trust)), mailbox, to, remove, tag, quiet, moving)
        return
    check_unused("to", "remove", why="for a Maildir")
    if moving.undo:
        check_unused("tag", why="with --undo")
        sys.exit(1 if _undo(Maildir(mailbox), moving, quiet) else 0)
    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust))
    sorter = _Sorter(live, Maildir(mailbox), moving, tag, quiet)
    if not moving.watch:
        sorter.run(Event())
        sys.exit(1 if sorter.failed else 0)
    with stop_on_signals() as stop:
        if not quiet:
            say("textnb: watching {maildir}", maildir=mailbox)
        repeat(lambda: sorter.run(stop), moving.every, stop)


def _sort_mbox(
    live: LiveFilter, path: Path, to: Path | None, remove: bool, tag: bool, quiet: bool, moving: Moving
) -> None:
    mails = live.current()
    folder = path.with_name(path.name + "-sorted") if to is None else to
    plan = SortPlan(moving.destinations(mails.classes, alike=True), tag=tag, apply=moving.apply)
    check_mbox(path)
    rows = None if moving.apply else PlanRows("message")
    counts = Counter[str]()
    outcomes = sort_mbox(path, mails, MboxPlan(plan, folder, remove))
    for outcome in progress(outcomes, "sorting", lambda: None, quiet):
        if outcome.verdict is not None:
            counts.update(_counted(outcome))
            if rows is not None:
                rows.judged(outcome.id, outcome.verdict, outcome.destination, mails.classifier, outcome.message)
    if not quiet:
        remedy = "use --apply to write the new mboxes"
        say("{summary}", summary=moving.summary(counts, {}, remedy))
        if moving.apply and any(key.startswith("to ") for key in counts):
            say("the new mboxes are in {folder}", folder=folder)


def _undo(maildir: Maildir, moving: Moving, quiet: bool) -> bool:
    """Reverse the last run over a Maildir; return whether a message could not be moved back."""
    memory = SortMemory(maildir.path, "undo")
    memory.begin("", (message.unique for message in maildir.messages()))
    rows = None if moving.apply else PlanRows("file")
    done = failed = 0
    for undone in undo(maildir, memory, apply=moving.apply):
        if undone.error:
            failed += 1
            say("textnb: {id} is unchanged: {error}", id=undone.id, error=undone.error)
            continue
        done += 1
        if rows is not None:
            rows.returning(undone.id, maildir.path.name, undone.message)
    if not quiet:
        say("{messages} {what}", messages=plural(done, "message"), what=Phrase(UNDONE[moving.apply]))
    return failed > 0


class _Sorter:
    """Runs over a Maildir, and the messages about them."""

    def __init__(self, live: LiveFilter, maildir: Maildir, moving: Moving, tag: bool, quiet: bool) -> None:
        self.live, self.maildir, self.moving, self.tag, self.quiet = live, maildir, moving, tag, quiet
        job = (str(live.path.resolve()), live.cutoffs, sorted(moving.move), moving.unsure_to, tag)
        self.memory = SortMemory(maildir.path, job, again=moving.again)
        self.failed: set[str] = set()
        self._judge: tuple[MailFilter, SortPlan, str] | None = None
        for name in self._judging()[1].destinations.names:
            maildir.folder(name)
        self.rows = None if moving.apply else PlanRows("file")

    def run(self, stop: Event) -> None:
        """Go through the messages once, or until `stop` is set."""
        mails, plan, model = self._judging()
        run = SortRun(self.maildir, mails, plan, self.memory, model)
        counts = Counter[str]()
        for outcome in progress(run, "sorting", lambda: len(run.pending), self.quiet or self.moving.watch):
            self._tell(outcome)
            counts.update(_counted(outcome))
            if stop.is_set():
                break
        if not (self.quiet or self.moving.watch):
            counts["known"] = run.known
            say("{summary}", summary=self.moving.summary(counts, _more(counts)))

    def _judging(self) -> tuple[MailFilter, SortPlan, str]:
        """Return the filter of the present model file, the plan, and the digest of the file."""
        mails = self.live.current()
        if self._judge is None or mails is not self._judge[0]:
            to = self.moving.destinations(mails.classes, alike=not self.tag)
            with self.live.path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "blake2b").hexdigest()[:32]
            self._judge = mails, SortPlan(to, tag=self.tag, apply=self.moving.apply), digest
        return self._judge

    def _tell(self, outcome: Outcome) -> None:
        if outcome.error:
            if outcome.id not in self.failed:
                path = self.maildir.path / outcome.id
                say("textnb: {path} is unchanged: {error}", path=path, error=outcome.error)
            self.failed.add(outcome.id)
        elif outcome.verdict is not None and self.rows is not None:
            classifier = self._judging()[0].classifier
            self.rows.judged(outcome.id, outcome.verdict, outcome.destination, classifier, outcome.message)
        elif outcome.verdict is not None:
            self.moving.tell(outcome.id, outcome.verdict, outcome.destination, self.quiet)


def _counted(outcome: Outcome) -> list[str]:
    """Return what a message counts as in the summary."""
    if outcome.verdict is None:
        return ["failed" if outcome.error else "ended"]
    return counts_of(outcome.verdict, outcome.destination) + (["tagged"] if outcome.tagged else [])


def _more(counts: Counter[str]) -> dict[str, str]:
    return {
        "ended": plural(counts["ended"], "interrupted move") + " completed",
        "failed": "{n:,} could not be judged or moved",
        "known": "{n:,} judged before",
    }
