"""Pending corrections: documents of the journal (``files/journal.py``) that the fit of a model file does not know yet.

They are part of what has been learnt. Until the model is fitted again, the counts behind its answers follow them as
``models/changes.py`` says, and so does the prior. If a class has no document left, or is new, the answers stay until
the next fit; so do those of models that are fitted to the documents themselves, except for the first score of mail.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from textnb.classifier.fitted import Fitted
from textnb.classifier.recipe import ClassifierRecipe
from textnb.classifier.state import State
from textnb.counts import Counted, Learnt, Vocabulary
from textnb.counts.examples import Digests
from textnb.counts.rows import Rows, row_numbers
from textnb.errors import ModelFileError
from textnb.extension import sparse
from textnb.files.correction import LEARN, UNLEARN, Correction, Pending
from textnb.files.deferred import Deferred
from textnb.models.changes import Changes
from textnb.models.prior import log_prior
from textnb.models.registry import model
from textnb.numerics import Codes, Floats


def with_pending(recipe: ClassifierRecipe, state: State, pending: Pending, digests: Digests) -> State:
    """State of a model file with the pending corrections: they are in what it has learnt, and its counts follow.

    digests: of what was learnt in the file.
    """
    corrections = net(applicable(pending.corrections, digests))
    if not corrections:
        return state
    known = Deferred(lambda: with_corrections(recipe, state.learnt, corrections))
    if state.fitted is None:  # all was forgotten, and then something was learnt before the file was written
        return replace(state, known=known, n_pending=len(corrections))
    changes = changes_of(state.fitted, pending.model, corrections, np.array(state.summary.documents, float))
    fitted = _following(state.fitted, changes)
    return replace(state, known=known, fitted=fitted, base=state.fitted, n_pending=len(corrections))


def _following(fitted: Fitted, changes: Changes) -> Fitted:
    """Fit whose counts and prior follow corrections; the same fit if it cannot."""
    recipe, classes = fitted.recipe, fitted.classes
    follow = model(recipe.model).follow
    if follow is None or not (changes.documents > 0).all():
        return fitted
    prior = log_prior(recipe.prior, classes, changes.documents)
    scorer = follow(fitted.fit, changes, prior, recipe.options)
    if scorer is None:
        return fitted
    return fitted.with_scorer(scorer, prior, log_prior("empirical", classes, changes.documents))


def applicable(corrections: Sequence[Correction], digests: Digests) -> list[Correction]:
    """Corrections without those that unlearn a document that another process has forgotten in the meantime."""
    times = {each.labelled: digests.times(each.labelled) for each in corrections if each.kind == UNLEARN}
    kept = []
    for each in corrections:
        if each.labelled in times:
            after = times[each.labelled] + (1 if each.kind == LEARN else -1)
            if after < 0:
                continue
            times[each.labelled] = after
        kept.append(each)
    return kept


def net(corrections: Sequence[Correction]) -> list[Correction]:
    """Corrections without those that later ones undo; all of a document whose day is not always the same."""
    of_document: dict[bytes, list[Correction]] = {}
    for each in corrections:
        of_document.setdefault(each.labelled, []).append(each)
    return [each for group in of_document.values() for each in _net_of_document(group)]


def _net_of_document(corrections: list[Correction]) -> list[Correction]:
    if len({each.day for each in corrections}) > 1:  # which copy is unlearnt depends on those in the file
        return corrections
    number = sum(1 if each.kind == LEARN else -1 for each in corrections)
    last = {each.kind: each for each in corrections}
    return [last[LEARN if number > 0 else UNLEARN]] * abs(number)


def with_corrections(recipe: ClassifierRecipe, learnt: Learnt, corrections: Sequence[Correction]) -> Learnt:
    """Learnt value with these corrections, as ``net`` returns them."""
    both = {each.labelled for each in corrections if each.kind == LEARN}
    both &= {each.labelled for each in corrections if each.kind == UNLEARN}
    others = [each for each in corrections if each.labelled not in both]
    steps = [[each for each in others if each.kind == kind] for kind in (UNLEARN, LEARN)]
    for step in [*steps, *([each] for each in corrections if each.labelled in both)]:
        if step:
            part = Learnt.of(counted_documents(step), recipe.weights, recipe.keeps)
            learnt = learnt + part if step[0].kind == LEARN else learnt - part
    return learnt


def counted_documents(corrections: Sequence[Correction]) -> Counted:
    """Counted documents of corrections, on the terms that they have."""
    counts = [each.counts for each in corrections]
    vocabulary = Vocabulary({term for each in counts for term in each})
    columns = vocabulary.columns
    indices = np.array([columns[term] for each in counts for term in each], np.int32)
    data = np.array([n for each in counts for n in each.values()], np.int32)
    indptr = np.cumsum([0, *map(len, counts)]).astype(np.int32)
    X = sparse.csr_array((data, indices, indptr), shape=(len(corrections), len(vocabulary)))
    X.sort_indices()
    labels, digests = tuple(each.label for each in corrections), tuple(each.document for each in corrections)
    blank, days = ("",) * len(corrections), tuple(each.day for each in corrections)
    return Counted(X, vocabulary, labels, digests, blank, (None,) * len(corrections), days if any(days) else ())


def changes_of(fitted: Fitted, sha256: str, corrections: Sequence[Correction], documents: Floats) -> Changes:
    """Changes by corrections of classes that the model has; those of other classes wait for the next fit."""
    number = {name: k for k, name in enumerate(fitted.classes)}
    chosen = [each for each in corrections if each.label in number]
    entries = [each.columns_in(sha256, fitted.vocabulary) for each in chosen]
    ends = np.cumsum([0, *(each.shape[1] for each in entries)])
    indices, data = np.concatenate([np.empty((2, 0), np.int32), *entries], axis=1)
    _check_entries(indices, data, ends, len(fitted.vocabulary))
    rows = Rows(data, indices, ends, len(fitted.vocabulary))
    y = np.array([number[each.label] for each in chosen], np.intp)
    sign = np.array([1.0 if each.kind == LEARN else -1.0 for each in chosen])
    weights, of_row = fitted.weigher(rows).data, row_numbers(rows)
    is_changed = np.zeros(len(fitted.vocabulary), bool)
    is_changed[indices] = True
    columns = np.flatnonzero(is_changed)
    cells = (np.cumsum(is_changed) - 1)[indices] * len(number) + y[of_row]
    summed, squares, containing = (
        np.bincount(cells, values * sign[of_row], len(columns) * len(number))
        .astype(np.float64)
        .reshape(-1, len(number))
        for values in (weights, weights**2, np.ones(len(weights)))
    )
    after = documents + np.bincount(y, sign, len(number))
    return Changes(columns, summed, squares, containing, documents, after)


def _check_entries(indices: NDArray[np.int32], data: NDArray[np.int32], ends: Codes, n_columns: int) -> None:
    """Refuse rows whose columns do not ascend or are not among ``n_columns``, and counts below 1."""
    ascends = np.diff(indices.astype(np.int64)) > 0
    starts = ends[1:-1]
    ascends[starts[(starts > 0) & (starts < len(indices))] - 1] = True  # from row to row
    if not ascends.all() or (indices < 0).any() or (indices >= n_columns).any() or (data < 1).any():
        raise ModelFileError("the journal is damaged: the columns of a correction are not those of the model")
