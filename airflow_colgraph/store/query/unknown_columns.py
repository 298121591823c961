"""Jobs that read a dataset without saying which of its columns they use.

Lineage that is not wholly known must never make a column look unused or a copy look complete.
What the collector could not resolve is in whole events only (`colgraph db keep-events`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.id_lists import batches
from airflow_colgraph.store.db.symlinks import representatives
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.intervals import DATASET
from airflow_colgraph.store.model.lineage_body import Field, key, statements, unpack
from airflow_colgraph.store.model.runs import Job


class UnknownReader(NamedTuple):
    """A job that read a dataset; nobody knows which columns. `output`: what it wrote, if known."""

    dataset: int
    job: int | None
    output: int | None


def unknown_inputs(body: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The datasets that a body reads and of which it does not tell all columns that it uses.

    A column of the schema without an entry is not known to be made of nothing. A dataset of which
    no column is used may have been read for its rows only, or by code that nobody can look into.

    >>> unknown_inputs({"output": ["n", "o"], "inputs": [["n", "i"]], "fields": None,
    ...     "dataset": [], "schema": None})
    {('n', 'i')}
    """
    inputs = {(namespace, name) for namespace, name in body["inputs"]}
    if body["fields"] is None or _has_unknown_column(body):
        return inputs
    used = {(one.input.namespace, one.input.name) for one in statements(body) if one.input.field}
    return inputs - used


def _has_unknown_column(body: Mapping[str, Any]) -> bool:
    """Whether a column of the schema has no entry; a struct's entry is one for its members."""
    known = {name for name, _ in body["fields"]}
    parents = {parent for name in known for parent in prefixes(name)}
    return not all(
        name in known or name in parents or known.intersection(prefixes(name))
        for name, *_ in body["schema"] or ()
    )


def prefixes(name: str) -> Iterator[str]:
    """What a nested column's dotted name may be inside.

    >>> list(prefixes("a.b.c"))
    ['a', 'a.b']
    """
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def canonical_names(connection: Connection) -> dict[int, int]:
    """For each dataset that has several names: the one that its edges are stored under."""
    link = tables.symlink.c
    rows = connection.execute(select(link.alias, link.dataset))
    return representatives((alias, dataset) for alias, dataset in rows)


def canonical_datasets(connection: Connection) -> dict[int, Field]:
    """The same with the names themselves; datasets that are stored under their own are left out."""
    names = canonical_names(connection)
    table = tables.dataset
    stored: dict[int, Field] = {}
    for batch in batches(sorted(set(names.values()))):
        rows = connection.execute(select(table).where(table.c.id.in_(batch)))
        stored.update((row.id, Field(row.namespace, row.name, "")) for row in rows)
    return {id: stored[kept] for id, kept in names.items() if id != kept}


def unknown_readers(
    connection: Connection, since: int, datasets: Collection[int] | None = None
) -> set[UnknownReader]:
    """The jobs whose runs from a time on read a dataset, and which of its columns is unknown.

    `datasets`: only readers of these; None: of all.
    """
    output = tables.job_output
    rows = connection.execute(
        select(output.c.id, output.c.job, output.c.dataset).where(output.c.last_at >= since)
    )
    outputs = {row.id: row for row in rows}
    if datasets is not None:
        outputs = {id: outputs[id] for id in _made_of(connection, datasets) if id in outputs}
    reported = _reported(connection, outputs, since)
    bodies = _bodies(connection, {body for _, body, _ in reported})
    unknown = {id: {key(*one) for one in unknown_inputs(body)} for id, body in bodies.items()}
    inputs_of = {id: {key(*one) for one in body["inputs"]} for id, body in bodies.items()}
    found: set[UnknownReader] = set()
    known: dict[bytes, set[int]] = {}
    for job_output, id, run in reported:
        row = outputs[job_output]
        found.update(UnknownReader(dataset, row.job, row.dataset) for dataset in unknown[id])
        known.setdefault(run, set()).update(inputs_of[id])
    reading = tables.reading.c
    query = select(reading.job, reading.run, reading.lineage_body).where(reading.at >= since)
    read = connection.execute(query).all()
    lists = _bodies(connection, {row.lineage_body for row in read})
    for row in read:
        inputs = {key(*one) for one in lists[row.lineage_body]["reads"]}
        unnamed = inputs - known.get(bytes(row.run), set())
        found.update(UnknownReader(dataset, row.job, None) for dataset in unnamed)
    found |= _diagnosed(connection, since)
    names = canonical_names(connection)
    found = {
        one._replace(
            dataset=names.get(one.dataset, one.dataset),
            output=None if one.output is None else names.get(one.output, one.output),
        )
        for one in found
    }
    return found if datasets is None else {one for one in found if one.dataset in datasets}


def _made_of(connection: Connection, datasets: Collection[int]) -> set[int]:
    """The job outputs that were ever made of the datasets."""
    edge = tables.edge.c
    found: set[int] = set()
    for batch in batches(sorted(datasets)):
        query = select(edge.job_output).where(edge.input.in_(batch), edge.kind == DATASET)
        found.update(connection.execute(query.distinct()).scalars())
    return found


# Parts of the run facet `colgraph_diagnostics` that make the lineage of an event incomplete.
INCOMPLETE = ("unresolved", "truncated")


def _diagnosed(connection: Connection, since: int) -> set[UnknownReader]:
    """What whole events that the store kept tell of lineage that could not be resolved."""
    event, template = tables.event.c, tables.template.c
    recent = select(event.template).where(event.at >= since, event.at < clock.OPEN).distinct()
    found: set[UnknownReader] = set()
    for body in connection.execute(select(template.body).where(template.id.in_(recent))).scalars():
        one = json.loads(zlib.decompress(bytes(body)))
        facets = (one.get("run") or {}).get("facets") or {}
        facet = facets.get("colgraph_diagnostics")
        if not isinstance(facet, dict) or not any(facet.get(part) for part in INCOMPLETE):
            continue
        job = Job(one["job"]["namespace"], one["job"]["name"]).id
        inputs = [key(each["namespace"], each["name"]) for each in one.get("inputs") or ()]
        outputs: list[int | None] = [
            key(each["namespace"], each["name"]) for each in one.get("outputs") or ()
        ]
        for output in outputs or [None]:
            found.update(UnknownReader(dataset, job, output) for dataset in inputs)
    return found


def _reported(
    connection: Connection, job_outputs: Iterable[int], since: int
) -> set[tuple[int, int, bytes]]:
    """Output, lineage body and run of each report from the time on."""
    o = tables.occurrence.c
    found: set[tuple[int, int, bytes]] = set()
    for batch in batches(sorted(job_outputs)):
        query = select(o.job_output, o.lineage_body, o.run).where(
            o.job_output.in_(batch), o.at >= since, o.at < clock.OPEN
        )
        rows = connection.execute(query)
        found.update((row.job_output, row.lineage_body, bytes(row.run)) for row in rows)
    return found


def _bodies(connection: Connection, ids: set[int]) -> dict[int, dict[str, Any]]:
    table = tables.lineage_body
    found: dict[int, dict[str, Any]] = {}
    for batch in batches(sorted(ids)):
        rows = connection.execute(select(table.c.id, table.c.body).where(table.c.id.in_(batch)))
        found.update((row.id, unpack(bytes(row.body))) for row in rows)
    return found
