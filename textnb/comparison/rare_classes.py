"""Classes that take part in a comparison: those that were not excluded, are frequent enough, and can be split.

A class whose documents would all lie in one fold cannot be learnt when that fold is tested. Such a class is left out,
the remaining documents are split again, and so on until every class is in two folds or more.
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from textnb.comparison.cross_validation import TokenizedDocuments
from textnb.errors import InputError, did_you_mean, listed
from textnb.evaluation.splits import unsplittable_classes


class ChosenClasses(NamedTuple):
    """Documents of the classes that take part, and the number of documents of each class that was left out.

    excluded, rare, unsplittable: by name, with too few documents, and in too few folds.
    """

    documents: TokenizedDocuments
    excluded: dict[str, int]
    rare: dict[str, int]
    unsplittable: dict[str, int]


def choose_classes(
    documents: TokenizedDocuments,
    *,
    min_documents: int = 1,
    exclude: Collection[str] = (),
    folds: int | None = 5,
    repeats: int = 1,
    seed: int = 0,
    nested: bool = False,
) -> ChosenClasses:
    """Leave out classes that are excluded, that have few documents, or that folds cannot split.

    Parameters
    ----------
    documents : TokenizedDocuments
        The labelled documents.
    min_documents : int
        Fewest documents of a class that takes part.
    exclude : collection of str
        Classes to leave out.
    folds, repeats, seed : int
        How the documents will be split; None for no folds.
    nested : bool
        Whether the documents outside a fold will be split again, as ``tune`` does.

    Examples
    --------
    >>> from textnb import Document, TextClassifier
    >>> corpus = [Document(f"{label} {i}", label) for label, n in (("a", 5), ("b", 5), ("c", 1)) for i in range(n)]
    >>> documents = TokenizedDocuments.from_documents([TextClassifier().recipe], corpus)
    >>> choose_classes(documents).unsplittable
    {'c': 1}
    """
    numbers = Counter(documents.labels)
    for name in exclude:
        if name not in numbers:
            question = did_you_mean(name, numbers) or "use one of the classes"
            template = "there is no class {name!r} to exclude among {classes}; {question}"
            raise InputError(template, name=name, classes=listed(numbers), question=question)
    excluded = {name: numbers[name] for name in exclude}
    rare = {name: n for name, n in sorted(numbers.items()) if n < min_documents and name not in excluded}
    left = _without(documents, {*excluded, *rare})
    unsplittable: dict[str, int] = {}
    while folds is not None and (
        found := unsplittable_classes(left.labels, left.groups, folds, repeats, seed, nested=nested)
    ):
        unsplittable |= {name: numbers[name] for name in found}
        left = _without(left, found)
    return ChosenClasses(left, excluded, rare, dict(sorted(unsplittable.items())))


def _without(documents: TokenizedDocuments, classes: Collection[str]) -> TokenizedDocuments:
    """Documents of the other classes; two classes at least must be left, if there were as many."""
    if not classes:
        return documents
    rows = np.array([i for i, label in enumerate(documents.labels) if label not in classes], np.intp)
    if len({documents.labels[i] for i in rows.tolist()}) < min(2, len(documents.classes)):
        template = "fewer than two classes are left without {classes}; add documents of these classes"
        raise InputError(template, classes=listed(classes))
    return documents.rows(rows)
