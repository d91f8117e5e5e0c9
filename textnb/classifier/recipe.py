"""Recipe of a classifier: everything but what it has learnt, validated once."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any

from textnb.counts import Counted, Learnt, TermsOf, counted
from textnb.counts.counting import ENTRIES
from textnb.counts.learnt import Keeps
from textnb.counts.weighting import WEIGHTINGS, Weighting, weighting
from textnb.errors import InputError, ParameterError, shortened
from textnb.models.model import Model, Need
from textnb.models.prior import PRIORS, Prior, as_probabilities
from textnb.models.registry import model
from textnb.models.smoothing import ALPHAS, LOG_LOSS, OF_DOCUMENTS
from textnb.numerics import alternatives, as_number_or_name, check_choice
from textnb.readers import Document
from textnb.text import Analyzer, Tokenizer, tokenizer_of
from textnb.text import Recipe as Json

SAMPLE = 3000
"""About how many documents are kept for calibration at most; about half of that if there are many more."""

_NO_EVIDENCE = (
    "alpha={alpha!r} does not go with weighting={name!r}: it needs counts, and the evidence of weights divided by the "
    "length of a document depends on their scale; use a number or {default!r}"
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
    of_file: InitVar[bool] = False
    """True for the recipe of a model file: it may ask for what earlier versions accepted."""

    def __post_init__(self, of_file: bool) -> None:
        chosen = model(self.model)
        _set(self, "weighting", _as_weighting(self.weighting, chosen))
        _set(self, "alpha", _as_alpha(self.alpha, chosen, self.weights, of_file=of_file))
        _set(self, "options", _as_options(self.options, chosen))
        _set(self, "prior", _as_prior(self.prior))
        if not isinstance(self.analyzer, Analyzer):
            raise ParameterError("analyzer must be an Analyzer, not {given!r}", given=self.analyzer)
        if not isinstance(self.calibrate, bool):
            raise ParameterError("calibrate must be True or False, not {given!r}", given=self.calibrate)
        if type(self.sample) is not int or self.sample < 0:
            raise ParameterError(
                "sample must be a whole number of documents, 0 for none, not {given!r}", given=self.sample
            )
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
        """What is kept of documents beside the statistics; a calibration needs a sample while it is fitted."""
        chosen = model(self.model)
        histograms = Need.HISTOGRAMS in chosen.needs or self.alpha in OF_DOCUMENTS
        examples = self.weights.normalised or Need.ROWS in chosen.needs
        sample = (self.sample or SAMPLE) if self.calibrate and not examples else 0
        return Keeps(histograms, examples, sample)

    def learnt(self, documents: Iterable[Document] | Iterable[Counted], jobs: int = 1) -> Learnt:
        """Statistics of labelled documents, or of parts that have been counted in the way of this recipe."""
        zero = Learnt.zero(self.weights.unit, self.keeps)
        parts = counted(documents, self.terms_of, jobs=jobs, entries=ENTRIES)
        return sum((Learnt.of(part, self.weights, self.keeps) for part in parts), zero)

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


def default_alpha(chosen: Model, weights: Weighting) -> str:
    """Smoothing of a model with a weighting if none is given."""
    return LOG_LOSS if weights.normalised and LOG_LOSS in chosen.alphas else "evidence"


def _as_alpha(alpha: Any, chosen: Model, weights: Weighting, *, of_file: bool) -> float | str:
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
    allowed = {
        "evidence-document": ("raw", "binary"),
        "leave-one-out": ("raw", "binary", "log"),
        LOG_LOSS: tuple(name for name, each in WEIGHTINGS.items() if each.normalised),
    }
    if value in allowed and weights.name not in allowed[value]:
        template = "alpha={alpha!r} does not go with weighting={name!r}; use {known}"
        raise ParameterError(template, alpha=value, name=weights.name, known=alternatives([*map(repr, allowed[value])]))
    return value


def _as_options(options: Mapping[str, Any], chosen: Model) -> dict[str, Any]:
    for name in options:
        if name not in chosen.options:
            template = "model {model!r} has no option {name!r}; it has {known}"
            raise ParameterError(template, model=chosen.name, name=name, known=", ".join(chosen.options) or "none")
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
            raise ParameterError(
                "unknown prior {prior!r}; use {known}, or a probability per class", prior=prior, known=", ".join(PRIORS)
            )
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
