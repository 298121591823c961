"""An event as a template with holes and the values that fill them. Pure.

The runs of a job share the template; the values are the times, the run's id, numbers, and what the
run's facets contain with many digits in it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.runs import run_id

# The only strings in a template that begin with NUL.
HOLE, TIME, RUN = "\0", "\0t", "\0r"
_OWN = re.compile(r"\d{4}")  # ids and times of a run have that many digits in a row
_PACKED = 64  # bytes up to which compression does not pay


def split(event: Any, at: int, run: bytes) -> tuple[Any, list[Any]]:
    """The template of an event and its own values, in the order of the holes.

    >>> split({"eventTime": "2026-11-20T10:00:00Z", "job": {"size": 3}}, 1795168800000, b"")
    ({'eventTime': '\\x00', 'job': {'size': '\\x00'}}, ['2026-11-20T10:00:00Z', 3])
    """
    own: list[Any] = []
    places = {clock.iso(at): TIME, **({run_id(run): RUN} if run else {})}

    def hole(value: Any) -> str:
        own.append(value)
        return HOLE

    def walk(value: Any, of_run: bool) -> Any:
        if isinstance(value, dict):
            return {
                name: walk(part, of_run or name in ("run", "eventTime"))
                for name, part in value.items()
            }
        if isinstance(value, list):
            return [walk(part, of_run) for part in value]
        if isinstance(value, str):
            if value in places:
                return places[value]
            changes = of_run and _OWN.search(value)
            return hole(value) if changes or value.startswith(HOLE) else value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return hole(value) if is_number else value

    return walk(event, False), own


def join(template: Any, own: Iterable[Any], at: int, run: bytes) -> Any:
    """The event again, equal in content and order."""
    values = iter(own)

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: walk(part) for name, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        if value == HOLE:
            return next(values)
        if value == TIME:
            return clock.iso(at)
        return run_id(run) if value == RUN else value

    return walk(template)


def pack(data: bytes) -> bytes:
    """The values compressed if that is shorter: compressed data does not begin with a bracket."""
    return data if len(data) <= _PACKED else min(data, zlib.compress(data, 9), key=len)


def unpack(data: bytes) -> bytes:
    """The values that `pack` compressed, or left as they were."""
    return data if not data or data[:1] == b"[" else zlib.decompress(data)
