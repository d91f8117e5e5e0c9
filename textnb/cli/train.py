"""textnb train."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.console import say
from textnb.cli.found import found_lines
from textnb.cli.modelling import Modelling
from textnb.cli.saving import check_output, save_and_say
from textnb.cli.sources import count_file, counted_corpus
from textnb.cli.values import as_frequency
from textnb.errors import InputError


def train(
    corpus: options.CorpusPath,
    output: options.Output,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
    modelling: Modelling,
    min_df: Annotated[
        str | None,
        typer.Option(
            "--min-df",
            help="Use terms in N documents or more, or a share, or auto: 2, or 1 if documents are few or short.",
        ),
    ] = None,
    max_df: Annotated[
        str | None, typer.Option("--max-df", help="Use terms in N documents or fewer, or a share.")
    ] = None,
    max_terms: Annotated[int | None, typer.Option("--max-terms", help="Use so many terms at most.")] = None,
    verbose: options.Verbose = False,
    trust: options.Trust = None,
) -> None:
    """Learn from a corpus and write a model file.

    Examples:

        textnb train news/ -o news.textnb

        textnb train reviews.csv --text body --label stars --tokenizer words --ngram 1-2 -o reviews.textnb

        textnb train news.counts --alpha 0.1 --min-df 2 -o news.textnb

        textnb train news/ --model complement --weighting tfidf-l2 --weight-norm -v -o news.textnb
    """
    check_output(output, corpus)
    file = count_file(corpus, trust)
    if file is not None and cutting.given:
        raise InputError(f"{corpus} has been tokenised already; leave out the options for text")
    terms_of = cutting.suited(modelling.terms) if file is None else file[1]
    selection: dict[str, Any] = {
        "min_df": as_frequency(min_df, "--min-df"),
        "max_df": as_frequency(max_df, "--max-df"),
        "max_terms": max_terms,
    }
    analyzer = replace(terms_of.analyzer, **{key: value for key, value in selection.items() if value is not None})
    recipe = modelling.recipe(terms_of, analyzer)
    learnt = recipe.learnt_counted(counted_corpus(corpus, terms_of, reading, running, trust))
    if not learnt.counts.classes:
        raise InputError(f"{corpus} holds no documents to learn from")
    classifier = TextClassifier.of(recipe, learnt)
    save_and_say(classifier, output, "learnt", learnt, running.quiet)
    if verbose:
        for name, value in found_lines(classifier):
            say(f"{name}: {value}")
