"""Everything upstream of a field as it was at two times, and what of it has reached the field."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DEPTH, LIMIT, UP, Question
from airflow_colgraph.store.query import name_cache
from airflow_colgraph.store.query.edge_cache import INPUT, OUTPUT, Row
from airflow_colgraph.store.query.graph import search
from airflow_colgraph.store.query.run_aware import RunTimes


@dataclass
class Cone:
    """The edges upstream of a field at a time, DIRECT and INDIRECT.

    `depth` has the hops to each node, a field or a whole dataset; `passed_on` the latest time up to
    which a change of the node has reached the field, by the runs since.
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
    found = Cone(at, [row for level in levels for row in level], truncated=unexplored > 0)
    ids = {start.id} | {row[end] for row in found.rows for end in (INPUT, OUTPUT)}
    nodes = name_cache.of(connection).read_nodes(connection, ids)
    found.owner = {id: nodes[id].dataset for id in ids}
    found.owner.update({id: id for id in found.owner.values()})
    _reach(found.depth, found.owner, start.id, 0, min)
    for hops, level in enumerate(levels, 1):
        for row in level:
            _reach(found.depth, found.owner, row[INPUT], hops, min)
    runs = RunTimes(connection)
    _reach(found.passed_on, found.owner, start.id, at, max)
    for level in levels:
        for row in level:
            made = runs.made_at(row, found.passed_on.get(row[OUTPUT], at))
            if made is not None:
                _reach(found.passed_on, found.owner, row[INPUT], made, max)
    return found


def _reach(
    known: dict[int, int],
    owner: dict[int, int],
    id: int,
    value: int,
    best: Callable[[int, int], int],
) -> None:
    """Note a value of a node and of its dataset; the best one counts."""
    for one in (id, owner[id]):
        known[one] = best(known.get(one, value), value)


def made_of(cones: Iterable[Cone], names: dict[int, Field]) -> dict[Field, set[Field]]:
    """The inputs of each field in any of the cones, and of each dataset the datasets."""
    found: dict[Field, set[Field]] = {}
    for one in cones:
        for row in one.rows:
            output, input = names[row[OUTPUT]], names[row[INPUT]]
            found.setdefault(output, set()).add(input)
            found.setdefault(output.dataset, set()).add(input.dataset)
    return found
