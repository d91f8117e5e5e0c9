"""The normaliser of U-NB over tokens: time per class and length.

    .venv/bin/python scripts/bench/unb.py

V = 20,000 tokens of a Zipf-like distribution. The expansion looks at the cumulants in some places once and then serves
all lengths; the Fourier transform takes each length by itself.
"""

import time

import numpy as np

from textnb.models.token_products import Expansion, TokenProduct, by_fft


def main() -> None:
    p = 1 / np.arange(1, 20_001) * np.random.default_rng(0).uniform(0.5, 1.5, 20_000)
    log_p = np.log(p / p.sum())
    for pi in (0.5, 1.2, 2.0):
        product = TokenProduct.of(log_p, pi)
        begun = time.perf_counter()
        expansion = Expansion(product, 1000)
        ready = time.perf_counter()
        lengths = np.arange(1.0, 1001.0)
        shifts = expansion.shift(lengths)
        done = time.perf_counter()
        exact = by_fft(product, 200, 1 << 12)
        took = time.perf_counter() - done
        each = (done - begun) / len(lengths)
        print(
            f"pi {pi}: expansion of {len(product.s):,} distinct values {(ready - begun) * 1e3:.0f} ms, then "
            f"{(done - ready) / len(lengths) * 1e3:.3f} ms a length; in all {each * 1e3:.2f} ms a length; "
            f"N = 200: b = {shifts[199]:.6f}, by FFT {exact:.6f} in {took * 1e3:.0f} ms"
        )


if __name__ == "__main__":
    main()
