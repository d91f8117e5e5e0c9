"""Training with a checkpoint: what has been learnt so far is kept, and a run that was killed goes on from there."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from textnb.classifier.choice import chosen_recipe
from textnb.classifier.inputs import as_source
from textnb.classifier.labels import TEXT
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.text_classifier import TextClassifier
from textnb.cli.options.checkpoint import Schedule, origin_of, own_tokenizer
from textnb.cli.sources import CorpusSource
from textnb.counts.counting import Counted
from textnb.counts.summing import LearntSum
from textnb.errors import ParameterError
from textnb.files.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from textnb.parallel import one_behind
from textnb.readers import Document


def train_with_checkpoint(
    recipe: ClassifierRecipe,
    names: Sequence[str],
    source: CorpusSource,
    documents: Callable[[], Iterator[Document]],
    path: Path,
    schedule: Schedule,
) -> TextClassifier:
    """Train on all documents, those of the checkpoint excepted; the model is the one of an uninterrupted run.

    documents: reads all documents from the first one on. The model ``auto`` chooses by the first documents, which are
    then read again.
    """
    origin, jobs = origin_of(names, source, recipe.json), source.running.n_jobs
    found = read_checkpoint(path, origin)
    if found is None:
        chosen, start, n_before = chosen_recipe(recipe, _labelled(documents), jobs), None, 0
    else:
        chosen = ClassifierRecipe.of(found.recipe, own_tokenizer(recipe.terms_of))
        start, n_before = found.learnt, found.n_documents
    if chosen.keeps.examples:
        template = (
            "model {model!r} keeps all documents, and a checkpoint would be as large as they are; count them with "
            "textnb count --checkpoint, and train on the count file"
        )
        raise ParameterError(template, model=chosen.model)
    total = LearntSum(chosen.weights, chosen.keeps, chosen.term_budget, start)

    def add(part: Counted) -> None:
        total.add(part)
        n_documents = n_before + total.n_documents
        if schedule.is_due(n_documents):
            write_checkpoint(path, origin, Checkpoint(chosen.json, total.so_far(), n_documents))

    one_behind(add, chosen.parts(islice(_labelled(documents), n_before, None), jobs), jobs)
    return TextClassifier.from_recipe(chosen).fit_learnt(chosen, total.learnt(), TEXT)


def _labelled(documents: Callable[[], Iterator[Document]]) -> Iterator[Any]:
    return iter(as_source(documents()))
