"""Everything upstream of a field as it was at two times, and what of it has reached the field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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

    def reach(values: dict[int, int], id: int, value: int, best: _Best) -> None:
        for node in (id, upstream.owner[id], *parts.get(id, ())):
            values[node] = best(values.get(node, value), value)

    reach(upstream.depth, start.id, 0, min)
    for hops, level in enumerate(levels, 1):
        for row in level:
            reach(upstream.depth, row[INPUT], hops, min)
    runs = RunTimes(connection)
    reach(upstream.passed_on, start.id, at, max)
    for level in levels:
        for row in level:
            ran = runs.made_at(row, upstream.passed_on.get(row[OUTPUT], at))
            if ran is not None:
                reach(upstream.passed_on, row[INPUT], ran, max)
    return upstream


_Best = Callable[[int, int], int]


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


def made_of(cones: Iterable[Cone], names: dict[int, Field]) -> dict[Field, set[Field]]:
    """The inputs of each field in any of the cones, and of each dataset the datasets."""
    inputs: dict[Field, set[Field]] = {}
    of_datasets = set()
    for output, input in {(row[OUTPUT], row[INPUT]) for each in cones for row in each.rows}:
        inputs.setdefault(names[output], set()).add(names[input])
        of_datasets.add((names[output][:2], names[input][:2]))
    for written, read in of_datasets:
        inputs.setdefault(Field(*written, ""), set()).add(Field(*read, ""))
    return inputs
