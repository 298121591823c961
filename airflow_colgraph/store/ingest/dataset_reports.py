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
    for table, reports_of in REPORTS.items():
        rows = (
            {**_dated(facts, body), **owners}
            for facts in stated
            for body, owners in reports_of(facts)
        )
        _write(connection, table, rows)


def named_fields(stated: Iterable[Facts], is_new: Callable[[int], bool]) -> Iterator[Field]:
    """The fields that schemas and tags name, of the bodies whose ids are new."""
    for facts in stated:
        for name, part in NAMING.items():
            for dataset, lineage_body in getattr(facts, name):
                if is_new(lineage_body.id):
                    for field, *_ in unpack(lineage_body.packed)[part]:
                        yield dataset._replace(field=field)


Reports = Iterator[tuple[LineageBody, dict[str, Any]]]  # each with what it is of


def _of_datasets(reports: Iterable[OfDataset], **others: Any) -> Reports:
    for report in reports:
        yield report.lineage_body, {"dataset": report.dataset.id, **others}


def _gaps(facts: Facts) -> Reports:
    if facts.gaps and facts.job:
        yield facts.gaps, {"job": facts.job.id}


def _kept_facets(facts: Facts) -> Reports:
    for owner, body in facts.kept_facets:
        yield body, {"owner": owner}


def _run_facets(facts: Facts) -> Reports:
    if facts.run_facets and facts.run:
        yield facts.run_facets, {"run": facts.run.id}


def _job_sources(facts: Facts) -> Reports:
    if facts.job:
        for each in facts.job_sources:
            yield each.lineage_body, {"target": each.target.id, "by": facts.job.id}


REPORTS: dict[Table, Callable[[Facts], Reports]] = {
    tables.schema: lambda facts: _of_datasets(facts.schemas),
    tables.description: lambda facts: _of_datasets(facts.descriptions),
    tables.reported_tags: lambda facts: _of_datasets(
        facts.tags, job=facts.job.id if facts.job else None
    ),
    tables.gap: _gaps,
    tables.facets: _kept_facets,
    tables.run_facets: _run_facets,
    tables.job_source: _job_sources,
}


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
