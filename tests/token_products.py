"""The normaliser of a product over tokens by a Fourier transform: slow, and exact but for its bins."""

import numpy as np
from scipy.special import logsumexp

from textnb.models.bregman.tokens import TokenProduct, box_cox, box_cox_inverse
from textnb.numerics import bracketed_root

BINS = 1 << 14


def by_fft(product: TokenProduct, length: int, bins: int = BINS) -> float:
    """b of eq. (2) of ``bregman/tokens.py`` for one length, from the distribution of S."""
    pi, s = product.pi, product.s
    if length == 1:
        return 0.0
    if s[-1] - s[0] < 1e-14:  # all sequences are equal
        return float(box_cox(np.array(length * np.log(product.n_tokens)), pi) - length * s[0])
    theta = _tilt(product, length)
    log_z, mean, *_ = product.cumulants(theta)
    width = (s[-1] - s[0]) / bins
    place = (s - s[0]) / width
    below = np.minimum(place.astype(np.int64), bins - 1)
    q = np.exp(product.log_number - theta * s - log_z)
    histogram = np.bincount(below, q * (below + 1 - place), bins + 1) + np.bincount(
        below + 1, q * (place - below), bins + 1
    )
    size = length * bins + 1
    sums = np.fft.irfft(np.fft.rfft(histogram, 2 * size) ** length, 2 * size)[:size]
    kept = sums > 1e-15 * sums.max()
    S, log_mass = length * s[0] + width * np.flatnonzero(kept), np.log(sums[kept])

    def log_total(b: float) -> float:
        return float(logsumexp(log_mass + theta * S - box_cox_inverse(S + b, pi)) + length * log_z)

    middle = float(box_cox(np.array(length * (log_z + theta * mean)), pi) - length * mean)
    low, high, step = middle - 1.0, middle + 1.0, 1.0
    while log_total(low) < 0:
        low, step = low - step, step * 2
    step = 1.0
    while log_total(high) > 0:
        high, step = high + step, step * 2
    return bracketed_root(log_total, low, high)


def _tilt(product: TokenProduct, length: int) -> float:
    """theta = (N H(q))^(1-pi), with H the entropy of the tilted distribution: the leading term of eq. (3) is 0."""

    def excess(x: float) -> float:
        theta = float(np.exp((1 - product.pi) * x))
        log_z, mean, *_ = product.cumulants(theta)
        return float(np.exp(x) - length * (log_z + theta * mean))

    high = float(np.log(length * np.log(max(product.n_tokens, 2.0)))) + 1e-6
    low = high - 0.5
    while excess(low) > 0:
        low -= 0.5
    return float(np.exp((1 - product.pi) * bracketed_root(excess, low, high)))
