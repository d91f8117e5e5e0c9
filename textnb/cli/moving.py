"""Where sorted mail goes, and how often it is looked at: --move, --unsure-to, --apply, --again, --watch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from textnb.mail.destinations import Destinations, by_class, folders_like

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
        folders = by_class(self.move or (), classes, "--move")
        return Destinations(folders_like(classes) if alike and self.move is None else folders, self.unsure_to)
