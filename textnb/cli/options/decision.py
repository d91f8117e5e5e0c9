"""How probabilities become an answer: --unsure and --costs.

How the mail filter decides: --spam, its cut-offs, --unsure.

Where sorted mail goes, and how often it is looked at: --move, --unsure-to, --apply, --again, --watch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.decisions import UNSURE, Rule, decision_rule
from textnb.errors import InputError
from textnb.evaluation import Costs, read_costs
from textnb.mail.destinations import Destinations, folders_like, parse_class_pairs
from textnb.mail.filter import Cutoffs

UNSURE_LABEL = "unsure"

CostsFile = Annotated[
    Path | None,
    typer.Option("--costs", metavar="FILE", help="What mistakes cost, a TOML file.", rich_help_panel="Decision"),
]


@dataclass(frozen=True)
class Deciding:
    """What is answered."""

    unsure: Annotated[
        float | None,
        typer.Option(
            "--unsure",
            metavar="P",
            help=f"Answer `{UNSURE_LABEL}` where the likeliest class has a probability below P.",
            rich_help_panel="Decision",
        ),
    ] = None
    costs: CostsFile = None

    def rule(self, classes: Sequence[str]) -> Rule:
        """The rule that was asked for; by default the most probable class."""
        rule = decision_rule(classes, self.unsure, self._costs)
        may_be_unsure = self.unsure is not None or (self._costs is not None and self._costs.unsure is not None)
        if may_be_unsure and UNSURE_LABEL in classes:
            raise InputError(
                f"the model has a class named {UNSURE_LABEL!r}, which could not be told from being unsure; "
                "rename the class, or decide in Python, where TextClassifier.decide answers None"
            )
        return rule

    @cached_property
    def _costs(self) -> Costs | None:
        return None if self.costs is None else read_costs(self.costs)


def answers(row: Sequence[float], decided: int, ranked: Sequence[int], classes: Sequence[str]) -> list[str | float]:
    """The decided label and its probability, then the likeliest other classes with theirs.

    ``ranked`` are the likeliest classes, as many as there are labels to give. Being unsure has the probability of the
    likeliest class, and every class is another.

    >>> row, ranked, classes = [0.2, 0.5, 0.3], [1, 2], ["a", "b", "c"]
    >>> answers(row, 2, ranked, classes), answers(row, UNSURE, ranked, classes)
    (['c', 0.3, 'b', 0.5], ['unsure', 0.5, 'b', 0.5])
    """
    first = (UNSURE_LABEL, row[ranked[0]]) if decided == UNSURE else (classes[decided], row[decided])
    others = [k for k in ranked if k != decided][: len(ranked) - 1]
    return [*first, *(cell for k in others for cell in (classes[k], row[k]))]


_DEFAULT = Cutoffs()


def _option(name: str, metavar: str, help: str, default: float | None = None) -> Any:
    shown = "" if default is None else f"  [default: {default:g}]"
    return typer.Option(name, metavar=metavar, help=help + shown, show_default=False, rich_help_panel="Decision")


@dataclass(frozen=True)
class Judging:
    """When a message is called spam, when good, and when neither."""

    spam: Annotated[str | None, _option("--spam", "CLASS", "The class to be careful with.")] = None
    spam_cutoff: Annotated[
        float | None,
        _option("--spam-cutoff", "P", "A mail is of that class from this probability on.", _DEFAULT.spam_cutoff),
    ] = None
    good_cutoff: Annotated[
        float | None, _option("--good-cutoff", "P", "It is of another up to this probability.", _DEFAULT.good_cutoff)
    ] = None
    thin: Annotated[
        float | None,
        _option("--thin", "TIMES", "Odds that many times higher where no Received field is.", _DEFAULT.thin),
    ] = None
    unsure: Annotated[
        float | None,
        _option("--unsure", "P", "Without --spam: unsure below this probability.", _DEFAULT.unsure),
    ] = None

    @property
    def cutoffs(self) -> Cutoffs:
        """The cut-offs that were asked for."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if self.spam is None and given.keys() - {"unsure"}:
            raise InputError("--spam-cutoff, --good-cutoff and --thin are for the class that --spam names; name it")
        if self.spam is not None and self.unsure is not None:
            raise InputError("with --spam it is --spam-cutoff and --good-cutoff that say what is unsure, not --unsure")
        return Cutoffs(**given)


DAY = 86_400.0  # seconds; the longest pause, since there is an end to what a system can wait for


@dataclass(frozen=True)
class Moving:
    """What is done with messages once they have been judged."""

    move: Annotated[
        list[str] | None,
        typer.Option("--move", metavar="CLASS=FOLDER", help="Messages of the class go to the folder; repeatable."),
    ] = None
    unsure_to: Annotated[
        str | None, typer.Option("--unsure-to", metavar="FOLDER", help="Unsure messages go here; else they stay.")
    ] = None
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without this, it is only said.")] = False
    again: Annotated[bool, typer.Option("--again", help="Judge messages, too, that were judged before.")] = False
    watch: Annotated[bool, typer.Option("--watch", help="Go on with what arrives, until told to stop.")] = False
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.1, max=DAY, help="How often --watch looks.")
    ] = 10.0

    def destinations(self, classes: Sequence[str], *, alike: bool) -> Destinations:
        """Where messages go. alike: without --move, every class has the folder that is named like it."""
        folders = parse_class_pairs(self.move or (), classes, "--move")
        return Destinations(folders_like(classes) if alike and self.move is None else folders, self.unsure_to)
