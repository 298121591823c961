"""Lineage of fields: upstream, downstream or both, in any of GRAPH_FORMATS."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel
from pydantic import Field as Parameter

from airflow_colgraph.api.access import Access, Reader, TheStore, hidden_jobs, visible
from airflow_colgraph.api.graph_examples import RESPONSES
from airflow_colgraph.api.parameters import documented, read
from airflow_colgraph.api.read_audit import name_graph
from airflow_colgraph.api.responses import as_bounded_json, graph_response
from airflow_colgraph.api.worker_threads import StoreRoute
from airflow_colgraph.exports.field_lookup import find_fields
from airflow_colgraph.exports.formats.csv import csv
from airflow_colgraph.exports.formats.registry import GRAPH_FORMATS, draws
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.lineage_graph import Graph
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.collapse import collapse
from airflow_colgraph.store.query.copies import named_readers
from airflow_colgraph.store.query.gone_columns import with_gone_columns
from airflow_colgraph.store.query.job_runs import job_names
from airflow_colgraph.store.query.unknown_columns import unknown_readers
from airflow_colgraph.store.store import Store

router = APIRouter(prefix="/api/v1", tags=["lineage"], route_class=StoreRoute)

GraphFormat = Annotated[str, Query(description=f"One of: {', '.join(GRAPH_FORMATS)}.")]


def pinned(text: str) -> Field:
    """The field that a JSON list names; QuestionError if it is none."""
    try:
        words = json.loads(text)
    except ValueError:
        words = None
    if not isinstance(words, list) or [type(word) for word in words] != [str] * 3:
        raise QuestionError(f'Pin is {text!r}. Expected ["namespace","name","field"].')
    return Field(*words)


class LineageQuery(BaseModel):
    """The parameters that every lineage question has."""

    name: str = Parameter(description="The dataset's name.")
    namespace: str = Parameter("", description="The dataset's namespace.")
    field: list[str] | None = Parameter(
        None, description="A field; may be repeated. Default: every field."
    )
    pin: list[str] | None = Parameter(
        None, description='A field of another dataset as well: ["namespace","name","field"].'
    )
    depth: int = Parameter(graph.DEPTH, ge=1, le=10_000, description="Hops.")
    start: str | None = Parameter(
        None, description="Only what was reported from this time on, e.g. now-7d."
    )
    end: str | None = Parameter(None, description="Only what was reported before this time.")
    at: str | None = Parameter(None, description="The lineage as of this time.")
    indirect: bool = Parameter(
        False, description="Also INDIRECT edges: filters, joins, grouping, conditions."
    )
    conditional: bool = Parameter(
        False,
        description="Also INDIRECT edges that choose a column's value: conditions, windows.",
    )
    limit: int = Parameter(
        graph.LIMIT, ge=1, le=100_000, description="The maximum number of edges."
    )
    level: str = Parameter("field", pattern="^(field|dataset)$")
    collapse: str | None = Parameter(
        None, max_length=200, description="Temporary datasets to leave out: a pattern of RE2."
    )
    run_aware: bool = Parameter(
        False,
        description="Only edges that contributed to the value: each hop as of the run that wrote"
        " it.",
    )
    format: str = Parameter("json", description=f"One of: {', '.join(GRAPH_FORMATS)}.")

    def starts(self) -> list[Field]:
        """The fields that are asked for."""
        fields = [Field(self.namespace, self.name, field) for field in self.field or [""]]
        return [*fields, *map(pinned, self.pin or ())]

    def options(self) -> dict[str, Any]:
        """The options of `graph.lineage`, but for the direction and `collapse`."""
        return {name: getattr(self, name) for name in _HOW}


class BidirectionalQuery(LineageQuery):
    """The same, and in which direction."""

    direction: str = Parameter("both", pattern="^(upstream|downstream|both)$")


_HOW = [
    field.name for field in fields(graph.Question) if field.name not in ("direction", "collapse")
]
Question = Annotated[LineageQuery, Depends(read(LineageQuery))]
BothQuestion = Annotated[BidirectionalQuery, Depends(read(BidirectionalQuery))]
ASKED, BOTH = documented(LineageQuery), documented(BidirectionalQuery)


def _answer(store: Store, access: Access, asked: LineageQuery, direction: str) -> Graph:
    """What the caller may see of the answer: only that is connected through what is left out."""
    access.require_depth(asked.depth)
    starts = find_fields(store, asked.starts())
    answer = visible(graph.lineage(store, starts, direction=direction, **asked.options()), access)
    return answer if asked.collapse is None else collapse(answer, asked.collapse)


def _ask(store: Store, access: Access, asked: LineageQuery, direction: str) -> Response:
    graph = _answer(store, access, asked, direction)
    if draws(asked.format):
        graph = store.ask(lambda connection: with_gone_columns(connection, graph))
    return graph_response(graph, asked.format)


@router.get("/upstream", openapi_extra=ASKED, responses=RESPONSES)
def upstream(store: TheStore, access: Reader, asked: Question) -> Response:
    """Trace fields upstream, across jobs, to their sources."""
    return _ask(store, access, asked, "upstream")


@router.get("/downstream", openapi_extra=ASKED, responses=RESPONSES)
def downstream(store: TheStore, access: Reader, asked: Question) -> Response:
    """Trace fields downstream, across jobs."""
    return _ask(store, access, asked, "downstream")


@router.get("/graph", openapi_extra=BOTH, responses=RESPONSES)
def both(store: TheStore, access: Reader, asked: BothQuestion) -> Response:
    """Trace fields in one or both directions, each traversed separately."""
    return _ask(store, access, asked, asked.direction)


@router.get("/impact", openapi_extra=ASKED)
def impact(store: TheStore, access: Reader, asked: Question) -> Response:
    """Every downstream field, the nearest first, with the jobs that write it.

    `unknown`: jobs that read these datasets without reporting which columns they use.
    """
    downstream = _answer(store, access, asked, "downstream")
    name_graph(downstream)
    if asked.format == "csv":
        return Response(csv(downstream), media_type="text/csv")
    nodes = {field: depth for field, depth in downstream.nodes.items() if depth}
    tasks: dict[Field, dict[str, None]] = {field: {} for field in nodes}
    for edge in downstream.edges:
        for report in edge.reported_by:
            if report.job and edge.output in tasks:
                tasks[edge.output][report.job.name] = None
    rows = [
        {
            **field._asdict(),
            "field": field.field or None,
            "depth": depth,
            "jobs": list(tasks[field]),
        }
        for field, depth in sorted(nodes.items(), key=lambda node: (node[1], node[0]))
    ]
    answer = {"impact": rows, "count": len(rows), "unknown": _unknown(store, access, downstream)}
    answer |= {"truncated": downstream.truncated}
    return as_bounded_json(answer, "unknown", "impact")


def _unknown(store: Store, access: Access, downstream: Graph) -> list[dict[str, Any]]:
    with store.connection() as connection:
        datasets = {field.dataset.id for field in downstream.nodes}
        readers = unknown_readers(connection, None, datasets)
        jobs = job_names(connection, {reader.job for reader in readers if reader.job is not None})
        hidden = hidden_jobs(connection, access)
        shown = {id: name for id, name in jobs.items() if id not in hidden}
        return [reader._asdict() for reader in named_readers(connection, readers, shown)]


@router.get("/paths", responses=RESPONSES)
def paths(
    store: TheStore,
    access: Reader,
    namespace: str,
    name: str,
    field: str,
    to_namespace: str,
    to_name: str,
    to_field: str,
    depth: Annotated[int, Query(ge=1, le=10_000)] = graph.DEPTH,
    indirect: bool = False,
    format: GraphFormat = "json",
) -> Response:
    """The edges on any path from one field downstream to another."""
    access.require_depth(depth)
    ask = {"depth": depth, "indirect": indirect}
    first, last = Field(namespace, name, field), Field(to_namespace, to_name, to_field)
    down = graph.lineage(store, [first], direction="downstream", **ask)
    up = graph.lineage(store, [last], direction="upstream", **ask)
    between = {(e.input, e.output, e.transformation) for e in up.edges}
    down.edges = [e for e in down.edges if (e.input, e.output, e.transformation) in between]
    down.unexplored += up.unexplored
    return graph_response(visible(down, access), format)
