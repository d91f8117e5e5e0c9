"""A classifier ready to answer: the scorer made from a recipe and a learnt value, and its calibration.

When a model is fitted again after a change of what was learnt, and when its fit is only renewed.

A fit made on D documents, c of them learnt or forgotten since, is due where

    c >= DUE D,  or the classes are others                                                                       (1)

Until then the part that is a function of counts follows each change, and the part that must be fitted stays. A model
that cannot be renewed is fitted again after every change.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from textnb.classifier.explanation import ABSENT, Contribution, Explanation
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import ClassCounts, Counted, CountedWhereRead, Learnt, count_matrix, counted, selected_columns
from textnb.counts.matrix import CSR, mapped
from textnb.counts.selection import least_df
from textnb.counts.vocabulary import Columns, Vocabulary
from textnb.errors import InputError, listed
from textnb.models.calibration import Calibration
from textnb.models.model import Fit, Statistics
from textnb.models.prior import log_prior
from textnb.models.registry import model
from textnb.models.rows import Labelled
from textnb.models.scorer import Differences, difference, distance_to_boundary, log_posterior
from textnb.numerics import Floats
from textnb.readers import Document
from textnb.text import NOWHERE, LocatedTerm


class Earlier(NamedTuple):
    """A fit to what was learnt before, and the terms it was made on."""

    fit: Fit
    vocabulary: Vocabulary


class Fitted:
    """Probabilities and explanations; immutable. Without a calibration the probabilities are the model's own.

    ``log_prior`` (C,) is the prior; ``base`` (C,) what the scores hold beside what the document says: the prior, or
    the classes' shares where the model knows no prior; ``shift`` (C,) what brings scores to the prior.
    """

    def __init__(self, recipe: ClassifierRecipe, learnt: Learnt, fit: Fit | Earlier | None = None) -> None:
        """fit: the fit to this learnt value, where it has been kept, or one to another that is to be renewed."""
        self.recipe = recipe
        self.calibration: Calibration | None = None
        columns = _selection(recipe, learnt.counts)
        stored = learnt.counts if len(columns) == learnt.counts.n_terms else learnt.counts.selected(columns)
        assert stored.vocabulary is not None
        self.vocabulary, self.classes = stored.vocabulary, stored.classes
        self.weigher = recipe.weights.on(stored)
        chosen = model(recipe.model)
        rows = self.rows(learnt) if recipe.weights.normalised or not isinstance(fit, Fit) else None
        self.counts = self._weighted(stored, rows)
        if isinstance(fit, Fit):
            fit.scorer.joint_log_scores(sparse.csr_array((1, len(columns))))  # refuses weights of other terms
        else:
            least = least_df(learnt.counts, recipe.analyzer.min_df)
            statistics = Statistics(self.counts, learnt.counts, learnt.histograms, columns, rows, least)
            if fit is not None and chosen.renew is not None:
                fit = chosen.renew(statistics, fit.fit, fit.vocabulary.places_of(self.vocabulary))
            else:
                fit = chosen.fit(statistics, recipe.alpha, recipe.prior, recipe.options)
        self.fit, self.scorer = fit, fit.scorer
        if chosen.needs_rows:
            shares = log_prior("empirical", self.classes, stored.documents)
            self.log_prior = log_prior(recipe.prior, self.classes, stored.documents)
            self.base = shares if fit.holds_shares else np.zeros(len(shares))
            self.shift = self.log_prior - shares
        else:
            self.log_prior = self.base = self.scorer.bias
            self.shift = np.zeros(len(self.base))

    def calibrated(self, calibration: Calibration | None) -> "Fitted":
        """The same with another calibration."""
        other = Fitted.__new__(Fitted)
        other.__dict__ = {**self.__dict__, "calibration": calibration}
        return other

    def scored(self, documents: Iterable[Document], jobs: int, entries: float) -> Iterator[tuple[Counted, Floats]]:
        """The documents in their order, in parts of about so many non-zero counts, with log probabilities (D, C)."""
        for part in counted(documents, self.recipe.terms_of, self.vocabulary, jobs=jobs, entries=entries):
            yield part, self.log_posterior(part.X)

    @property
    def counted_where_read(self) -> CountedWhereRead | None:
        """For readers in other processes, documents to such as ``scored`` takes too; None where it counts in Python."""
        terms_of = self.recipe.terms_of
        return CountedWhereRead(terms_of, self.vocabulary) if terms_of.tokenizer.counts_natively else None

    def log_proba_counted(self, part: Counted) -> Floats:
        """Log probabilities of documents that were counted on another vocabulary, (D, C)."""
        return self.log_posterior(mapped(part.X, part.vocabulary, self.vocabulary))

    def log_posterior(self, X: CSR) -> Floats:
        """Log probabilities of the classes for counts X on this vocabulary, (D, C); of an empty row the prior."""
        weights, lengths = self.weigher(X), _lengths(X)
        if self.calibration is not None:
            return self.calibration.log_posterior(self.likelihood(weights), self.log_prior, lengths)
        empty = (lengths == 0)[:, np.newaxis]
        scores = self.scorer.joint_log_scores(weights) + self.shift
        return log_posterior(np.where(empty, self.log_prior, scores), self.log_prior)

    def likelihood(self, weights: CSR) -> Floats:
        """The scores without the prior, (D, C)."""
        with np.errstate(invalid="ignore"):
            rest = self.scorer.joint_log_scores(weights) - self.base
        return np.where(np.isnan(rest), 0.0, rest)  # a class of prior 0: whatever its score, it is impossible

    def explanation(self, document: Document, label: str | None, against: str | None) -> Explanation:
        """What each word of a document adds to the score of ``label`` over ``against``."""
        return self._explanation(self.recipe.terms_of.located(document), label, against)

    def explanation_counted(self, part: Counted, row: int, label: str | None, against: str | None) -> Explanation:
        """The same for a document of which only the counts are left: its words stand nowhere."""
        columns, times = part.X[[row]].indices.tolist(), part.X[[row]].data.tolist()
        terms = [part.vocabulary.terms[j] for j, n in zip(columns, times, strict=True) for _ in range(int(n))]
        return self._explanation([LocatedTerm(term, NOWHERE, NOWHERE) for term in terms], label, against)

    def _explanation(self, places: list[LocatedTerm], label: str | None, against: str | None) -> Explanation:
        if len(self.classes) < 2:
            raise InputError(f"there is nothing to explain: {self.classes[0]!r} is the only class")
        located = [place for place in places if place.term in self.vocabulary]
        occurrences = Counter(place.term for place in located)
        X = count_matrix([[place.term for place in located]], self.vocabulary)[0]
        mine, other = self._pair(self.log_posterior(X)[0], label, against)
        W = self.weigher(X)
        parts = self._differences(W, _lengths(X), mine, other)
        share = {self.vocabulary.terms[j]: value for j, value in zip(W.indices, parts.values.tolist(), strict=True)}
        contributions = [Contribution(*place, share[place.term] / occurrences[place.term]) for place in located]
        if parts.absent:
            contributions.append(Contribution(ABSENT, NOWHERE, NOWHERE, parts.absent))
        shift = float(difference(self.shift[mine], self.shift[other]))
        distance = distance_to_boundary(self.scorer, W, mine, other, shift)
        names = self.classes[mine], self.classes[other]
        return Explanation(*names, parts.score, parts.bias, tuple(contributions), distance)

    def rows(self, learnt: Learnt) -> Labelled | None:
        """The weighted documents of a learnt value, where they are kept."""
        if learnt.examples is None:
            return None
        examples = learnt.examples
        X = self.weigher(mapped(examples.X, examples.vocabulary, self.vocabulary))
        y = np.array([self.number_of(name) for name in examples.classes], np.intp)[examples.y]
        return Labelled(self.classes, X, y, np.ones(len(y)))

    def _weighted(self, stored: ClassCounts, rows: Labelled | None) -> ClassCounts:
        """The statistics of weighted documents: from those of stored weights, or from the documents."""
        if not self.recipe.weights.normalised:
            return self.weigher.class_counts(stored)
        if rows is None:
            if not model(self.recipe.model).needs_rows:
                raise InputError(f"the weighting {self.recipe.weighting!r} needs the documents, which were not kept")
            return self.weigher.class_counts(stored)  # the scorer is there already
        weighted = ClassCounts.of(rows.X, rows.y, self.vocabulary, range(len(self.classes)), containing=False)
        return ClassCounts(self.vocabulary, self.classes, stored.documents, weighted.terms, stored.containing)

    def _differences(self, weights: CSR, lengths: Floats, mine: int, other: int) -> Differences:
        """What makes up the difference of two classes' scores, after calibration."""
        parts = self.scorer.differences(weights, mine, other)
        prior, base, shift = (
            float(difference(part[mine], part[other])) for part in (self.log_prior, self.base, self.shift)
        )
        if not lengths[0]:
            return Differences(prior, parts.values * 0)
        if self.calibration is None:
            return parts._replace(bias=parts.bias + shift)
        factor, bias = float(self.calibration.factors(lengths)[0]), self.calibration.bias
        if np.isfinite(prior):
            prior += (parts.bias - base) * factor + float(bias[mine] - bias[other])
        return Differences(prior, parts.values * factor, parts.absent * factor)

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


def _selection(recipe: ClassifierRecipe, counts: ClassCounts) -> Columns:
    """The columns of the terms that the model is to use."""
    analyzer = recipe.analyzer
    columns = selected_columns(counts, analyzer.min_df, analyzer.max_df, analyzer.max_terms)
    if counts.n_terms and not len(columns):
        raise InputError(
            f"none of {counts.n_terms:,} terms is left by min_df={analyzer.min_df}, max_df={analyzer.max_df}, "
            f"max_terms={analyzer.max_terms}; loosen them"
        )
    return columns


def _lengths(X: CSR) -> Floats:
    return np.asarray(X.sum(axis=1), np.float64)


DUE = 0.05
"""A 20th."""

REFITS = ("now", "when due", "never")


def earlier(fitted: Fitted | None, before: Learnt, after: Learnt, refit: str) -> Earlier | None:
    """The fit that is to be renewed, by eq. (1) for ``when due``; None where the model is to be fitted again."""
    if refit not in REFITS:
        raise InputError(f"refit must be one of {listed(REFITS)}, not {refit!r}")
    if fitted is None or refit == "now" or model(fitted.recipe.model).renew is None:
        return None
    since = fitted.fit.since + before.digests.distance(after.digests)
    is_due = refit == "when due" and since >= DUE * fitted.fit.facts["fitted_on"]
    if is_due or before.counts.classes != after.counts.classes:
        return None
    return Earlier(fitted.fit._replace(since=since), fitted.vocabulary)
