"""How the mail filter decides: --spam, its cut-offs, --unsure."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from textnb.errors import InputError
from textnb.mail.verdict import Cutoffs

_DEFAULT = Cutoffs()


def _option(name: str, metavar: str, help: str) -> Any:
    return typer.Option(name, metavar=metavar, help=help, show_default=False, rich_help_panel="Decision")


@dataclass(frozen=True)
class Judging:
    """When a message is called spam, when good, and when neither."""

    spam: Annotated[str | None, _option("--spam", "CLASS", "The class to be careful with.")] = None
    spam_cutoff: Annotated[
        float | None,
        _option("--spam-cutoff", "P", f"It is that class from this probability on.  [default: {_DEFAULT.spam_from}]"),
    ] = None
    good_cutoff: Annotated[
        float | None,
        _option("--good-cutoff", "P", f"It is another up to this probability.  [default: {_DEFAULT.good_to}]"),
    ] = None
    unsure: Annotated[
        float | None,
        _option("--unsure", "P", f"Without --spam: unsure below this probability.  [default: {_DEFAULT.least}]"),
    ] = None

    @property
    def cutoffs(self) -> Cutoffs:
        """The cut-offs that were asked for."""
        if self.spam is None and not (self.spam_cutoff is None and self.good_cutoff is None):
            raise InputError("--spam-cutoff and --good-cutoff are for the class that --spam names; name it")
        if self.spam is not None and self.unsure is not None:
            raise InputError("with --spam it is --spam-cutoff and --good-cutoff that say what is unsure, not --unsure")
        asked = {"spam_from": self.spam_cutoff, "good_to": self.good_cutoff, "least": self.unsure}
        return Cutoffs(self.spam, **{name: value for name, value in asked.items() if value is not None})
