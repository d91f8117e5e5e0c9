"""Values as they are written on the command line."""

from contextlib import suppress
from pathlib import Path

from textnb.errors import InputError


def as_number_range(value: str | None, option: str) -> tuple[int, int] | None:
    """``2`` or ``1-2`` as (low, high).

    >>> as_number_range("1-2", "--ngram"), as_number_range("3", "--ngram")
    ((1, 2), (3, 3))
    """
    if value is None:
        return None
    low, _, high = value.partition("-")
    if not low.isdecimal() or not (high or low).isdecimal():
        raise InputError(f"{option} takes a number or a range such as 1-2, not {value!r}")
    return int(low), int(high or low)


def as_frequency(value: str | None, option: str) -> int | float | str | None:
    """``2`` documents or a share such as ``0.5``."""
    if value is None or value == "auto":
        return value
    with suppress(ValueError):
        return int(value) if value.isdecimal() else float(value)
    raise InputError(f"{option} takes a number of documents or a share such as 0.5, not {value!r}")


def as_number_or_name(value: str | None) -> float | str | None:
    """``0.1`` as a number, anything else as it is."""
    with suppress(TypeError, ValueError):
        return float(value)  # type: ignore[arg-type]
    return value


def as_prior(value: str) -> str | dict[str, float]:
    """``empirical``, ``uniform``, or ``a=0.3,b=0.7`` as a mapping."""
    if "=" not in value:
        return value
    try:
        return {name.strip(): float(share) for name, _, share in (part.rpartition("=") for part in value.split(","))}
    except ValueError:
        raise InputError(f"--prior takes empirical, uniform or a=0.3,b=0.7, not {value!r}") from None


def words_in(path: Path) -> list[str]:
    """The lines of a file that are not blank."""
    try:
        return [word for word in path.read_text(encoding="utf-8-sig").splitlines() if word]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
