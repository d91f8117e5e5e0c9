"""textnb update, forget, merge and calibrate: each changes a model file, one process at a time."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import FILE, argument, gather, takes, verb
from textnb.cli.sources import CorpusSource, check_output, save_and_say
from textnb.cli.terminal import plural, say, warn
from textnb.errors import InputError, ParameterError, listed
from textnb.storage import locked


@dataclass(frozen=True)
class Changing:
    """A model file, the corpus by which it is changed, and where the result is written."""

    model: Path
    corpus: Path
    output: Path | None
    trust: Collection[str]
    running: inputs.Running
    reading: inputs.LabelledReading

    @property
    def written(self) -> Path:
        """File to write."""
        return self.output or self.model

    @contextmanager
    def opened(self) -> Iterator[tuple[TextClassifier, CorpusSource]]:
        """Give the model and the corpus; no other process changes the file meanwhile."""
        if not self.model.is_file():
            raise InputError("{model} does not exist; train a model first", model=self.model)
        with locked(self.written):
            classifier = TextClassifier.load(self.model, self.trust)
            yield classifier, CorpusSource.open(self.corpus, self.reading, self.running, self.trust)

    def change(self, method: Callable[..., TextClassifier], done: str) -> None:
        """Change the model by a method of `TextClassifier` and write it."""
        with self.opened() as (classifier, source):
            before = len(classifier.learnt.digests)
            method(classifier, source.labelled(classifier.recipe.terms_of), jobs=self.running.n_jobs)
            number = abs(len(classifier.learnt.digests) - before)
            save_and_say(classifier, self.written, done, number, self.running.quiet)


changing = gather(
    "given",
    Changing,
    inputs.model_path,
    inputs.corpus_path,
    inputs.other_output,
    inputs.trust,
    takes(running=inputs.Running, reading=inputs.LabelledReading),
)


@verb
@changing
def update(given: Changing) -> None:
    """Learn more documents; the result equals training on all of them.

    Example:

        textnb update news.textnb today/
    """
    given.change(TextClassifier.update, "learnt")


@verb
@changing
def forget(given: Changing) -> None:
    """Forget documents; the result equals never having seen them.

    A corpus with documents that the model has not learnt is refused.

    Example:

        textnb forget news.textnb withdrawn/
    """
    given.change(TextClassifier.forget, "forgotten")


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
    with given.opened() as (classifier, source):
        held_out = source.counted(classifier.recipe.terms_of)
        classifier.calibrate([held_out]).save(given.written)
    if not given.running.quiet:
        documents = plural(len(held_out), "document")
        say("calibrated {model} on {documents} that it has not learnt", model=given.written, documents=documents)


@verb
@argument("models", "MODEL...", "Two or more model files.", nargs=-1, required=True, type=FILE)
@inputs.output
@inputs.trust
@inputs.quiet
def merge(models: tuple[Path, ...], output: Path, trust: Collection[str], quiet: bool) -> None:
    """Add up models of the same recipe; the result equals training on all documents.

    Models without a class in common are merged with a warning.

    Example:

        textnb merge monday.textnb tuesday.textnb -o week.textnb
    """
    if len(models) < 2:
        raise ParameterError("merge takes two models or more, not only {model}", model=models[0])
    check_output(output)
    with locked(output):
        total = TextClassifier.load(models[0], trust)
        for path in models[1:]:
            other = TextClassifier.load(path, trust)
            _warn_of_other_classes(path, other.learnt.counts.classes, total.learnt.counts.classes)
            total.merge(other)
        save_and_say(total, output, "merged", len(total.learnt.digests), quiet)


def _warn_of_other_classes(path: Path, classes: Collection[str], before: Collection[str]) -> None:
    """Warn if a model has no class in common with the models merged before it."""
    if classes and before and not set(classes) & set(before):
        template = "{path} has no class in common with what is merged before it: {classes}, and {before} before"
        warn(template, path=path, classes=listed(classes), before=listed(before))
