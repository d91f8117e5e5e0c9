"""textnb count and textnb tokenize."""

import math
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from textnb.classifier.inputs import as_source
from textnb.cli.input_sources import input_documents, open_inputs
from textnb.cli.options import inputs
from textnb.cli.options.checkpoint import check_place, origin_of, own_tokenizer
from textnb.cli.options.cluster import Clustering
from textnb.cli.options.groups import FILE, check_unused, takes, verb
from textnb.cli.sources import APPENDED, CorpusSource, check_output, say_dropped
from textnb.cli.terminal import OutputRows, plural, print_words, say
from textnb.counts import TermsOf, counted
from textnb.counts.counting import PART_CHARACTERS
from textnb.distributed.counting import count_on
from textnb.errors import InputError
from textnb.files.checkpoint import CountedParts, checkpoint_folder
from textnb.files.count_file import recipe_of, terms_of_counts
from textnb.files.count_joining import Joined, check_counted_alike, has_at, merge_counts, size_of_counts
from textnb.parallel import one_behind
from textnb.storage import locked, temporary_folder

_PARTS = ".parts"
"""End of the name of the folder that has the counted parts until they are joined."""


@verb
@inputs.corpus_paths
@click.option("--output", "-o", metavar="FILE", type=FILE, help="File to write; not required with --parts.")
@click.option("--append", is_flag=True, help="Add the documents to those that the output file has already.")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    type=FILE,
    help="Keep what has been counted so far in FOLDER; a run that was killed goes on from there.",
)
@click.option(
    "--term-budget",
    metavar="N",
    type=click.IntRange(min=1),
    help="Keep about the N terms that most documents contain, which bounds memory.",
)
@takes(running=inputs.Running, clustering=Clustering, tokenizing=inputs.Tokenizing, reading=inputs.LabelledReading)
def count(
    corpora: Sequence[str],
    output: Path | None,
    append: bool,
    checkpoint: Path | None,
    term_budget: int | None,
    running: inputs.Running,
    clustering: Clustering,
    tokenizing: inputs.Tokenizing,
    reading: inputs.LabelledReading,
) -> None:
    """Tokenize a corpus once and store its counts, for train, test and compare.

    The corpus is read once, and written in parts: memory is bounded by the vocabulary, not by the number of documents.
    --append writes the file anew with the documents of the corpus after its own, and equals counting all at once. If it
    ends with these documents already, because the run is repeated, nothing is appended.

    --term-budget N leaves out the rarest terms whenever there are more than N. Terms that stay have all their counts;
    textnb info FILE says in how many documents any other is at most. Models of such a file cannot forget.

    Examples:

        textnb count news/ -o news.counts
        textnb count 2026-*.csv archive.jsonl.gz -o news.counts
        textnb count today.csv --append -o news.counts
        textnb count archive/ --checkpoint archive.parts -o archive.counts
        textnb count 'news/*.parquet' --dask tcp://scheduler:8786 --parts counted/
    """
    clustering.check()
    if output is not None:
        check_output(output, corpora)
    elif clustering.folder is None:
        raise click.MissingParameter(param_hint="'--output' / '-o'", param_type="option")
    source = CorpusSource.open(corpora, reading, running)
    if source.count_file is not None:
        template = "{corpus} holds counts already; train, test and compare read it, and merge joins several"
        raise InputError(template, corpus=source.count_file.path)
    terms_of = tokenizing.terms_of
    if clustering.dask is not None:
        check_unused("append", "checkpoint", why="with --dask; --parts keeps what has been counted")
        _count_on_cluster(source, terms_of, output, term_budget, clustering, running)
        return
    assert output is not None
    if append:
        terms_of = _terms_as_in(output, tokenizing)
    origin = None
    if checkpoint is not None:
        check_place(checkpoint, output, source)
        origin = origin_of(corpora, source, recipe_of(terms_of))
    opened = temporary_folder(output, _PARTS) if checkpoint is None else checkpoint_folder(checkpoint)
    folder = click.get_current_context().with_resource(opened)
    parts = CountedParts(folder, terms_of, origin)
    _count_parts(source, parts, terms_of, running)
    if append:
        whole = _append(parts, output, own_tokenizer(terms_of), term_budget)
    else:
        whole = merge_counts(parts.paths, output, own_tokenizer(terms_of), term_budget)
    if checkpoint is not None:
        parts.remove()
    if not running.quiet:
        _say_counted(parts.n_documents, output, whole)
    source.throughput.say(quiet=running.quiet)


def _terms_as_in(output: Path, tokenizing: inputs.Tokenizing) -> TermsOf:
    """Return how the documents of the output were counted; options that say otherwise are refused."""
    asked = tokenizing.terms_of
    if not _has_content(output):
        return asked
    terms_of = terms_of_counts(output, own_tokenizer(asked))
    if tokenizing.given:
        check_counted_alike(output, terms_of, "these options say", asked)
    return terms_of


def _count_parts(source: CorpusSource, parts: CountedParts, terms_of: TermsOf, running: inputs.Running) -> None:
    """Count the documents of a source that the parts do not have yet, and add them."""
    documents: Any = islice(as_source(source.documents()), parts.n_documents, None)
    jobs = running.n_jobs
    counts = counted(documents, terms_of, jobs=jobs, entries=math.inf, characters=PART_CHARACTERS)
    one_behind(parts.add, counts, jobs)
    if not parts.n_documents:
        raise InputError("{corpus} has no documents", corpus=source.name)


def _append(parts: CountedParts, output: Path, trust: Collection[str], term_budget: int | None) -> Joined:
    """Append the counted parts to the output; a run that did so before, and is repeated, does not do it twice."""
    with locked(output):
        if not _has_content(output):
            parts.begin_to_append(0)
            return merge_counts(parts.paths, output, trust, term_budget)
        n_before = size_of_counts(output).n_documents
        if parts.n_before is not None and has_at(output, parts.n_before, parts.paths):
            return size_of_counts(output)  # killed after the last step, before the checkpoint was removed
        if parts.n_before is None and has_at(output, n_before - parts.n_documents, parts.paths):
            raise InputError(APPENDED, output=output, documents=plural(parts.n_documents, "document"))
        parts.begin_to_append(n_before)
        return merge_counts([output, *parts.paths], output, trust, term_budget)


def _has_content(output: Path) -> bool:
    return output.exists() and output.stat().st_size > 0


def _count_on_cluster(
    source: CorpusSource,
    terms_of: TermsOf,
    output: Path | None,
    term_budget: int | None,
    clustering: Clustering,
    running: inputs.Running,
) -> None:
    """Write a count file per part of the corpus, and join them if there is an output."""
    if output is None:
        check_unused("term_budget", why="without -o FILE: each part keeps all its terms")
    kept = clustering.folder
    folder = kept or click.get_current_context().with_resource(temporary_folder(output or Path(), _PARTS))
    with clustering.run(source, running) as run:
        paths = count_on(run, terms_of, folder)
    if output is None:
        if not running.quiet:
            template = "{folder} has {files}; textnb merge joins them"
            say(template, folder=folder, files=plural(len(paths), "count file"))
        return
    whole = merge_counts(paths, output, own_tokenizer(terms_of), term_budget)
    if not running.quiet:
        _say_counted(whole.n_documents, output, whole)


def _say_counted(n_documents: int, output: Path, whole: Joined) -> None:
    documents, terms = plural(n_documents, "document"), plural(whole.n_terms, "term")
    say("counted {documents}; {output} has {terms}", documents=documents, output=output, terms=terms)
    say_dropped(whole.dropped)


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
