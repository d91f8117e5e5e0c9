"""Folds for cross-validation: stratified, seeded, repeated; documents of one group stay together.

Documents are of one group if they share a group name, are exact copies (of equal digest), or are linked by a chain of
such documents. Folds are filled so that each gets its proportion of every class:

    a group with g_k documents of class k goes to the fold f of the smallest  sum_k g_k n_fk / N_k                  (1)

where the fold already holds n_fk of the N_k documents of class k; ties go to the fold with the fewest documents.
Large groups are placed first, then single documents, in an order that the seed decides. The result does not depend on
the order of the documents.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textnb.counts.labels import class_codes
from textnb.errors import InputError, ParameterError
from textnb.numerics import Codes

OUTSIDE = -1
"""Fold of documents that take no part."""


def document_groups(digests: Sequence[bytes], groups: Sequence[str | None]) -> Codes:
    """Number of the group of each document, (D,), in the order of the smallest digests of the groups.

    >>> document_groups([b"b", b"a", b"b", b"c"], [None, "thread", None, "thread"])
    array([1, 0, 1, 0])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    numbers = {digest: number for number, digest in enumerate(sorted(set(digests)))}
    document = np.array([numbers[digest] for digest in digests], np.intp)
    named = [i for i, group in enumerate(groups) if group is not None]
    names, name = np.unique([str(groups[i]) for i in named], return_inverse=True)
    size = len(numbers) + len(names)
    edges = csr_array((np.ones(len(named)), (document[named], len(numbers) + name)), shape=(size, size))
    component = connected_components(edges, directed=False)[1][: len(numbers)]
    _, first, part = np.unique(component, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[part][document])


def repeated_folds(labels: Sequence[str], groups: Codes, folds: int = 5, repeats: int = 1, seed: int = 0) -> Codes:
    """Fold of each document in each repeat, (R, D), from its label and the number of its group.

    Fewer groups than folds are refused, and so is a class whose documents all lie in one fold: when that fold is tested
    the class could not be learnt.

    >>> repeated_folds(["x", "x", "y", "y"], np.arange(4), folds=2).tolist()
    [[0, 1, 0, 1]]
    """
    for name, value, least in (("folds", folds, 2), ("repeats", repeats, 1), ("seed", seed, 0)):
        if type(value) is not int or value < least:
            template = "{name} must be a whole number of at least {least}, not {value!r}"
            raise ParameterError(template, name=name, least=least, value=value)
    classes, y = class_codes(labels)
    rows = np.array([_stratified(y, groups, folds, (seed, repeat)) for repeat in range(repeats)])
    for row in rows:
        _check_classes(row, y, classes)
    return rows


def unsplittable_classes(
    labels: Sequence[str], groups: Codes, folds: int = 5, repeats: int = 1, seed: int = 0, *, nested: bool = False
) -> list[str]:
    """Classes for which ``repeated_folds``, or ``nested_folds`` if ``nested``, refuses to split these documents.

    >>> unsplittable_classes(["x", "x", "y"], np.arange(3), folds=2)
    ['y']
    """
    classes, y = class_codes(labels)
    rows = [_stratified(y, groups, folds, (seed, repeat)) for repeat in range(repeats)]
    if nested:
        rows += _inner_folds(y, groups, rows[0], folds, seed)
    return sorted({name for row in rows for name in _in_one_fold(row, y, classes)})


def nested_folds(labels: Sequence[str], groups: Codes, folds: int = 5, seed: int = 0) -> Codes:
    """Folds for nested cross-validation, (1 + K, D): row 0 has the outer fold of each document.

    Row 1 + f has the inner folds of the documents outside the outer fold f, and OUTSIDE for those in it.
    """
    outer = repeated_folds(labels, groups, folds, 1, seed)[0]
    classes, y = class_codes(labels)
    rows = np.array([outer, *_inner_folds(y, groups, outer, folds, seed)])
    for row in rows[1:]:
        _check_classes(row, y, classes)
    return rows


def _inner_folds(y: Codes, groups: Codes, outer: Codes, folds: int, seed: int) -> list[Codes]:
    """Inner folds of the documents outside each outer fold, (D,) each; OUTSIDE for those in it."""
    rows = []
    for f in range(folds):
        inside = np.flatnonzero(outer != f)
        row = np.full(len(y), OUTSIDE, np.intp)
        row[inside] = _stratified(y[inside], groups[inside], folds, (seed, 0, 1 + f))
        rows.append(row)
    return rows


def _stratified(y: Codes, groups: Codes, folds: int, seed: Sequence[int]) -> Codes:
    """Fold of each document by eq. (1), (D,)."""
    numbers, group = np.unique(groups, return_inverse=True)
    if len(numbers) < folds:
        raise InputError("{n} documents or groups cannot fill {k} folds; use fewer folds", n=len(numbers), k=folds)
    classes, code = np.unique(y, return_inverse=True)
    sizes, totals = np.bincount(group), np.bincount(code)
    shuffled = np.random.default_rng(list(seed)).permutation(len(sizes))
    filled = np.zeros((folds, len(classes)), np.int64)
    fold_of = np.empty(len(sizes), np.intp)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(sizes)[:-1])
    for number in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        if sizes[number] == 1:
            break
        has = np.bincount(code[members[number]], minlength=len(classes))
        fold_of[number] = min(range(folds), key=lambda f: ((filled[f] * has / totals).sum(), filled[f].sum()))
        filled[fold_of[number]] += has
    alone = shuffled[sizes[shuffled] == 1]
    code_of = code[np.array([documents[0] for documents in members], np.intp)]
    for k in range(len(classes)):
        mine = alone[code_of[alone] == k]
        fold_of[mine] = _dealt(len(mine), filled[:, k], filled.sum(axis=1))
        filled[:, k] += np.bincount(fold_of[mine], minlength=folds)
    return fold_of[group]


def _check_classes(folds: Codes, y: Codes, classes: Sequence[str]) -> None:
    """Refuse folds (D,) of which one holds all documents of a class."""
    for name in _in_one_fold(folds, y, classes):
        raise InputError(
            "all documents of the class {name!r} are in one fold, so it cannot be learnt when that fold is tested; "
            "add documents that are neither copies nor of one group, or leave the class out",
            name=name,
        )


def _in_one_fold(folds: Codes, y: Codes, classes: Sequence[str]) -> list[str]:
    """Classes whose documents are all in one of the folds (D,), or outside."""
    return [name for k, name in enumerate(classes) if len(np.unique(folds[(y == k) & (folds != OUTSIDE)])) < 2]


def _dealt(number: int, filled: NDArray[np.int64], documents: NDArray[np.int64]) -> Codes:
    """Folds of single documents of one class, each placed in the emptiest fold."""
    rank = np.argsort(np.argsort(documents, kind="stable"), kind="stable")
    levels = (filled[:, np.newaxis] + np.arange(number)).ravel()  # of fold 0, of fold 1, ...
    fold = np.repeat(np.arange(len(filled)), number)
    return fold[np.lexsort((rank[fold], levels))[:number]]
