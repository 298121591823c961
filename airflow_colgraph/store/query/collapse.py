"""An answer without temporary datasets: A -> T -> C becomes A -> C. Pure.

Field by field, so that only what is connected through T stays connected: never everything that
went into T with everything that came out.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace

from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.runs import Report

# Of two DIRECT steps the stronger one describes both.
STRENGTH = {"IDENTITY": 1, "TRANSFORMATION": 2, "AGGREGATION": 3}
Edges = dict[tuple[Field, Field, Transformation], tuple[Report, ...]]


def collapse(graph: Graph, pattern: str) -> Graph:
    """The answer without the datasets whose name matches the pattern; starts stay."""
    try:
        temporary = re.compile(pattern)
    except re.error as error:
        raise QuestionError(f"{pattern!r} is not a regular expression: {error}.") from None
    kept = {start.dataset for start in graph.starts}
    edges: list[Edge] = []
    for direction in (UP, DOWN):
        found: Edges = {
            (e.input, e.output, e.transformation): e.reported_by
            for e in graph.edges
            if e.direction == direction
        }
        fields = {field for pair in found for field in pair[:2]}
        gone = {f for f in fields if f.dataset not in kept and temporary.search(f.name)}
        for field in sorted(gone, key=lambda field: (field.dataset, bool(field.field), field)):
            _without(found, field)
        edges += _measured(found, graph.starts, direction)
    return replace(graph, edges=edges)


def both(near: Transformation, far: Transformation) -> Transformation:
    """Two steps as one: `near` is the one nearer the output. The first INDIRECT decides."""
    masking = near.masking or far.masking
    if near.type != "DIRECT":
        kept = near
    elif far.type != "DIRECT":
        kept = far
    else:
        kept = max(near, far, key=lambda one: STRENGTH.get(one.subtype, 0))
    texts = dict.fromkeys(text for text in (far.description, near.description) if text)
    return kept._replace(masking=masking, description=" | ".join(texts))


def _without(edges: Edges, field: Field) -> None:
    """Connect what goes into the field with what comes out of it, and drop it."""
    into = [(key, reports) for key, reports in edges.items() if key[1] == field]
    out_of = [(key, reports) for key, reports in edges.items() if key[0] == field]
    for key, _ in (*into, *out_of):
        edges.pop(key, None)
    if not field.field:  # what affects which rows exist affects each of their fields
        others = {key[0] for key in edges if key[0].dataset == field and key[0].field}
        for (source, _, how), reports in into:
            for other in others:
                edges.setdefault((source, other, how), reports)
        return
    for (source, _, far), _ in into:
        for (_, target, near), reports in out_of:
            if field not in (source, target):
                edges.setdefault((source, target, both(near, far)), reports)


def _measured(edges: Edges, starts: tuple[Field, ...], direction: str) -> list[Edge]:
    """The edges with their distance from the starts."""
    up = direction == UP
    at: dict[Field, list[tuple[Field, Field, Transformation]]] = {}
    for key in edges:
        at.setdefault(key[1] if up else key[0], []).append(key)
    depth: dict[Field, int] = dict.fromkeys(starts, 0)
    queue = deque(starts)
    found: dict[tuple[Field, Field, Transformation], int] = {}
    while queue:
        field = queue.popleft()
        keys = at.get(field, []) + (at.get(field.dataset, []) if field.field else [])
        if direction == DOWN and not field.field:
            keys += [key for other, ks in at.items() if other.dataset == field for key in ks]
        for key in keys:
            found.setdefault(key, depth[field] + 1)
            far = key[0] if up else key[1]
            if far not in depth:
                depth[far] = depth[field] + 1
                queue.append(far)
    made = [Edge(*key, hops, direction, edges[key]) for key, hops in found.items()]
    return sorted(made, key=lambda edge: (edge.depth, edge.output, edge.input, edge[2]))
