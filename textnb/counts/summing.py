"""Sum of a stream of counted parts: a learnt value, in memory that grows with its terms and not with its documents.

``LearntSum`` gives what ``Learnt.of(part) + Learnt.of(part) + ...`` gives, with less work. Digests, 16 bytes per
document, are sorted once, at the end. Of a part only those documents are gathered that can still be in the sample.

With a term budget the rarest terms are dropped whenever there are more (``pruning.py``), from the kept documents as
well. So the sum is the exact learnt value of documents without the occurrences that were dropped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from textnb.counts.counting import Counted
from textnb.counts.examples import Digests, sort_keys
from textnb.counts.learnt import Keeps, Learnt, Sample
from textnb.counts.pruning import Dropped, most_frequent
from textnb.counts.weighting import Weighting
from textnb.extension import return_memory


class LearntSum:
    """Sum of counted and labelled parts, which are added as they come.

    Parameters
    ----------
    weighting, keeps
        As of ``Learnt.of``.
    term_budget : int, optional
        Number of terms that the sum has at most.
    start : Learnt, optional
        What has been learnt before.

    Attributes
    ----------
    n_documents : int
        Number of documents added so far, without those of ``start``.
    """

    def __init__(
        self, weighting: Weighting, keeps: Keeps, term_budget: int | None = None, start: Learnt | None = None
    ) -> None:
        self._weighting, self._keeps, self._budget = weighting, keeps, term_budget
        start = start or Learnt.zero(weighting.unit, keeps)
        self._digests = [start.digests.array]
        self._sample, self._waiting = start.sample, list[Sample]()
        self._sum = replace(start, digests=Digests.of(), sample=None)
        self.n_documents = 0

    def add(self, part: Counted) -> None:
        """Add a part."""
        self.n_documents += len(part)
        if self._budget is not None:
            part, dropped = _within_budget(part, self._budget)
            self._sum = replace(self._sum, dropped=self._sum.dropped.and_then(dropped))
        learnt = Learnt.of(part, self._weighting, self._keeps._replace(sample=0))
        self._digests.append(learnt.digests.array)
        self._sum = self._sum + replace(learnt, digests=Digests.of())
        if self._sample is not None:
            self._waiting.append(Sample.of_below(part, self._sample.most, self._sample.bounds))
            if sum(len(each.examples) for each in self._waiting) > self._sample.most // 2:
                self._add_waiting()
        if self._budget is not None and self._sum.counts.n_terms > self._budget:
            self._prune(self._budget)
        return_memory()

    def learnt(self) -> Learnt:
        """Return the learnt value of all parts so far, within the budget."""
        total = self.so_far()
        total = total if self._budget is None else total.pruned(self._budget)
        return_memory()
        return total

    def so_far(self) -> Learnt:
        """Return a learnt value from which the sum can go on, as ``start``: with the terms that it has now."""
        self._add_waiting()
        digests = np.concatenate(self._digests)
        self._digests = [digests]
        sort_keys(digests).sort()  # in place
        sample = None if self._sample is None else self._sample.trimmed()
        return replace(self._sum, digests=Digests(digests), sample=sample)

    def _add_waiting(self) -> None:
        """Add the samples of the last parts to the sample."""
        if self._sample is not None and self._waiting:
            waiting, self._waiting = self._waiting, []
            self._sample = self._sample.plus(waiting, self._sum.documents)

    def _prune(self, budget: int) -> None:
        self._sum = self._sum.pruned(budget)
        kept = self._sum.counts.vocabulary
        assert kept is not None
        self._waiting = [each.within(kept) for each in self._waiting]
        self._sample = None if self._sample is None else self._sample.within(kept)


def _within_budget(part: Counted, budget: int) -> tuple[Counted, Dropped]:
    """Return a part on the terms that most of its documents contain, and what is dropped."""
    containing = np.bincount(part.X.indices, minlength=len(part.vocabulary))
    columns, dropped = most_frequent(containing, budget)
    if not dropped.terms:
        return part, dropped
    return part.on(part.vocabulary.selected(columns)), dropped
