"""Options for decisions: the class of a document, the verdict on a mail, and where a mail goes."""

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click

from textnb.classifier.answer_cells import UNSURE_LABEL
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.groups import FILE, check_unused, flag, option
from textnb.cli.options.inputs import PROPORTION
from textnb.cli.terminal import OutputRows, TerminalRows, plural, say, warn
from textnb.decisions import ClassThresholds, Rule
from textnb.errors import InputError, ParameterError, listed
from textnb.evaluation import Costs, read_costs
from textnb.extension import cached_property
from textnb.language import spoken
from textnb.mail.decision import Cutoffs, Verdict, mail_document, reasons
from textnb.mail.destinations import Destinations, parse_class_pairs
from textnb.readers import read_heading

_COSTS_HELP = "TOML file with the cost of each mistake."
costs_file = click.option("--costs", metavar="FILE", type=FILE, help=_COSTS_HELP)
_PRECISION_HELP = (
    f"Answer {UNSURE_LABEL!r} unless left-out documents promise that a proportion Q of answers is correct."
)
precision_of_answers = click.option("--precision", metavar="Q", type=PROPORTION, help=_PRECISION_HELP)


def check_precision_alone(precision: float | None, others: Mapping[str, object]) -> None:
    """Refuse --precision together with another option for decisions."""
    for name, value in others.items():
        if precision is not None and value is not None:
            raise ParameterError("--precision cannot be combined with {name}; use one of them", name=name)


def precision_rule(classifier: TextClassifier, precision: float) -> ClassThresholds:
    """Return the rule of a precision, and warn of classes that it never decides."""
    rule = classifier.precision_rule(precision)
    classes = classifier.classes_.tolist()
    never = rule.never_decided(classes)
    if never:
        template = (
            "{n:,} of {all:,} classes are always {unsure}, because their left-out documents are too few or too often "
            "mistaken to promise a precision of {precision}: {names}; learn more documents, or train with a larger "
            "--sample"
        )
        values = {"n": len(never), "all": len(classes), "names": listed(never)}
        warn(template, **values, unsure=UNSURE_LABEL, precision=precision)
    return rule


@dataclass(frozen=True)
class Deciding:
    """How probabilities become an answer."""

    section: ClassVar[str] = "Decision"
    unsure: float | None = option(
        "P", f"Answer {UNSURE_LABEL!r} if the most probable class has a probability below P.", type=PROPORTION
    )
    precision: float | None = option("Q", _PRECISION_HELP, type=PROPORTION)
    costs: Path | None = option("FILE", _COSTS_HELP)
    unsure_label: str = option("WORD", "Answer to unsure documents, as in 要確認.", default=UNSURE_LABEL)

    @property
    def may_be_unsure(self) -> bool:
        """True if some answers may be unsure."""
        by_costs = self._costs is not None and self._costs.unsure is not None
        return self.unsure is not None or self.precision is not None or by_costs

    def rule(self, classifier: TextClassifier) -> Rule:
        """Return the decision rule; by default the most probable class."""
        if self.unsure is not None and self.costs is not None:
            template = "--unsure cannot be combined with --costs; the file gives the cost of being unsure: unsure = 0.2"
            raise ParameterError(template)
        check_precision_alone(self.precision, {"--unsure": self.unsure, "--costs": self.costs})
        classes = classifier.classes_.tolist()
        if not self.may_be_unsure:
            check_unused("unsure_label", why="without --unsure, --precision or --costs")
        elif self.unsure_label in classes:
            raise InputError(
                "the model has a class named {label!r}, which is also the answer for unsure documents; choose another "
                "word with --unsure-label",
                label=self.unsure_label,
            )
        if self.precision is not None:
            return precision_rule(classifier, self.precision)
        return classifier.rule(unsure=self.unsure, costs=self._costs)

    @cached_property
    def _costs(self) -> Costs | None:
        return None if self.costs is None else read_costs(self.costs)


_DEFAULT = Cutoffs()


@dataclass(frozen=True)
class Judging:
    """When a mail is spam, when it is good, and when it is unsure."""

    section: ClassVar[str] = "Decision"
    spam: str | None = option("CLASS", "Class to be careful with.")
    spam_cutoff: float | None = option(
        "P", f"A mail is of that class from this probability on.  [default: {_DEFAULT.spam_cutoff:g}]", type=PROPORTION
    )
    good_cutoff: float | None = option(
        "P", f"A mail is of another class up to this probability.  [default: {_DEFAULT.good_cutoff:g}]", type=PROPORTION
    )
    thin: float | None = option(
        "TIMES", f"Odds required of a mail without a Received field, times this.  [default: {_DEFAULT.thin:g}]"
    )
    unsure: float | None = option(
        "P", f"Without --spam: unsure below this probability.  [default: {_DEFAULT.unsure:g}]", type=PROPORTION
    )

    @property
    def cutoffs(self) -> Cutoffs:
        """Cut-offs of these options."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if self.spam is None and given.keys() - {"unsure"}:
            raise ParameterError("--spam-cutoff, --good-cutoff and --thin need a class; add --spam CLASS")
        if self.spam is not None and self.unsure is not None:
            raise ParameterError("with --spam use --spam-cutoff and --good-cutoff, not --unsure")
        return Cutoffs(**given)


class SecondsRange(click.FloatRange):
    """A number of seconds in a range; unlike `click.FloatRange` it refuses NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, if it is in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


SECONDS = SecondsRange(0.1, 86_400.0)
"""Seconds to wait, at most a day: a system cannot wait for any length of time."""


_REMEDY = "use --apply to change the mailbox"
_DIGITS = 4
_PLAN_COLUMNS = ("class", "probability", "unsure", "destination", "date", "from", "reason")
_WIDTHS = {140: (16, 10, 11, 6, 12, 10, 20, 24), 0: (6, 7, 6, 3, 6, 10, 10, 10)}
"""Widths of the columns by the least width of the terminal, that of the id first."""
UNDONE = {
    True: "put back as before the last run",
    False: "would be put back as before the last run; dry run, use --apply to change the mailbox",
}
"""Ends of the line about messages that --undo puts back, with and without --apply."""


class PlanRows:
    """Rows about what would happen to messages: verdict and destination, date, sender and subject, and the reason.

    The reason is up to three terms that speak most for the class.
    """

    def __init__(self, id_name: str) -> None:
        columns = [id_name, *_PLAN_COLUMNS, "subject"]
        self.rows = TerminalRows(columns, _WIDTHS) if sys.stdout.isatty() else OutputRows(columns, "tsv", _DIGITS)

    def judged(self, id: object, verdict: Verdict, to: str | None, classifier: TextClassifier, message: bytes) -> None:
        """Print the row of a message that was judged."""
        why = " ".join(reasons(classifier, mail_document(message), verdict.label))
        self._print([id, verdict.label, verdict.probability, "yes" if verdict.unsure else "no", to or ""], message, why)

    def returning(self, id: object, to: str, message: bytes) -> None:
        """Print the row of a message that would return to where it came from."""
        self._print([id, "", "", "", to], message, "undo")

    def _print(self, cells: list[Any], message: bytes, why: str) -> None:
        date, sender, subject = read_heading(message)
        self.rows.row([*cells, date, sender, why, subject])
        sys.stdout.flush()


@dataclass(frozen=True)
class Moving:
    """What happens to messages when they have been judged."""

    section: ClassVar[str] = "Moving"
    move: tuple[str, ...] = option("CLASS=FOLDER", "Move messages of the class to the folder; repeatable.", default=())
    unsure_to: str | None = option("FOLDER", "Move unsure messages to the folder; otherwise they stay.")
    apply: bool = flag("Change the mailbox; without this option it is a dry run.")
    again: bool = flag("Judge all messages, even those judged before.")
    undo: bool = flag("Reverse the last run that has changed something.")
    watch: bool = flag("Continue with new messages until SIGINT or SIGTERM.")
    every: float = option("SECONDS", "Seconds between two looks of --watch.", type=SECONDS, default=10.0)

    def check(self) -> None:
        """Refuse options that have no effect."""
        if not self.watch:
            check_unused("every", why="without --watch")
        if self.undo:
            check_unused("move", "unsure_to", "again", "watch", why="with --undo")

    def destinations(self, classes: Sequence[str], *, alike: bool) -> Destinations:
        """Return where messages go; if `alike`, without --move every class goes to the folder of its name."""
        folders = parse_class_pairs(self.move, classes, "--move")
        return Destinations({name: name for name in classes} if alike and not self.move else folders, self.unsure_to)

    def tell(self, id: object, verdict: Verdict, to: str | None, quiet: bool) -> None:
        """Print a line about a message that --watch has moved."""
        if self.watch and not quiet and to is not None:
            template = "{id}: {label}, {probability:.4f}, moved to {folder}"
            say(template, id=id, label=verdict.label, probability=verdict.probability, folder=to)

    def summary(self, counts: Counter[str], more: Mapping[str, str], remedy: str = _REMEDY) -> str:
        """Return one line about judged messages; `more` are templates of what else was counted.

        >>> counts = Counter({"judged": 3, "to Junk": 1, "stay": 2, "unsure": 1, "known": 5})
        >>> Moving().summary(counts, {"known": "{n:,} judged before"})
        '3 messages judged: 1 would go to Junk, 2 stay, 1 of them unsure; 5 judged before; dry run, ...'
        """
        language = spoken()
        moved = "{n:,} moved to {folder}" if self.apply else "{n:,} would go to {folder}"
        tagged = "{n:,} tagged" if self.apply else "{n:,} would be tagged"
        parts = [
            language(moved, n=n, folder=to.removeprefix("to "))
            for to, n in sorted(counts.items())
            if to.startswith("to ")
        ]
        parts.append(plural(counts["stay"], "stays", "stay"))
        parts += _counted(counts, {"unsure": "{n:,} of them unsure", "tagged": tagged})
        judged = language(
            "{messages} judged: {parts}", messages=plural(counts["judged"], "message"), parts=language(", ").join(parts)
        )
        line = [judged, *_counted(counts, more)]
        dry = [] if self.apply else [language("dry run, nothing was changed"), language(remedy)]
        return "; ".join([*line, *dry])


def counts_of(verdict: Verdict, to: str | None) -> list[str]:
    """Return what a judged message counts as in the summary."""
    return ["judged", *(["stay", *(["unsure"] if verdict.unsure else [])] if to is None else [f"to {to}"])]


def _counted(counts: Counter[str], templates: Mapping[str, str]) -> list[str]:
    return [spoken()(template, n=counts[key]) for key, template in templates.items() if counts[key]]
