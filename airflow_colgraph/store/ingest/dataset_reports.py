"""Writes what events report of datasets themselves, and what they say that their lineage lacks.

Each distinct report of a dataset (its schema, description or tags) or of a job (gaps) is a row,
with the times between which it was reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.schema import Table

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import greatest, least, upsert
from airflow_colgraph.store.ingest.openlineage import Facts, OfDataset
from airflow_colgraph.store.model.lineage_body import Field, LineageBody, unpack

NAMING = {"schemas": "columns", "tags": "tags"}  # facts -> the part of a body that names fields


def write(connection: Connection, stated: Iterable[Facts]) -> None:
    """Insert the reports that are new, or extend their times."""
    stated = list(stated)
    _write(connection, tables.schema, (_row(f, report) for f in stated for report in f.schemas))
    _write(
        connection,
        tables.description,
        (_row(f, report) for f in stated for report in f.descriptions),
    )
    jobs = (
        {**_row(facts, report), "job": facts.job.id if facts.job else None}
        for facts in stated
        for report in facts.tags
    )
    _write(connection, tables.reported_tags, jobs)
    gaps = (
        {**_dated(facts, facts.gaps), "job": facts.job.id}
        for facts in stated
        if facts.gaps and facts.job
    )
    _write(connection, tables.gap, gaps)
    kept = (
        {**_dated(facts, body), "owner": owner}
        for facts in stated
        for owner, body in facts.kept_facets
    )
    _write(connection, tables.facets, kept)
    of_runs = (
        {**_dated(facts, facts.run_facets), "run": facts.run.id}
        for facts in stated
        if facts.run_facets and facts.run
    )
    _write(connection, tables.run_facets, of_runs)
    sources = (
        {**_dated(facts, each.lineage_body), "target": each.target.id, "by": facts.job.id}
        for facts in stated
        for each in facts.job_sources
        if facts.job
    )
    _write(connection, tables.job_source, sources)


def named_fields(stated: Iterable[Facts], is_new: Callable[[int], bool]) -> Iterator[Field]:
    """The fields that schemas and tags name, of the bodies whose ids are new."""
    for facts in stated:
        for name, part in NAMING.items():
            for dataset, lineage_body in getattr(facts, name):
                if is_new(lineage_body.id):
                    for field, *_ in unpack(lineage_body.packed)[part]:
                        yield dataset._replace(field=field)


def _row(facts: Facts, report: OfDataset) -> dict[str, Any]:
    return {**_dated(facts, report.lineage_body), "dataset": report.dataset.id}


def _dated(facts: Facts, body: LineageBody) -> dict[str, Any]:
    return {"id": body.id, "first_at": facts.at, "last_at": facts.at, "body": body.packed}


def _write(connection: Connection, table: Table, reports: Iterable[dict[str, Any]]) -> None:
    rows: dict[int, dict[str, Any]] = {}
    for report in reports:
        row = rows.setdefault(report["id"], report)
        row["first_at"] = min(row["first_at"], report["first_at"])
        row["last_at"] = max(row["last_at"], report["last_at"])
    merged = {"first_at": least, "last_at": greatest}
    upsert(connection, table, (rows[id] for id in sorted(rows)), merged)
