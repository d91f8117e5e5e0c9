"""Types for models by name: a model, its options, the statistics it is fitted to, and a fit.

A model file ends with ``MODEL = Model(...)``. Everything else is made from that value: checks of recipes, tuning grids,
TOML recipes and the command line. ``registry.py`` has the table of names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textnb.counts.class_counts import ClassCounts
from textnb.counts.histograms import ClassHistograms
from textnb.counts.selection import LEAST_TERMS
from textnb.counts.vocabulary import Columns
from textnb.counts.weighting import WEIGHTINGS
from textnb.errors import InputError, ParameterError
from textnb.models.changes import Changes
from textnb.models.left_out import LeftOut
from textnb.models.prior import Prior
from textnb.models.rows import Labelled
from textnb.models.scorer import Scorer
from textnb.models.smoothing import OF_DOCUMENTS, Smoothing, smoothing
from textnb.numerics import Floats, alternatives, as_choice, as_number_or_name, number_in_words


@dataclass(frozen=True)
class Choice:
    """Kind of an option that is one of some values."""

    values: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """Values in words."""
        return alternatives(self.values)

    def checked(self, value: Any, name: str) -> str:
        """Value, refused unless it is one of the values."""
        return as_choice(value, name, self.values)

    def parse(self, text: str, name: str) -> str:
        """Value that a text on the command line means."""
        return self.checked(text, name)


@dataclass(frozen=True)
class Flag:
    """Kind of an option that is True or False."""

    @property
    def allowed(self) -> str:
        """Values in words, as the command line takes them."""
        return "true or false"

    def checked(self, value: Any, name: str) -> bool:
        """Value, refused unless it is True or False."""
        if not isinstance(value, bool | np.bool_):
            raise ParameterError("{name} must be True or False, not {value!r}", name=name, value=value)
        return bool(value)

    def parse(self, text: str, name: str) -> bool:
        """Value that a text on the command line means."""
        if text.lower() not in ("true", "false"):
            raise ParameterError("{name} must be true or false, not {text!r}", name=name, text=text)
        return text.lower() == "true"


@dataclass(frozen=True)
class Number:
    """Kind of an option that is a number in a range, or one of some names in its place.

    low, above: the smallest value allowed, or the one that it must exceed. high: the largest value allowed.
    """

    low: float | None = None
    above: float | None = None
    high: float | None = None
    names: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """Values in words."""
        return alternatives([number_in_words(**self._limits), *self.names])

    def checked(self, value: Any, name: str) -> float | str:
        """Value as a float or a name, refused outside the range."""
        return as_number_or_name(value, name, self.names, **self._limits)

    def parse(self, text: str, name: str) -> float | str:
        """Value that a text on the command line means."""
        try:
            value: float | str = float(text)
        except ValueError:
            value = text
        return self.checked(value, name)

    @property
    def _limits(self) -> dict[str, Any]:
        return {"low": self.low, "above": self.above, "high": self.high}


@dataclass(frozen=True)
class Option:
    """Option of a model, besides alpha and prior.

    Parameters
    ----------
    name : str
        The name in Python, in TOML recipes and after ``--set``.
    kind : Choice, Flag or Number
        The values that are allowed.
    default : object
        The value if none is given.
    help : str
        One line for the command line.
    tried : tuple, optional
        The values that ``tune`` tries; none if the option is not tuned by default.

    Examples
    --------
    >>> option = Option("l2", Number(above=0, names=("cv",)), "cv", "strength of the L2 penalty", (0.1, 1.0))
    >>> option.allowed, option.parse("0.5"), option.parse("cv")
    ('a number above 0 or cv', 0.5, 'cv')
    >>> option.parse("much")
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: l2 must be a number above 0 or 'cv', not 'much'
    """

    name: str
    kind: Choice | Flag | Number
    default: Any
    help: str
    tried: tuple[Any, ...] = ()

    @property
    def allowed(self) -> str:
        """Values in words, for a help text."""
        return self.kind.allowed

    def checked(self, value: Any) -> Any:
        """Value as the model takes it, refused unless it is allowed."""
        return self.kind.checked(value, self.name)

    def parse(self, text: str) -> Any:
        """Value that a text on the command line means."""
        return self.kind.parse(text, self.name)


def by_name(*options: Option) -> Mapping[str, Option]:
    """Options of a model by name."""
    return {option.name: option for option in options}


def weightings_from(default: str) -> tuple[str, ...]:
    """All weightings, the default first."""
    return (default, *(name for name in WEIGHTINGS if name != default))


WHOLE_WEIGHTINGS = ("log", "raw", "binary")
"""Weightings under which counts add up exactly."""

TRIED_ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
TRIED_L2 = (0.001, 0.01, 0.1, 1.0, 10.0)
BALANCED = Option("balanced", Flag(), False, "give every class the same total weight")

Options = Mapping[str, Any]


class Need(Enum):
    """Data that a model is fitted to, or predicts from."""

    COUNTS = "class counts"
    HISTOGRAMS = "histograms of the documents"
    ROWS = "the documents themselves; the model then learns the class frequencies, and no other prior"
    ROWS_TO_ANSWER = "the documents themselves, for its answers too"


class Statistics(NamedTuple):
    """Data that a model is fitted to.

    counts: weighted counts of the selected terms. all_counts: counts of all terms. histograms, rows (a function that
    makes the weighted documents, which nothing else holds): None unless the model needs them. columns: the selected
    terms among all. min_df: the number of documents that contain a selected term at least. is_normalised: True if rows
    are divided by their length. is_old: True to estimate alpha as textnb 0.1 did.
    """

    counts: ClassCounts
    all_counts: ClassCounts
    histograms: ClassHistograms | None
    columns: Columns
    rows: Callable[[], Labelled] | None = None
    min_df: float = 1
    is_normalised: bool = False
    is_old: bool = False

    @property
    def of_documents(self) -> ClassHistograms:
        """Histograms, refused if they were not kept."""
        if self.histograms is None:
            raise InputError("the model needs the histograms of the documents, which were not kept")
        return self.histograms

    @property
    def documents(self) -> Labelled:
        """Rows, made anew each time, refused if they were not kept."""
        if self.rows is None:
            raise InputError("the model needs the documents themselves, which were not kept")
        return self.rows()

    def smoothing(self, alpha: float | str) -> Smoothing:
        """Alpha of the selected terms: as given, or estimated by its name."""
        if alpha not in OF_DOCUMENTS:
            return smoothing(alpha, self.counts, is_old=self.is_old)
        found = smoothing(alpha, self.all_counts, self.histograms, is_old=self.is_old)  # documents consist of all terms
        return replace(found, alpha=found.alpha[self.columns])


class Fit(NamedTuple):
    """A fitted model.

    smoothing: alpha; None for a model without one, or with one per class. class_smoothing: facts about the alphas of
    all documents and of each class, for models that have them. found: options that were estimated. facts: other plain
    JSON values for `info`. includes_prior: True if the scores already contain log class frequencies; calibration does
    not scale that part. left_out_scores: scores (D, C) of the rows by fits without them, if the fit computed them; -inf
    for a class that such a fit did not know. since: number of documents learnt or forgotten since the fit, if it was
    only renewed. For ``follow``: totals, sums (C,) by which the probabilities of terms were divided; factors of the
    weights (C,); containing, documents of each class that contain each term (V, C).
    """

    scorer: Scorer
    smoothing: Smoothing | None = None
    class_smoothing: tuple[Mapping[str, Any], ...] = ()
    found: Mapping[str, Any] = {}
    facts: Mapping[str, Any] = {}
    includes_prior: bool = True
    left_out_scores: Floats | None = None
    since: int = 0
    totals: Sequence[float] | None = None
    containing: NDArray[Any] | None = None
    factors: Sequence[float] | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A model by name.

    Parameters
    ----------
    name : str
        The name in recipes and on the command line.
    help : str
        One line that says what the model is.
    fit : callable
        Fits the model to (statistics, alpha, prior, options).
    weightings : tuple of str
        The weightings of counts that it accepts, the default first.
    left_out : callable, optional
        Scores (D, C), without prior, of documents by statistics without them, from (rows, alpha, options); without it
        such scores need fits to folds.
    needs : frozenset of Need, optional
        What it is fitted to.
    alphas : tuple of str, optional
        The names that alpha may have.
    accepts_number : bool, optional
        True if alpha may be a number.
    default_alpha : float or str, optional
        The alpha if none is given; None to leave it open.
    options : mapping of str to Option, optional
        Its other options by name.
    analyzer : mapping, optional
        Parameters of an Analyzer that suit it, if not the defaults.
    renew : callable, optional
        Brings a fit up to changed statistics without fitting again, from (statistics, fit, the column that each term
        had, -1 for none).
    follow : callable, optional
        Scorer whose counts follow pending corrections, from (fit, changes, log prior, options); None if this fit
        cannot. Without it the answers stay as they are until the model is fitted again.
    smoothed_targets : bool, optional
        True to calibrate with Platt's smoothed targets and no length term.
    presence_only : bool, optional
        True if the fit looks only at which terms a row contains; the rows then hold no weights.
    single_rows : bool, optional
        True if the rows may be in single precision where that changes no weight.
    bounded_scores : bool, optional
        True if scores do not grow with a document; its number of terms is then no part of the calibration.
    growth : callable, optional
        The power with which scores grow if a document is repeated, from the options; at most 10, by default 1.
    scores_absence : bool, optional
        True if terms that a document lacks are part of its scores.
    least_terms : float, optional
        Distinct terms per document on average with which ``min_df="auto"`` leaves out terms of a single document.
    tried_alphas, tried_weightings : tuple, optional
        The alphas and weightings that ``tune`` tries.
    """

    name: str
    help: str
    fit: Callable[[Statistics, Any, Prior, Options], Fit]
    weightings: tuple[str, ...]
    left_out: Callable[[LeftOut, Any, Options], Floats] | None = None
    needs: frozenset[Need] = frozenset({Need.COUNTS})
    alphas: tuple[str, ...] = ("evidence",)
    accepts_number: bool = False
    default_alpha: float | str | None = "evidence"
    options: Mapping[str, Option] = field(default_factory=dict)
    analyzer: Mapping[str, Any] = field(default_factory=dict)
    renew: Callable[[Statistics, Fit, Columns], Fit] | None = None
    follow: Callable[[Fit, Changes, Floats, Options], Scorer | None] | None = None
    smoothed_targets: bool = False
    presence_only: bool = False
    single_rows: bool = False
    bounded_scores: bool = False
    growth: Callable[[Options], float] = lambda _: 1.0
    scores_absence: bool = False
    least_terms: float = LEAST_TERMS
    tried_alphas: tuple[float | str, ...] = ()
    tried_weightings: tuple[str, ...] = ()

    @property
    def tuning_grid(self) -> dict[str, tuple[Any, ...]]:
        """Values that ``tune`` tries, by alpha, options and weighting."""
        options = {name: option.tried for name, option in self.options.items()}
        grid = {"alpha": self.tried_alphas, **options, "weighting": self.tried_weightings}
        return {name: values for name, values in grid.items() if values}
