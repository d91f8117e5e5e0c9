"""Training on a cluster: statistics of partitions are added up in a tree, and the driver fits the model to the sum.

The model `auto` is chosen as on one machine (``classifier/choice.py``), by the same documents: those of the first
ENTRIES counts, in the order of the partitions, of which digests decide. So a first pass counts partitions from the
front until they have ENTRIES counts; they stay on the workers, and the second pass reads the others.

A model that is fitted to the documents themselves is fitted here, to the count files of the partitions, which are
joined into one on disk and mapped, as ``textnb train FILE.counts`` does.
"""

import math
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textnb.classifier.choice import FIRST_DOCUMENTS, choose_by, narrowed, sampled_rows, with_affordable_terms
from textnb.classifier.labels import TEXT
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.text_classifier import TextClassifier
from textnb.counts import Learnt
from textnb.counts.counting import ENTRIES, joined, number_in_first_part
from textnb.distributed.counting import joined_counts, parts_folder, stored_paths
from textnb.distributed.partitions import as_source
from textnb.distributed.runs import SPLIT_EVERY, Progress, Run
from textnb.distributed.workers import (
    counted_part,
    entries_of,
    first_documents,
    learnt_of,
    learnt_part,
    rows_of,
    text_lengths,
)
from textnb.document import Document
from textnb.models.registry import AUTO
from textnb.numerics import Codes

if TYPE_CHECKING:
    from distributed import Client, Future


def fit(  # noqa: PLR0913  # all but the first three by name
    client: "Client",
    classifier: TextClassifier,
    documents: Any,
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    id: str | None = None,  # noqa: A002  # the name of the column
    reader: str | None = None,
    parts: str | Path | None = None,
    split_every: int = SPLIT_EVERY,
    progress: Progress | None = None,
) -> TextClassifier:
    """Fit a classifier to documents on a cluster; what it learns equals ``classifier.fit`` on one machine, to the byte.

    The driver gets the sum of the statistics. A model that is fitted to the documents themselves, such as ``logistic``,
    is fitted on the driver, to the counts of all of them, which are mapped from one file and not loaded.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    classifier : TextClassifier
        The classifier, which forgets what it has learnt.
    documents, text, label, id, reader, progress
        As in ``count``.
    parts : str or Path, optional
        Folder of count files, as ``count`` writes them: those that are there are not counted again, others are added.
        Without it a model of documents has them in the driver's temporary folder, where the driver writes them.
    split_every : int
        Number of partitions, or sums of them, that one task adds up.

    Returns
    -------
    TextClassifier
        The classifier. If fitting fails, nothing changes.
    """
    asked = classifier.asked
    source = as_source(documents, text=text, label=label, id=id, reader=reader)
    run = Run(client, source, split_every, progress)
    return classifier.fit_learnt(*learn_on(run, asked, parts_folder(parts)))


def learn_on(run: Run, asked: ClassifierRecipe, parts: Path | None) -> tuple[ClassifierRecipe, Learnt, str]:
    """Learn the documents of a run; return the recipe, what was learnt, and the kind of the labels."""
    chosen = counting = asked
    first: dict[int, Future] = {}
    if asked.model == AUTO:
        counting, are_few = settled_terms(run, asked)
        chosen, first = _chosen(run, counting, parts, math.inf if are_few and counting.choose_terms else ENTRIES)
    if chosen.keeps.examples:
        with joined_counts(run, counting.terms_of, parts, first) as (whole, kind):
            return chosen, chosen.learnt([narrowed(whole, counting.terms_of, chosen)]), kind
    paths = stored_paths(run, counting.terms_of, parts)
    recipe, terms_of = run.shared(chosen), run.shared(counting.terms_of)
    others = [i for i in range(len(run)) if i not in first]
    leaves = dict(zip(others, run.leaves(learnt_part, recipe, terms_of, each=paths, only=others), strict=True))
    leaves |= zip(first, run.after(learnt_of, list(first.values()), recipe, terms_of), strict=True)
    total = run.total([leaves[i] for i in range(len(run))], chosen.term_budget)
    return chosen, total.value, total.kind or TEXT


def settled_terms(run: Run, asked: ClassifierRecipe) -> tuple[ClassifierRecipe, bool]:
    """Return the recipe with the kinds of terms that the first documents allow, and whether these are all."""
    found: list[Document] = []
    for i in range(len(run)):
        (outcome,) = run.results(run.leaves(first_documents, each=[FIRST_DOCUMENTS + 1] * len(run), only=[i]))
        found += outcome.value
        if len(found) > FIRST_DOCUMENTS:
            break
    return with_affordable_terms(asked, found[: FIRST_DOCUMENTS + 1])[0], len(found) <= FIRST_DOCUMENTS


def _chosen(
    run: Run, counting: ClassifierRecipe, parts: Path | None, enough: float
) -> "tuple[ClassifierRecipe, dict[int, Future]]":
    """Return the recipe that `auto` becomes, and the first partitions, counted, which stay on the workers.

    enough: number of counts of the documents that choose; infinite if the whole corpus is counted at once.
    """
    paths, terms_of = stored_paths(run, counting.terms_of, parts), run.shared(counting.terms_of)
    at_once = max(2 * sum(run.client.nthreads().values()), 1)
    first: dict[int, Future] = {}
    entries: list[Codes] = []
    digests: list[list[bytes]] = []
    while len(first) < len(run) and sum(int(each.sum()) for each in entries) < enough:
        more = range(len(first), min(len(first) + at_once, len(run)))
        counted = run.start(run.leaves(counted_part, terms_of, each=paths, only=more))
        for own, digest in run.results(run.after(entries_of, counted)):
            entries.append(own)
            digests.append(digest)
        first |= zip(more, counted, strict=True)
    rows = _first_rows(run, counting, entries, digests, enough)
    ends = np.cumsum([len(each) for each in entries])
    pieces = np.split(rows, np.searchsorted(rows, ends[:-1]))
    own_rows = [piece - (end - len(each)) for piece, end, each in zip(pieces, ends, entries, strict=True)]
    chosen = run.results([run.after(rows_of, [first[i]], own)[0] for i, own in enumerate(own_rows) if len(own)])
    return choose_by(counting, joined(chosen).trimmed if chosen else None), first


def _first_rows(
    run: Run, counting: ClassifierRecipe, entries: list[Codes], digests: list[list[bytes]], enough: float
) -> Codes:
    """Return the numbers of the documents that choose a recipe, of those of the first partitions."""
    sizes = np.concatenate(entries)
    number = len(sizes)
    if sizes.sum() >= enough:
        lengths = chain.from_iterable(
            each.value for each in run.results(run.leaves(text_lengths, only=range(len(entries))))
        )
        natively = counting.terms_of.tokenizer.counts_natively
        number = number_in_first_part(list(lengths), sizes.tolist(), natively, enough)
    return sampled_rows(list(chain.from_iterable(digests))[:number], int(sizes[:number].sum()))
