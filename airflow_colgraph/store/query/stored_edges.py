"""Every edge of the store, and when it held: for exports of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import and_, or_, select
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db.tables import dataset, edge, field, job, job_output, transformation
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import DOWN, Question
from airflow_colgraph.store.model.runs import Job, Report


class StoredEdge(NamedTuple):
    """One edge of the store and when it held; `closed_at` is None while it does."""

    output: Field
    input: Field
    transformation: Transformation
    job: Job | None
    job_output: int
    first_seen: int
    last_seen: int
    closed_at: int | None


OUT, OUT_DATASET = field.alias("out_field"), dataset.alias("out_dataset")
IN, IN_DATASET = field.alias("in_field"), dataset.alias("in_dataset")


def changed_since(since: int) -> Any:
    """The condition that an edge began or ended since a time."""
    closed = and_(edge.c.closed_at != OPEN, edge.c.closed_at >= since)
    return or_(edge.c.first_seen >= since, closed)


def edges(
    connection: Connection, since: int | None = None, *, current: bool = False
) -> Iterator[StoredEdge]:
    """Every edge, or those that began or ended since a time; `current`: those that hold now."""
    conditions = [changed_since(since)] if since is not None else []
    conditions += [edge.c.closed_at == OPEN] if current else []
    yield from edges_where(connection, conditions)


def edges_where(connection: Connection, conditions: list[Any]) -> Iterator[StoredEdge]:
    """The edges for which the conditions on the table of edges hold, in order."""
    query = (
        select(
            OUT_DATASET.c.namespace.label("out_namespace"),
            OUT_DATASET.c.name.label("out_name"),
            OUT.c.name.label("out_field_name"),
            IN_DATASET.c.namespace.label("in_namespace"),
            IN_DATASET.c.name.label("in_name"),
            IN.c.name.label("in_field_name"),
            transformation.c.type,
            transformation.c.subtype,
            transformation.c.masking,
            transformation.c.description,
            job.c.namespace.label("job_namespace"),
            job.c.name.label("job_name"),
            job.c.dag_id,
            job.c.task_id,
            edge.c.job_output,
            edge.c.first_seen,
            edge.c.last_seen,
            edge.c.closed_at,
            job_output.c.last_at,
        )
        .select_from(edge)
        .join(OUT, OUT.c.id == edge.c.output)
        .join(OUT_DATASET, OUT_DATASET.c.id == OUT.c.dataset)
        .join(IN, IN.c.id == edge.c.input)
        .join(IN_DATASET, IN_DATASET.c.id == IN.c.dataset)
        .join(transformation, transformation.c.id == edge.c.transformation)
        .join(job_output, job_output.c.id == edge.c.job_output)
        .outerjoin(job, job.c.id == job_output.c.job)
        .where(*conditions)
        .order_by(
            *(OUT_DATASET.c.namespace, OUT_DATASET.c.name, OUT.c.name),
            *(IN_DATASET.c.namespace, IN_DATASET.c.name, IN.c.name),
            *(edge.c.first_seen, edge.c.transformation, edge.c.job_output),
        )
    )
    for row in connection.execute(query, execution_options={"stream_results": True}):
        yield StoredEdge(
            Field(row.out_namespace, row.out_name, row.out_field_name),
            Field(row.in_namespace, row.in_name, row.in_field_name),
            Transformation(row.type, row.subtype, row.masking, row.description),
            _job(row.job_namespace, row.job_name, row.dag_id, row.task_id),
            row.job_output,
            row.first_seen,
            row.last_at if row.last_seen == OPEN else row.last_seen,
            None if row.closed_at == OPEN else row.closed_at,
        )


def as_graph(edges: Iterable[StoredEdge], *, indirect: bool = False) -> Graph:
    """All edges between fields as one answer; `indirect`: also INDIRECT ones."""
    reports: dict[tuple[Field, Field, Transformation], list[Report]] = {}
    for stored in edges:
        if stored.input.field and (stored.transformation.type == "DIRECT" or indirect):
            ends = stored.input, stored.output, stored.transformation
            reports.setdefault(ends, []).append(_report(stored))
    drawn = [Edge(*ends, 1, DOWN, tuple(some)) for ends, some in sorted(reports.items())]
    return Graph(Question(DOWN, indirect=indirect), (), drawn)


def _report(edge: StoredEdge) -> Report:
    closed = None if edge.closed_at is None else clock.iso(edge.closed_at)
    return Report(edge.job, None, clock.iso(edge.first_seen), clock.iso(edge.last_seen), closed)


def _job(namespace: str | None, name: str | None, dag: str | None, task: str | None) -> Job | None:
    return None if name is None else Job(namespace or "", name, dag, task)
