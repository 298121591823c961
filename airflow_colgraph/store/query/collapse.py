"""An answer without temporary datasets: A -> T -> C becomes A -> C. Pure.

Field by field, so that only what is connected through T stays connected: never everything that
went into T with everything that came out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from airflow_colgraph.openlineage.transformations import merge
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model.lineage_body import Field, Transformation
from airflow_colgraph.store.model.lineage_graph import Edge, Graph
from airflow_colgraph.store.model.name_pattern import name_pattern
from airflow_colgraph.store.model.question import DOWN, UP
from airflow_colgraph.store.model.runs import Report

MOST_STEPS = 1_000_000  # connections tried in one answer
MOST_TEXT = 2_000  # characters of a joined description
Key = tuple[Field, Field, Transformation]
Edges = dict[Key, tuple[Report, ...]]


def collapse(graph: Graph, pattern: str) -> Graph:
    """The answer without the datasets whose name matches the pattern of RE2; starts stay."""
    matches = name_pattern(pattern)
    starts = {start.dataset for start in graph.starts}
    names = {field.name for edge in graph.edges for field in edge[:2]}
    temporary = {name for name in names if matches(name)}
    edges: list[Edge] = []
    steps = 0
    for direction in (UP, DOWN):
        connected = _Connected(e for e in graph.edges if e.direction == direction)
        gone = {f for f in connected.fields if f.dataset not in starts and f.name in temporary}
        for field in sorted(gone, key=lambda field: (field.dataset, bool(field.field), field)):
            steps += connected.steps(field)
            if steps > MOST_STEPS:
                raise QuestionError(
                    f"Too much is connected through the datasets whose name matches {pattern!r}. "
                    "Ask for fewer edges (limit, depth), or choose a pattern that fewer match."
                )
            connected.connect_through(field)
        edges += _measured(connected.edges, graph.starts, direction)
    return replace(graph, edges=edges)


def both(near: Transformation, far: Transformation) -> Transformation:
    """Two steps as one: `near` is the one nearer the output. Their descriptions are joined."""
    texts = dict.fromkeys(text for text in (far.description, near.description) if text)
    return merge(near, far)._replace(description=" | ".join(texts)[:MOST_TEXT])


class _Connected:
    """The edges of one direction, found by either end."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self.edges: Edges = {}
        self._into: dict[Field, dict[Key, None]] = {}
        self._out_of: dict[Field, dict[Key, None]] = {}
        for edge in edges:
            self._add(edge[:3], edge.reported_by)
        self.fields = self._into.keys() | self._out_of.keys()
        self._members = _by_dataset(self.fields)

    def _add(self, key: Key, reports: tuple[Report, ...]) -> None:
        if self.edges.setdefault(key, reports) is reports:
            self._into.setdefault(key[1], {})[key] = None
            self._out_of.setdefault(key[0], {})[key] = None

    def _drop(self, field: Field) -> tuple[Edges, Edges]:
        """The edges into and out of the field, which are no longer there."""
        into, out_of = (
            {key: self.edges[key] for key in keys.pop(field, ())}
            for keys in (self._into, self._out_of)
        )
        for key in (*into, *out_of):
            self.edges.pop(key, None)
            self._into.get(key[1], {}).pop(key, None)
            self._out_of.get(key[0], {}).pop(key, None)
        return into, out_of

    def _others(self, dataset: Field) -> list[Field]:
        """The fields of the dataset that something comes from."""
        members = self._members.get(dataset, ())
        return [member for member in members if member.field and self._out_of.get(member)]

    def steps(self, field: Field) -> int:
        """How many connections `connect_through` is going to make."""
        out_of = self._out_of.get(field, ()) if field.field else self._others(field)
        return len(self._into.get(field, ())) * len(out_of)

    def connect_through(self, field: Field) -> None:
        """Connect what goes into the field with what comes out of it, and drop it."""
        into, out_of = self._drop(field)
        if not field.field:  # what affects which rows exist affects each of their fields
            others = self._others(field)
            for (source, _, how), reports in into.items():
                for other in others:
                    self._add((source, other, how), reports)
            return
        for (source, _, far), _ in into.items():
            for (_, target, near), reports in out_of.items():
                if field not in (source, target):
                    self._add((source, target, both(near, far)), reports)


def _by_dataset(fields: Iterable[Field]) -> dict[Field, list[Field]]:
    fields_of: dict[Field, list[Field]] = {}
    for field in fields:
        fields_of.setdefault(field.dataset, []).append(field)
    return fields_of


def _measured(edges: Edges, starts: tuple[Field, ...], direction: str) -> list[Edge]:
    """The edges with their distance from the starts."""
    up = direction == UP
    at: dict[Field, list[Key]] = {}
    for key in edges:
        at.setdefault(key[1] if up else key[0], []).append(key)
    members = _by_dataset(at)
    depth: dict[Field, int] = dict.fromkeys(starts, 0)
    queue = deque(starts)
    with_rows: set[Field] = set()  # datasets whose rows' edges are found
    distances: dict[Key, int] = {}
    while queue:
        field = queue.popleft()
        keys = list(at.get(field, ()))
        if field.field and field.dataset not in with_rows:
            with_rows.add(field.dataset)
            keys += at.get(field.dataset, ())
        if direction == DOWN and not field.field:
            keys += (key for member in members.get(field, ()) for key in at[member])
        for key in keys:
            distances.setdefault(key, depth[field] + 1)
            far = key[0] if up else key[1]
            if far not in depth:
                depth[far] = depth[field] + 1
                queue.append(far)
    joined = [Edge(*key, hops, direction, edges[key]) for key, hops in distances.items()]
    return sorted(joined, key=lambda edge: (edge.depth, edge.output, edge.input, edge[2]))
