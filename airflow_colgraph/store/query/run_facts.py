"""What whole events tell of runs: how much they wrote and read, and which code they ran.

The store keeps whole events if it is asked to (`colgraph db keep-events`).
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.query import event_archive

# Facets of jobs that identify the code, each with the part that does.
CODE = {
    "sourceCodeLocation": ("version", "tag", "branch"),
    "sourceCode": ("sourceCode",),
    "sql": ("query",),
}
MOST_RUNS = 500  # of one query
MOST_SHOWN = 40  # characters of a version; of longer code a digest is shown


@dataclass
class RunFacts:
    """Of one run: rows by dataset (namespace, name), versions of the code and of the engine."""

    rows: dict[tuple[str, str], float] = field(default_factory=dict)
    code: str = ""
    engine: str = ""


def run_facts(connection: Connection, runs: Collection[bytes]) -> dict[bytes, RunFacts]:
    """The facts of runs by id, as far as the store kept their events."""
    facts_of: dict[bytes, RunFacts] = {}
    ids = sorted(runs)
    for batch in (ids[begin : begin + MOST_RUNS] for begin in range(0, len(ids), MOST_RUNS)):
        for event in event_archive.of_runs(connection, batch):
            id = uuid.UUID(event["run"]["runId"]).bytes
            _add(facts_of.setdefault(id, RunFacts()), event)
    return facts_of


def are_kept(connection: Connection) -> bool:
    """Whether the store has any whole event."""
    return connection.execute(select(tables.event.c.at).limit(1)).first() is not None


def _add(facts: RunFacts, event: Mapping[str, Any]) -> None:
    for side, which, statistics in (
        ("inputs", "inputFacets", "inputStatistics"),
        ("outputs", "outputFacets", "outputStatistics"),
    ):
        for dataset in event.get(side) or ():
            facets = {**(dataset.get("facets") or {}), **(dataset.get(which) or {})}
            count = _count(facets.get(statistics) or facets.get("dataQualityMetrics"))
            if count is not None:
                facts.rows[dataset["namespace"], dataset["name"]] = count
    job = event["job"].get("facets") or {}
    facts.code = _version(job) or facts.code
    engine = ((event.get("run") or {}).get("facets") or {}).get("processing_engine")
    if isinstance(engine, dict) and engine.get("version"):
        facts.engine = f"{engine.get('name') or ''} {engine['version']}".strip()


def _count(facet: Any) -> float | None:
    """The number of rows or, if it is unknown, of bytes."""
    for name in ("rowCount", "row_count", "size", "bytes"):
        value = facet.get(name) if isinstance(facet, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return None


def _version(facets: Mapping[str, Any]) -> str:
    for name, parts in CODE.items():
        facet = facets.get(name)
        for part in parts:
            value = facet.get(part) if isinstance(facet, dict) else None
            if value and isinstance(value, str):
                if len(value) <= MOST_SHOWN and "\n" not in value:
                    return value
                return f"{part} {blake2b(orjson.dumps(value), digest_size=4).hexdigest()}"
    return ""


def usual(values: Iterable[float]) -> tuple[float, float, float] | None:
    """The least, the median and the greatest of values; None for none.

    >>> usual([3, 1, 2])
    (1, 2, 3)
    """
    ordered = sorted(values)
    return (ordered[0], ordered[len(ordered) // 2], ordered[-1]) if ordered else None
