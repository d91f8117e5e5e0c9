"""textnb count and textnb tokenize."""

from collections.abc import Collection, Sequence
from pathlib import Path

import click

from textnb.cli.input_sources import input_documents, open_inputs
from textnb.cli.options import inputs
from textnb.cli.options.cluster import Clustering
from textnb.cli.options.groups import FILE, check_unused, takes, verb
from textnb.cli.sources import CorpusSource, check_output
from textnb.cli.terminal import OutputRows, plural, print_words, say
from textnb.counts import TermsOf
from textnb.distributed.counting import count_on, counted_on
from textnb.distributed.runs import Run
from textnb.errors import InputError
from textnb.files.count_file import write_counts


@verb
@inputs.corpus_paths
@click.option("--output", "-o", metavar="FILE", type=FILE, help="File to write; not required with --parts.")
@takes(running=inputs.Running, clustering=Clustering, tokenizing=inputs.Tokenizing, reading=inputs.LabelledReading)
def count(
    corpora: Sequence[str],
    output: Path | None,
    running: inputs.Running,
    clustering: Clustering,
    tokenizing: inputs.Tokenizing,
    reading: inputs.LabelledReading,
) -> None:
    """Tokenize a corpus once and store its counts, for train, test and compare.

    Examples:

        textnb count news/ -o news.counts
        textnb count 2026-*.csv archive.jsonl.gz -o news.counts
        textnb count 'news/*.parquet' --dask tcp://scheduler:8786 --parts counted/
    """
    clustering.check()
    if output is not None:
        check_output(output, corpora)
    elif clustering.parts is None:
        raise click.MissingParameter(param_hint="'--output' / '-o'", param_type="option")
    source = CorpusSource.open(corpora, reading, running)
    if source.count_file is not None:
        template = "{corpus} holds counts already; train, test and compare read it, and merge joins several"
        raise InputError(template, corpus=source.count_file.path)
    terms_of = tokenizing.terms_of
    if clustering.dask is None:
        part = source.counted(terms_of)
    else:
        with clustering.run(source, running) as run:
            if output is None and clustering.parts is not None:
                _count_parts(run, terms_of, clustering.parts, running.quiet)
                return
            part = counted_on(run, terms_of, clustering.parts)
    assert output is not None
    write_counts(output, part, terms_of)
    if not running.quiet:
        documents, terms = plural(len(part), "document"), plural(len(part.vocabulary), "term")
        say("counted {documents}; {output} has {terms}", documents=documents, output=output, terms=terms)


def _count_parts(run: Run, terms_of: TermsOf, folder: Path, quiet: bool) -> None:
    """Write a count file per part of the corpus."""
    number = len(count_on(run, terms_of, folder))
    if not quiet:
        template = "{folder} has {files}; textnb merge joins them"
        say(template, folder=folder, files=plural(number, "count file"))


@verb
@inputs.input_names
@click.option("--details", "-v", is_flag=True, help="Print one row per token with its analysis, and name the engine.")
@takes(tokenizing=inputs.Tokenizing, reading=inputs.InputReading)
def tokenize(
    inputs: Collection[str], details: bool, tokenizing: inputs.Tokenizing, reading: inputs.InputReading
) -> None:
    """Tokenize text: one line per document, terms separated by spaces.

    Examples:

        echo 'すもももももももものうち' | textnb tokenize
        textnb tokenize letter.txt --tokenizer janome --base-form --details
    """
    terms_of = tokenizing.terms_of
    sources = open_inputs(inputs, reading)
    if details:
        check_unused("terms", "ngram", "features", why="with --details, which shows tokens")
    documents = input_documents(sources)
    if not details:
        for document in documents:
            print_words(terms_of.stream(document))
        return
    tokenizer = terms_of.tokenizer
    say("textnb: tokenizer {name}, engine {engine}", name=tokenizer.name, engine=tokenizer.runs_on)
    rows = OutputRows(["id", "surface", "base", "reading", "pos", "start", "end"], "tsv")
    for document in documents:
        for token, place in terms_of.analyzer.tokens(document.text, terms_of.tokenizer):
            rows.row([document.id, *token[:4], *place])
