"""Comparison of recipes: which is best, by how much, and whether the difference is significant.

Two recipes are tested on the same documents.

McNemar's exact test, with a group of documents (copies, or documents that share a group name) as one observation. d_g
is the number of correct answers of the first recipe in group g, less that of the second. If neither were better, each
d_g would be as likely to have the other sign:

    p = P(|sum_g e_g d_g| >= |sum_g d_g|),   e_g = +1 or -1, thrown with a fair coin                             (1)

The probability is computed, not sampled. Without copies d_g is -1, 0 or 1. Of n documents that exactly one of the two
answers correctly, b belong to the first; this is McNemar's test:

    p = min(1, 2 P(heads <= min(b, n - b)))  in n throws of a fair coin                                          (2)

Corrected resampled t (Nadeau and Bengio 2003). d_j is the difference of accuracy in test fold j of J. Training sets of
different folds overlap, so the variance of the mean is larger than s^2 / J:

    t = mean(d) / sqrt((1/J + n_test / n_train) s^2),   Student's t with J - 1 degrees of freedom               (3)

A fold of n_test documents shows differences in steps of 1 / n_test. Few folds may differ by the same number of steps by
chance, so step^2 / 12, the variance that steps hide, is added to s^2; with copies a step is that of a mean group.

Which recipe is best is itself seen in these documents. The most accurate of k equal recipes is ahead by luck, more so
the larger k is, so a test of the best recipe is a test of the pair that differs most. Hence all k (k - 1) / 2 pairs are
tested, and the p-values are corrected for that number (Holm). With p_(1) <= ... <= p_(m) of m tests:

    adjusted p_(i) = max over l <= i of min(1, (m - l + 1) p_(l))                                               (4)

With a probability of at least .95 no difference is called significant at .05 by mistake, whichever recipe comes first.
McNemar's test takes the trained models as they are; the t allows for other training sets.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.classifier.recipe import ClassifierRecipe
from textnb.comparison.cross_validation import CrossValidated, Recipes, TokenizedDocuments, Watch, cross_validated
from textnb.errors import InputError
from textnb.evaluation.intervals import MEASURES
from textnb.evaluation.splits import repeated_folds
from textnb.numerics import Codes, Estimate, Floats, most_probable

SIGNIFICANT = 0.05
"""Largest p-value of a difference that is called significant."""


class Advice(NamedTuple):
    """Which recipe to use.

    best: the most accurate one. as_good: others that no test tells from it. quickest: of all these, the one that takes
    the least time, if that is half of what the best takes or less; else the best.
    """

    best: str
    as_good: tuple[str, ...]
    quickest: str


@dataclass(frozen=True, eq=False)
class Compared:
    """Result of one recipe in a comparison.

    Attributes
    ----------
    measures : dict of str to Estimate
        Metrics with 95 % intervals: accuracy, macro_f1, log_loss, brier, ece.
    fold_accuracies : ndarray of shape (R K,)
        Accuracy in every fold of every repeat.
    fit_seconds, predict_seconds : float
        Mean time per fold.
    is_calibrated : bool
        Whether the probabilities of all folds are calibrated.
    mcnemar, corrected_t : float or None
        p-values of the paired tests against the best recipe, adjusted for the tests of all pairs; None for the best.
    predicted : ndarray of shape (D,)
        Number of the class that is the answer to each document in the fold that held it out, in the first repeat.
    probability : ndarray of shape (D,)
        Probability of that class.
    """

    name: str
    recipe: ClassifierRecipe
    measures: dict[str, Estimate]
    fold_accuracies: Floats
    fit_seconds: float
    predict_seconds: float
    is_calibrated: bool
    mcnemar: float | None
    corrected_t: float | None
    predicted: Codes
    probability: Floats

    @property
    def may_be_best(self) -> bool:
        """Whether neither test shows a difference from the best recipe at .05."""
        return all(p is None or p >= SIGNIFICANT for p in (self.mcnemar, self.corrected_t))

    @property
    def seconds(self) -> float:
        """Mean time per fold, for fitting and answers."""
        return self.fit_seconds + self.predict_seconds

    @property
    def json(self) -> dict[str, Any]:
        """Result as plain JSON values."""
        return {
            "name": self.name,
            "recipe": self.recipe.json,
            **{name: self.measures[name]._asdict() for name in MEASURES},
            "fold_accuracies": self.fold_accuracies.tolist(),
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "calibrated": self.is_calibrated,
            "mcnemar_p": self.mcnemar,
            "corrected_t_p": self.corrected_t,
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Cross-validated recipes with intervals and paired tests.

    Attributes
    ----------
    rows : tuple of Compared
        The recipes, the most accurate first, then that of the smallest log loss.
    documents, groups : int
        Number of documents and of groups; copies are of one group.
    folds, repeats, seed : int
        How the documents were split.
    """

    rows: tuple[Compared, ...]
    documents: int
    groups: int
    folds: int
    repeats: int
    seed: int

    def _repr_html_(self) -> str:
        """Comparison for notebooks."""
        from textnb.comparison.notebook import comparison_html

        return comparison_html(self)

    @property
    def advice(self) -> Advice:
        """Which recipe to use."""
        good = [row for row in self.rows if row.may_be_best]
        quickest = min(good, key=lambda row: row.seconds)
        if quickest.seconds > good[0].seconds / 2:
            quickest = good[0]
        return Advice(self.rows[0].name, tuple(row.name for row in good[1:]), quickest.name)

    @property
    def json(self) -> dict[str, Any]:
        """Comparison as plain JSON values."""
        about = {name: getattr(self, name) for name in ("documents", "groups", "folds", "repeats", "seed")}
        return {**about, "advice": self.advice._asdict(), "recipes": [row.json for row in self.rows]}


def compare(
    recipes: Recipes,
    documents: TokenizedDocuments,
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch = iter,
) -> Comparison:
    """Cross-validate recipes on the same folds and test each against the best.

    The p-values allow for the best recipe having been chosen on the same documents: at .05, a recipe that is as good as
    the best is called worse in at most 5 % of comparisons, however many recipes there are. Copies of a document, and
    documents of one group, count as one observation. McNemar's test uses the answers of the first repeat, since it
    needs each document once; the corrected t uses the accuracy of every fold of every repeat.

    Parameters
    ----------
    recipes : mapping of str to ClassifierRecipe
        The recipes by name.
    documents : TokenizedDocuments
        The labelled documents.
    folds, repeats, seed : int
        How to split the documents.
    jobs : int
        Number of processes; the result does not depend on it.
    watch : callable
        Receives the iterator of answers and passes it on, for example to show progress.

    Examples
    --------
    >>> from textnb import Document, TextClassifier
    >>> from textnb.comparison import TokenizedDocuments
    >>> corpus = [Document(f"{label} {i}", label) for i in range(4) for label in ("ball", "egg")]
    >>> recipes = {name: TextClassifier(name, calibrate=False).recipe for name in ("multinomial", "complement")}
    >>> documents = TokenizedDocuments.from_documents(recipes.values(), corpus)
    >>> [(row.name, row.measures["accuracy"].value) for row in compare(recipes, documents, folds=2).rows]
    [('multinomial', 1.0), ('complement', 1.0)]
    """
    fold_of = repeated_folds(documents.labels, documents.groups, folds, repeats, seed)
    return comparison_of(cross_validated(recipes, documents, fold_of, jobs, watch), documents, fold_of, seed)


def comparison_of(
    validated: list[CrossValidated], documents: TokenizedDocuments, fold_of: Codes, seed: int
) -> Comparison:
    """Return the comparison of recipes that were cross-validated on these folds, (R, D)."""
    folds, repeats = int(fold_of.max()) + 1, len(fold_of)
    validated = list(validated)
    measures = {one.name: documents.estimate(one.log_probabilities) for one in validated}
    validated.sort(key=lambda one: (-measures[one.name]["accuracy"].value, measures[one.name]["log_loss"].value))
    correct = [one.log_probabilities.argmax(axis=2) == documents.y for one in validated]
    accuracies = [_fold_accuracies(each, fold_of) for each in correct]
    exact = against_first(group_hits([each[0] for each in correct], documents.groups), sign_flip)
    n_groups = int(documents.groups.max()) + 1
    resampled = against_first(accuracies, partial(corrected_t, test_ratio=1 / (folds - 1), step=folds / n_groups))
    rows = tuple(
        Compared(
            one.name,
            one.recipe,
            measures[one.name],
            by_fold,
            float(one.fit_seconds.mean()),
            float(one.predict_seconds.mean()),
            one.is_calibrated,
            p,
            t,
            most_probable(one.log_probabilities[0]),
            np.exp(one.log_probabilities[0].max(axis=1)),
        )
        for one, by_fold, p, t in zip(validated, accuracies, [None, *exact], [None, *resampled], strict=True)
    )
    return Comparison(rows, len(documents.labels), n_groups, folds, repeats, seed)


def _fold_accuracies(correct: NDArray[np.bool_], folds: Codes) -> Floats:
    """Accuracy of every fold of every repeat, (R K,), from correct (R, D) and folds (R, D)."""
    return np.concatenate([np.bincount(row, hits) / np.bincount(row) for hits, row in zip(correct, folds, strict=True)])


def group_hits(correct: Sequence[NDArray[np.bool_]], groups: Codes) -> list[Codes]:
    """Number of correct answers in each group, (G,), for each recipe, from correct (D,) and groups (D,)."""
    return [np.bincount(groups[hits], minlength=int(groups.max()) + 1) for hits in correct]


def against_first(results: Sequence[NDArray[Any]], test: Callable[[NDArray[Any]], float]) -> list[float]:
    """p-values of the first of k results against each other one, eq. (4) over all pairs.

    ``test`` returns the p-value of a difference of two results.

    >>> against_first([np.array([8]), np.array([6]), np.array([4])], lambda difference: 0.25 / difference[0])
    [0.25, 0.1875]
    """
    return holm([test(a - b) for a, b in combinations(results, 2)])[: len(results) - 1]


def sign_flip(differences: ArrayLike) -> float:
    """p-value of eq. (1) for whole numbers d_g, (G,); exact but for an error below 1e-12.

    The distribution of the sum is the Fourier transform of the product of cos(d_g t).

    >>> sign_flip([1, -1, 0, 1, 1, 1, 1]) == mcnemar(5, 1), sign_flip([2, 1, 1])
    (True, 0.25)
    """
    d = np.asarray(differences)
    d = d[d != 0]
    if not len(d):
        return 1.0
    d = d // np.gcd.reduce(d)
    sizes, numbers = np.unique(np.abs(d), return_counts=True)
    if len(sizes) == 1:
        return mcnemar(int((d > 0).sum()), int((d < 0).sum()))
    from scipy.fft import irfft, next_fast_len

    total, observed = int(sizes @ numbers), abs(int(d.sum()))
    n_points = next_fast_len(total + 1, real=True)
    angle = np.pi / n_points * np.arange(n_points // 2 + 1)
    transform = np.exp(-1j * total * angle)
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        transform *= np.cos(size * angle) ** number
    chances = irfft(transform, n_points)  # of (sum + total) / 2 = 0, 1, ..., total
    return float(np.clip(2 * chances[: (total - observed) // 2 + 1].sum(), 2.0 ** (1 - len(d)), 1.0))


def mcnemar(first_only: int, second_only: int) -> float:
    """p-value of eq. (2) for documents that only the first, or only the second recipe answers correctly.

    >>> round(mcnemar(1, 5), 12)
    0.21875
    """
    from scipy.special import bdtr

    n = first_only + second_only
    return min(1.0, 2.0 * float(bdtr(min(first_only, second_only), n, 0.5))) if n else 1.0


def corrected_t(differences: ArrayLike, test_ratio: float, step: float = 0.0) -> float:
    """Two-sided p-value of eq. (3); test_ratio is n_test / n_train, step the smallest difference that a fold can show.

    It is 1 for a mean of 0, whatever the variance. Without a step it is 0 if all differences are equal and not 0.

    >>> round(corrected_t([0.02, 0.01, 0.03, 0.02, 0.01], 1 / 4), 4)
    0.0327
    """
    from scipy.special import stdtr

    d = np.asarray(differences, np.float64)
    if d.ndim != 1 or len(d) < 2:
        raise InputError("a t-test needs the differences of two folds or more, not shape {shape}", shape=d.shape)
    mean, variance = float(d.mean()), float(d.var(ddof=1)) + step**2 / 12
    if mean == 0:
        return 1.0
    spread = np.sqrt((1 / len(d) + test_ratio) * variance)
    return float(2 * stdtr(len(d) - 1, -abs(mean) / spread)) if spread > 0 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of eq. (4), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.minimum((len(p) - np.arange(len(p))) * p[order], 1.0))
    return [float(value) for value in adjusted]
