"""Times the normalisers of U-NB over tokens, per class and length.

    .venv/bin/python scripts/bench/unb.py

V = 20,000 tokens of a Zipf-like distribution, all probabilities different.
"""

import time

import numpy as np

from textnb.errors import InputError
from textnb.models.bregman.sequences import normaliser
from textnb.models.bregman.tokens import TokenProduct


def main() -> None:
    p = 1 / np.arange(1, 20_001) * np.random.default_rng(0).uniform(0.5, 1.5, 20_000)
    log_p = np.log(p / p.sum())
    for norm in ("u", "m"):
        for pi in (0.05, 0.5, 0.9, 1.2, 2.0, 8.0, 50.0):
            product = TokenProduct.of(log_p, pi)
            print(f"norm {norm}, pi {pi}: " + ", ".join(timed(product, n, norm) for n in (2, 10, 100, 1000, 10_000)))


def timed(product: TokenProduct, length: int, norm: str) -> str:
    """Return the time of one normaliser in words."""
    begun = time.perf_counter()
    try:
        found = normaliser(product, length, norm)
        bounds = f"{found.low:.0e} to {found.high:.0e}"
    except InputError:
        bounds = "refused"
    return f"N = {length:,}: {(time.perf_counter() - begun) * 1e3:.0f} ms ({bounds})"


if __name__ == "__main__":
    main()
