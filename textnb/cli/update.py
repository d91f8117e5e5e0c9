"""textnb update, forget, merge, calibrate and strip: each writes a model file, one process at a time.

``update --journal`` adds to the journal of the model instead.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import click

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import FILE, Decorator, argument, check_unused, gather, takes, verb
from textnb.cli.sources import APPENDED, CorpusSource, check_output, save_and_say, say_dropped
from textnb.cli.terminal import plural, say, warn
from textnb.errors import InputError, ParameterError, listed
from textnb.files.count_file import holds_counts
from textnb.files.count_joining import has_at, merge_counts, size_of_counts
from textnb.mail.corrections import add_to_file
from textnb.readers.corpus import matching
from textnb.storage import locked


@dataclass(frozen=True)
class Changing:
    """A model file, the corpora by which it is changed, if any, and where the result is written."""

    model: Path
    corpora: Sequence[str]
    output: Path | None
    trust: Collection[str]
    running: inputs.Running
    reading: inputs.LabelledReading

    @property
    def written(self) -> Path:
        """File to write."""
        return self.output or self.model

    @contextmanager
    def opened(self) -> Iterator[TextClassifier]:
        """Give the model; no other process changes the file meanwhile."""
        if not self.model.is_file():
            raise InputError("{model} does not exist; train a model first", model=self.model)
        with locked(self.written):
            yield TextClassifier.load(self.model, self.trust, labels="text")

    @property
    def source(self) -> CorpusSource:
        """Corpora, opened."""
        return CorpusSource.open(self.corpora, self.reading, self.running, self.trust)

    def change(self, method: Callable[..., TextClassifier], done: str) -> None:
        """Change the model by a method of `TextClassifier` that takes documents, and write it."""

        source = self.source

        def change(classifier: TextClassifier) -> object:
            return method(classifier, source.labelled(classifier.recipe.terms_of), jobs=self.running.n_jobs)

        self.change_by(change, done)
        source.throughput.say(quiet=self.running.quiet)

    def change_by(self, change: Callable[[TextClassifier], object], done: str) -> None:
        """Change the model and write it."""
        with self.opened() as classifier:
            before = len(classifier.learnt.digests)
            change(classifier)
            number = abs(len(classifier.learnt.digests) - before)
            save_and_say(classifier, self.written, done, number, self.running.quiet)


def _changing(corpora: Decorator) -> Decorator:
    """Give a verb the parameters of `Changing`, with this argument for the corpora."""
    options = takes(running=inputs.Running, reading=inputs.LabelledReading)
    return gather("given", Changing, inputs.model_path, corpora, inputs.other_output, inputs.trust, options)


changing = _changing(inputs.corpus_paths)


@verb
@changing
@click.option("--journal", is_flag=True, help="Add the documents to the journal of the model, as textnb learn does.")
def update(given: Changing, journal: bool) -> None:
    """Learn more documents; the result equals training on all of them.

    With --journal the model file is not written again, which takes time for these documents only, whatever the size of
    the model. The result then equals training on all of them after refit; until then see textnb learn.

    Examples:

        textnb update news.textnb today/
        textnb update news.textnb minute.jsonl --journal
    """
    if not journal:
        given.change(TextClassifier.update, "learnt")
        return
    if given.output is not None:
        raise ParameterError("--journal changes the journal of the model itself; leave out --output")
    documents = list(given.source.documents())
    if not documents:
        raise InputError("{corpus} has no documents", corpus=given.source.name)
    corrected = add_to_file(given.model, documents, tuple(given.trust))
    if not given.running.quiet:
        number, total = (plural(n, "document") for n in (len(documents), corrected.n_documents))
        say("learnt {number} in the journal; {model} has {total}", number=number, model=given.model, total=total)


@verb
@_changing(argument("corpora", "[CORPUS...]", "Documents to forget, as for textnb update.", nargs=-1))
@click.option("--before", metavar="DATE", help="Forget what is older than this day, such as 2024-12-31, instead.")
@click.option("--undated", is_flag=True, help="With --before: forget documents without a date, too.")
def forget(given: Changing, before: str | None, undated: bool) -> None:
    """Forget documents; the result equals never having seen them.

    That holds to the byte as long as the model keeps all documents (train --sample); beyond, the counts are exact and
    the calibration may differ. A corpus with documents that the model has not learnt is refused.

    --before needs all documents. The day of a mail is that of its newest Received field, else of its Date, in UTC.
    Documents without a date stay, unless --undated is given. If nothing would be left, nothing is changed.

    Examples:

        textnb forget news.textnb withdrawn/
        textnb forget mail.textnb --before 2024-12-31
    """
    if bool(given.corpora) == (before is not None):
        raise ParameterError("name either a corpus or a day (--before DATE)")
    if before is None:
        check_unused("undated", why="without --before")
        given.change(TextClassifier.forget, "forgotten")
        return
    check_unused(*(each.name for each in fields(inputs.LabelledReading)), why="with --before")
    given.change_by(lambda classifier: classifier.forget_before(before, undated=undated), "forgotten")


@verb
@changing
def calibrate(given: Changing) -> None:
    """Calibrate a model's probabilities on a corpus that it has not learnt.

    train calibrates on documents left out of the counts. If future documents are of another kind, labelled documents of
    that kind give better probabilities. update and forget keep this calibration, and info then calls it stale;
    calibrate again after them. A corpus with documents that the model has learnt is refused.

    Example:

        textnb calibrate news.textnb held-out/
    """
    source = given.source
    with given.opened() as classifier:
        held_out = source.counted(classifier.recipe.terms_of)
        classifier.calibrate([held_out]).save(given.written)
    if not given.running.quiet:
        documents = plural(len(held_out), "document")
        say("calibrated {model} on {documents} that it has not learnt", model=given.written, documents=documents)
    source.throughput.say(quiet=given.running.quiet)


@verb
@argument(
    "models", "MODEL...", "Two or more model files, or count files; also patterns.", nargs=-1, required=True, type=FILE
)
@inputs.output
@inputs.trust
@inputs.quiet
def merge(models: tuple[Path, ...], output: Path, trust: Collection[str], quiet: bool) -> None:
    """Add up models of the same recipe; the result equals training on all documents.

    The order does not matter. Calibrations on held-out documents, and those of models that keep no documents, end with
    a warning; calibrate again. Models without a class in common are merged with a warning. Files of `textnb count` that
    were counted with the same options are merged as well, their documents one after the other. If the output is one of
    them and ends with the documents of the others already, because the run is repeated, nothing is merged.

    Examples:

        textnb merge monday.textnb tuesday.textnb -o week.textnb
        textnb merge news.counts today.counts -o news.counts
        textnb merge 'parts/*.counts' -o news.counts
    """
    models = tuple(Path(str(each)) for name in models for each in matching(name))
    have_counts = any(map(holds_counts, models))  # a damaged or other file among them is then named
    if len(models) < 2 and not have_counts:
        raise ParameterError("merge takes two models or more, not only {model}", model=models[0])
    check_output(output)
    if have_counts:
        with locked(output):
            _check_not_merged(models, output)
            whole = merge_counts(models, output, trust)
        if not quiet:
            documents, terms = plural(whole.n_documents, "document"), plural(whole.n_terms, "term")
            say("merged {documents}; {output} has {terms}", documents=documents, output=output, terms=terms)
            say_dropped(whole.dropped)
        return
    with locked(output):
        total = TextClassifier.load(models[0], trust, labels="text")
        for path in models[1:]:
            other = TextClassifier.load(path, trust, labels="text")
            _warn_of_other_classes(path, other.learnt.counts.classes, total.learnt.counts.classes)
            total.merge(other)
        save_and_say(total, output, "merged", len(total.learnt.digests), quiet)


def _check_not_merged(paths: Sequence[Path], output: Path) -> None:
    """Refuse count files whose documents the output, which is one of the files, ends with already."""
    others = [path for path in paths if not (output.exists() and path.samefile(output))]
    if not others or len(others) == len(paths):
        return
    number = sum(size_of_counts(path).n_documents for path in others)
    if has_at(output, size_of_counts(output).n_documents - number, others):
        raise InputError(APPENDED, output=output, documents=plural(number, "document"))


@verb
@inputs.model_path
@inputs.output
@inputs.trust
@inputs.quiet
def strip(model: Path, output: Path, trust: Collection[str], quiet: bool) -> None:
    """Write a model without what it learnt from, for sharing: it then only answers.

    The kept documents, the digests of all documents and the counts of all words are left out. The words that the model
    answers by, and their weights, stay. predict, explain, test and filter work as before; update, forget, merge, learn
    and words do not.

    Example:

        textnb strip mail.textnb -o shared.textnb
    """
    if not model.is_file():
        raise InputError("{model} does not exist; train a model first", model=model)
    check_output(output)
    if output.exists() and output.samefile(model):
        raise InputError("{output} is the model itself, which could not learn any more; choose another", output=output)
    TextClassifier.load(model, trust, labels="text").save(output, stripped=True)
    if not quiet:
        say("{output} only answers: it has {size:,} bytes", output=output, size=output.stat().st_size)


def _warn_of_other_classes(path: Path, classes: Collection[str], before: Collection[str]) -> None:
    """Warn if a model has no class in common with the models merged before it."""
    if classes and before and not set(classes) & set(before):
        template = "{path} has no class in common with what is merged before it: {classes}, and {before} before"
        warn(template, path=path, classes=listed(classes), before=listed(before))
