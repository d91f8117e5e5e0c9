"""textnb train."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from textnb.classifier.facts import found_lines
from textnb.classifier.held_out import held_out_log_posterior
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.inputs import as_frequency
from textnb.cli.options.model import Modelling
from textnb.cli.options.report import Reporting, model_facts, top_words
from textnb.cli.sources import check_output, count_file, counted_corpus, save_and_say
from textnb.cli.terminal import say
from textnb.counts import Learnt
from textnb.errors import InputError
from textnb.evaluation import Evaluation
from textnb.language import Language
from textnb.readers import is_mail
from textnb.report.values import Report
from textnb.text.analyzer import SELECTION, Analyzer


def train(
    corpus: inputs.CorpusPath,
    output: inputs.Output,
    cutting: inputs.Cutting,
    reading: inputs.LabelledReading,
    running: inputs.Running,
    modelling: Modelling,
    reporting: Reporting,
    min_df: Annotated[
        str | None,
        typer.Option(
            "--min-df",
            help="Use terms in N documents or more, or a share, or auto: 2, or 1 if that leaves too little.",
        ),
    ] = None,
    max_df: Annotated[
        str | None, typer.Option("--max-df", help="Use terms in N documents or fewer, or a share.")
    ] = None,
    max_terms: Annotated[int | None, typer.Option("--max-terms", help="Use so many terms at most.")] = None,
    verbose: inputs.Verbose = False,
    trust: inputs.Trust = None,
) -> None:
    """Learn from a corpus and write a model file.

    Examples:

        textnb train news/ -o news.textnb

        textnb train reviews.csv --text body --label stars --tokenizer words --ngram 1-2 -o reviews.textnb

        textnb train news.counts --alpha 0.1 --min-df 2 -o news.textnb

        textnb train Mail/ -o mail.textnb

        textnb train news/ --model complement --weighting tfidf-l2 --weight-norm -v -o news.textnb
    """
    check_output(output, corpus)
    reporting.check(corpus, output)
    file = count_file(corpus, trust)
    if file is not None and cutting.given:
        raise InputError(f"{corpus} has been tokenised already; leave out the options for text")
    modelling = modelling.suited(file is None and is_mail(corpus, reading.reader))
    terms_of = cutting.suited(modelling.terms) if file is None else file[1]
    frequencies = {"min_df": as_frequency(min_df, "--min-df"), "max_df": as_frequency(max_df, "--max-df")}
    recipe = modelling.recipe(terms_of, _choosing(terms_of.analyzer, modelling, frequencies | {"max_terms": max_terms}))
    learnt = recipe.learnt_counted(counted_corpus(corpus, terms_of, reading, running, trust))
    if not learnt.counts.classes:
        raise InputError(f"{corpus} holds no documents to learn from")
    classifier = TextClassifier.of(recipe, learnt)
    save_and_say(classifier, output, "learnt", learnt, running.quiet)
    if verbose:
        for name, value in found_lines(classifier):
            say(f"{name}: {value}")
    if reporting.html is not None:
        reporting.write(_report(classifier, learnt, output, corpus, reporting.language), running.quiet)


def _choosing(analyzer: Analyzer, modelling: Modelling, selection: Mapping[str, Any]) -> Analyzer:
    """The analyzer with the choice of terms that was asked for, or else that suits the model."""
    suiting = {key: value for key, value in modelling.terms.items() if key in SELECTION}
    given = {key: value for key, value in selection.items() if value is not None}
    return replace(analyzer, **suiting | given)


def _report(classifier: TextClassifier, learnt: Learnt, output: Path, corpus: Path, language: Language) -> Report:
    """What was learnt, and how well it may be expected to do."""
    fitted = classifier.fitted
    evaluation = None
    try:
        labels, log_probabilities = held_out_log_posterior(classifier.recipe, learnt, fitted)
        evaluation = Evaluation.of(labels, log_probabilities, fitted.classes)
        estimated = (
            "These are estimates: each of {number} training documents was scored by what was learnt from the others."
        )
        notes = [language(estimated, number=f"{len(labels):,}")]
        if fitted.calibration is not None:
            notes.append(language("The calibration was fitted on the same scores, which flatters it a little."))
    except InputError as why:
        notes = [language("There are no estimates: {why}", why=str(why))]
    return Report(
        language("Training of {model}", model=output.name),
        facts=model_facts(classifier, output, corpus, language),
        notes=notes,
        learnt=dict(zip(learnt.counts.classes, learnt.counts.documents.tolist(), strict=True)),
        evaluation=evaluation,
        words=top_words(classifier),
    )
