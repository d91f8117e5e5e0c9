"""The date of a message: aware, or none.

    [day-of-week ","] day month year hour ":" minute [":" second] zone

Old and broken forms are read too: two-digit years, names of zones, the order of asctime. A zone that is not given or
not known is taken for UTC.
"""

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

_MONTHS = dict(zip("jan feb mar apr may jun jul aug sep oct nov dec".split(), range(1, 13), strict=True))  # noqa: SIM905
_MONTH = r"([a-z]{3})[a-z]*\.?"
_TIME = r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?"
_ZONE = r"(?:\s*([+-]\d{4}|\(?[a-z]{1,5}\)?))?"
_USUAL = re.compile(rf"(\d{{1,2}})[\s-]+{_MONTH}[\s-]+(\d{{2,4}}),?\s+{_TIME}{_ZONE}", re.IGNORECASE)
_ASCTIME = re.compile(rf"{_MONTH}\s+(\d{{1,2}})\s+{_TIME}{_ZONE}\s+(\d{{4}})", re.IGNORECASE)
_HOURS = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9, "cet": 1}
_HOURS |= {"cest": 2, "bst": 1, "kst": 9, "hkt": 8, "msk": 3, "aest": 10}
_LONGEST = 200


def as_date(value: str) -> datetime | None:
    """The moment that a Date field names.

    >>> as_date("Fri, 14 Nov 2003 09:05:07 +0900").isoformat()
    '2003-11-14T09:05:07+09:00'
    >>> as_date("yesterday") is None
    True
    """
    if usual := _USUAL.search(value[:_LONGEST]):
        day, month, year, hour, minute, second, zone = usual.groups()
    elif asctime := _ASCTIME.search(value[:_LONGEST]):
        month, day, hour, minute, second, zone, year = asctime.groups()
    else:
        return None
    try:
        date = _full_year(int(year)), _MONTHS[month.lower()], int(day)
        return datetime(*date, int(hour), int(minute), min(int(second or 0), 59), tzinfo=_zone(zone or ""))
    except (KeyError, ValueError):
        return None


def _full_year(year: int) -> int:
    """Of two or three digits as RFC 5322 says."""
    if year < 50:
        return year + 2000
    return year + 1900 if year < 1000 else year


@lru_cache(256)
def _zone(name: str) -> timezone:
    if name[:1] in ("+", "-") and name:
        minutes = int(name[1:3]) * 60 + int(name[3:5])
        return timezone(timedelta(minutes=-minutes if name[0] == "-" else minutes))
    return timezone(timedelta(hours=_HOURS.get(name.strip("()").lower(), 0)))
