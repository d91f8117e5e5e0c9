"""textnb train."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.saving import check_output, save_and_say
from textnb.cli.sources import count_file, counted_corpus
from textnb.cli.values import as_frequency, as_prior
from textnb.errors import InputError
from textnb.models.table import MODELS
from textnb.recipe import ClassifierRecipe


def train(
    corpus: options.CorpusPath,
    output: options.Output,
    cutting: options.Cutting,
    reading: options.LabelledReading,
    running: options.Running,
    model: Annotated[str, typer.Option("--model", help=f"One of: {', '.join(MODELS)}.")] = "multinomial",
    alpha: Annotated[float, typer.Option("--alpha", help="Additive smoothing; 0 is maximum likelihood.")] = 0.1,
    prior: Annotated[str, typer.Option("--prior", help="empirical, uniform, or a=0.3,b=0.7.")] = "empirical",
    weighting: Annotated[str, typer.Option("--weighting", help="raw, binary or log.")] = "log",
    min_df: Annotated[
        str | None, typer.Option("--min-df", help="Use terms in N documents or more, or a share.")
    ] = None,
    max_df: Annotated[
        str | None, typer.Option("--max-df", help="Use terms in N documents or fewer, or a share.")
    ] = None,
    max_terms: Annotated[int | None, typer.Option("--max-terms", help="Use so many terms at most.")] = None,
    trust: options.Trust = None,
) -> None:
    """Learn from a corpus and write a model file.

    Examples:

        textnb train news/ -o news.textnb

        textnb train reviews.csv --text body --label stars --tokenizer words --ngram 1-2 -o reviews.textnb

        textnb train news.counts --alpha 0.1 --min-df 2 -o news.textnb
    """
    check_output(output, corpus)
    file = count_file(corpus, trust)
    if file is not None and cutting.given:
        raise InputError(f"{corpus} has been tokenised already; leave out the options for text")
    terms_of = cutting.terms_of if file is None else file[1]
    selection: dict[str, Any] = {
        "min_df": as_frequency(min_df, "--min-df"),
        "max_df": as_frequency(max_df, "--max-df"),
        "max_terms": max_terms,
    }
    analyzer = replace(terms_of.analyzer, **{key: value for key, value in selection.items() if value is not None})
    recipe = ClassifierRecipe(model, alpha, as_prior(prior), terms_of.tokenizer, analyzer, weighting)
    learnt = recipe.learnt_counted(counted_corpus(corpus, terms_of, reading, running, trust))
    if not learnt.counts.classes:
        raise InputError(f"{corpus} holds no documents to learn from")
    save_and_say(TextClassifier.of(recipe, learnt), output, "learnt", learnt, running.quiet)
