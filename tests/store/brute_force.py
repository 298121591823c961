"""The answers of the owners' questions by brute force over raw events, without our store.

Slow and simple on purpose: every event is looked at, in the order of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

Event = dict[str, Any]
Name = tuple[str, str]  # a dataset
Column = tuple[str, str, str]


class RawEdge(NamedTuple):
    """An input of a column (or of all rows: an empty field) as one event reports it."""

    output: Column
    input: Column
    type: str
    subtype: str
    masking: bool


def millis(event: Event) -> int:
    text = event["eventTime"].replace("Z", "+00:00")
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def in_order(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=millis)


def name_of(dataset: Any) -> Name:
    return dataset["namespace"], dataset["name"]


def edges_of(output: Any) -> Iterator[RawEdge]:
    lineage = output.get("facets", {}).get("columnLineage", {})
    columns = [(name, one["inputFields"]) for name, one in lineage.get("fields", {}).items()]
    for name, inputs in [*columns, ("", lineage.get("dataset", ()))]:
        for one in inputs:
            for how in one["transformations"]:
                source = (*name_of(one), one["field"])
                masking = how.get("masking", False)
                yield RawEdge(
                    (*name_of(output), name), source, how["type"], how["subtype"], masking
                )


def unused(events: Iterable[Event], since: int) -> set[Column]:
    """The columns in each dataset's latest schema that no event from the time on uses."""
    used: set[Column] = set()
    latest: dict[Name, list[str]] = {}
    for event in in_order(events):
        for dataset in (*event.get("inputs", ()), *event.get("outputs", ())):
            schema = dataset.get("facets", {}).get("schema")
            if schema:
                latest[name_of(dataset)] = [column["name"] for column in schema["fields"]]
        for output in event.get("outputs", ()):
            for edge in edges_of(output):
                latest.setdefault(edge.input[:2], [])
                if millis(event) >= since:
                    used.add(edge.input)
    mentioned = {
        edge.input
        for event in events
        for output in event.get("outputs", ())
        for edge in edges_of(output)
        if not latest[edge.input[:2]]
    }
    listed = {(*dataset, column) for dataset, columns in latest.items() for column in columns}
    return (listed | mentioned) - used


def replaces(output: Any) -> bool:
    change = output.get("facets", {}).get("lifecycleStateChange", {})
    return change.get("lifecycleStateChange", "OVERWRITE") not in {"ALTER", "APPEND", "RENAME"}


def copies(
    events: Iterable[Event], start: Column, until: int, subtypes: Iterable[str]
) -> set[Column]:
    """The columns that hold the start's value after all events up to the time, one by one."""
    held: dict[tuple[str, Name], set[Column]] = {}  # by job and dataset
    for event in in_order(events):
        if millis(event) > until:
            break
        before = {start}.union(*held.values())
        for output in event.get("outputs", ()):
            if "columnLineage" not in output.get("facets", {}):
                continue
            brought = {
                edge.output
                for edge in edges_of(output)
                if edge.type == "DIRECT" and not edge.masking and edge.subtype in subtypes
                if edge.input in before
            }
            place = event["job"]["name"], name_of(output)
            kept = set() if replaces(output) else held.get(place, set())
            held[place] = kept | brought
    return {start}.union(*held.values())


def is_in(part: Column, whole: Column) -> bool:
    """Whether a field is another one or inside it."""
    return part[:2] == whole[:2] and f"{part[2]}.".startswith(f"{whole[2]}.")


def reached(events: Iterable[Event], start: Column, *, down: bool) -> set[Column]:
    """The fields that a field's values go to, or come from; parts of other ones are left out.

    An edge of a struct is one of each part: a copy leads to the same part, all else to the whole.
    """
    edges = [edge for event in events for output in event["outputs"] for edge in edges_of(output)]
    found: set[Column] = set()
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for edge in edges:
            near, far = (edge.input, edge.output) if down else (edge.output, edge.input)
            if is_in(at, near) and at != near:
                is_copy = edge.subtype == "IDENTITY" and not edge.masking
                to = (*far[:2], far[2] + at[2][len(near[2]) :]) if is_copy else far
            elif is_in(near, at):
                to = far
            else:
                continue
            if to not in found:
                found.add(to)
                waiting.append(to)
    return outermost(found)


def outermost(fields: set[Column]) -> set[Column]:
    """The fields that are no parts of others."""
    return {one for one in fields if not any(is_in(one, other) for other in fields if other != one)}
