"""textnb update and forget: a model changed in place, by one process at a time.

textnb merge.

textnb calibrate.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options import inputs
from textnb.cli.sources import check_output, counted_corpus, save_and_say
from textnb.cli.terminal import plural, say
from textnb.counts import Counted
from textnb.errors import InputError
from textnb.storage import locked


def update(
    model: inputs.ModelPath,
    corpus: inputs.CorpusPath,
    reading: inputs.LabelledReading,
    running: inputs.Running,
    output: inputs.OtherOutput = None,
    trust: inputs.Trust = None,
) -> None:
    """Learn more documents; the model is then what training on all of them gives.

    Example:

        textnb update news.textnb today/
    """
    _change(model, output, (corpus, reading, running, trust), "learnt", TextClassifier.update)


def forget(
    model: inputs.ModelPath,
    corpus: inputs.CorpusPath,
    reading: inputs.LabelledReading,
    running: inputs.Running,
    output: inputs.OtherOutput = None,
    trust: inputs.Trust = None,
) -> None:
    """Forget documents; the model is then as if it had never seen them. Documents never learnt are refused.

    Example:

        textnb forget news.textnb withdrawn/
    """
    _change(model, output, (corpus, reading, running, trust), "forgotten", TextClassifier.forget)


def _change(
    model: Path,
    output: Path | None,
    source: tuple[Path, inputs.LabelledReading, inputs.Running, list[str] | None],
    done: str,
    change: Callable[[TextClassifier, Iterator[Counted]], TextClassifier],
) -> None:
    corpus, reading, running, trust = source
    if not model.is_file():
        raise InputError(f"{model} does not exist; train a model first")
    with locked(output or model):
        classifier = TextClassifier.load(model, trust or ())
        before = len(classifier.learnt.digests)
        change(classifier, counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust))
        number = abs(len(classifier.learnt.digests) - before)
        save_and_say(classifier, output or model, done, number, running.quiet)


def merge(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Two or more model files.")],
    output: inputs.Output,
    trust: inputs.Trust = None,
    quiet: inputs.Quiet = False,
) -> None:
    """Add up models of the same recipe; the result is what training on all their documents gives.

    Example:

        textnb merge monday.textnb tuesday.textnb -o week.textnb
    """
    if len(models) < 2:
        raise InputError(f"merging takes two models or more, got only {models[0]}")
    check_output(output)
    with locked(output):
        total, *rest = (TextClassifier.load(path, trust or ()) for path in models)
        for other in rest:
            total.merge(other)
        save_and_say(total, output, "merged", len(total.learnt.digests), quiet)


def calibrate(
    model: inputs.ModelPath,
    corpus: inputs.CorpusPath,
    reading: inputs.LabelledReading,
    running: inputs.Running,
    output: inputs.OtherOutput = None,
    trust: inputs.Trust = None,
) -> None:
    """Calibrate a model's probabilities on a corpus that it has not learnt.

    `train` calibrates by documents left out of the counts. If the documents to come are of another kind, labelled ones
    of that kind do better. `update` and `forget` leave this calibration as it is, and `info` then calls it stale;
    calibrate again after them. A corpus with documents that the model has learnt is refused.

    Example:

        textnb calibrate news.textnb held-out/
    """
    if not model.is_file():
        raise InputError(f"{model} does not exist; train a model first")
    with locked(output or model):
        classifier = TextClassifier.load(model, trust or ())
        parts = list(counted_corpus(corpus, classifier.recipe.terms_of, reading, running, trust))
        classifier.calibrate(parts).save(output or model)
    if not running.quiet:
        say(f"calibrated {output or model} on {plural(sum(map(len, parts)), 'document')} that it has not learnt")
