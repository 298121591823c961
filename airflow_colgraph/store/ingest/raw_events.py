"""Whole events, kept small: what the runs of a job have in common once, and what is each one's own.

A store that is told to (`Store.keep_events`) can give every event back as it came, to send it again
or to another backend. An event is a template with holes and the values that fill them: times, the
run's id, numbers, and what the run's facets say with many digits in it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import tables
from airflow_colgraph.store.db.upsert import upsert
from airflow_colgraph.store.ingest.openlineage import Facts
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import key
from airflow_colgraph.store.model.runs import run_id

# Strings that begin with NUL are only ever these in a template.
HOLE, TIME, RUN = "\0", "\0t", "\0r"
_OWN = re.compile(r"\d{4}")  # a run's own ids and times have so many digits in a row
_PACKED = 64  # bytes up to which packing does not pay
_TEMPLATES = select(tables.template.c.id).where(
    tables.template.c.id.in_(bindparam("b_ids", expanding=True))
)


def split(event: Any, at: int, run: bytes) -> tuple[Any, list[Any]]:
    """The template of an event and its own values, in the order of the holes. Pure.

    >>> split({"eventTime": "2026-11-20T10:00:00Z", "job": {"size": 3}}, 1795168800000, b"")
    ({'eventTime': '\\x00', 'job': {'size': '\\x00'}}, ['2026-11-20T10:00:00Z', 3])
    """
    own: list[Any] = []
    known = {clock.iso(at): TIME, **({run_id(run): RUN} if run else {})}

    def hole(value: Any) -> str:
        own.append(value)
        return HOLE

    def walk(value: Any, of_run: bool) -> Any:
        if isinstance(value, dict):
            return {
                name: walk(part, of_run or name in ("run", "eventTime"))
                for name, part in value.items()
            }
        if isinstance(value, list):
            return [walk(part, of_run) for part in value]
        if isinstance(value, str):
            if value in known:
                return known[value]
            changes = of_run and _OWN.search(value)
            return hole(value) if changes or value.startswith(HOLE) else value
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return hole(value) if is_number else value

    return walk(event, False), own


def join(template: Any, own: Iterable[Any], at: int, run: bytes) -> Any:
    """The event again, equal in content and order. Pure."""
    values = iter(own)

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: walk(part) for name, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        if value == HOLE:
            return next(values)
        if value == TIME:
            return clock.iso(at)
        return run_id(run) if value == RUN else value

    return walk(template)


def is_kept(connection: Connection) -> bool:
    """Whether the store keeps whole events."""
    cursor = connection.connection.cursor()
    cursor.execute("SELECT events FROM colgraph_change")
    row = cursor.fetchone()
    return bool(row and row[0])


def write(connection: Connection, stated: Sequence[Facts]) -> None:
    """Keep the events that the facts are from; the same event once."""
    templates: dict[int, bytes] = {}
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    for facts in stated:
        run = facts.run.id if facts.run else b""
        template, own = split(facts.event, facts.at, run)
        text, values = _dumps(template), _dumps(own) if own else ""
        id = key(text)
        templates[id] = text.encode()
        of_event = key(text, values, run.hex())
        own_packed = _pack(values.encode())
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


def read(
    connection: Connection,
    start: int = -clock.OPEN,
    end: int = clock.OPEN,
    *,
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
    run: bytes | None = None,
) -> Iterator[Any]:
    """The events (of a run) that came with times in [start, end), in the order of time."""
    event, template = tables.event, tables.template
    at, id = (c.desc() if newest_first else c for c in (event.c.at, event.c.id))
    query = (
        select(event.c.at, event.c.run, event.c.own, template.c.id, template.c.body)
        .join_from(event, template, template.c.id == event.c.template)
        .where(event.c.at >= start, event.c.at < end)
        .order_by(at, id)
    )
    if run is not None:
        query = query.where(event.c.run == run)
    if limit is not None:
        query = query.limit(limit).offset(offset)
    known: dict[int, Any] = {}
    for row in connection.execute(query):
        if row.id not in known:
            known[row.id] = json.loads(zlib.decompress(row.body))
        own = json.loads(_unpack(bytes(row.own)) or b"[]")
        yield join(known[row.id], own, row.at, bytes(row.run))


def count(connection: Connection, start: int = -clock.OPEN, end: int = clock.OPEN) -> int:
    """The number of events with times in [start, end)."""
    event = tables.event
    query = select(func.count()).where(event.c.at >= start, event.c.at < end)
    return int(connection.execute(query).scalar() or 0)


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _pack(data: bytes) -> bytes:
    """Packed if that is shorter: packed data does not begin with a bracket."""
    return data if len(data) <= _PACKED else min(data, zlib.compress(data, 9), key=len)


def _unpack(data: bytes) -> bytes:
    return data if not data or data[:1] == b"[" else zlib.decompress(data)
