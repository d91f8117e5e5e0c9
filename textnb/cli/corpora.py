"""textnb corpus: corpora by name."""

from typing import Annotated

import typer

from textnb.cli import options
from textnb.cli.check import check
from textnb.cli.console import bytes_progress, say
from textnb.cli.output import print_json, print_table
from textnb.corpus import catalogue, corpus_path, fetch, known

corpus = typer.Typer(
    name="corpus",
    help="Corpora by name: list, get, path, check.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
corpus.command("check")(options.grouped(check))
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `textnb corpus list` shows.")]


@corpus.command("list")
def list_corpora(as_json: options.Json = False) -> None:
    """List the corpora that textnb knows, and whether they are here."""
    rows = [
        {"name": c.name, "language": c.language, "here": c.present, "title": c.title, "licence": c.licence}
        for c in catalogue().values()
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(["name", "language", "here", "title", "licence"], [_shown(row) for row in rows])


@corpus.command("get")
def get(
    name: Name,
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="An archive, a folder or an address; by default its own.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Fetch a corpus into the user's data folder; its digest is verified first.

    Example:

        textnb corpus get livedoor ~/Downloads/ldcc-20140209.tar.gz
    """
    wanted = known(name)
    with bytes_progress(f"fetching {name}", quiet) as watch:
        path = fetch(wanted, source, watch)
    if not quiet:
        say(f"{name}: {wanted.licence}")
    print(path)


@corpus.command("path")
def path(name: Name) -> None:
    """Print where the documents of a corpus lie.

    Example:

        textnb train $(textnb corpus path ja-mini)/train -o model.textnb
    """
    print(corpus_path(name))


def _shown(row: dict[str, object]) -> tuple[object, ...]:
    return tuple("yes" if value is True else "no" if value is False else value for value in row.values())
