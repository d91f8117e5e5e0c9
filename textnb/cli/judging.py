"""How the mail filter decides: --spam, its cut-offs, --unsure."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from textnb.errors import InputError
from textnb.evaluation.verdicts import Verdicts
from textnb.mail.verdict import Cutoffs

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
        _option("--spam-cutoff", "P", "A mail is of that class from this probability on.", _DEFAULT.by.spam),
    ] = None
    good_cutoff: Annotated[
        float | None, _option("--good-cutoff", "P", "It is of another up to this probability.", _DEFAULT.by.good)
    ] = None
    thin: Annotated[
        float | None,
        _option("--thin", "TIMES", "Odds that many times higher where no Received field is.", _DEFAULT.by.thin),
    ] = None
    unsure: Annotated[
        float | None,
        _option("--unsure", "P", "Without --spam: unsure below this probability.", _DEFAULT.least),
    ] = None

    @property
    def cutoffs(self) -> Cutoffs:
        """The cut-offs that were asked for."""
        asked = {"spam": self.spam_cutoff, "good": self.good_cutoff, "thin": self.thin}
        given = {name: value for name, value in asked.items() if value is not None}
        if self.spam is None and given:
            raise InputError("--spam-cutoff, --good-cutoff and --thin are for the class that --spam names; name it")
        if self.spam is not None and self.unsure is not None:
            raise InputError("with --spam it is --spam-cutoff and --good-cutoff that say what is unsure, not --unsure")
        return Cutoffs(self.spam, Verdicts(**given), _DEFAULT.least if self.unsure is None else self.unsure)
