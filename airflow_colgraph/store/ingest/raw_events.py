"""Stores whole events: what the runs of a job have in common once, and the values of each event.

With `Store.keep_events` the store can return every event as it was received, to send it again or to
another backend (`query.event_archive`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model.event_template import pack, split
from airflow_colgraph.store.model.lineage_body import key

_TEMPLATES = select(tables.template.c.id).where(
    tables.template.c.id.in_(bindparam("b_ids", expanding=True))
)


def write(connection: Connection, stated: Sequence[Facts]) -> None:
    """Store the events that the facts are from; the same event once."""
    templates: dict[int, bytes] = {}
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for facts in stated:
        run = facts.run.id if facts.run else b""
        template, own = split(facts.event, facts.at, run)
        text, values = _dumps(template), _dumps(own) if own else ""
        id = key(text)
        templates[id] = text.encode()
        of_event = key(text, values, run.hex())
        own_packed = pack(values.encode())
        rows[facts.at, of_event] = {
            "at": facts.at,
            "id": of_event,
            "run": run,
            "template": id,
            "own": own_packed,
        }
    there = set(connection.execute(_TEMPLATES, {"b_ids": sorted(templates)}).scalars())
    upsert(
        connection,
        tables.template,
        (
            {"id": id, "body": zlib.compress(templates[id])}
            for id in sorted(templates.keys() - there)
        ),
    )
    upsert(connection, tables.event, (rows[order] for order in sorted(rows)))


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
