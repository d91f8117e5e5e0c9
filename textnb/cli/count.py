"""textnb count.

textnb tokenize.
"""

import math
from typing import Annotated

import typer

from textnb.cli.options import inputs
from textnb.cli.sources import check_output, corpus_documents, input_documents
from textnb.cli.terminal import OutputRows, plural, say
from textnb.counts import counted
from textnb.errors import InputError
from textnb.files.count_file import write_counts


def count(
    corpus: inputs.CorpusPath,
    output: inputs.Output,
    cutting: inputs.Cutting,
    reading: inputs.LabelledReading,
    running: inputs.Running,
) -> None:
    """Tokenise a corpus once and keep its counts; train and test take the file in place of the corpus.

    Example:

        textnb count news/ -o news.counts
    """
    check_output(output, corpus)
    terms_of = cutting.terms_of
    documents = corpus_documents(corpus, reading, running)
    parts = list(counted(documents, terms_of, jobs=running.n_jobs, entries=math.inf))
    if not parts:
        raise InputError(f"{corpus} holds no documents to count")
    (part,) = parts
    write_counts(output, part, terms_of)
    if not running.quiet:
        say(f"counted {plural(len(part), 'document')}; {output} holds {plural(len(part.vocabulary), 'term')}")


def tokenize(
    cutting: inputs.Cutting,
    reading: inputs.Reading,
    inputs: inputs.Inputs = None,
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
    rows = OutputRows(["id", "surface", "base", "reading", "pos", "start", "end"], "tsv")
    for document in documents:
        for token, place in terms_of.analyzer.tokens(document.text, terms_of.tokenizer):
            rows.row([document.id, *token[:4], *place])
