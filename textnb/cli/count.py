"""textnb count."""

from textnb.cli import options
from textnb.cli.console import plural, say
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
    terms_of = cutting.terms_of
    documents = corpus_documents(corpus, reading, running.quiet)
    parts = list(counted(documents, terms_of, jobs=running.n_jobs))
    if not parts:
        raise InputError(f"{corpus} holds no documents to count")
    (part,) = parts
    write_counts(output, part, {"tokenizer": terms_of.tokenizer.recipe, "analyzer": terms_of.analyzer.recipe})
    if not running.quiet:
        say(f"counted {plural(len(part), 'document')}; {output} holds {plural(len(part.vocabulary), 'term')}")
