"""Events as text: one JSON document a line, and how such a document is read. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Event = Mapping[str, Any]  # of this collector, or of any other producer

UNFINISHED = "; the line has no end: it is still being written, or its writer was killed"


class Reading(NamedTuple):
    """What a document holds: its events, and the lines that are none, with the reason."""

    events: list[dict[str, Any]]
    bad: list[tuple[int, str]]


def line_of(event: Event) -> bytes:
    """One event as one line of ASCII, whatever is in its names."""
    return json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n"


def joined(documents: list[bytes]) -> bytes:
    """Documents one after the other; what has no end of line gets one, unless it is the last."""
    *others, last = documents or [b""]
    return b"".join([*map(_whole_lines, others), last])


def parse(document: bytes) -> Reading:
    """The events in a document; a line that is no event does not hide the others."""
    events: list[dict[str, Any]] = []
    bad: list[tuple[int, str]] = []
    lines = document.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            events.append(_event(line))
        except ValueError as error:
            bad.append((number, f"{error}{UNFINISHED if number == len(lines) else ''}"))
    return Reading(events, bad)


def _whole_lines(document: bytes) -> bytes:
    return document if document.endswith(b"\n") or not document else document + b"\n"


def _event(line: bytes) -> dict[str, Any]:
    try:
        return event_of(json.loads(line.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text: byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not an OpenLineage event: nested too deeply") from None


def event_of(event: Any) -> dict[str, Any]:
    """A document as an event of any producer; ValueError for one that is none."""
    if not isinstance(event, dict):
        raise ValueError(f"not an OpenLineage event: a JSON {type(event).__name__}, not an object")
    if not any(isinstance(event.get(key), dict) for key in ("run", "job", "dataset")):
        raise ValueError("not an OpenLineage event: it has no run, job or dataset")
    return event
