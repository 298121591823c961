"""Compares plans of `colgraph rerun` with made histories of rows.

    python -m oracles.rerun_histories --histories 500

A history is a sequence of events of tasks in DAG runs: they append, overwrite and fail, write some
columns or columns that nobody knows, drop, empty and rename tables; some take their time and write
what they had read when they began. The model beside it has the rows of each table, and of each
column of a row whether it rests on the changed one. The store has only the events. A task that the
plan lacks is a difference; one that it has too many is counted. The exit code is 1 after a
difference.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from airflow_colgraph.check.task_runs import rerun_plan
from airflow_colgraph.openlineage.facets import PRODUCER
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from oracles.seeds import seeds
from tests.check.flows import task_facets
from tests.store.samples import at, event, memory_store, output, run_id

Column = tuple[str, str]  # table, column
CHANGED: Column = ("start", "x")
TABLES, COLUMNS, TASKS = ("a", "b", "c", "d"), ("x", "y"), ("t1", "t2", "t3", "t4")
SOURCES = ("start", *TABLES)
KINDS = {"write": 10, "read": 1, "write_unknown": 1, "drop": 1, "rename": 2}
STEPS = (6, 10, 16)


class Run(NamedTuple):
    """A task of a DAG run."""

    task: str
    day: int


class Row(NamedTuple):
    """Rows of a table that one run wrote: which columns rest on the changed one."""

    run: Run
    affected: frozenset[str]


class History:
    """The rows of all tables, the events that told of them, and the runs that used the column."""

    def __init__(self, seed: int) -> None:
        """All tables but the changed one are empty."""
        self._choose = random.Random(seed)
        self.rows: dict[str, list[Row]] = {table: [] for table in TABLES}
        self.events: list[dict[str, Any]] = []
        self.affected: set[Run] = set()
        self._late: list[tuple[int, Callable[[int], None]]] = []
        days, steps = self._choose.choice((2, 3, 5)), self._choose.choice(STEPS)
        for minute in range(1, steps + 1):
            self._step(minute, minute * days // (steps + 1))
        for minute, (_, act) in enumerate(self._late, steps + 1):
            act(minute)

    def _step(self, minute: int, day: int) -> None:
        due = next((each for each in self._late if each[0] <= minute), None)
        if due is not None:
            self._late.remove(due)
            due[1](minute)
            return
        kind = self._choose.choices(list(KINDS), list(KINDS.values()))[0]
        run = Run(self._choose.choice(TASKS), day)
        getattr(self, f"_{kind}")(minute, run)

    def _report(self, minute: int, run: Run, outputs: list[Any], **more: Any) -> None:
        number = run.day * 100 + int(run.task[1:])
        facets = task_facets("d", run.task, f"day_{run.day}", [], run_id(9000 + run.day))
        self.events.append(event(f"d.{run.task}", minute, outputs, run=number, **more, **facets))

    def _rests(self, column: Column, rows: dict[str, list[Row]]) -> bool:
        table, name = column
        return column == CHANGED or any(name in row.affected for row in rows.get(table, ()))

    def _write(self, minute: int, run: Run) -> None:
        choose = self._choose
        table, how = choose.choice(TABLES), choose.choice(("OVERWRITE", "OVERWRITE", "APPEND"))
        columns = choose.choice((COLUMNS, COLUMNS, COLUMNS[:1], COLUMNS[1:]))
        sources = {
            name: [(choose.choice(SOURCES), choose.choice(COLUMNS)) for _ in range(count)]
            for name in columns
            for count in [choose.choice((0, 1, 1, 2))]
        }
        deciding = [(choose.choice(SOURCES), choose.choice(COLUMNS))] * (choose.random() < 0.1)
        state = "FAIL" if choose.random() < 0.1 else "COMPLETE"
        before = {name: list(rows) for name, rows in self.rows.items()}
        rests = frozenset(
            name
            for name in COLUMNS
            if any(self._rests(each, before) for each in (*sources.get(name, ()), *deciding))
        )
        fields = {
            name: ", ".join(dict.fromkeys(map(".".join, each))) for name, each in sources.items()
        }
        rows = "".join(f"{table}.{name} INDIRECT:FILTER" for table, name in deciding)
        reported = output(table, fields, rows, lifecycleStateChange=_lifecycle(how))

        def end(minute: int) -> None:
            self._put(table, Row(run, rests), replaces=how == "OVERWRITE" and state == "COMPLETE")
            self._report(minute, run, [reported], state=state)

        if choose.random() < 0.2:
            run = run._replace(task=f"t{50 + minute}")  # a run ends once
            self._report(minute, run, [], state="START")
            self._late.append((minute + choose.choice((1, 2, 3)), end))
        else:
            end(minute)

    def _put(self, table: str, row: Row, *, replaces: bool) -> None:
        """Keep rows; a task replaces what its earlier runs wrote, as that may be a partition."""
        if row.affected:
            self.affected.add(row.run)
        if replaces:
            self.rows[table] = [
                each
                for each in self.rows[table]
                if each.run.task != row.run.task or each.run == row.run
            ]
        self.rows[table].append(row)

    def _write_unknown(self, minute: int, run: Run) -> None:
        table, source = self._choose.choice(TABLES), self._choose.choice(SOURCES)
        rests = any(self._rests((source, name), self.rows) for name in COLUMNS)
        self._put(table, Row(run, frozenset(COLUMNS if rests else ())), replaces=True)
        reported = output(table, lifecycleStateChange=_lifecycle("OVERWRITE"))
        self._report(minute, run, [reported], reads=[source])

    def _read(self, minute: int, run: Run) -> None:
        source, reader = self._choose.choice(SOURCES), run._replace(task=f"t{10 + minute}")
        if any(self._rests((source, name), self.rows) for name in COLUMNS):
            self.affected.add(reader)
        self._report(minute, reader, [], reads=[source])

    def _drop(self, minute: int, run: Run) -> None:
        table, how = self._choose.choice(TABLES), self._choose.choice(("DROP", "TRUNCATE"))
        self.rows[table] = []
        self._report(minute, run, [output(table, lifecycleStateChange=_lifecycle(how))])

    def _rename(self, minute: int, run: Run) -> None:
        before, after = self._choose.sample(TABLES, 2)
        if not self.rows[before]:
            return
        rests = frozenset(name for row in self.rows[before] for name in row.affected)
        self.rows |= {before: [], after: []}
        self._put(after, Row(run, rests), replaces=False)
        named = {"previousIdentifier": {"namespace": "n", "name": before}}
        change = {**_lifecycle("RENAME"), **named}
        self._report(minute, run, [output(after, lifecycleStateChange=change)])


def _lifecycle(how: str) -> dict[str, Any]:
    return {"_producer": PRODUCER, "lifecycleStateChange": how}


class Difference(NamedTuple):
    """What a plan lacks, and what it has too many; `right` are in both."""

    missing: set[Run]
    extra: set[Run]
    right: set[Run]


def difference(seed: int) -> Difference:
    """Compare the plan of a history with the runs that used the changed column."""
    history = History(seed)
    store = memory_store()
    store.add(history.events)
    with store.connection() as connection:
        changed = [Field("n", *CHANGED)]
        steps = rerun_plan(connection, changed, clock.parse(at(0))).steps
    planned = {Run(task, int(step.run_id[4:])) for step in steps for task, _ in step.tasks}
    return Difference(
        history.affected - planned, planned - history.affected, planned & history.affected
    )


def main(arguments: Iterable[str] | None = None) -> int:
    """Compare histories, and print what the plans lack."""
    chosen = seeds(__doc__, 500, arguments)
    missing = extra = right = 0
    for seed in chosen:
        compared = difference(seed)
        if compared.missing:
            print(f"history {seed}: the plan lacks {sorted(compared.missing)}")
        missing += len(compared.missing)
        extra += len(compared.extra)
        right += len(compared.right)
    print(f"{len(chosen)} histories: {right} right, {missing} missing, {extra} too many")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
