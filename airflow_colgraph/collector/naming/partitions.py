"""The dataset that a partition's path belongs to, as OpenLineage trims names. Pure.

trimmed("/data/orders/day=2026-01-31") == trimmed("/data/orders/2026/01/31") == "/data/orders"
"""

from __future__ import annotations

import re

# Calendars are not consulted, as OpenLineage does not either: the 31st of any month is a date.
DAY, MONTH = "(?:0[1-9]|[12][0-9]|3[01])", "(?:0[1-9]|1[0-2])"
YEAR = "[0-9]{4}"
DATE = re.compile(f"{YEAR}-{MONTH}-{DAY}|{DAY}[.]{MONTH}[.]{YEAR}|{YEAR}{MONTH}{DAY}")
AROUND_A_DATE = re.compile(r"[0-9\s:.-]*(?:T[0-9\s:.-]*)?(?:Z[0-9\s:.-]*)?")
YEAR_MONTH = re.compile(f"{YEAR}-?{MONTH}")
FOLDERS = (re.compile(YEAR), re.compile(MONTH), re.compile(DAY))  # /2026/01 or /2026/01/31


def trimmed(name: str) -> str:
    """`name` without its last folders that only say which part of the dataset it is."""
    folders = name.split("/")
    while (kept := _without_the_last(folders)) < len(folders):
        del folders[kept:]
    return "/".join(folders)


def _without_the_last(folders: list[str]) -> int:
    """How many folders are left when the last of them that name a partition are not counted."""
    count = len(folders)
    if count == 1 or (count == 2 and not folders[0]):
        return count  # the only folder is never a partition
    last = folders[-1]
    if last.count("=") == 1 or YEAR_MONTH.fullmatch(last) or _is_date(last):
        return count - 1
    for first in (count - 3, count - 2):
        if first > 0 and folders[first - 1]:
            parts = zip(FOLDERS, folders[first:])
            if all(part.fullmatch(folder) for part, folder in parts):
                return first
    return count


def _is_date(folder: str) -> bool:
    """Whether a folder's name is a date and, besides, at most a time."""
    match = DATE.search(folder)
    if match is None:
        return False
    return AROUND_A_DATE.fullmatch(folder[: match.start()] + folder[match.end() :]) is not None
