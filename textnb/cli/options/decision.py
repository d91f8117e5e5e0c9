"""Options for decisions: the class of a document, the verdict on a mail, and where a mail goes."""

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import click

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.groups import FILE, check_unused, flag, option
from textnb.cli.terminal import OutputRows, plural, say, warn
from textnb.decisions import UNSURE, ClassThresholds, Rule
from textnb.errors import InputError, ParameterError, listed
from textnb.evaluation import Costs, read_costs
from textnb.mail.decision import Cutoffs, Verdict
from textnb.mail.destinations import Destinations, parse_class_pairs

UNSURE_LABEL = "unsure"

_COSTS_HELP = "TOML file with the cost of each mistake."
costs_file = click.option("--costs", metavar="FILE", type=FILE, help=_COSTS_HELP)
_PRECISION_HELP = (
    f"Answer {UNSURE_LABEL!r} unless left-out documents promise that a proportion Q of answers is correct."
)
precision_of_answers = click.option("--precision", metavar="Q", type=float, help=_PRECISION_HELP)


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
    unsure: float | None = option("P", f"Answer {UNSURE_LABEL!r} if the most probable class has a probability below P.")
    precision: float | None = option("Q", _PRECISION_HELP)
    costs: Path | None = option("FILE", _COSTS_HELP)

    def rule(self, classifier: TextClassifier) -> Rule:
        """Return the decision rule; by default the most probable class."""
        if self.unsure is not None and self.costs is not None:
            template = "--unsure cannot be combined with --costs; the file gives the cost of being unsure: unsure = 0.2"
            raise ParameterError(template)
        check_precision_alone(self.precision, {"--unsure": self.unsure, "--costs": self.costs})
        classes = classifier.classes_.tolist()
        may_be_unsure = self.unsure is not None or (self._costs is not None and self._costs.unsure is not None)
        may_be_unsure = may_be_unsure or self.precision is not None
        if may_be_unsure and UNSURE_LABEL in classes:
            raise InputError(
                "the model has a class named {label!r}, which is also the answer for unsure documents; rename the "
                "class, or decide in Python, where TextClassifier.decide returns None",
                label=UNSURE_LABEL,
            )
        if self.precision is not None:
            return precision_rule(classifier, self.precision)
        return classifier.rule(unsure=self.unsure, costs=self._costs)

    @cached_property
    def _costs(self) -> Costs | None:
        return None if self.costs is None else read_costs(self.costs)


def answers(row: Sequence[float], decided: int, ranked: Sequence[int], classes: Sequence[str]) -> list[str | float]:
    """Return the decided label and its probability, then the most probable other classes with theirs.

    ``ranked`` are the most probable classes, as many as there are labels to give. The label of an unsure document has
    the probability of the most probable class, which is then the first of the other classes.

    >>> row, ranked, classes = [0.2, 0.5, 0.3], [1, 2], ["a", "b", "c"]
    >>> answers(row, 2, ranked, classes), answers(row, UNSURE, ranked, classes)
    (['c', 0.3, 'b', 0.5], ['unsure', 0.5, 'b', 0.5])
    """
    first = (UNSURE_LABEL, row[ranked[0]]) if decided == UNSURE else (classes[decided], row[decided])
    others = [k for k in ranked if k != decided][: len(ranked) - 1]
    return [*first, *(cell for k in others for cell in (classes[k], row[k]))]


_DEFAULT = Cutoffs()


@dataclass(frozen=True)
class Judging:
    """When a mail is spam, when it is good, and when it is unsure."""

    section: ClassVar[str] = "Decision"
    spam: str | None = option("CLASS", "Class to be careful with.")
    spam_cutoff: float | None = option(
        "P", f"A mail is of that class from this probability on.  [default: {_DEFAULT.spam_cutoff:g}]"
    )
    good_cutoff: float | None = option(
        "P", f"A mail is of another class up to this probability.  [default: {_DEFAULT.good_cutoff:g}]"
    )
    thin: float | None = option(
        "TIMES", f"Odds required of a mail without a Received field, times this.  [default: {_DEFAULT.thin:g}]"
    )
    unsure: float | None = option(
        "P", f"Without --spam: unsure below this probability.  [default: {_DEFAULT.unsure:g}]"
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


@dataclass(frozen=True)
class Moving:
    """What happens to messages when they have been judged."""

    section: ClassVar[str] = "Moving"
    move: tuple[str, ...] = option("CLASS=FOLDER", "Move messages of the class to the folder; repeatable.", default=())
    unsure_to: str | None = option("FOLDER", "Move unsure messages to the folder; otherwise they stay.")
    apply: bool = flag("Change the mailbox; without this option it is a dry run.")
    again: bool = flag("Judge all messages, even those judged before.")
    watch: bool = flag("Continue with new messages until SIGINT or SIGTERM.")
    every: float = option("SECONDS", "Seconds between two looks of --watch.", type=SECONDS, default=10.0)

    def check(self) -> None:
        """Refuse options that have no effect."""
        if not self.watch:
            check_unused("every", why="without --watch")

    def destinations(self, classes: Sequence[str], *, alike: bool) -> Destinations:
        """Return where messages go; if `alike`, without --move every class goes to the folder of its name."""
        folders = parse_class_pairs(self.move, classes, "--move")
        return Destinations({name: name for name in classes} if alike and not self.move else folders, self.unsure_to)

    def tell(self, id: object, verdict: Verdict, to: str | None, rows: OutputRows | None, quiet: bool) -> None:
        """Print the verdict on a message: a row if there are `rows`, else a line if --watch has moved it."""
        if rows is not None:
            rows.row([id, verdict.label, verdict.probability, "yes" if verdict.unsure else "no", to or ""])
            sys.stdout.flush()
        elif self.watch and not quiet and to is not None:
            template = "{id}: {label}, {probability:.4f}, moved to {folder}"
            say(template, id=id, label=verdict.label, probability=verdict.probability, folder=to)

    def summary(self, counts: Counter[str], more: Mapping[str, str], remedy: str = _REMEDY) -> str:
        """Return one line about judged messages; `more` are templates of what else was counted.

        >>> counts = Counter({"judged": 3, "to Junk": 1, "stay": 2, "unsure": 1, "known": 5})
        >>> Moving().summary(counts, {"known": "{n:,} judged before"})
        '3 messages judged: 1 would go to Junk, 2 stay, 1 of them unsure; 5 judged before; dry run, ...'
        """
        moved = "{n:,} moved {to}" if self.apply else "{n:,} would go {to}"
        tagged = "{n:,} tagged" if self.apply else "{n:,} would be tagged"
        parts = [moved.format(n=n, to=to) for to, n in sorted(counts.items()) if to.startswith("to ")]
        parts.append(plural(counts["stay"], "stays", "stay"))
        parts += _counted(counts, {"unsure": "{n:,} of them unsure", "tagged": tagged})
        line = [f"{plural(counts['judged'], 'message')} judged: {', '.join(parts)}", *_counted(counts, more)]
        return "; ".join(line if self.apply else [*line, "dry run, nothing was changed", remedy])


def counts_of(verdict: Verdict, to: str | None) -> list[str]:
    """Return what a judged message counts as in the summary."""
    return ["judged", *(["stay", *(["unsure"] if verdict.unsure else [])] if to is None else [f"to {to}"])]


def _counted(counts: Counter[str], templates: Mapping[str, str]) -> list[str]:
    return [template.format(n=counts[key]) for key, template in templates.items() if counts[key]]
