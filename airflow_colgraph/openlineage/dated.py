"""What an unchanged job may have anew in each run: days, times and ids of runs. Pure."""

from __future__ import annotations

import re

DATED = "<dated>"
DATES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<!\d)(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T_ ]?\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?!\d)",
    re.IGNORECASE,
)


def without_dates(text: str) -> str:
    """A constant with one word for each day, time and UUID in it."""
    return DATES.sub(DATED, text)
