"""textnb calibrate."""

from textnb.classifier import TextClassifier
from textnb.cli import options
from textnb.cli.console import plural, say
from textnb.cli.sources import counted_corpus
from textnb.errors import InputError
from textnb.storage import locked


def calibrate(
    model: options.ModelPath,
    corpus: options.CorpusPath,
    reading: options.LabelledReading,
    running: options.Running,
    output: options.OtherOutput = None,
    trust: options.Trust = None,
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
        classifier.calibrate_counted(parts).save(output or model)
    if not running.quiet:
        say(f"calibrated {output or model} on {plural(sum(map(len, parts)), 'document')} that it has not learnt")
