"""How large one event may get, and what it goes without above that. Pure.

In this order, and only as much as is needed: the SQL text, the operations, the digests, the
`lineage` job facet, columns of `columnLineage` from the last on, entries of its `dataset` from the
last on, schemas. The names of datasets stay, and the event reports what was removed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from airflow_colgraph.collector.openlineage import ColumnLineageFacet, RunEvent


def size_of(part: Any) -> int:
    """The bytes of a part of an event."""
    return len(json.dumps(part, separators=(",", ":")))


def cut(event: RunEvent, most: int) -> None:
    """Leave out of an event, in place, what makes it larger than `most` bytes."""
    over = size_of(event) - most
    if over <= 0:
        return
    left_out = []
    over += ROOM
    for name, parts in PARTS:
        count = 0
        for remove in parts(event):
            if over <= 0:
                break
            over -= remove()
            count += 1
        if count:
            left_out.append(f"{count} {name}")
    diagnostics = event["run"]["facets"]["colgraph_diagnostics"]
    why = f"maxEventBytes: removed {', '.join(left_out)}"
    diagnostics["truncated"] = "; ".join(part for part in (diagnostics["truncated"], why) if part)


ROOM = 200  # for the note of what is left out

Remove = Callable[[], int]


def _popped(parent: Any, name: str) -> Remove:
    return lambda: size_of(parent.pop(name)) + len(name) + 4


def _last_of(entries: list[Any]) -> Remove:
    return lambda: size_of(entries.pop()) + 1


def _sql(event: RunEvent) -> Iterator[Remove]:
    if "sql" in event["job"]["facets"]:
        yield _popped(event["job"]["facets"], "sql")


def _operations(event: RunEvent) -> Iterator[Remove]:
    for name in ("colgraph_operations", "colgraph_digests"):
        for output in event["outputs"]:
            if name in output["facets"]:
                yield _popped(output["facets"], name)


def _job_lineage(event: RunEvent) -> Iterator[Remove]:
    if "lineage" in event["job"]["facets"]:
        yield _popped(event["job"]["facets"], "lineage")


def _lineage(event: RunEvent) -> Iterator[ColumnLineageFacet]:
    for output in reversed(event["outputs"]):
        if "columnLineage" in output["facets"]:
            yield output["facets"]["columnLineage"]


def _columns(event: RunEvent) -> Iterator[Remove]:
    for lineage in _lineage(event):
        for name in reversed(list(lineage["fields"])):
            yield _popped(lineage["fields"], name)


def _rows(event: RunEvent) -> Iterator[Remove]:
    for lineage in _lineage(event):
        for _ in list(lineage["dataset"]):
            yield _last_of(lineage["dataset"])


def _schemas(event: RunEvent) -> Iterator[Remove]:
    for dataset in [*reversed(event["inputs"]), *reversed(event["outputs"])]:
        if "schema" in dataset["facets"]:
            yield _popped(dataset["facets"], "schema")


PARTS: tuple[tuple[str, Callable[[RunEvent], Iterator[Remove]]], ...] = (
    ("SQL texts", _sql),
    ("operations and digests facets", _operations),
    ("lineage job facets", _job_lineage),
    ("columns", _columns),
    ("dataset entries", _rows),
    ("schemas", _schemas),
)
