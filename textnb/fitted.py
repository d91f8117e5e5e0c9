"""A classifier ready to answer: the scorer made from a recipe and a learnt value."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from textnb.counts import Counted, Learnt, count_matrix, counted
from textnb.counts.matrix import CSR
from textnb.errors import InputError, listed
from textnb.explanation import Contribution, Explanation
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.recipe import ClassifierRecipe


class Fitted:
    """Probabilities and explanations; immutable."""

    def __init__(self, recipe: ClassifierRecipe, learnt: Learnt) -> None:
        self.recipe = recipe
        self.counts = recipe.selected(learnt.counts)
        self.classes = self.counts.classes
        self.scorer = recipe.scorer(self.counts)
        assert self.counts.vocabulary is not None
        self.vocabulary = self.counts.vocabulary

    def scored(self, documents: Iterable[Document], jobs: int, entries: float) -> Iterator[tuple[Counted, Floats]]:
        """The documents in their order, in parts of about so many non-zero counts, with log probabilities (D, C)."""
        for part in counted(documents, self.recipe.terms_of, self.vocabulary, jobs=jobs, entries=entries):
            yield part, self._log_posterior(part.X)

    def log_proba_counted(self, part: Counted) -> Floats:
        """Log probabilities of documents that were counted on another vocabulary, (D, C)."""
        shared = [j for j, term in enumerate(part.vocabulary.terms) if term in self.vocabulary]
        X = part.X[:, shared]
        columns = np.array([self.vocabulary[part.vocabulary.terms[j]] for j in shared], np.intp)
        return self._log_posterior(
            type(X)((X.data, columns[X.indices], X.indptr), shape=(len(part), len(self.vocabulary)))
        )

    def explanation(self, document: Document, label: str | None, against: str | None) -> Explanation:
        """What each word of a document adds to the score of ``label`` over ``against``."""
        if len(self.classes) < 2:
            raise InputError(f"there is nothing to explain: {self.classes[0]!r} is the only class")
        located = [place for place in self.recipe.terms_of.located(document) if place.term in self.vocabulary]
        occurrences = Counter(place.term for place in located)
        X = self.recipe.weights.weights(count_matrix([[place.term for place in located]], self.vocabulary)[0])
        mine, other = self._pair(self.scorer.log_posterior(X)[0], label, against)
        bias, values = self.scorer.differences(X, mine, other)
        share = {self.vocabulary.terms[j]: value for j, value in zip(X.indices, values.tolist(), strict=True)}
        contributions = (Contribution(*place, share[place.term] / occurrences[place.term]) for place in located)
        with np.errstate(invalid="ignore"):  # infinite terms may point both ways
            score = bias + float(values.sum())
        return Explanation(self.classes[mine], self.classes[other], score, bias, tuple(contributions))

    def _log_posterior(self, X: CSR) -> Floats:
        return self.scorer.log_posterior(self.recipe.weights.weights(X))

    def _pair(self, log_posterior: Floats, label: str | None, against: str | None) -> tuple[int, int]:
        """The numbers of the two classes to compare: as named, or the likeliest that remain."""
        named = [None if name is None else self.number_of(name) for name in (label, against)]
        if named[0] is not None and named[0] == named[1]:
            raise InputError(f"label and against are both {label!r}")
        rest = iter([int(k) for k in np.argsort(-log_posterior, kind="stable") if k not in named])
        mine, other = (next(rest) if number is None else number for number in named)
        return mine, other

    def number_of(self, name: str) -> int:
        """The number of a class, or an error that names the classes there are."""
        if name not in self.classes:
            raise InputError(f"{name!r} is not among the classes: {listed(self.classes)}")
        return self.classes.index(name)
