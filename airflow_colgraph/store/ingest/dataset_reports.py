"""Writes the tags that events report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import greatest, least, upsert
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model.lineage_body import Field, unpack


def write_tags(
    connection: Connection, stated: Iterable[Facts], add_name: Callable[[Field], None]
) -> None:
    """Insert `tags` facets that are new, or extend their times; `add_name` gets tagged fields."""
    rows: dict[int, dict[str, Any]] = {}
    for facts in stated:
        for dataset, lineage_body in facts.tags:
            row = rows.get(lineage_body.id)
            if row is None:
                for name, *_ in unpack(lineage_body.packed)["tags"]:
                    add_name(dataset._replace(field=name))
                row = rows[lineage_body.id] = {
                    "id": lineage_body.id,
                    "dataset": dataset.id,
                    "job": facts.job.id if facts.job else None,
                    "first_at": facts.at,
                    "last_at": facts.at,
                    "body": lineage_body.packed,
                }
            row["first_at"] = min(row["first_at"], facts.at)
            row["last_at"] = max(row["last_at"], facts.at)
    upsert(
        connection,
        tables.reported_tags,
        (rows[id] for id in sorted(rows)),
        {"first_at": least, "last_at": greatest},
    )
