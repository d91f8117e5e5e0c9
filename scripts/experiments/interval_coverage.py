"""How often the 95 % intervals of textnb test, compare and curve hold the true value: simulated answers.

    .venv/bin/python scripts/experiments/interval_coverage.py [--runs N]

Each run draws texts, some of them several times, and estimates the metrics of their answers. The true values are
those of 400,000 texts. The probabilities of four classes are either right, or too confident (logits times two).
Accuracy has two columns more, for intervals that textnb does not give: Wilson's for as many documents as there are,
and for as many as there are groups. A metric that copies of one text dominate is known only as well as that text.
"""

import argparse
from collections.abc import Callable

import numpy as np

from textnb.evaluation.intervals import MEASURES, estimate_measures
from textnb.evaluation.metrics import wilson_interval
from textnb.evaluation.reliability import bin_numbers
from textnb.numerics import Estimate

SIZES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "once": lambda _, n: np.ones(n, int),
    "four times": lambda _, n: np.full(n, 4),
    "1 to about 10": lambda rng, n: rng.geometric(0.3, n),
    "1 to 200": lambda rng, n: np.minimum(rng.zipf(1.8, n), 200),
}
SHARPNESS = {"hard texts": 1.5, "easy texts": 7.0}
PRIOR = np.log([0.5, 0.3, 0.15, 0.05])


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--runs", type=int, default=1000)
    runs = arguments.parse_args().runs
    print(f"{'':42}by documents  by groups  " + "  ".join(MEASURES))
    for confidence in (1.0, 2.0):
        for name, sharpness in SHARPNESS.items():
            true = truths(sharpness, confidence)
            shown = ", ".join(f"{measure} {value:.4f}" for measure, value in true.items())
            print(f"{'right' if confidence == 1 else 'too confident'}, {name}: {shown}")
            for copies, sizes in SIZES.items():
                for n in (20, 100, 1000):
                    rates = np.mean(
                        [covered(run, n, sizes, sharpness, confidence, true) for run in range(runs)], axis=0
                    )
                    print(f"  {n:5} texts, {copies:24}" + "".join(f"{rate:>10.3f}" for rate in rates), flush=True)
    print("50 classes, the k-th with a probability proportional to 1 / k: macro F1")
    true_f1 = of_many_classes(np.random.default_rng(0), 400_000).value
    for n in (50, 300, 2000, 10_000):
        found = [of_many_classes(np.random.default_rng([n, run]), n) for run in range(runs // 4)]
        rate, mean = np.mean([low <= true_f1 <= high for _, low, high in found]), np.mean([each[0] for each in found])
        print(f"  {n:5} texts: held {rate:.3f}; mean estimate {mean:.3f}, true value {true_f1:.3f}", flush=True)


def answers(rng: np.random.Generator, n: int, sharpness: float, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return classes (D,) and log probabilities (D, 4); with a confidence of 1 the classes are drawn from these."""
    logits = PRIOR + rng.normal(0, sharpness, (n, 4))
    true = np.exp(log_softmax(logits))
    y = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=3)
    return y, log_softmax(confidence * logits)


def of_many_classes(rng: np.random.Generator, n: int) -> Estimate:
    """Return macro F1 of 50 classes, many of them rare."""
    frequencies = 1 / np.arange(1, 51)
    y = rng.choice(50, n, p=frequencies / frequencies.sum())
    scores = rng.normal(0, 1, (n, 50))
    scores[np.arange(n), y] += 3
    return estimate_measures(y, [log_softmax(3 * scores + np.log(frequencies))], np.arange(n))["macro_f1"]


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Return log probabilities."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def truths(sharpness: float, confidence: float) -> dict[str, float]:
    """Return the true values of the metrics, that of the ECE without the noise of drawing classes."""
    n = 400_000
    rng = np.random.default_rng(0)
    y, log_p = answers(rng, n, sharpness, confidence)
    found = {name: each.value for name, each in estimate_measures(y, [log_p], np.arange(n)).items()}
    right = np.exp(log_softmax(log_p / confidence)).max(axis=1)
    gaps = np.bincount(bin_numbers(np.exp(log_p.max(axis=1)), 15), right - np.exp(log_p.max(axis=1)))
    return {**found, "ece": float(np.abs(gaps).sum() / n)}


def covered(
    run: int,
    n: int,
    sizes: Callable[[np.random.Generator, int], np.ndarray],
    sharpness: float,
    confidence: float,
    true: dict[str, float],
) -> list[bool]:
    """Return whether the intervals of a sample hold the true values."""
    rng = np.random.default_rng([n, run])
    y, log_p = answers(rng, n, sharpness, confidence)
    groups = np.repeat(np.arange(n), sizes(rng, n))
    found = estimate_measures(y[groups], [log_p[groups]], groups)
    accuracy = found["accuracy"].value
    plain = [wilson_interval(accuracy * number, number) for number in (len(groups), n)]
    intervals = [(true["accuracy"], plain[0]), (true["accuracy"], plain[1])]
    intervals += [(true[name], found[name][1:]) for name in MEASURES]
    return [low <= value <= high for value, (low, high) in intervals]


if __name__ == "__main__":
    main()
