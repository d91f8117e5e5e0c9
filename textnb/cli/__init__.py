"""The command ``textnb``: one function a verb.

Exit codes: 0 done, 1 the input or the data is at fault, 2 usage, 130 interrupted; ``textnb filter`` has its own.
"""

import sys
from typing import Annotated

import typer

from textnb.cli.terminal import fail, prepare_streams
from textnb.cli.verbs import add_verbs
from textnb.errors import TextnbError
from textnb.version import __version__

app = typer.Typer(
    help="Classify text with naive Bayes, Japanese first.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_verbs(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"textnb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; an error of textnb's own is one line and exit code 1."""
    prepare_streams()
    try:
        if sys.argv[1:2] == ["filter"]:
            from textnb.cli.filter import run_filter

            sys.exit(run_filter(app))
        app()
    except MemoryError:
        fail("there is not enough memory for this; fewer documents, terms (--max-terms) or classes need less")
    except (TextnbError, OSError) as error:
        fail(error)
