"""Lineage of fields: upstream, downstream, both; as JSON, CSV, Mermaid, DOT or text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from airflow_colgraph.api.access import Access, Reader, TheStore, visible
from airflow_colgraph.api.answers import as_json
from airflow_colgraph.exports.alias import known
from airflow_colgraph.exports.answer import answer
from airflow_colgraph.exports.csv import csv
from airflow_colgraph.exports.dot import dot
from airflow_colgraph.exports.mermaid import mermaid
from airflow_colgraph.exports.tree import tree
from airflow_colgraph.store import graph
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.shape import Field
from airflow_colgraph.store.store import Store

router = APIRouter(prefix="/api/v1", tags=["lineage"])

TEXTS: dict[str, tuple[Callable[[graph.Graph], str], str]] = {
    "csv": (csv, "text/csv"),
    "mermaid": (mermaid, "text/plain"),
    "dot": (dot, "text/vnd.graphviz"),
    "text": (tree, "text/plain"),
}


def pinned(text: str) -> Field:
    """The field that a JSON list names; QuestionError if it is none."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or [type(word) for word in found] != [str] * 3:
        raise QuestionError(f'Pin is {text!r}. Expected ["namespace","name","field"].')
    return Field(*found)


async def asked(
    name: Annotated[str, Query(description="The dataset's name.")],
    namespace: Annotated[str, Query(description="The dataset's namespace.")] = "",
    field: Annotated[
        list[str] | None, Query(description="A field, several times for several; else all.")
    ] = None,
    pin: Annotated[
        list[str] | None,
        Query(description='A field of another dataset as well: ["namespace","name","field"].'),
    ] = None,
    depth: Annotated[int, Query(ge=1, le=10_000, description="Hops.")] = graph.DEPTH,
    start: Annotated[str | None, Query(description="From this time on, e.g. now-7d.")] = None,
    end: Annotated[str | None, Query(description="Before this time.")] = None,
    at: Annotated[str | None, Query(description="What held at this time.")] = None,
    indirect: Annotated[
        bool, Query(description="Also fields that decide on rows or values.")
    ] = False,
    limit: Annotated[int, Query(ge=1, le=100_000, description="Edges at most.")] = graph.LIMIT,
    level: Annotated[str, Query(pattern="^(field|dataset)$")] = "field",
    collapse: Annotated[
        str | None, Query(max_length=200, description="Temporary datasets to leave out: a regex.")
    ] = None,
    timely: Annotated[
        bool, Query(description="Only what really fed the value, each hop as when the run ran.")
    ] = False,
) -> dict[str, Any]:
    """The parameters that every lineage question has."""
    return {
        "starts": [
            *(Field(namespace, name, one) for one in field or [""]),
            *map(pinned, pin or ()),
        ],
        "depth": depth,
        "start": start,
        "end": end,
        "at": at,
        "indirect": indirect,
        "limit": limit,
        "level": level,
        "collapse": collapse,
        "timely": timely,
    }


Asked = Annotated[dict[str, Any], Depends(asked)]


def _ask(store: Store, access: Access, question: dict[str, Any], form: str) -> Response:
    starts = known(store, question.pop("starts"))
    found = visible(graph.lineage(store, starts, **question), access)
    if form == "json":
        return as_json(answer(found))
    if form not in TEXTS:
        raise QuestionError(f"Format is {form!r}. Expected one of: json, {', '.join(TEXTS)}.")
    write, media_type = TEXTS[form]
    headers = {"X-Truncated": "true"} if found.truncated else {}
    return Response(write(found), headers=headers, media_type=media_type)


@router.get("/upstream")
def upstream(store: TheStore, access: Reader, question: Asked, format: str = "json") -> Response:
    """What the fields are made of, across jobs, back to where the data comes from."""
    return _ask(store, access, {**question, "direction": "upstream"}, format)


@router.get("/downstream")
def downstream(store: TheStore, access: Reader, question: Asked, format: str = "json") -> Response:
    """What is made of the fields, across jobs."""
    return _ask(store, access, {**question, "direction": "downstream"}, format)


@router.get("/graph")
def both(
    store: TheStore,
    access: Reader,
    question: Asked,
    direction: Annotated[str, Query(pattern="^(upstream|downstream|both)$")] = "both",
    format: str = "json",
) -> Response:
    """The lineage in one or both directions, each walked by itself."""
    return _ask(store, access, {**question, "direction": direction}, format)


@router.get("/impact")
def impact(store: TheStore, access: Reader, question: Asked, format: str = "json") -> Response:
    """Every field that is made of the fields, the nearest first, with the jobs that do it."""
    starts = known(store, question.pop("starts"))
    found = visible(graph.lineage(store, starts, direction="downstream", **question), access)
    if format == "csv":
        return Response(csv(found), media_type="text/csv")
    nodes = {field: depth for field, depth in found.nodes.items() if depth}
    tasks: dict[Field, dict[str, None]] = {field: {} for field in nodes}
    for edge in found.edges:
        for said in edge.said:
            if said.job and edge.output in tasks:
                tasks[edge.output][said.job.name] = None
    rows = [
        {
            **field._asdict(),
            "field": field.field or None,
            "depth": depth,
            "jobs": list(tasks[field]),
        }
        for field, depth in sorted(nodes.items(), key=lambda node: (node[1], node[0]))
    ]
    return as_json({"impact": rows, "count": len(rows), "truncated": found.truncated})


@router.get("/paths")
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
) -> Response:
    """The edges on any way from one field downstream to another."""
    ask = {"depth": depth, "indirect": indirect}
    first, last = Field(namespace, name, field), Field(to_namespace, to_name, to_field)
    down = graph.lineage(store, [first], direction="downstream", **ask)
    up = graph.lineage(store, [last], direction="upstream", **ask)
    between = {(e.input, e.output, e.transformation) for e in up.edges}
    down.edges = [e for e in down.edges if (e.input, e.output, e.transformation) in between]
    down.unexplored += up.unexplored
    return as_json(answer(visible(down, access)))
