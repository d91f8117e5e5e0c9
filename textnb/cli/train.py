"""textnb train."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from textnb.classifier.alternative import BetterModel, better_model
from textnb.classifier.facts import choice_in_words, fact_lines, quality_lines
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.suspects import SeenDocuments
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.checkpoint import Checkpointing, check_place
from textnb.cli.options.cluster import Clustering
from textnb.cli.options.groups import FILE, check_unused, takes
from textnb.cli.options.inputs import as_frequency
from textnb.cli.options.model import Modelling, ModelVerb, check_sample_used
from textnb.cli.options.report import Reporting
from textnb.cli.resuming import train_with_checkpoint
from textnb.cli.sources import CorpusSource, check_output, save_and_say
from textnb.cli.terminal import plural, say, warn
from textnb.counts.counting import peek
from textnb.counts.examples import Digests
from textnb.distributed.training import learn_on
from textnb.errors import InputError, Phrase
from textnb.language import spoken
from textnb.report.contents import train_report
from textnb.storage import check_writable
from textnb.text.analyzer import SELECTION, Analyzer

IN_A_PARAGRAPH = ("checkpoint", "checkpoint_every", "dask", "parts", "lang")
"""Options that the help explains in a paragraph, or not at all."""

MANY_COPIES = 0.1
"""Proportion of copies among the documents from which on train warns."""


@click.command(cls=ModelVerb)
@inputs.corpus_paths
@inputs.output
@click.option(
    "--min-df",
    metavar="N",
    help="Use terms in at least N documents or this proportion; auto: 1 or 2.",
)
@click.option("--max-df", metavar="N", help="Use terms in at most N documents or this proportion.")
@click.option("--max-terms", metavar="N", type=click.IntRange(min=1), help="Use at most N terms.")
@click.option(
    "--term-budget",
    metavar="N",
    type=click.IntRange(min=1),
    help="Count only about the N most frequent terms, which bounds memory; forget is then refused.",
    hidden=True,
)
@click.option("--like", metavar="MODEL", type=FILE, help="Use the recipe of this model; both can then be merged.")
@click.option("--verbose", "-v", is_flag=True, help="Print what was chosen and estimated: smoothing and calibration.")
@click.option("--trust", metavar="MODULE:FUNCTION", multiple=True, hidden=True)
@takes(running=inputs.Running)
@takes(
    rare=(*inputs.RARE, *IN_A_PARAGRAPH),
    modelling=Modelling,
    tokenizing=inputs.Tokenizing,
    reading=inputs.LabelledReading,
    reporting=Reporting,
    checkpointing=Checkpointing,
    clustering=Clustering,
)
def train(
    corpora: Sequence[str],
    output: Path,
    min_df: str | None,
    max_df: str | None,
    max_terms: int | None,
    term_budget: int | None,
    like: Path | None,
    verbose: bool,
    trust: Collection[str],
    running: inputs.Running,
    clustering: Clustering,
    modelling: Modelling,
    tokenizing: inputs.Tokenizing,
    reading: inputs.LabelledReading,
    reporting: Reporting,
    checkpointing: Checkpointing,
) -> None:
    """Learn from a corpus and write a model file.

    Without --model, left-out documents choose model, terms and smoothing; the file keeps them.
    Training ends with accuracy and log loss of left-out documents, with 95 % intervals, and the classes that are most
    often confused; probabilities are calibrated on the same. --html lists suspect labels, too. Of multinomial and
    complement the other is named if clearly better.

    --term-budget N bounds the vocabulary, and so memory; forget is then refused. With --checkpoint FILE a killed run
    goes on. --dask tcp://host:8786, or local, counts on a cluster and keeps what is counted in --parts DIR. More
    options: textnb models NAME, textnb count --help.

    Examples:

        textnb train news/ -o news.textnb
        textnb train reviews.csv --text title,body --label stars --terms words,pairs -o reviews.textnb
        textnb train news/ --model complement --weighting tfidf-l2 --set weight_norm=true -o news.textnb
    """
    check_output(output, corpora)
    clustering.check()
    reporting.check(*map(Path, corpora), output)
    source = CorpusSource.open(corpora, reading, running, trust)
    if checkpointing.checkpoint is not None:
        check_place(checkpointing.checkpoint, output, source)
        check_writable(checkpointing.checkpoint)
    corpus = Path(source.name)
    frequencies = {"min_df": as_frequency(min_df, "--min-df"), "max_df": as_frequency(max_df, "--max-df")}
    if like is None:
        recipe = _recipe(source, modelling, tokenizing, frequencies | {"max_terms": max_terms}, term_budget)
    else:
        recipe = _recipe_like(like, modelling, tokenizing, trust)
    seen = None if reporting.html is None else SeenDocuments()
    classifier = _trained(recipe, source, corpora, running, clustering, checkpointing, seen)
    save_and_say(classifier, output, "learnt", len(classifier.learnt.digests), running.quiet)
    if checkpointing.checkpoint is not None:
        checkpointing.checkpoint.unlink(missing_ok=True)
    if classifier.recipe.choice and like is None and not running.quiet:
        say("auto chose {it}", it=Phrase(choice_in_words(classifier.recipe.choice[0])))
    better = None if running.quiet else _say_quality(classifier)
    _warn_of_one_class(classifier.classes_.tolist(), corpus)
    _warn_of_copies(classifier.learnt.digests, corpus)
    if verbose:
        for name, value in fact_lines(classifier.facts()):
            say("{name}: {value}", name=Phrase(name), value=Phrase(value))
    if reporting.html is not None:
        reporting.write(train_report(classifier, output, corpus, reporting.language, better, seen), running.quiet)
    source.throughput.say(quiet=running.quiet)


def _trained(
    recipe: ClassifierRecipe,
    source: CorpusSource,
    corpora: Sequence[str],
    running: inputs.Running,
    clustering: Clustering,
    checkpointing: Checkpointing,
    seen: SeenDocuments | None,
) -> TextClassifier:
    """Return the classifier, trained here, with checkpoints, or on a cluster; `seen` gets the documents for a page."""
    schedule = checkpointing.schedule
    if clustering.dask is not None:
        check_unused("html", why="with --dask: the documents are not read here")
        check_unused("checkpoint", why="with --dask; --parts keeps what has been counted")
        with clustering.run(source, running) as run:
            return TextClassifier.from_recipe(recipe).fit_learnt(*learn_on(run, recipe, clustering.folder))

    def documents() -> Iterator[Any]:
        found = source.labelled(recipe.terms_of)
        first, found = peek(found if seen is None else seen.watch(found))
        if first is None:
            raise InputError("{corpus} has no documents to learn from", corpus=source.name)
        return found

    if checkpointing.checkpoint is not None:
        return train_with_checkpoint(recipe, corpora, source, documents, checkpointing.checkpoint, schedule)
    return TextClassifier.from_recipe(recipe).fit(documents(), jobs=running.n_jobs)


def _recipe(
    source: CorpusSource,
    modelling: Modelling,
    tokenizing: inputs.Tokenizing,
    selection: Mapping[str, Any],
    term_budget: int | None,
) -> ClassifierRecipe:
    """Return the recipe that the options describe for a corpus."""
    modelling = modelling.suited(source.is_mail)
    terms_of = source.terms_of(tokenizing, modelling.terms)
    analyzer = _select_terms(terms_of.analyzer, modelling, selection)
    recipe = modelling.recipe(terms_of, analyzer, choose_terms=not tokenizing.gives_terms, term_budget=term_budget)
    check_sample_used(recipe)
    return recipe


def _recipe_like(
    like: Path, modelling: Modelling, tokenizing: inputs.Tokenizing, trust: Collection[str]
) -> ClassifierRecipe:
    """Return the recipe of a model file; options that would change it are refused."""
    changing = [*SELECTION, "term_budget", *vars(modelling), *vars(tokenizing)]
    check_unused(*changing, why=f"with --like {like}, which has a recipe")
    return TextClassifier.load(like, trust, labels="text").recipe


def _say_quality(classifier: TextClassifier) -> BetterModel | None:
    """Say how good the answers to left-out documents are; return a model that is clearly better, or None."""
    quality = classifier.facts()["left out"]
    if quality is None:
        say("accuracy was not estimated: the probabilities are not calibrated on left-out documents")
        return None
    shown = spoken()(", ").join(" ".join(map(spoken().filled, line)) for line in quality_lines(quality))
    template = "{shown}; estimated on {documents}, each scored without itself; probabilities were fitted on the same"
    say(template, shown=shown, documents=plural(quality["documents"], "training document"))
    if classifier.most_confused is not None:
        true, answer, share = classifier.most_confused
        say(
            "most often confused: {share:.1%} of {true} are answered as {answer}", share=share, true=true, answer=answer
        )
    better = better_model(classifier.recipe, classifier.state)
    if better is not None:
        template = "{name} would be better: left-out accuracy {theirs:.3f} instead of {mine:.3f}; use --model {name}"
        say(template, name=better.name, theirs=better.quality.accuracy.value, mine=quality["accuracy"][0])
    return better


def _warn_of_one_class(classes: list[str], corpus: Path) -> None:
    """Warn if there is nothing to decide."""
    if len(classes) == 1:
        template = "{corpus} has only one class, {name!r}, which will be the answer to every document"
        warn(template, corpus=corpus, name=classes[0])


def _warn_of_copies(digests: Digests, corpus: Path) -> None:
    """Warn if many documents repeat others: they count again, and smoothing takes them for further evidence."""
    if digests.n_copies >= MANY_COPIES * len(digests):
        template = "{n:,} of {all:,} documents repeat another and count again; textnb corpus check {corpus} lists them"
        warn(template, n=digests.n_copies, all=len(digests), corpus=corpus)


def _select_terms(analyzer: Analyzer, modelling: Modelling, selection: Mapping[str, Any]) -> Analyzer:
    """Return the analyzer with the given selection of terms, or else the one that suits the model."""
    suiting = {key: value for key, value in modelling.terms.items() if key in SELECTION}
    given = {key: value for key, value in selection.items() if value is not None}
    return analyzer.changed(**suiting | given)
