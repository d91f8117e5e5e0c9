"""Cells of results: as text, with a number of decimals, and as values of JSON."""

import json
import math
from typing import Any

from textnb.readers.workbook import cell_text


def as_decimal(cell: object, digits: int) -> str:
    """Text of a computed cell; a fraction has so many decimals.

    >>> as_decimal(0.98765, 4), as_decimal(12, 4), as_decimal("cat", 4)
    ('0.9877', '12', 'cat')
    """
    return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)


def plain_text(cell: object) -> str:
    """Text of a cell that was read; lists and objects of JSON as JSON.

    >>> from datetime import date
    >>> plain_text([1, date(2026, 11, 18)]), plain_text(None)
    ('[1, "2026-11-18"]', '')
    """
    is_nested = isinstance(cell, (list, dict))
    return json.dumps(cell, ensure_ascii=False, default=cell_text) if is_nested else cell_text(cell)


def json_value(cell: Any) -> Any:
    """Value of JSON for a cell; what JSON has no kind for is text.

    >>> from datetime import date
    >>> json_value(0.5), json_value(float("nan")), json_value(date(2026, 11, 18))
    (0.5, None, '2026-11-18')
    """
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if isinstance(cell, (list, dict)):
        return json.loads(json.dumps(cell, default=cell_text))
    return cell if cell is None or isinstance(cell, (str, int)) else cell_text(cell)
