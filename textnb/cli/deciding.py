"""How probabilities become an answer: --unsure and --costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from textnb.errors import InputError
from textnb.evaluation import Costs, read_costs
from textnb.evaluation.costs import decision_rule
from textnb.evaluation.decision import UNSURE, Rule

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
