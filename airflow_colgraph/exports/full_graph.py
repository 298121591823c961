"""All edges of the store as one graph answer, so that it renders like any other."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_colgraph.exports.store_reader import Edge
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.store.query import graph


def full_graph(edges: Iterable[Edge], *, indirect: bool = False) -> graph.Graph:
    """A graph of the edges between fields; `indirect`: also INDIRECT edges."""
    reports_of: dict[tuple[Field, Field, Transformation], list[graph.Report]] = {}
    for edge in edges:
        made_of = edge.input
        if made_of.field and (made_of.direct or indirect):
            ends = Field(*made_of.dataset, made_of.field), Field(*edge.output, edge.output_field)
            done = Transformation(*made_of[2:])
            reports_of.setdefault((*ends, done), []).append(_report(edge))
    drawn = [
        graph.Edge(*key, 1, DOWN, tuple(reports)) for key, reports in sorted(reports_of.items())
    ]
    return graph.Graph(graph.Question(DOWN, indirect=indirect), (), drawn)


def _report(edge: Edge) -> graph.Report:
    job = edge.job and graph.Job(*edge.job[:2], edge.job.dag_id or None, edge.job.task_id or None)
    closed = None if edge.closed_at is None else clock.iso(edge.closed_at)
    return graph.Report(job, None, clock.iso(edge.first_seen), clock.iso(edge.last_seen), closed)
