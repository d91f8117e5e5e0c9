"""textnb sort: move the messages of a Maildir to folders by class."""

import hashlib
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from threading import Event

import click

from textnb.cli.options import inputs
from textnb.cli.options.decision import Judging, Moving, counts_of
from textnb.cli.options.groups import FILE, argument, takes, verb
from textnb.cli.terminal import OutputRows, plural, progress, repeat, say, stop_on_signals
from textnb.mail.decision import MailFilter
from textnb.mail.live_filter import LiveFilter
from textnb.mail.maildir import Maildir
from textnb.mail.sort_memory import SortMemory
from textnb.mail.sorting import Outcome, SortPlan, SortRun


@verb
@inputs.model_path
@argument("maildir", "MAILDIR", "A Maildir.", type=FILE)
@click.option("--tag", is_flag=True, help="Write the decision into the message, as X-Textnb.")
@inputs.trust
@inputs.quiet
@takes(moving=Moving, judging=Judging)
def sort(
    model: Path, maildir: Path, tag: bool, trust: Collection[str], quiet: bool, moving: Moving, judging: Judging
) -> None:
    """Move or tag the messages of a Maildir by class; a dry run without --apply.

    Without --move and --tag each message goes to the folder that has the name of its class. With either of them,
    classes that --move does not name stay. Unsure messages stay unless --unsure-to names a folder. Subfolders of
    the Maildir are not read.

    A message that was judged and stayed is not judged again, except an unsure one after the model has changed; nor is a
    message that its owner has moved back. --again judges them all. No message is lost, whatever interrupts the run.

    Examples:

        textnb sort mail.textnb ~/Maildir --spam spam --move spam=Junk
        textnb sort mail.textnb ~/Maildir --spam spam --move spam=Junk --apply --watch
        textnb sort mail.textnb ~/Maildir --tag --apply
    """
    moving.check()
    live = LiveFilter(model, judging.cutoffs, trust=tuple(trust))
    sorter = _Sorter(live, Maildir(maildir), moving, tag, quiet)
    if not moving.watch:
        sorter.run(Event())
        sys.exit(1 if sorter.failed else 0)
    with stop_on_signals() as stop:
        if not quiet:
            say("textnb: watching {maildir}", maildir=maildir)
        repeat(lambda: sorter.run(stop), moving.every, stop)


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
        self.rows = (
            None if moving.apply else OutputRows(["file", "class", "probability", "unsure", "destination"], "tsv")
        )

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
        elif outcome.verdict is not None:
            self.moving.tell(outcome.id, outcome.verdict, outcome.destination, self.rows, self.quiet)


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
