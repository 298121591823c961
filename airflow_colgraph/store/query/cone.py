"""Everything upstream of a field as it was at two times, and what of it has reached the field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from sqlalchemy.engine import Connection

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DEPTH, LIMIT, UP, Question, Span
from airflow_colgraph.store.query.containment import Containment
from airflow_colgraph.store.query.edge_cache import INPUT, OUTPUT, Row
from airflow_colgraph.store.query.graph import search
from airflow_colgraph.store.query.run_aware import RunTimes
from airflow_colgraph.store.query.traversal import KINDS, Traversal


@dataclass
class Cone:
    """The edges upstream of a field at a time, DIRECT and INDIRECT.

    `depth` has the hops to each node, a field or a whole dataset; `passed_on` the latest time up to
    which a change of the node has reached the field, by the runs since. A struct has its parts.
    """

    at: int
    rows: list[Row] = field(default_factory=list)
    depth: dict[int, int] = field(default_factory=dict)
    passed_on: dict[int, int] = field(default_factory=dict)
    owner: dict[int, int] = field(default_factory=dict)  # node -> its dataset
    truncated: bool = False


def cone(connection: Connection, start: Field, at: int, depth: int = DEPTH) -> Cone:
    """What is upstream of the field at the time."""
    question = Question(direction=UP, indirect=True, at=clock.iso(at), depth=depth, limit=LIMIT)
    levels, unexplored = search(connection, [start.id], question)
    upstream = Cone(at, [row for level in levels for row in level], truncated=unexplored > 0)
    containment = Containment(connection)
    ids = {start.id} | {row[end] for row in upstream.rows for end in (INPUT, OUTPUT)}
    parts = containment.parts(ids)
    ids.update(*parts.values())
    nodes = containment.nodes(ids)
    upstream.owner = {id: nodes[id].dataset for id in ids}
    upstream.owner.update({id: id for id in upstream.owner.values()})

    def around(id: int) -> tuple[int, ...]:
        return id, upstream.owner[id], *parts.get(id, ())

    inputs = ({row[INPUT] for row in level} for level in levels)
    for hops, nodes_at in enumerate([{start.id}, *inputs]):
        for id in nodes_at:
            for node in around(id):
                upstream.depth.setdefault(node, hops)
    upstream.passed_on = _passed_on(RunTimes(connection), upstream, start.id, around)
    return upstream


def _passed_on(
    runs: RunTimes, upstream: Cone, start: int, around: Callable[[int], Iterable[int]]
) -> dict[int, int]:
    """The latest time up to which a change of each node has reached the start.

    Times fall along the edges: the node with the latest one that was not looked at is settled.
    """
    edges = rows_by_output(upstream.rows)
    latest: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []  # a heap of negated times and nodes

    def reach(id: int, time: int) -> None:
        for node in around(id):
            if time > latest.get(node, -1):
                latest[node] = time
                heappush(waiting, (-time, node))

    reach(start, upstream.at)
    while waiting:
        negated, output = heappop(waiting)
        if -negated < latest[output]:
            continue
        reached: dict[int, int] = {}
        for row in edges.get(output, ()):
            ran = runs.made_at(row, -negated)
            if ran is not None and ran > reached.get(row[INPUT], -1):
                reached[row[INPUT]] = ran
        for input, ran in reached.items():
            reach(input, ran)
    return latest


def rows_by_output(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """The edges by their outputs."""
    by_output: dict[int, list[Row]] = {}
    for row in rows:
        by_output.setdefault(row[OUTPUT], []).append(row)
    return by_output


def with_same_parts(connection: Connection, cones: Sequence[Cone]) -> None:
    """Give each cone the parts that only the other one names, as its structs have them.

    So a struct that was copied as a whole and is built now is compared part by part.
    """
    outputs = [{row[OUTPUT] for row in cone.rows} for cone in cones]
    for cone, own, others in zip(cones, outputs, reversed(outputs), strict=True):
        containment = Containment(connection)
        split = {
            part: whole
            for part, around in containment.wholes(others - own).items()
            for whole in [id for id in around if id in own][:1]
        }
        if split:
            _split(connection, cone, split, set(split.values()) - others)


def _split(
    connection: Connection, cone: Cone, split: Mapping[int, int], gone: Collection[int]
) -> None:
    """Add the edges of parts, by their structs; those of structs that are gone are left out."""
    rows = Traversal(connection, UP, Span(at=cone.at), KINDS[True]).level(split)
    nodes = Containment(connection).nodes({row[INPUT] for row in rows})
    for part, whole in split.items():
        for values in (cone.owner, cone.depth, cone.passed_on):
            if whole in values:
                values.setdefault(part, values[whole])
    for row in rows:
        cone.owner.setdefault(row[INPUT], nodes[row[INPUT]].dataset)
        cone.depth.setdefault(row[INPUT], cone.depth[row[OUTPUT]] + 1)
    cone.rows = [row for row in cone.rows if row[OUTPUT] not in gone] + rows


def inputs_of(cones: Iterable[Cone], names: Mapping[int, Field]) -> dict[Field, set[Field]]:
    """The inputs of each field in any of the cones, and of each dataset the datasets."""
    edges: set[tuple[int, int]] = set()
    for each in cones:
        of_fields = {(row[OUTPUT], row[INPUT]) for row in each.rows}
        edges |= of_fields
        edges |= {(each.owner[output], each.owner[input]) for output, input in of_fields}
    inputs: dict[int, set[Field]] = {}
    for output, input in edges:
        inputs.setdefault(output, set()).add(names[input])
    return {names[output]: some for output, some in inputs.items()}
