"""Whether a JSON value can be stored and answered again, and which part of it cannot. Pure.

A database and a JSON document hold less than Python's values: no lone surrogate and no integer of
more than 64 bits. Nesting is bounded, as readers that are recursive have a limit of their own.
"""

from __future__ import annotations

from typing import Any

import orjson

from airflow_colgraph.store.errors import EventError

DEPTH = 100  # levels of objects and arrays
_ORJSON = 254  # levels that orjson writes
_SHOWN = 120  # characters of a place or value in an error


def check(event: Any) -> None:
    """Raise EventError that names the part of an event that cannot be stored.

    >>> check({"run": {"facets": {"x": [1, 2**64]}}})
    Traceback (most recent call last):
    airflow_colgraph.store.errors.EventError: 'run.facets.x[1]' has more than 64 bits.
    """
    wrapped = event
    for _ in range(_ORJSON - DEPTH):  # so that orjson, which is fast, counts the levels
        wrapped = [wrapped]
    try:
        orjson.dumps(wrapped)
    except TypeError as error:
        place, why = _wrong(event) or ("", f"is not JSON: {error}")
        raise EventError(f"{quoted(place) if place else 'The event'} {why}.") from None


def quoted(text: str) -> str:
    """The text in quotes, on one line and not too long."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _wrong(event: Any) -> tuple[str, str] | None:
    """The first part that cannot be stored: where it is and why."""
    left: list[tuple[Any, str, int]] = [(event, "", 0)]
    while left:
        value, place, depth = left.pop()
        if isinstance(value, dict | list | tuple) and depth == DEPTH:
            return place, f"is nested more than {DEPTH} levels deep"
        if isinstance(value, dict):
            for name in value:
                if not isinstance(name, str):
                    return place, f"has a name that is {type(name).__name__}"
                if not _is_unicode(name):
                    return place, f"has a name with a lone surrogate: {name[:_SHOWN]!a}"
            inner = [
                (part, f"{place}.{name}".lstrip("."), depth + 1) for name, part in value.items()
            ]
        elif isinstance(value, list | tuple):
            inner = [(part, f"{place}[{number}]", depth + 1) for number, part in enumerate(value)]
        else:
            why = _unfit(value)
            if why:
                return place, why
            continue
        left += reversed(inner)
    return None


def _unfit(value: Any) -> str:
    """Why a value without parts cannot be stored."""
    if value is None or isinstance(value, bool | float):
        return ""
    if isinstance(value, str):
        return "" if _is_unicode(value) else f"has a lone surrogate: {value[:_SHOWN]!a}"
    if isinstance(value, int):
        return "" if -(2**63) <= value < 2**64 else "has more than 64 bits"
    return f"is {str(value)[:_SHOWN]!r}, which is not JSON"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
