"""Compares `colgraph why` with made histories of definitions.

    python -m oracles.why_histories --histories 1000

A history is a sequence of runs that overwrite a table each. Between its runs a job may compute a
column from others, in another way, masked, under another condition, or no longer; and filter its
rows by others. The model beside it knows each table's definition at both times, and what is
upstream of the column then. The store has only the events. A change of lineage that `why`
lacks although it is upstream at both times, and one that it invents, is a difference; so is a wrong
distance. The exit code is 1 then.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.causes import LINEAGE, ROWS
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.why import why
from oracles.seeds import seeds
from tests.store.samples import at, copy_event, memory_store

Column = tuple[str, str]  # table, column; an empty column: all rows
Inputs = frozenset[tuple[Column, str]]  # each with how it is used
Definition = dict[str, Inputs]  # by column; the empty one has what affects all rows
LAYERS = (("raw",), ("a", "b"), ("c", "d"), ("mart",))
COLUMNS = ("x", "y", "z")
IDENTITY = "DIRECT:IDENTITY"
WAYS = (
    *(IDENTITY, IDENTITY, "DIRECT:TRANSFORMATION", "DIRECT:AGGREGATION"),
    *("DIRECT:TRANSFORMATION:masking", "INDIRECT:CONDITIONAL"),
)
OF_ROWS = ("INDIRECT:FILTER", "INDIRECT:JOIN", "INDIRECT:GROUP_BY")
KINDS = LINEAGE | ROWS | {"column-added", "column-removed"}


class History:
    """The definitions of all tables at each minute, and the events that told of them."""

    def __init__(self, seed: int) -> None:
        """Each table is written once or more; sources and definitions are drawn."""
        self._choose = random.Random(seed)
        self._definitions: dict[str, Definition] = {}
        self.events: list[dict[str, Any]] = []
        self.states: list[dict[str, Definition]] = [{}]  # by minute
        tables = [(table, below) for below, layer in enumerate(LAYERS[1:]) for table in layer]
        steps = self._choose.randrange(6, 20)
        for minute in range(1, steps + 1):
            is_first_round = minute <= len(tables)
            table, below = tables[minute - 1] if is_first_round else self._choose.choice(tables)
            if is_first_round or self._choose.random() < 0.6:
                self._definitions[table] = self._defined(table, LAYERS[below])
            self._run(minute, table)
        self.first = len(tables)  # the minute from which all tables are there

    def _defined(self, table: str, sources: tuple[str, ...]) -> Definition:
        """The definition of a table: most of it is that of before."""
        choose = self._choose

        def drawn(ways: Iterable[str], most: int) -> Inputs:
            columns = [(choose.choice(sources), choose.choice(COLUMNS)) for _ in range(most)]
            return frozenset((column, choose.choice([*ways])) for column in dict.fromkeys(columns))

        before = self._definitions.get(table, {})
        definition: Definition = {}
        for name in COLUMNS:
            if name in before and choose.random() < 0.7:
                definition[name] = before[name]
            elif choose.random() < 0.9 or name == COLUMNS[0]:
                definition[name] = drawn(WAYS, choose.choice((0, 1, 1, 2)))
        keeps = "" in before and choose.random() < 0.7
        definition[""] = before[""] if keeps else drawn(OF_ROWS, choose.choice((0, 0, 1, 2)))
        return definition

    def _run(self, minute: int, table: str) -> None:
        definition = self._definitions[table]
        texts = {
            name: ", ".join(sorted(f"{'.'.join(column)} {how}" for column, how in inputs))
            for name, inputs in definition.items()
        }
        rows = texts.pop("")
        self.events.append(copy_event(f"make_{table}", minute, table, texts, dataset=rows))
        self.states.append(dict(self._definitions))


def upstream(state: dict[str, Definition], start: Column) -> dict[Column, int]:
    """The columns upstream, and the rows of their tables, each with its distance."""
    distances = {start: 0}
    level = [start]
    while level:
        following = []
        for column in level:
            rows = (column[0], "")
            distances.setdefault(rows, distances[column])
            definition = state.get(column[0], {})
            for source, _ in definition.get(column[1], frozenset()) | definition.get(
                "", frozenset()
            ):
                if source not in distances:
                    distances[source] = distances[column] + 1
                    following.append(source)
        level = following
    return distances


class Difference(NamedTuple):
    """The places, with their distances, that `why` lacks and those that it invents."""

    missing: set[tuple[Column, int]]
    invented: set[tuple[Column, int]]
    right: int


def difference(seed: int) -> Difference:
    """Compare the changes upstream of a column between two minutes of a history."""
    history, choose = History(seed), random.Random(seed)
    minutes = range(history.first, len(history.states))
    since, until = sorted(choose.choices(minutes, k=2))
    until += since == until
    old, new = history.states[since], history.states[min(until, minutes[-1])]
    table = choose.choice(["mart", "mart", "c", "d"])
    start = (table, choose.choice(sorted(old[table].keys() & new[table].keys() - {""})))
    cones = upstream(old, start), upstream(new, start)
    differing = {
        (place, min(cone[place] for cone in cones if place in cone))
        for place in {**cones[0], **cones[1]}
        if old.get(place[0], {}).get(place[1]) != new.get(place[0], {}).get(place[1])
    }
    expected = {each for each in differing if all(each[0] in cone for cone in cones)}
    store = memory_store()
    store.add(history.events)
    with store.connection() as connection:
        times = clock.parse(at(since)), clock.parse(at(until))
        reasons = why(connection, Field("n", *start), *times).reasons
    answered = {
        ((reason.name, reason.field or ""), reason.distance)
        for reason in reasons
        if reason.kind in KINDS
    }
    return Difference(expected - answered, answered - differing, len(differing & answered))


def main(arguments: Iterable[str] | None = None) -> int:
    """Compare histories, and print what differs."""
    chosen = seeds(__doc__, 500, arguments)
    right = differing = 0
    for seed in chosen:
        compared = difference(seed)
        right += compared.right
        if compared.missing or compared.invented:
            differing += 1
            print(f"history {seed}: lacks {sorted(compared.missing)}")
            print(f"history {seed}: invents {sorted(compared.invented)}")
    print(f"{len(chosen)} histories: {right} changes are right, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
