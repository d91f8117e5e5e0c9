"""What a model by name is: how it is fitted, from what, and what it can be told.

What a model can be told beside alpha and prior: the kinds of options, with their defaults and checks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.vocabulary import Columns
from textnb.errors import InputError
from textnb.models.left_out import LeftOut
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.scorer import Scorer
from textnb.models.smoothing import Smoothing
from textnb.numerics import Floats


@dataclass(frozen=True)
class Choice:
    """One of some values, the default first.

    >>> Choice(("mean", "map")).checked("median", "estimate")
    Traceback (most recent call last):
        ...
    textnb.errors.InputError: estimate must be 'mean' or 'map', not 'median'
    """

    values: tuple[Any, ...]

    @property
    def default(self) -> Any:
        """The first."""
        return self.values[0]

    @property
    def allowed(self) -> str:
        """The values, for a help text."""
        return " or ".join(map(str, self.values))

    def checked(self, value: Any, name: str) -> Any:
        """The value, if it is one of them."""
        if type(value) is not type(self.default) or value not in self.values:
            raise InputError(f"{name} must be {' or '.join(map(repr, self.values))}, not {value!r}")
        return value


@dataclass(frozen=True)
class Number:
    """A number, or a name in its place, that a function accepts; ``allowed`` says which, for a help text."""

    default: float | str
    allowed: str
    accepted: Callable[[Any], float | str]

    def checked(self, value: Any, name: str) -> float | str:
        """The value, if it is accepted."""
        try:
            return self.accepted(value)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


Option = Choice | Number


Options = Mapping[str, Any]


class Statistics(NamedTuple):
    """What a model is fitted from: weighted counts of the terms in use, and all that was counted.

    ``columns`` are the terms in use among all. Histograms and rows, which are the weighted documents themselves, are
    None unless the model needs them. ``min_df``: in how many documents a term in use stands at least.
    """

    counts: ClassCounts
    all_counts: ClassCounts
    histograms: ClassHistograms | None
    columns: Columns
    rows: Labelled | None = None
    min_df: float = 1

    @property
    def of_documents(self) -> ClassHistograms:
        """The histograms, which a model may not do without."""
        if self.histograms is None:
            raise InputError("the model needs the histograms of the documents, which were not kept")
        return self.histograms

    @property
    def documents(self) -> Labelled:
        """The rows, which a model may not do without."""
        if self.rows is None:
            raise InputError("the model needs the documents themselves, which were not kept")
        return self.rows


class Fit(NamedTuple):
    """A fitted model.

    smoothing: the alpha behind it; None for a model that has none, or one a class. found: the options that were left
    open, as they were found. facts: what else is told of the fit, as plain JSON values. holds_shares: whether, as in
    logarithms of probabilities, the classes' shares of the documents are a part of the scores that stays as it is when
    a calibration scales what documents say; scores that only rank the classes, or are of balanced rows, have no such
    part. held_out: the scores of the rows by fits without them (D, C), where the fit has come by them; -inf for a
    class that such a fit did not know. since: how many documents were learnt or forgotten after it was made, where it
    was only renewed.
    """

    scorer: Scorer
    smoothing: Smoothing | None = None
    found: Mapping[str, Any] = {}
    facts: Mapping[str, Any] = {}
    holds_shares: bool = True
    held_out: Floats | None = None
    since: int = 0


class Model(NamedTuple):
    """A model by name.

    fit: from statistics, alpha, prior and options. left_out: the scores, without prior, of documents by statistics
    without them; None where they can only be had by fitting again. weightings: what it can be fed, the best first.
    alphas: the named ones. options: what else it can be told, by name. needs_rows: it is fitted to the documents
    themselves and not to counts; then it knows the classes' shares among them, and no other prior. answers_by_rows: it
    needs them for its answers too. terms: what of an Analyzer suits it, where that is not the default. renew: brings a
    fit up to other statistics in no time, as far as that goes, by the column that each term had, -1 for none. careful:
    its scores do not grow with the document and were fitted to targets short of 1, and so is a calibration of them.
    """

    name: str
    fit: Callable[[Statistics, Any, Prior, Options], Fit]
    left_out: Callable[[LeftOut, Any, Options], Floats] | None
    weightings: tuple[str, ...]
    alphas: tuple[str, ...] = ("evidence",)
    takes_a_number: bool = True
    options: Mapping[str, Option] = {}
    needs_histograms: bool = False
    needs_rows: bool = False
    answers_by_rows: bool = False
    terms: Mapping[str, Any] = {}
    renew: Callable[[Statistics, Fit, Columns], Fit] | None = None
    careful: bool = False
