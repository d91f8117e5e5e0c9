"""textnb corpus: corpora by name."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from textnb.cli import options
from textnb.cli.console import bytes_progress, say
from textnb.cli.output import print_json, print_table
from textnb.cli.sources import corpus_documents
from textnb.corpus import CorpusCheck, catalogue, corpus_parts, corpus_path, fetch, known
from textnb.errors import InputError

app = typer.Typer(help="Corpora by name: list, get, path, check.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name that `textnb corpus list` shows.")]


@app.command("list")
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


@app.command("get")
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
    corpus = known(name)
    with bytes_progress(f"fetching {name}", quiet) as watch:
        path = fetch(corpus, source, watch)
    if not quiet:
        say(f"{name}: {corpus.licence}")
    print(path)


@app.command("path")
def path(name: Name) -> None:
    """Print where the documents of a corpus lie.

    Example:

        textnb train $(textnb corpus path ja-mini)/train -o model.textnb
    """
    print(corpus_path(name))


@app.command("check")
@options.grouped
def check(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="A corpus, or a name of `textnb corpus list`.")],
    reading: options.LabelledReading,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Count the documents of a corpus by class, and name those that are empty, damaged or repeated.

    A corpus with a name is compared with the numbers in its description.

    Examples:

        textnb corpus check news/

        textnb corpus check ja-mini
    """
    named = None if Path(corpus).exists() else known(corpus)
    paths = [Path(corpus)] if named is None else corpus_parts(corpus)
    result = CorpusCheck.of(chain.from_iterable(corpus_documents(path, reading, quiet) for path in paths))
    odd = {
        "empty": list(result.empty),
        "damaged": list(result.damaged),
        "repeated": [" = ".join(pair) for pair in result.repeated],
        "repeated under another label": [" = ".join(pair) for pair in result.contradictory],
    }
    if as_json:
        print_json({"documents": result.documents, "characters": result.characters, "classes": result.classes, **odd})
    else:
        print_table(["class", "documents"], [*result.classes.items(), ("(all)", result.documents)])
        print_table(["what", "number", "for instance"], [(k, len(v), "; ".join(v[:3])) for k, v in odd.items()])
    if named is not None and named.classes and named.classes != result.classes:
        raise InputError(f"the corpus {corpus!r} should have {named.classes}; fetch it again")


def _shown(row: dict[str, object]) -> tuple[object, ...]:
    return tuple("yes" if value is True else "no" if value is False else value for value in row.values())
