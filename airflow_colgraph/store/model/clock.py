"""Times: ISO 8601, seconds since 1970 or `now-7d` in, milliseconds since 1970 (UTC) out."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from airflow_colgraph.store.errors import QuestionError

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?)?\s*(Z|z|[+-]\d\d:?\d\d)?"
)
LATEST = 2**47 - 2  # milliseconds: in the year 6429
# Later than every event, and 6 bytes long in SQLite: `edge.closed_at` of an edge that still holds.
OPEN = LATEST + 1
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
EARLIEST = (datetime(1, 1, 1, tzinfo=timezone.utc) - _EPOCH) // timedelta(milliseconds=1)


def parse_iso(text: str) -> int:
    """Milliseconds of an ISO 8601 date or time; without an offset it is UTC."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text[:60]!r} is not a date or time.")
    day, clock, fraction, offset = match.groups()
    digits = "+0000" if not offset or offset in "Zz" else offset.replace(":", "")
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}{digits[:3]}:{digits[3:]}")
    except ValueError as error:
        raise ValueError(f"{text[:60]!r} is not a date or time: {error}.") from None
    millis = int((fraction or "").ljust(3, "0")[:3])
    milliseconds = (moment - _EPOCH) // timedelta(milliseconds=1) + millis
    if milliseconds > LATEST:
        raise ValueError(f"{text[:60]!r} is too late.")
    if milliseconds < EARLIEST:
        raise ValueError(f"{text[:60]!r} is too early.")
    return milliseconds


def parse_given(text: str | None) -> int | None:
    """Milliseconds of a time, if one is given."""
    return None if text is None else parse(text)


def parse(text: str | int | float | datetime, now: int | None = None) -> int:
    """Milliseconds of a time as users write it: `2026-11-20T10:00Z`, `1763632800`, `now`, `now-7d`.

    >>> parse("now-2h", now=10_000_000)
    2800000
    """
    if isinstance(text, datetime):
        return parse_iso(text.isoformat())
    try:
        milliseconds = _parse(str(text).strip(), now)
    except (ValueError, OverflowError):
        milliseconds = LATEST + 1
    if not EARLIEST <= milliseconds <= LATEST:
        raise QuestionError(
            f"{text!r} is not a time. Expected e.g. 2026-11-20T10:00:00Z, seconds since 1970, "
            "now or now-7d."
        )
    return milliseconds


def past(name: str, text: str) -> int:
    """Milliseconds of the time of an option; QuestionError if it is after now."""
    try:
        at = parse(text)
    except QuestionError as error:
        raise QuestionError(f"{name}: {error}") from None
    if at > parse("now"):
        raise QuestionError(f"{name} is {text}: expected a time that is not after now.")
    return at


def _parse(text: str, now: int | None) -> int:
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text):
        return int(float(text) * 1000)
    if re.fullmatch(r"now([+-]\d+[smhdw])*", text):
        moment = int(time.time() * 1000) if now is None else now
        for sign, count, unit in re.findall(r"([+-])(\d+)([smhdw])", text):
            moment += (1 if sign == "+" else -1) * int(count) * _UNITS[unit] * 1000
        return moment
    return parse_iso(text)


@lru_cache(maxsize=16_384)  # the edges of an answer share few times; about 3 MB
def iso(millis: int) -> str:
    """The time as ISO 8601 in UTC.

    >>> iso(1763632800123)
    '2025-11-20T10:00:00.123Z'
    """
    moment = _EPOCH + timedelta(milliseconds=millis)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
