"""textnb merge."""

from pathlib import Path
from typing import Annotated

import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.saving import check_output, save_and_say
from textnb.errors import InputError
from textnb.storage import locked


def merge(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Two or more model files.")],
    output: options.Output,
    trust: options.Trust = None,
    quiet: options.Quiet = False,
) -> None:
    """Add up models of the same recipe; the result is what training on all their documents gives.

    Example:

        textnb merge monday.textnb tuesday.textnb -o week.textnb
    """
    if len(models) < 2:
        raise InputError(f"merging takes two models or more, got only {models[0]}")
    check_output(output)
    with locked(output):
        total, *rest = (TextClassifier.load(path, trust or ()) for path in models)
        for other in rest:
            total.merge(other)
        save_and_say(total, output, "merged", total.learnt, quiet)
