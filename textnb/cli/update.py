"""textnb update, forget, merge and calibrate: each changes a model file, one process at a time."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.options.groups import FILE, argument, takes, verb
from textnb.cli.sources import check_output, counted_corpus, save_and_say
from textnb.cli.terminal import plural, say
from textnb.counts import Counted
from textnb.errors import InputError
from textnb.storage import locked


@verb
@inputs.model_path
@inputs.corpus_path
@inputs.other_output
@inputs.trust
@takes(running=inputs.Running, reading=inputs.LabelledReading)
def update(
    model: Path,
    corpus: Path,
    output: Path | None,
    trust: Collection[str],
    running: inputs.Running,
    reading: inputs.LabelledReading,
) -> None:
    """Learn more documents; the result equals training on all of them.

    Example:

        textnb update news.textnb today/
    """
    _change(model, output, (corpus, reading, running, trust), "learnt", TextClassifier.update)


@verb
@inputs.model_path
@inputs.corpus_path
@inputs.other_output
@inputs.trust
@takes(running=inputs.Running, reading=inputs.LabelledReading)
def forget(
    model: Path,
    corpus: Path,
    output: Path | None,
    trust: Collection[str],
    running: inputs.Running,
    reading: inputs.LabelledReading,
) -> None:
    """Forget documents; the result equals never having seen them.

    A corpus with documents that the model has not learnt is refused.

    Example:

        textnb forget news.textnb withdrawn/
    """
    _change(model, output, (corpus, reading, running, trust), "forgotten", TextClassifier.forget)


def _change(
    model: Path,
    output: Path | None,
    source: tuple[Path, inputs.LabelledReading, inputs.Running, Collection[str]],
    done: str,
    change: Callable[[TextClassifier, Iterator[Counted]], TextClassifier],
) -> None:
    corpus, reading, running, trust = source
    if not model.is_file():
        raise InputError("{model} does not exist; train a model first", model=model)
    with locked(output or model):
        classifier = TextClassifier.load(model, trust)
        before = len(classifier.learnt.digests)
        change(classifier, counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust))
        number = abs(len(classifier.learnt.digests) - before)
        save_and_say(classifier, output or model, done, number, running.quiet)


@verb
@argument("models", "MODEL...", "Two or more model files.", nargs=-1, required=True, type=FILE)
@inputs.output
@inputs.trust
@inputs.quiet
def merge(models: tuple[Path, ...], output: Path, trust: Collection[str], quiet: bool) -> None:
    """Add up models of the same recipe; the result equals training on all documents.

    Example:

        textnb merge monday.textnb tuesday.textnb -o week.textnb
    """
    if len(models) < 2:
        raise InputError("merge takes two models or more, not only {model}", model=models[0])
    check_output(output)
    with locked(output):
        total, *rest = (TextClassifier.load(path, trust) for path in models)
        for other in rest:
            total.merge(other)
        save_and_say(total, output, "merged", len(total.learnt.digests), quiet)


@verb
@inputs.model_path
@inputs.corpus_path
@inputs.other_output
@inputs.trust
@takes(running=inputs.Running, reading=inputs.LabelledReading)
def calibrate(
    model: Path,
    corpus: Path,
    output: Path | None,
    trust: Collection[str],
    running: inputs.Running,
    reading: inputs.LabelledReading,
) -> None:
    """Calibrate a model's probabilities on a corpus that it has not learnt.

    train calibrates on documents left out of the counts. If future documents are of another kind, labelled documents of
    that kind give better probabilities. update and forget keep this calibration, and info then calls it stale;
    calibrate again after them. A corpus with documents that the model has learnt is refused.

    Example:

        textnb calibrate news.textnb held-out/
    """
    if not model.is_file():
        raise InputError("{model} does not exist; train a model first", model=model)
    with locked(output or model):
        classifier = TextClassifier.load(model, trust)
        parts = list(counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust))
        classifier.calibrate(parts).save(output or model)
    if not running.quiet:
        say(
            "calibrated {model} on {documents} that it has not learnt",
            model=output or model,
            documents=plural(sum(map(len, parts)), "document"),
        )
