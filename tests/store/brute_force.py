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
