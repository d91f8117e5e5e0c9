"""Numerical primitives that all models share, and checks of numbers, names and choices."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textnb.errors import InputError, ParameterError, suggestion

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.intp]
"""Numbers that index: classes, rows, columns, folds."""

MAX_NUMBER = 1e100
"""Largest parameter, cost and weight that is accepted; sums and squares of such numbers do not overflow."""


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def is_number(value: Any) -> bool:
    """True if a parameter is a real number; True and False are not.

    >>> is_number(1), is_number(np.float32(0.5)), is_number(True), is_number("1")
    (True, True, False, False)
    """
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def as_number(
    value: Any,
    name: str,
    *,
    low: float | None = None,
    above: float | None = None,
    high: float | None = None,
    whole: bool = False,
) -> float:
    """Value as a float, refused unless it is a number in the range; True, False and more than 1e100 are refused.

    low, above: the smallest value allowed, or the one that it must exceed. high: the largest value allowed.

    >>> as_number(2, "l2", low=0)
    2.0
    >>> as_number(-1, "l2", low=0)
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: l2 must be a number of at least 0, not -1
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if is_number(plain) and abs(plain) <= MAX_NUMBER:
        inside = (low is None or plain >= low) and (above is None or plain > above) and (high is None or plain <= high)
        if inside and (not whole or plain == int(plain)):
            return float(plain)
    raise ParameterError(
        "{name} must be {wanted}, not {value!r}",
        name=name,
        wanted=number_in_words(low=low, above=above, high=_high_for(plain, high), whole=whole),
        value=value,
    )


def _high_for(value: Any, high: float | None) -> float | None:
    """Upper end of the range to show for a wrong value: the limit of all parameters if the value is beyond it."""
    return MAX_NUMBER if high is None and is_number(value) and MAX_NUMBER < value < math.inf else high


def as_number_or_name(value: Any, name: str, names: tuple[str, ...], **limits: Any) -> float | str:
    """Value as a float, or one of some names; refused as ``as_number`` does.

    >>> as_number_or_name("evidence", "l2", ("cv", "evidence"), above=0)
    'evidence'
    >>> as_number_or_name("much", "l2", ("cv", "evidence"), above=0)
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: l2 must be a number above 0, 'cv' or 'evidence', not 'much'
    """
    if isinstance(value, str) and value in names:
        return str(value)
    try:
        return as_number(value, name, **limits)
    except InputError:
        limits["high"] = _high_for(value, limits.get("high"))
        wanted = alternatives([number_in_words(**limits), *map(repr, names)])
        template = "{name} must be {wanted}, not {value!r}{hint}"
        hint = suggestion(value, names)
        raise ParameterError(template, name=name, wanted=wanted, value=value, hint=hint) from None


def check_number(value: Any, name: str, **limits: Any) -> None:
    """Refuse a value that ``as_number`` refuses."""
    as_number(value, name, **limits)


def check_number_or_name(value: Any, name: str, names: tuple[str, ...], **limits: Any) -> None:
    """Refuse a value that ``as_number_or_name`` refuses."""
    as_number_or_name(value, name, names, **limits)


def check_choice(value: Any, name: str, choices: Iterable[str]) -> None:
    """Refuse a value that is not one of some names.

    >>> check_choice("newt", "solver", ("newton", "lbfgs"))
    Traceback (most recent call last):
        ...
    textnb.errors.ParameterError: unknown solver 'newt' (did you mean 'newton'?); use 'newton' or 'lbfgs'
    """
    choices = tuple(choices)
    if not isinstance(value, str) or value not in choices:
        known = alternatives([repr(each) for each in choices])
        template, hint = "unknown {name} {value!r}{hint}; use {known}", suggestion(value, choices)
        raise ParameterError(template, name=name, value=value, hint=hint, known=known)


def as_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """Value as a string, refused where ``check_choice`` refuses it."""
    check_choice(value, name, choices)
    return str(value)


def number_in_words(
    *, low: float | None = None, above: float | None = None, high: float | None = None, whole: bool = False
) -> str:
    """Words for a range of numbers.

    >>> number_in_words(above=0, high=1), number_in_words(low=0, high=1), number_in_words(low=1, whole=True)
    ('a number above 0 and at most 1', 'a number from 0 to 1', 'a whole number of at least 1')
    """
    kind = "a whole number" if whole else "a finite number" if low is above is high is None else "a number"
    if above is not None:
        return f"{kind} above {above:g}" + ("" if high is None else f" and at most {high:g}")
    if low is not None:
        return f"{kind} of at least {low:g}" if high is None else f"{kind} from {low:g} to {high:g}"
    return kind if high is None else f"{kind} of at most {high:g}"


def alternatives(wanted: Sequence[str]) -> str:
    """Possibilities joined by commas and "or".

    >>> alternatives(["a number", "'cv'", "'evidence'"])
    "a number, 'cv' or 'evidence'"
    """
    return " or ".join(part for part in (", ".join(wanted[:-1]), *wanted[-1:]) if part)


GOLDEN_RATIO_64 = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: an odd factor that spreads neighbouring numbers over all 64 bits."""


def splitmix64(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers mixed by a permutation of the 64-bit numbers that separates neighbours.

    >>> splitmix64(np.array([1, 2], np.uint64))
    array([16294208416658607535,  7960286522194355700], dtype=uint64)
    """
    return mix_bits(numbers * GOLDEN_RATIO_64)


def mix_bits(numbers: NDArray[np.uint64], shifts: tuple[int, int, int] = (30, 27, 31)) -> NDArray[np.uint64]:
    """Permutation of the 64-bit numbers after which every bit depends on all bits; the shifts are splitmix64's."""
    first, second, last = map(np.uint64, shifts)
    mixed = (numbers ^ (numbers >> first)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> second)) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> last))


def log_of(values: ArrayLike) -> Floats:
    """Natural logarithm, with log 0 = -inf and no warning.

    >>> log_of([1.0, 0.0])
    array([  0., -inf])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(values, dtype=np.float64)))


def log_softmax(scores: Floats) -> Floats:
    """Logarithm of the softmax of each row, s - log(sum exp s); (D, C) -> (D, C).

    -inf stays -inf. A row must hold at least one finite score.

    >>> np.exp(log_softmax(np.array([[1000.0, 1000.0]])))
    array([[0.5, 0.5]])
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Distinct values in ascending order; sorting is several times faster than the hashing of np.unique.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    values = np.sort(values)
    return values[np.concatenate([[True], values[1:] != values[:-1]])] if len(values) else values


def bracketed_root(function: Callable[[float], float], low: float, high: float, tolerance: float = 1e-14) -> float:
    """Root of a function with different signs at both ends, by Ridders' method.

    For models that are being loaded: importing a solver of scipy takes longer than this search.

    >>> round(bracketed_root(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    at_low, at_high, x = function(low), function(high), low
    for _ in range(200):
        if at_low == 0 or at_high == 0:
            return low if at_low == 0 else high
        middle = (low + high) / 2
        at_middle = function(middle)
        step = (middle - low) * at_middle / math.sqrt(at_middle * at_middle - at_low * at_high)
        before, x = x, middle + math.copysign(1.0, at_low - at_high) * step
        value = function(x)
        ends = sorted([(low, at_low), (middle, at_middle), (x, value), (high, at_high)])
        (low, at_low), (high, at_high) = next(
            (a, b) for a, b in pairwise(ends) if (a[1] > 0) != (b[1] > 0) or b[1] == 0
        )
        if abs(x - before) <= tolerance * max(1.0, abs(x)) or high - low <= tolerance * max(1.0, abs(x)):
            break
    return float(x)


_LARGE = 100.0  # the series are exact to rounding from here


def log_rising(a: ArrayLike, n: ArrayLike) -> Floats:
    """Logarithm of the rising power a (a+1) ... (a+n-1) = Gamma(a+n)/Gamma(a), for a > 0 and real n >= 0.

    For large a the two Gammas are nearly equal, and their difference is computed by Stirling's series:
    with r = n/a and d_m = (a+n)^-m - a^-m, n log a + (a + n - 1/2) log(1 + r) - n + d_1/12 - d_3/360 + d_5/1260.

    >>> log_rising(2.0, 3.0), float(np.log(2 * 3 * 4))
    (array(3.17805383), 3.1780538303479458)
    """
    from scipy.special import gammaln  # slow to import; most models predict without it

    a, n = np.asarray(a, np.float64), np.asarray(n, np.float64)
    large = np.maximum(a, _LARGE)
    stirling = (
        n * np.log(large)
        + (large + n - 0.5) * np.log1p(n / large)
        - n
        + (1 / (large + n) - 1 / large) / 12
        - ((large + n) ** -3.0 - large**-3.0) / 360
        + ((large + n) ** -5.0 - large**-5.0) / 1260
    )
    return np.asarray(np.where(a >= _LARGE, stirling, gammaln(a + n) - gammaln(a)))


def log_rising_slopes(a: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """First and second derivative of ``log_rising`` by a, for a > 0 and real n >= 0.

    They are psi(a+n) - psi(a) and psi'(a+n) - psi'(a), with the digamma function psi. For large a the terms of the
    asymptotic series are subtracted one by one: with d_m = (a+n)^-m - a^-m, they are log(1 + n/a) - d_1/2 - d_2/12 +
    d_4/120 and d_1 + d_2/2 + d_3/6 - d_5/30.

    >>> [round(float(slope), 12) for slope in log_rising_slopes(1.0, 2.0)]  # 1/1 + 1/2, -(1/1 + 1/4)
    [1.5, -1.25]
    """
    from scipy.special import digamma  # slow to import; prediction does not need it

    a, n = np.asarray(a, np.float64), np.asarray(n, np.float64)
    large = np.maximum(a, _LARGE)
    other = large + n
    d_1, d_2 = -n / (large * other), -n * (large + other) / (large * other) ** 2
    d_3, d_4, d_5 = (other**-m - large**-m for m in (3.0, 4.0, 5.0))
    first = np.log1p(n / large) - d_1 / 2 - d_2 / 12 + d_4 / 120
    second = d_1 + d_2 / 2 + d_3 / 6 - d_5 / 30
    small = np.minimum(a, _LARGE)
    return (
        np.asarray(np.where(a >= _LARGE, first, digamma(small + n) - digamma(small))),
        np.asarray(np.where(a >= _LARGE, second, trigamma(small + n) - trigamma(small))),
    )


def trigamma(x: ArrayLike) -> Floats:
    """Second derivative of log Gamma for x > 0, to 1e-14 of itself; several times as fast as scipy's polygamma(1, x).

    psi'(x) = sum_{i<10} (x+i)^-2 + 1/y + 1/(2 y^2) + 1/(6 y^3) - 1/(30 y^5) + 1/(42 y^7) - 1/(30 y^9) + 5/(66 y^11),
    with y = x + 10.

    >>> round(float(trigamma(1.0) * 6 / np.pi**2), 12)
    1.0
    """
    x = np.asarray(x, np.float64)
    y = x + 10
    r = 1 / (y * y)
    series = ((((5 / 66 * r - 1 / 30) * r + 1 / 42) * r - 1 / 30) * r + 1 / 6) * r
    found = (1 + 0.5 / y + series) / y
    for i in range(9, -1, -1):
        found += 1 / np.square(x + i)
    return np.asarray(found)


def most_probable(log_posterior: Floats) -> NDArray[np.intp]:
    """Number of the most probable class of each row; of equals the first."""
    return np.asarray(log_posterior.argmax(axis=1))
