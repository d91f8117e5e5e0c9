"""Choice of a recipe: the model `auto` is replaced by the naive Bayes that answers left-out documents best.

A candidate is a model, kinds of terms and a smoothing. Each candidate is trained on the same documents, at most
MAX_DOCUMENTS and about MAX_ENTRIES counts, and answers at most MAX_LEFT_OUT of them, each left out, after a
calibration fitted to these answers (``held_out.py``). With l_ci the log loss of candidate c for document i, and b the
candidate of the least mean loss:

    d_c = mean_i (l_ci - l_bi),    s_c = standard error of d_c, over groups of copies                         (1)
    d_c = mean_i l_ci - mean_i l_bi,    s_c^2 = s(l_c)^2 + s(l_b)^2    if copies differ between c and b      (1')
    chosen: of all candidates with d_c <= s_c the one with the fewest kinds of terms, then of the least loss  (2)

Documents with equal counts are copies. Two documents with the same words in another order are copies by words, and not
by pairs of words, so the candidates may answer different documents; eq. (1') is then used.

One factor in place of the calibration is not enough: complement naive Bayes has no prior of its own, and its scores
need a bias per class to be comparable.

So a kind of terms is added only if it helps beyond noise. The candidates, at most six:

- complement naive Bayes with alpha = 1, on words, on words with each other kind of terms, and on all kinds if each of
  them has lowered the log loss of words,
- then multinomial naive Bayes on the best of these sets, with alpha by evidence, and by leave-one-out if a class has
  fewer than SMALL_CLASS documents on average. Elsewhere leave-one-out never won on development data, and it is slow.

Characters are not tried for long documents, those with more than MAX_TERMS distinct terms on average: there they took
most of the time and helped less than pairs. Sets of terms that would need more than MAX_WEIGHTS weights are not tried,
either. A smoothing, weighting or kinds of terms that are given stay as they are. If no document can be left out, the
recipe is multinomial naive Bayes on words.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice
from typing import Any, NamedTuple

import numpy as np

from textnb.classifier.fitted import Fitted
from textnb.classifier.held_out import calibrate_left_out, mean_with_error
from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Counted, Learnt, TermsOf, counted
from textnb.counts.counting import ENTRIES, peek
from textnb.counts.kinds import are_distinct, of_kinds
from textnb.document import Document
from textnb.errors import InputError
from textnb.models.registry import AUTO
from textnb.numerics import Codes, Floats, alternatives
from textnb.parallel import as_jobs
from textnb.text import TERMS

MAX_DOCUMENTS, MIN_DOCUMENTS = 2500, 1000
MAX_ENTRIES = 150_000
MAX_LEFT_OUT = 600
MAX_TERMS = 1000
MAX_WEIGHTS = 1 << 24
SMALL_CLASS = 20
CHOSEN_MODELS = ("complement", "multinomial")
FIRST_DOCUMENTS = 100
_CHOOSING = slice(8, 16)  # bytes of a digest

Kinds = tuple[str, ...]


class Candidate(NamedTuple):
    """Parts of a recipe that are chosen; kinds is None for word n-grams of a given range."""

    model: str
    kinds: Kinds | None
    alpha: float | str | None

    def recipe(self, asked: ClassifierRecipe) -> ClassifierRecipe:
        """Return the recipe that was asked for with these parts."""
        terms = {} if self.kinds is None else {"terms": self.kinds}
        return replace(
            asked,
            model=self.model,
            alpha=self.alpha if asked.alpha is None else asked.alpha,
            analyzer=asked.analyzer.changed(**terms),
            choose_terms=False,
        )


class Tried(NamedTuple):
    """A candidate's recipe, with the log losses (D,) and groups (D,) of the left-out documents."""

    candidate: Candidate
    recipe: ClassifierRecipe
    losses: Floats
    weights: Floats
    groups: Codes

    @property
    def loss(self) -> float:
        """Mean log loss."""
        return float(np.average(self.losses, weights=self.weights))


def learn(
    recipe: ClassifierRecipe,
    documents: Iterable[Document] | Iterable[Counted],
    jobs: int = 1,
    sample_weight: Floats | None = None,
) -> tuple[ClassifierRecipe, Learnt]:
    """Learn documents by a recipe; return the recipe, chosen if it was `auto`, and what was learnt.

    The choice is made on the first ENTRIES counts, without regard to ``sample_weight``.
    """
    jobs = as_jobs(jobs)  # before documents are read; a few documents start no jobs
    if recipe.model != AUTO:
        return recipe, recipe.learnt(documents, jobs, sample_weight)
    recipe, documents = with_affordable_terms(recipe, documents)
    first, parts = peek(counted(documents, recipe.terms_of, jobs=jobs, entries=ENTRIES))
    chosen = choose(recipe, first, has_histograms=sample_weight is None and recipe.term_budget is None)
    chosen_parts = (narrowed(part, recipe.terms_of, chosen) for part in parts)
    return chosen, chosen.learnt(chosen_parts, sample_weight=sample_weight)


def chosen_recipe(recipe: ClassifierRecipe, documents: Iterable[Document], jobs: int = 1) -> ClassifierRecipe:
    """Return the recipe that ``learn`` chooses for these documents, of which only the first are taken."""
    if recipe.model != AUTO:
        return recipe
    recipe, rest = with_affordable_terms(recipe, documents)
    first, _ = peek(counted(rest, recipe.terms_of, jobs=as_jobs(jobs), entries=ENTRIES))
    return choose(recipe, first, has_histograms=recipe.term_budget is None)


def with_affordable_terms(recipe: ClassifierRecipe, documents: Iterable[Any]) -> tuple[ClassifierRecipe, Iterator[Any]]:
    """Return the recipe without characters if the first FIRST_DOCUMENTS are long, and the documents.

    If words cannot be told from other terms later, the kinds of terms are settled here.
    """
    first, rest = peek(documents)
    if first is None or isinstance(first, Counted) or not recipe.choose_terms:
        return recipe, rest
    sample = list(islice(rest, FIRST_DOCUMENTS))
    (part,) = counted(sample, recipe.terms_of, entries=np.inf)
    is_long = _is_long(part)
    kinds = tuple(kind for kind in recipe.analyzer.terms or () if not (is_long and kind == "chars"))
    settled = not are_distinct(recipe.terms_of, part.vocabulary)
    if settled:
        kinds = ("words", "pairs") if is_long else ("words", "chars")
    changed = replace(recipe, analyzer=recipe.analyzer.changed(terms=kinds), choose_terms=not settled)
    following, rest = peek(rest)
    if following is None and not settled:  # no need to count again
        return changed, iter([narrowed(part, recipe.terms_of, changed)])
    return changed, chain(sample, rest)


def narrowed(part: Counted, counting: TermsOf, chosen: ClassifierRecipe) -> Counted:
    """Return documents that ``counting`` has counted with the chosen kinds of terms only."""
    kinds = chosen.analyzer.terms
    return part if kinds == counting.analyzer.terms or kinds is None else of_kinds(part, counting, kinds)


def choose(asked: ClassifierRecipe, part: Counted | None, *, has_histograms: bool = True) -> ClassifierRecipe:
    """Return the recipe that eq. (2) chooses by counted documents, with a record of the choice.

    has_histograms: False if histograms of the documents, which leave-one-out needs, cannot be made.
    """
    return choose_by(asked, None if part is None else _sampled(part), has_histograms=has_histograms)


def choose_by(asked: ClassifierRecipe, part: Counted | None, *, has_histograms: bool = True) -> ClassifierRecipe:
    """Return the recipe that eq. (2) chooses by all of these documents, as ``choose``."""
    fallback = Candidate("multinomial", _sets_of_kinds(asked)[0], None if asked.weights.normalised else "evidence")
    if part is None:
        return fallback.recipe(asked)
    tried = _tried_kinds(asked, part)
    kinds = tried[_best(tried)].candidate.kinds if tried else fallback.kinds
    smoothings: list[str | None] = (
        ["evidence", "leave-one-out"] if has_histograms and _has_small_classes(part) else ["evidence"]
    )
    if asked.alpha is not None or asked.weights.normalised:
        smoothings = [None]
    tried += _tried(asked, part, [Candidate("multinomial", kinds, alpha) for alpha in smoothings])
    if not tried:
        return fallback.recipe(asked)
    best = _best(tried)
    return replace(tried[best].recipe, choice=_record(tried, best))


def chosen_again(recipe: ClassifierRecipe, learnt: Learnt) -> ClassifierRecipe:
    """Return the recipe that eq. (2) chooses by kept documents, with the same terms.

    InputError if none are kept, or for a model that learns other statistics than those of the candidates.
    """
    if recipe.model not in CHOSEN_MODELS:
        template = "model {name!r} cannot become another; --choose is for {known}; train again"
        raise InputError(template, name=recipe.model, known=alternatives(CHOSEN_MODELS))
    kept = learnt.kept
    if kept is None or not len(kept):
        raise InputError("no documents were kept to choose by; train again, with --sample above 0")
    labels = tuple(np.array(kept.classes, object)[kept.y].tolist())
    digests, nothing = tuple(row.tobytes() for row in kept.digests), ("",) * len(kept)
    part = Counted(kept.X, kept.vocabulary, labels, digests, nothing, (None,) * len(kept))
    asked = replace(recipe, model=AUTO, alpha=None, options={}, choice=None)
    return choose(asked, part, has_histograms=learnt.histograms is not None)


def _sampled(part: Counted) -> Counted:
    """Return the documents by which a recipe is chosen, on the terms that they have."""
    rows = sampled_rows(part.learnt_digests, part.X.nnz)
    return part if len(rows) == len(part) else part.rows(rows).trimmed


def sampled_rows(digests: Sequence[bytes], n_entries: int) -> Codes:
    """Return the numbers of the documents by which a recipe is chosen, of those with these digests.

    There are at most MAX_DOCUMENTS, and so many that they have about MAX_ENTRIES entries, but at least MIN_DOCUMENTS.
    """
    enough = max(MIN_DOCUMENTS, MAX_ENTRIES * len(digests) // max(n_entries, 1))
    order = sorted(range(len(digests)), key=lambda i: digests[i][_CHOOSING])
    return np.sort(np.array(order[: min(enough, MAX_DOCUMENTS)], np.intp))


def _is_long(part: Counted) -> bool:
    """Return True if the documents have more than MAX_TERMS distinct terms on average."""
    return bool(part.X.nnz > MAX_TERMS * len(part))


def _has_small_classes(part: Counted) -> bool:
    return len(part) < SMALL_CLASS * len(set(part.named_labels))


def _sets_of_kinds(asked: ClassifierRecipe) -> list[Kinds | None]:
    """Sets of the kinds of terms, the smallest first; one if they are not to be chosen."""
    kinds = asked.analyzer.terms
    if not asked.choose_terms or kinds is None or "words" not in kinds:
        return [kinds]
    others = [kind for kind in kinds if kind != "words"]
    return [("words", *more) for size in range(len(others) + 1) for more in combinations(others, size)]


def _affordable(asked: ClassifierRecipe, part: Counted) -> list[Kinds | None]:
    """Sets of kinds whose weights are not too many; the first is always among them."""
    first, *others = _sets_of_kinds(asked)
    if len(part.vocabulary) * len(set(part.named_labels)) > MAX_WEIGHTS:
        return [first]
    return [first, *(kinds for kinds in others if not (_is_long(part) and "chars" in (kinds or ())))]


def _tried_kinds(asked: ClassifierRecipe, part: Counted) -> list[Tried]:
    """Try complement naive Bayes on sets of kinds; all kinds only if each of them has lowered the loss of words."""
    sets = _affordable(asked, part)
    few = [kinds for kinds in sets if len(kinds or ()) < len(TERMS)]
    tried = _tried(asked, part, [Candidate("complement", kinds, 1.0) for kinds in few])
    if len(tried) > 1 and max(each.loss for each in tried[1:]) >= tried[0].loss:
        return tried
    return tried + _tried(asked, part, [Candidate("complement", kinds, 1.0) for kinds in sets if kinds not in few])


def _tried(asked: ClassifierRecipe, part: Counted, candidates: Iterable[Candidate]) -> list[Tried]:
    """Try candidates; those that the recipe does not allow, or that leave no document out, are not returned."""
    found = []
    for candidate in candidates:
        try:
            recipe = candidate.recipe(replace(asked, prior="empirical", calibrate=True))
            learnt = recipe.learnt([narrowed(part, asked.terms_of, recipe)])
            _, answers = calibrate_left_out(recipe, learnt, Fitted.of(recipe, learnt), MAX_LEFT_OUT)
            found.append(Tried(candidate, candidate.recipe(asked), answers.losses, answers.weights, answers.groups))
        except InputError:
            continue
    return found


def _best(tried: list[Tried]) -> int:
    """Return the number of the candidate of eq. (2)."""
    least = min(tried, key=lambda each: each.loss)
    within = [i for i, each in enumerate(tried) if np.less_equal(*_worse_by(each, least))]
    return min(within, key=lambda i: (len(tried[i].candidate.kinds or ()), tried[i].loss))


def _worse_by(one: Tried, best: Tried) -> tuple[float, float]:
    """Return d and s of eq. (1), or of eq. (1') if the documents are not the same."""
    if np.array_equal(one.groups, best.groups):
        return mean_with_error(one.losses - best.losses, best.weights, best.groups)
    errors = [mean_with_error(each.losses, each.weights, each.groups)[1] for each in (one, best)]
    return one.loss - best.loss, math.hypot(*errors)


def _record(tried: list[Tried], best: int) -> list[dict[str, Any]]:
    """Describe what was tried in plain JSON values, the chosen candidate first."""
    others = sorted((i for i in range(len(tried)) if i != best), key=lambda i: tried[i].loss)
    record = []
    for i in (best, *others):
        candidate, recipe, mean = tried[i].candidate, tried[i].recipe, tried[i].loss
        worse, error = _worse_by(tried[i], tried[best])
        terms = ",".join(candidate.kinds or ()) or "n-grams"
        facts = {"model": candidate.model, "terms": terms, "alpha": recipe.alpha}
        record.append({**facts, "log_loss": round(mean, 6), "worse_by": round(worse, 6), "error": round(error, 6)})
    return record
