"""Ageing: forgetting documents by their date.

A learnt value knows the days of its kept documents (``counts/examples.py``). What is older than a day is taken away as
``-`` takes away any documents, so the rest equals a training without them. That needs all documents: of a model that
keeps only a sample, it is not known which of the others are old.
"""

import calendar
import re
from datetime import date, timedelta

import numpy as np

from textnb.classifier.recipe import ClassifierRecipe
from textnb.counts import Learnt
from textnb.errors import InputError, ParameterError

_PERIOD = re.compile(r"(\d{1,5})\s*(day|week|month|year)s?")
_NO_DATES = (
    "no document of the model has a date; it was trained from texts without dates, or by an earlier textnb: train it "
    "again on mails"
)


def without_older(recipe: ClassifierRecipe, learnt: Learnt, day: date | str, *, undated: bool = False) -> Learnt:
    """Learnt value without the documents that are older than a day; undated: and without those without a date."""
    first, kept, number = as_day(day), learnt.kept, len(learnt.digests)
    n_kept = 0 if kept is None else len(kept)
    if kept is None or n_kept < number:
        template = (
            "the model keeps {kept:,} of {number:,} documents, so it does not know which of the others are older than "
            "{day}; train it again with a --sample (sample=) of at least the number of documents"
        )
        raise InputError(template, kept=n_kept, number=number, day=first)
    if number and not kept.days.any():
        raise InputError(_NO_DATES)
    older = kept.before(first.toordinal(), undated=undated)
    if not len(older):
        return learnt
    if len(older) == number:
        template = "all {number:,} documents are older than {day}, so nothing would be left; nothing was changed"
        raise InputError(template, number=number, day=first)
    return learnt - learnt.part(kept.rows(np.asarray(older)), recipe.weights)


def as_day(day: date | str) -> date:
    """Return a date, or the one that a string in ISO format means, as a date."""
    if isinstance(day, date):
        return date(day.year, day.month, day.day)
    try:
        return date.fromisoformat(day)
    except (TypeError, ValueError):
        raise ParameterError("a day must be a date such as 2024-12-31, not {day!r}", day=day) from None


def day_before(today: date, period: str) -> date:
    """Return the day that lies a period before today; the last of the month if the month has no such day.

    >>> day_before(date(2024, 3, 31), "1 month"), day_before(date(2024, 3, 1), "2weeks")
    (datetime.date(2024, 2, 29), datetime.date(2024, 2, 16))
    """
    found = _PERIOD.fullmatch(period.strip().lower())
    if found is None or int(found[1]) == 0:
        raise ParameterError("a period must be days, weeks, months or years such as 24months, not {it!r}", it=period)
    number, unit = int(found[1]), found[2]
    try:
        if unit in ("day", "week"):
            return today - timedelta(days=number * (7 if unit == "week" else 1))
        years, month = divmod(today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1), 12)
        return date(years, month + 1, min(today.day, calendar.monthrange(years, month + 1)[1]))
    except (OverflowError, ValueError):
        raise ParameterError("there is no day {period} before {today}", period=period, today=today) from None
