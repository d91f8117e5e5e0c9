"""Times the normalisers of U-NB: over tokens per class and length, and over the cells of tables.

    .venv/bin/python scripts/bench/unb.py

Tokens: V = 20,000 of a Zipf-like distribution, all probabilities different. Tables: random margins, pi = .6.
"""

import time

import numpy as np

from textnb.errors import InputError
from textnb.models.bregman import independent
from textnb.models.bregman.sequences import normaliser
from textnb.models.bregman.tokens import TokenProduct


def main() -> None:
    p = 1 / np.arange(1, 20_001) * np.random.default_rng(0).uniform(0.5, 1.5, 20_000)
    log_p = np.log(p / p.sum())
    for norm in ("u", "m"):
        for pi in (0.05, 0.5, 0.9, 1.2, 2.0, 8.0, 50.0):
            product = TokenProduct.of(log_p, pi)
            print(f"norm {norm}, pi {pi}: " + ", ".join(timed(product, n, norm) for n in (2, 10, 100, 1000, 10_000)))
    for n_columns, n_values in ((19, 2), (30, 4), (345, 8)):
        margins = np.random.default_rng(0).dirichlet(np.full(n_values, 5.0), n_columns)
        begun = time.process_time()
        model = independent(list(margins), "ex1", 0.6)
        took = time.process_time() - begun
        print(f"{n_columns} columns of {n_values} values: {took:.2f} s ({model.normaliser})")


def timed(product: TokenProduct, length: int, norm: str) -> str:
    """Return the time of one normaliser in words."""
    begun = time.process_time()
    try:
        found = normaliser(product, length, norm)
        bounds = f"{found.low:.0e} to {found.high:.0e}"
    except InputError:
        bounds = "refused"
    return f"N = {length:,}: {(time.process_time() - begun) * 1e3:.0f} ms ({bounds})"


if __name__ == "__main__":
    main()
