"""textnb update and forget: a model changed in place, by one process at a time."""

from collections.abc import Callable
from operator import add, sub
from pathlib import Path

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.saving import save_and_say
from textnb.cli.sources import counted_corpus
from textnb.counts import Learnt
from textnb.errors import InputError
from textnb.storage import locked


def update(
    model: options.ModelPath,
    corpus: options.CorpusPath,
    reading: options.LabelledReading,
    running: options.Running,
    output: options.OtherOutput = None,
    trust: options.Trust = None,
) -> None:
    """Learn more documents; the model is then what training on all of them gives.

    Example:

        textnb update news.textnb today/
    """
    _change(model, output, (corpus, reading, running, trust), "learnt", add)


def forget(
    model: options.ModelPath,
    corpus: options.CorpusPath,
    reading: options.LabelledReading,
    running: options.Running,
    output: options.OtherOutput = None,
    trust: options.Trust = None,
) -> None:
    """Forget documents; the model is then as if it had never seen them. Documents never learnt are refused.

    Example:

        textnb forget news.textnb withdrawn/
    """
    _change(model, output, (corpus, reading, running, trust), "forgotten", sub)


def _change(
    model: Path,
    output: Path | None,
    source: tuple[Path, options.LabelledReading, options.Running, list[str] | None],
    done: str,
    change: Callable[[Learnt, Learnt], Learnt],
) -> None:
    corpus, reading, running, trust = source
    if not model.is_file():
        raise InputError(f"{model} does not exist; train a model first")
    with locked(output or model):
        classifier = TextClassifier.load(model, trust or ())
        recipe = classifier.recipe
        part = recipe.learnt_counted(counted_corpus(corpus, recipe.terms_of, reading, running, trust))
        classifier.change(change(classifier.learnt, part))
        save_and_say(classifier, output or model, done, part, running.quiet)
