"""textnb tokenize."""

from typing import Annotated

import typer

from textnb.cli import options
from textnb.cli.console import say
from textnb.cli.output import Rows
from textnb.cli.sources import input_documents
from textnb.errors import InputError


def tokenize(
    cutting: options.Cutting,
    reading: options.Reading,
    inputs: options.Inputs = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            "-v",
            help="A row a token, with all that is known of it, and which engine runs.",
        ),
    ] = False,
) -> None:
    """Cut text into terms: a line a document, a space between terms.

    Examples:

        echo 'すもももももももものうち' | textnb tokenize

        textnb tokenize letter.txt --tokenizer janome --base-form --details
    """
    terms_of = cutting.terms_of
    documents = input_documents(inputs, reading)
    if not details:
        for document in documents:
            print(" ".join(terms_of(document)))
        return
    if cutting.ngram:
        raise InputError("--details shows tokens; leave out --ngram")
    say(f"textnb: tokenizer {terms_of.tokenizer.name}, engine {terms_of.tokenizer.runs_on}")
    rows = Rows(["id", "surface", "base", "reading", "pos", "start", "end"], "tsv")
    for document in documents:
        for token, place in terms_of.analyzer.tokens(document.text, terms_of.tokenizer):
            rows.row([document.id, *token[:4], *place])
