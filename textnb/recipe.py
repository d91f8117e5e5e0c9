"""The recipe of a classifier: everything about it but what it has learnt."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from textnb.counts import ClassCounts, Counted, Learnt, TermsOf, counted, selected_columns, weighting
from textnb.counts.counting import ENTRIES
from textnb.counts.weighting import Weighting
from textnb.errors import InputError
from textnb.models.multinomial import as_alpha
from textnb.models.prior import PRIORS, Prior, as_shares
from textnb.models.scorer import Scorer
from textnb.models.table import model
from textnb.readers import Document
from textnb.text import Analyzer, Tokenizer, tokenizer_of
from textnb.text import Recipe as Json

_SHOWN = 60


@dataclass(frozen=True)
class ClassifierRecipe:
    """A value that rebuilds a classifier; two classifiers of one recipe may be merged."""

    model: str
    alpha: float
    prior: Prior
    tokenizer: Tokenizer
    analyzer: Analyzer
    weighting: str

    def __post_init__(self) -> None:
        model(self.model)
        weighting(self.weighting)
        if not isinstance(self.analyzer, Analyzer):
            raise InputError(f"analyzer must be an Analyzer, not {self.analyzer!r}")
        object.__setattr__(self, "alpha", _as_number(self.alpha))
        object.__setattr__(self, "prior", _as_prior(self.prior))

    @property
    def weights(self) -> Weighting:
        """How counts are weighted."""
        return weighting(self.weighting)

    @property
    def terms_of(self) -> TermsOf:
        """From a document to its terms."""
        return TermsOf(self.tokenizer, self.analyzer)

    def learnt(self, documents: Iterable[Document], jobs: int = 1) -> Learnt:
        """What labelled documents teach."""
        return self.learnt_counted(counted(documents, self.terms_of, jobs=jobs, entries=ENTRIES))

    def learnt_counted(self, parts: Iterable[Counted]) -> Learnt:
        """What labelled documents teach that have been counted already."""
        return sum(map(self._learnt, parts), Learnt.zero(self.weights.unit))

    def _learnt(self, part: Counted) -> Learnt:
        stored = self.weights.stored(part.X)
        counts = ClassCounts.of(stored, part.named_labels, part.vocabulary, unit=self.weights.unit)
        return Learnt(counts, part.digest_multiset)

    def selected(self, counts: ClassCounts) -> ClassCounts:
        """The statistics of the terms that the model is to use."""
        analyzer = self.analyzer
        columns = selected_columns(counts, analyzer.min_df, analyzer.max_df, analyzer.max_terms)
        if counts.n_terms and not len(columns):
            raise InputError(
                f"none of {counts.n_terms:,} terms is left by min_df={analyzer.min_df}, max_df={analyzer.max_df}, "
                f"max_terms={analyzer.max_terms}; loosen them"
            )
        return counts if len(columns) == counts.n_terms else counts.selected(columns)

    def scorer(self, counts: ClassCounts) -> Scorer:
        """The model, fitted."""
        return model(self.model).fit(counts, alpha=self.alpha, prior=self.prior)

    @property
    def json(self) -> Json:
        """The recipe as plain JSON values."""
        return {
            "model": {"name": self.model, "params": {"alpha": self.alpha, "prior": self.prior}},
            "tokenizer": self.tokenizer.recipe,
            "analyzer": self.analyzer.recipe,
            "weighting": self.weighting,
        }

    @classmethod
    def of(cls, json: Mapping[str, Any], trust: Collection[str] = ()) -> "ClassifierRecipe":
        """The recipe again; a Python tokenizer must be trusted by name."""
        return cls(
            json["model"]["name"],
            json["model"]["params"]["alpha"],
            json["model"]["params"]["prior"],
            tokenizer_of(json["tokenizer"], trust),
            Analyzer.of(json["analyzer"]),
            json["weighting"],
        )


def differing(part: str, mine: Any, theirs: Any) -> str:
    """Where two parts of recipes differ, in a few words.

    >>> differing("weighting", "raw", "log")
    "weighting ('raw' and 'log')"
    >>> differing("analyzer", {"ngram": [1, 1]}, {"ngram": [1, 2]})
    'analyzer ngram ([1, 1] and [1, 2])'
    """
    if isinstance(mine, dict) and isinstance(theirs, dict):
        name = next(key for key in (*mine, *theirs) if repr(mine.get(key)) != repr(theirs.get(key)))
        return differing(f"{part} {name}", mine.get(name), theirs.get(name))
    shown = (text if len(text) < _SHOWN else text[:_SHOWN] + "..." for text in (repr(mine), repr(theirs)))
    return f"{part} ({' and '.join(shown)})"


def _as_number(alpha: Any) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, Real):
        raise InputError(f"alpha must be a number, not {alpha!r}")
    try:
        return float(as_alpha(float(alpha), 1)[0])
    except OverflowError:
        raise InputError("alpha must be finite, and this one is not") from None


def _as_prior(prior: Prior) -> Prior:
    if isinstance(prior, str):
        if prior not in PRIORS:
            raise InputError(f"prior {prior!r} is not known; known: {', '.join(PRIORS)}, or a probability a class")
        return prior
    try:
        if isinstance(prior, Mapping):
            named = {str(name): float(share) for name, share in sorted(prior.items())}
            as_shares(list(named.values()))
            return named
        return [float(share) for share in as_shares([float(share) for share in prior])]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"the prior must be a name or probabilities that sum to 1, not {prior!r}: {error}") from None
