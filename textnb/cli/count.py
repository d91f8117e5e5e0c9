"""textnb count."""

import math

from textnb.cli import options
from textnb.cli.console import plural, say
from textnb.cli.saving import check_output
from textnb.cli.sources import corpus_documents
from textnb.countfile import write_counts
from textnb.counts import counted
from textnb.errors import InputError


def count(
    corpus: options.CorpusPath,
    output: options.Output,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
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
