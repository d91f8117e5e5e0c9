"""Recipe of a classifier: everything but what it has learnt, validated once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from textnb.counts import Counted, Learnt, TermsOf, counted
from textnb.counts.counting import PART_CHARACTERS
from textnb.counts.labels import check_number_of_weights
from textnb.counts.learnt import MOST_CALIBRATED, MOST_KEPT, Keeps
from textnb.counts.summing import LearntSum
from textnb.counts.weighting import WEIGHTINGS, Weighting, weighting
from textnb.errors import InputError, ParameterError, shortened, suggestion
from textnb.models.model import WHOLE_WEIGHTINGS, Model, Need
from textnb.models.prior import PRIORS, Prior, as_probabilities
from textnb.models.registry import model
from textnb.models.smoothing import ALPHAS, LEAVE_ONE_OUT, LOG_LOSS, OF_DOCUMENTS
from textnb.numerics import Floats, alternatives, as_number_or_name, check_choice
from textnb.parallel import one_behind
from textnb.readers import Document
from textnb.text import Analyzer, Tokenizer, tokenizer_of
from textnb.text import Recipe as Json

SAMPLE = MOST_KEPT
"""Number of documents that are kept at most; up to it, forgetting equals never having seen, to the byte."""

WEIGHTINGS_OF: Mapping[float | str, tuple[str, ...]] = {
    "evidence-document": ("raw", "binary"),
    LEAVE_ONE_OUT: WHOLE_WEIGHTINGS,
    LOG_LOSS: tuple(name for name, each in WEIGHTINGS.items() if each.normalised),
}
"""Weightings that an alpha goes with, if not with all."""

_NO_EVIDENCE = (
    "alpha={alpha!r} does not go with weighting={name!r}: it needs counts, and the evidence of weights divided by the "
    "length of a document depends on their scale; use a number or {default!r}"
)
_NO_FORGETTING = (
    "a model with a term budget, or of counts with one, cannot forget: it may have dropped terms of a document; train "
    "it again without the document"
)
_NO_BUDGET = (
    "model {model!r} with alpha={alpha!r} and weighting={weighting!r} is fitted to single documents, whose terms a "
    "term budget cannot drop; leave out term_budget, and use max_terms to select terms"
)


@dataclass(frozen=True)
class ClassifierRecipe:
    """Parameters that rebuild a classifier; classifiers with equal recipes can be merged.

    The fields are the parameters of ``TextClassifier``; ``options`` are those of the model by name. An alpha of None is
    replaced by ``default_alpha``.
    """

    model: str
    alpha: float | str | None
    prior: Prior
    tokenizer: Tokenizer
    analyzer: Analyzer
    weighting: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    calibrate: bool = True
    sample: int = SAMPLE
    choose_terms: bool = False
    """True to let the model ``auto`` choose among the kinds of terms."""
    choice: Sequence[Mapping[str, Any]] | None = field(default=None, compare=False)
    """Candidates that ``auto`` tried, the chosen one first; None if the model was named."""
    term_budget: int | None = field(default=None, kw_only=True)
    """Number of terms that are counted at most, approximately the most frequent; None for all."""
    of_file: InitVar[bool] = False
    """True for the recipe of a model file: it may ask for what earlier versions accepted."""

    def __post_init__(self, of_file: bool) -> None:
        chosen = model(self.model)
        _set(self, "weighting", _as_weighting(self.weighting, chosen))
        _set(self, "term_budget", _as_budget(self.term_budget))
        if self.alpha is None and self.term_budget is not None and default_alpha(chosen, self.weights) in OF_DOCUMENTS:
            _set(self, "alpha", "evidence")
        _set(self, "alpha", _as_alpha(self.alpha, chosen, self.weights, of_file=of_file))
        _set(self, "options", _as_options(self.options, chosen))
        _set(self, "prior", _as_prior(self.prior))
        if not isinstance(self.analyzer, Analyzer):
            raise ParameterError("analyzer must be an Analyzer, not {given!r}", given=self.analyzer)
        if not isinstance(self.calibrate, bool | np.bool_):
            raise ParameterError("calibrate must be True or False, not {given!r}", given=self.calibrate)
        _set(self, "calibrate", bool(self.calibrate))
        _set(self, "sample", self.sample.item() if isinstance(self.sample, np.generic) else self.sample)
        if type(self.sample) is not int or self.sample < 0:
            raise ParameterError(
                "sample must be a whole number of documents, 0 for none, not {given!r}", given=self.sample
            )
        if self.term_budget is not None and (self.keeps.examples or self.keeps.histograms):
            raise ParameterError(_NO_BUDGET, model=self.model, alpha=self.alpha, weighting=self.weighting)
        if Need.ROWS_TO_ANSWER in chosen.needs and not self.sample:
            template = "model {name!r} needs the learnt documents for its answers; sample=0 forbids that"
            raise ParameterError(template, name=self.model)
        if self.weights.normalised and not self.sample and Need.ROWS not in chosen.needs:
            template = "weighting {name!r} keeps the counts of the documents; sample=0 forbids that"
            raise ParameterError(template, name=self.weighting)

    @property
    def weights(self) -> Weighting:
        """Weighting of counts."""
        assert self.weighting is not None
        return weighting(self.weighting)

    @property
    def terms_of(self) -> TermsOf:
        """Function from a document to its terms."""
        return TermsOf(self.tokenizer, self.analyzer)

    @property
    def keeps(self) -> Keeps:
        """What is kept of documents beside the statistics; a calibration needs some documents while it is fitted."""
        chosen = model(self.model)
        histograms = Need.HISTOGRAMS in chosen.needs or self.alpha in OF_DOCUMENTS
        examples = self.weights.normalised or Need.ROWS in chosen.needs
        sample = (self.sample or MOST_CALIBRATED) if self.calibrate and not examples else 0
        return Keeps(histograms, examples, sample)

    def learnt(
        self,
        documents: Iterable[Document] | Iterable[Counted],
        jobs: int = 1,
        sample_weight: Floats | None = None,
    ) -> Learnt:
        """Statistics of labelled documents, or of parts that have been counted in the way of this recipe.

        sample_weight: weights of the documents, (D,). There are then class counts and nothing else.
        """
        if sample_weight is not None:
            return self._learnt_weighted(documents, jobs, sample_weight)
        total = LearntSum(self.weights, self.keeps, self.term_budget)
        one_behind(total.add, self.parts(documents, jobs), jobs)
        return total.learnt()

    def parts(self, documents: Iterable[Document] | Iterable[Counted], jobs: int = 1) -> Iterator[Counted]:
        """Documents as this recipe counts them; one part if they are kept, else parts of a stream."""
        most = float("inf") if self.keeps.examples else PART_CHARACTERS
        return counted(documents, self.terms_of, jobs=jobs, entries=float("inf"), characters=most)

    def _learnt_weighted(
        self, documents: Iterable[Document] | Iterable[Counted], jobs: int, sample_weight: Floats
    ) -> Learnt:
        self.check_weighted()
        total, n_documents = Learnt.zero(self.weights.unit, self.keeps), 0
        for part in self.parts(documents, jobs):
            rows = slice(n_documents, n_documents + len(part))
            n_documents += len(part)
            check_number_of_weights(sample_weight, len(sample_weight) >= n_documents)
            learnt = Learnt.of_weighted(part, self.weights, sample_weight[rows])
            total = total + learnt if total.counts.classes else learnt
        check_number_of_weights(sample_weight, len(sample_weight) == n_documents)
        return total

    def check_weighted(self) -> None:
        """Refuse fractional weights of documents for a recipe that needs more than class counts."""
        if self.term_budget is not None:
            raise InputError("fractional sample_weight does not go with a term budget; leave out term_budget")
        if self.keeps.histograms or self.keeps.examples:
            template = (
                "model {model!r} with alpha={alpha!r} and weighting={weighting!r} needs single documents; "
                "use whole numbers as sample_weight{other}"
            )
            other = ", or alpha='evidence'" if self.alpha in OF_DOCUMENTS else ""
            raise InputError(template, model=self.model, alpha=self.alpha, weighting=self.weighting, other=other)

    def check_forgets(self, dropped: Sequence[int] | None) -> None:
        """Refuse to forget documents of which some terms may not have been counted; dropped: ``Summary.dropped``."""
        if self.term_budget is not None or dropped:
            raise InputError(_NO_FORGETTING)

    @property
    def json(self) -> Json:
        """Recipe as plain JSON values."""
        return {
            "model": {"name": self.model, "params": {"alpha": self.alpha, "prior": self.prior, **self.options}},
            "tokenizer": self.tokenizer.recipe,
            "analyzer": self.analyzer.recipe,
            "weighting": self.weighting,
            "calibrate": self.calibrate,
            "sample": self.sample,
            **({"term_budget": self.term_budget} if self.term_budget is not None else {}),
            **({"choose_terms": True} if self.choose_terms else {}),
            **({"choice": self.choice} if self.choice else {}),
        }

    @classmethod
    def of(cls, json: Mapping[str, Any], trust: Collection[str] = ()) -> "ClassifierRecipe":
        """Rebuild a recipe; a Python tokenizer must be trusted by name. Files of format 1 have no calibration."""
        params = dict(json["model"]["params"])
        return cls(
            json["model"]["name"],
            params.pop("alpha"),
            params.pop("prior"),
            tokenizer_of(json["tokenizer"], trust),
            Analyzer.of(json["analyzer"]),
            json["weighting"],
            params,
            json.get("calibrate", False),
            json.get("sample", SAMPLE),
            json.get("choose_terms", False),
            json.get("choice"),
            term_budget=json.get("term_budget"),
            of_file=True,
        )


def differing(part: str, mine: Any, theirs: Any) -> str:
    """Describe where two parts of recipes differ.

    >>> differing("weighting", "raw", "log")
    "weighting ('raw' and 'log')"
    >>> differing("analyzer", {"ngram": [1, 1]}, {"ngram": [1, 2]})
    'analyzer ngram ([1, 1] and [1, 2])'
    """
    if isinstance(mine, dict) and isinstance(theirs, dict):
        name = next(key for key in (*mine, *theirs) if repr(mine.get(key)) != repr(theirs.get(key)))
        return differing(f"{part} {name}", mine.get(name), theirs.get(name))
    return f"{part} ({shortened(repr(mine))} and {shortened(repr(theirs))})"


def _set(recipe: ClassifierRecipe, name: str, value: Any) -> None:
    object.__setattr__(recipe, name, value)


def _as_weighting(name: str | None, chosen: Model) -> str:
    if name is None:
        return chosen.weightings[0]
    check_choice(name, "weighting", WEIGHTINGS)
    if name not in chosen.weightings:
        template = "model {model!r} does not accept weighting={name!r}; use {known}"
        raise ParameterError(
            template, model=chosen.name, name=name, known=alternatives([*map(repr, chosen.weightings)])
        )
    return name


def default_alpha(chosen: Model, weights: Weighting) -> float | str | None:
    """Smoothing of a model with a weighting if none is given; None for a model that chooses it."""
    if chosen.default_alpha is not None and weights.normalised and LOG_LOSS in chosen.alphas:
        return LOG_LOSS
    if chosen.default_alpha == LEAVE_ONE_OUT and weights.name not in WHOLE_WEIGHTINGS:
        return "evidence"
    return chosen.default_alpha


def _as_alpha(alpha: Any, chosen: Model, weights: Weighting, *, of_file: bool) -> float | str | None:
    if alpha is None:
        return default_alpha(chosen, weights)
    value = as_number_or_name(alpha, "alpha", (*ALPHAS, LOG_LOSS), low=0)
    if value not in chosen.alphas if isinstance(value, str) else not chosen.accepts_number:
        known = [*(["a number"] if chosen.accepts_number else []), *map(repr, chosen.alphas)]
        template = "model {model!r} does not accept alpha={alpha!r}; use {known}"
        raise ParameterError(template, model=chosen.name, alpha=alpha, known=alternatives(known))
    if (
        isinstance(value, str)
        and value != LOG_LOSS
        and LOG_LOSS in chosen.alphas
        and weights.normalised
        and not of_file
    ):
        raise ParameterError(_NO_EVIDENCE, alpha=value, name=weights.name, default=LOG_LOSS)
    if value in WEIGHTINGS_OF and weights.name not in WEIGHTINGS_OF[value]:
        allowed = alternatives([*map(repr, WEIGHTINGS_OF[value])])
        template = "alpha={alpha!r} does not go with weighting={name!r}; use {known}"
        raise ParameterError(template, alpha=value, name=weights.name, known=allowed)
    return value


def _as_budget(budget: Any) -> int | None:
    budget = budget.item() if isinstance(budget, np.generic) else budget
    if budget is not None and (type(budget) is not int or budget < 1):
        raise ParameterError("term_budget must be a whole number of terms from 1 on, not {given!r}", given=budget)
    return budget


def _as_options(options: Mapping[str, Any], chosen: Model) -> dict[str, Any]:
    for name in options:
        if name not in chosen.options:
            template = "model {model!r} has no option {name!r}{hint}; it has {known}"
            known, hint = ", ".join(chosen.options) or "none", suggestion(name, chosen.options)
            raise ParameterError(template, model=chosen.name, name=name, hint=hint, known=known)
    try:
        return {
            name: option.checked(options[name]) if name in options else option.default
            for name, option in chosen.options.items()
        }
    except InputError as error:
        raise ParameterError("model {model!r}: {error}", model=chosen.name, error=error) from None


def _as_prior(prior: Prior) -> Prior:
    if isinstance(prior, str):
        if prior not in PRIORS:
            template = "unknown prior {prior!r}{hint}; use {known}, or a probability per class"
            raise ParameterError(template, prior=prior, hint=suggestion(prior, PRIORS), known=", ".join(PRIORS))
        return prior
    try:
        if isinstance(prior, Mapping):
            named = {str(name): float(share) for name, share in sorted(prior.items())}
            return dict(zip(named, as_probabilities(list(named.values())).tolist(), strict=True))
        return list(as_probabilities([float(share) for share in prior]).tolist())
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            "prior must be a name or probabilities that sum to 1, not {prior!r}: {error}", prior=prior, error=error
        ) from None
