"""Times the normaliser of U-NB over tokens, per class and length.

    .venv/bin/python scripts/bench/unb.py

V = 20,000 tokens of a Zipf-like distribution. The expansion computes the cumulants at some points once for all lengths.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from textnb.models.bregman.tokens import Expansion, TokenProduct


def main() -> None:
    p = 1 / np.arange(1, 20_001) * np.random.default_rng(0).uniform(0.5, 1.5, 20_000)
    log_p = np.log(p / p.sum())
    lengths = np.arange(1.0, 1001.0)
    for pi in (0.5, 1.2, 2.0):
        product = TokenProduct.of(log_p, pi)
        many, shifts = timed(lambda product=product: Expansion(product, 1000).shift(lengths))
        one, _ = timed(lambda product=product: Expansion(product, 1000).shift(np.array([200.0])))
        print(
            f"pi {pi}: {len(product.s):,} distinct values; {many / len(lengths):.2f} ms a length for 1,000 lengths, "
            f"{one:.1f} ms for one alone; N = 200: b = {shifts[199]:.6f}"
        )


def timed(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Return milliseconds and the result."""
    begun = time.perf_counter()
    answer = ask()
    return (time.perf_counter() - begun) * 1e3, answer


if __name__ == "__main__":
    main()
