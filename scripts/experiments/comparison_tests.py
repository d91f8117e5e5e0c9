"""How often the tests of textnb compare call a recipe worse that is not, and one that is: simulated answers.

    .venv/bin/python scripts/experiments/comparison_tests.py [--runs N]

Each run draws the answers of k recipes to G texts, some of them several times, and tests the most accurate recipe
against the others at .05. Texts are answered alike by all recipes with probability .6, and correctly with probability
.85. Columns: McNemar's test, and the corrected t of five and of two folds,

    best alone    the best recipe against each other one, document by document, corrected for k - 1 tests
    all pairs     what textnb does: groups of copies as one observation, corrected for all pairs
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from textnb.comparison.comparison import against_first, corrected_t, group_hits, holm, mcnemar, sign_flip

LEVEL = 0.05
SIZES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "once": lambda _, n: np.ones(n, int),
    "four times": lambda _, n: np.full(n, 4),
    "1 to about 10": lambda rng, n: rng.geometric(0.3, n),
    "1 to 100": lambda rng, n: np.minimum(rng.zipf(1.8, n), 100),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--runs", type=int, default=2000)
    runs = arguments.parse_args().runs
    print("Equally good recipes: one is called worse in so many of the runs")
    print(f"{'':34}McNemar               corrected t, all pairs\n{'':34}best alone  all pairs  5 folds  2 folds")
    for k in (2, 6, 13):
        for copies, sizes in SIZES.items():
            for n in (50, 300):
                rates = np.mean([false_alarms(rng, k, sizes(rng, n)) for rng in generators(runs, k, n)], axis=0)
                shown = "".join(f"{rate:>9.1%}" for rate in rates)
                print(f"{k:3} recipes, {n:4} texts, {copies:14}{shown}", flush=True)
    print("\nTwo equally good recipes, and four that are worse by .10: the second of the two is called worse")
    print(f"{np.mean([unequal(rng) for rng in generators(runs, 1)]):.1%}")
    print("\n1,000 texts, once each, one recipe worse by some points: it is called worse")
    print(f"{'':13}McNemar,  all pairs\n{'':13}one pair   of 2      of 4      of 13")
    for points in (3, 5, 8):
        found = np.mean([power(rng, points / 100) for rng in generators(runs // 4, points)], axis=0)
        print(f"{points:3} points   " + "".join(f"{rate:>10.1%}" for rate in found), flush=True)
    print("\nSeconds for 13 recipes and 100,000 documents")
    for copies, sizes in SIZES.items():
        print(f"{copies:14}{seconds(sizes):6.2f}", flush=True)


def generators(runs: int, *seed: int) -> list[np.random.Generator]:
    """Return a generator for each run."""
    return [np.random.default_rng([*seed, run]) for run in range(runs)]


def answers(rng: np.random.Generator, accuracies: Sequence[float], sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return hits (k, D) and groups (D,)."""
    n, groups = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
    luck, shared = rng.random((len(accuracies), n)), rng.random(n)
    hits = np.where(rng.random(n) < 0.6, shared, luck) < np.array(accuracies)[:, np.newaxis]
    return hits[:, groups], groups


def ranked(hits: np.ndarray) -> np.ndarray:
    """Return the numbers of the recipes, the most accurate first."""
    return np.argsort(-hits.mean(axis=1), kind="stable")


def false_alarms(rng: np.random.Generator, k: int, sizes: np.ndarray) -> list[bool]:
    """Return whether each procedure calls one of k equally good recipes worse."""
    hits, groups = answers(rng, [0.85] * k, sizes)
    hits = hits[ranked(hits)]
    alone = holm([mcnemar((hits[0] & ~b).sum(), (b & ~hits[0]).sum()) for b in hits[1:]])
    pairs = against_first(group_hits(list(hits), groups), sign_flip)
    by_folds = [by_fold_accuracies(rng, hits, groups, folds) for folds in (5, 2)]
    return [min(p) <= LEVEL for p in (alone, pairs, *by_folds)]


def by_fold_accuracies(rng: np.random.Generator, hits: np.ndarray, groups: np.ndarray, folds: int) -> list[float]:
    """Return the p-values of the corrected t against the first recipe."""
    n_groups = int(groups.max()) + 1
    fold = rng.permutation(np.arange(n_groups) % folds)[groups]
    accuracies = [np.bincount(fold, each) / np.bincount(fold) for each in hits]
    test = partial(corrected_t, test_ratio=1 / (folds - 1), step=folds / n_groups)
    return against_first(accuracies, test)


def unequal(rng: np.random.Generator) -> bool:
    """Return whether one of two equal recipes is called worse than the other, beside four worse ones."""
    hits, groups = answers(rng, [0.85] * 2 + [0.75] * 4, np.ones(300, int))
    order = ranked(hits)
    p = against_first(group_hits(list(hits[order]), groups), sign_flip)
    second = int(np.flatnonzero(order < 2)[1])
    return order[0] < 2 and p[second - 1] <= LEVEL


def power(rng: np.random.Generator, loss: float) -> list[bool]:
    """Return whether a worse recipe is called so: by McNemar against one other, and among 2, 4 and 13 recipes."""
    hits, groups = answers(rng, [0.85 - loss] + [0.85] * 12, np.ones(1000, int))
    found = [mcnemar((hits[1] & ~hits[0]).sum(), (hits[0] & ~hits[1]).sum()) <= LEVEL]
    for k in (2, 4, 13):
        order = ranked(hits[:k])
        p = against_first(group_hits(list(hits[order]), groups), sign_flip)
        place = int(np.flatnonzero(order == 0)[0])
        found.append(place > 0 and p[place - 1] <= LEVEL)
    return found


def seconds(sizes: Callable[[np.random.Generator, int], np.ndarray]) -> float:
    """Return the processor time of the tests of 13 recipes on 100,000 documents."""
    rng = np.random.default_rng(0)
    drawn = sizes(rng, 100_000)
    hits, groups = answers(rng, [0.85] * 13, drawn[: int(np.searchsorted(drawn.cumsum(), 100_000)) + 1])
    begun = time.process_time()
    against_first(group_hits(list(hits), groups), sign_flip)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
