"""Compares answers about copies with programs that make, rename, empty and drop tables.

    python -m oracles.table_programs --programs 300

Two jobs run several times. A run creates tables, appends to them, overwrites, renames, empties and
drops them, often as the run before. The model beside it has the rows of each table as batches, and
of each value the source column. The store has only events: those of each statement, as Spark sends
them, and in a second store one of each run, as a task sends it. The exit code is 1 if copies are
lost. Of a run's one event the store may tell more copies than there are: these are counted.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from airflow_colgraph.extractors.task_lineage import merge
from airflow_colgraph.openlineage.facets import facet
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.store import Store
from tests.store.samples import event, memory_store, output

Column = tuple[str, str]  # table, column
Rows = dict[str, list[dict[str, frozenset[Column]]]]  # of each table, batches
COLUMNS = ("a", "b")
SOURCES = ("raw", "base")
OWN = {"load": ("t1", "t2", "t3"), "report": ("u1", "u2")}  # the tables that each job writes
FILLS = {"CREATE": "CREATE", "INSERT": None, "OVERWRITE": "OVERWRITE"}  # with the state they report
KINDS = {
    "CREATE": "CREATE TABLE {table} USING parquet AS {query}",
    "INSERT": "INSERT INTO {table} {query}",
    "OVERWRITE": "INSERT OVERWRITE {table} {query}",
    "RENAME": "ALTER TABLE {source} RENAME TO {table}",
    "TRUNCATE": "TRUNCATE TABLE {table}",
    "DROP": "DROP TABLE {table}",
}


class Statement(NamedTuple):
    """What happens to a table; `reads`: each a table and its columns for `a` and `b`."""

    kind: str
    table: str
    reads: tuple[tuple[str, str, str], ...] = ()
    source: str = ""

    def text(self) -> str:
        """The statement in Spark SQL."""
        query = " UNION ALL ".join(
            f"SELECT {a} AS a, {b} AS b FROM {name}" for name, a, b in self.reads
        )
        return KINDS[self.kind].format(table=self.table, query=query, source=self.source)

    def output(self) -> dict[str, Any]:
        """The output in the event that Spark's collector sends of it."""
        facets: dict[str, Any] = {}
        if state := FILLS.get(self.kind, self.kind):
            previous = {"previousIdentifier": {"namespace": "n", "name": self.source}}
            renamed = previous if self.kind == "RENAME" else {}
            facets["lifecycleStateChange"] = facet(
                "lifecycleStateChange", lifecycleStateChange=state, **renamed
            )
        if self.kind not in FILLS:
            return output(self.table, **facets)
        sources = {
            "a": ", ".join(dict.fromkeys(f"{name}.{a}" for name, a, _ in self.reads)),
            "b": ", ".join(dict.fromkeys(f"{name}.{b}" for name, _, b in self.reads)),
        }
        columns = output(self.table, sources)["facets"]["columnLineage"]
        return output(self.table, columnLineage=facet("columnLineage", **columns), **facets)


class Run(NamedTuple):
    """The statements that a job runs once."""

    job: str
    program: Sequence[Statement]


def is_possible(statement: Statement, tables: Iterable[str]) -> bool:
    """Whether the statement runs while these tables exist."""
    there = {*SOURCES, *tables}
    is_new = statement.kind in ("CREATE", "RENAME")
    needed = {name for name, *_ in statement.reads} | ({statement.source} - {""})
    overwrites_itself = statement.kind == "OVERWRITE" and statement.table in needed
    return is_new != (statement.table in there) and needed <= there and not overwrites_itself


def apply(statement: Statement, rows: Rows) -> None:
    """Do to the rows what the statement does."""
    kind, table = statement.kind, statement.table
    if kind == "RENAME":
        rows[table] = rows.pop(statement.source)
    elif kind == "DROP":
        del rows[table]
    elif kind == "TRUNCATE":
        rows[table] = []
    else:
        batches = [
            {"a": batch[a], "b": batch[b]} for name, a, b in statement.reads for batch in rows[name]
        ]
        rows[table] = [*(rows[table] if kind == "INSERT" else []), *batches]


def start() -> Rows:
    """The sources, each value from its own column."""
    return {name: [{column: frozenset({(name, column)}) for column in COLUMNS}] for name in SOURCES}


def programs(seed: int, runs: int = 6) -> Iterator[Run]:
    """The job and the statements of each run."""
    choose = random.Random(seed)
    rows = start()
    latest: dict[str, Sequence[Statement]] = {}
    for _ in range(runs):
        job = choose.choice(list(OWN))
        program = latest.get(job, [])
        if choose.random() < 0.4 or not program or not _runs(program, dict(rows)):
            program = _program(choose, job, rows)
        for statement in program:
            apply(statement, rows)
        latest[job] = program
        yield Run(job, program)


def _runs(program: Sequence[Statement], there: Rows) -> bool:
    """Whether each statement is possible after the others, which are done to the rows."""
    for statement in program:
        if not is_possible(statement, there):
            return False
        apply(statement, there)
    return True


def _program(choose: random.Random, job: str, rows: Rows) -> list[Statement]:
    there = dict(rows)
    program: list[Statement] = []
    length = choose.choice([1, 2, 3, 4, 5])
    while len(program) < length:
        statement = _statement(choose, OWN[job], sorted(there))
        # The store keeps only the first time of what a run reports again.
        said = {each[1:3] for each in program if each.kind in FILLS}
        if is_possible(statement, there) and statement[1:3] not in said:
            apply(statement, there)
            program.append(statement)
    return program


def _statement(choose: random.Random, own: Sequence[str], there: Sequence[str]) -> Statement:
    kind = choose.choice([*FILLS, *FILLS, *KINDS])
    table = choose.choice(own)
    if kind == "RENAME":
        return Statement(kind, table, source=choose.choice(own))
    reads = tuple(
        (choose.choice(there), choose.choice(COLUMNS), choose.choice(COLUMNS))
        for _ in range(choose.choice([1, 1, 2]))
    )
    return Statement(kind, table, reads if kind in FILLS else ())


def holders(rows: Rows, source: Column) -> set[Column]:
    """The columns with a value of a source."""
    return {
        (table, column)
        for table, batches in rows.items()
        for batch in batches
        for column, values in batch.items()
        if source in values and table not in SOURCES
    }


def of_statement(job: str, statement: Statement, minute: int, run: int) -> dict[str, Any]:
    """The event that Spark's collector sends of a statement."""
    reads = [name for name, *_ in statement.reads]
    return event(
        job,
        minute,
        [statement.output()],
        run=run,
        reads=list(dict.fromkeys(reads)),
        state="RUNNING",
    )


def of_task(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The event of a task whose Spark application sent these."""
    lineage = merge(events)
    last = {**events[-1], "eventType": "COMPLETE"}
    return {**last, "inputs": lineage.inputs, "outputs": lineage.outputs}


def differences(runs: Iterable[Run]) -> Iterator[str]:
    """The answers that differ from the rows: lost or extra, by which events, after which run."""
    stores = {"statements": memory_store(), "task": memory_store()}
    rows = start()
    minute = 0
    for run, (job, program) in enumerate(runs, 1):
        events = []
        for statement in program:
            minute += 1
            apply(statement, rows)
            events.append(of_statement(job, statement, minute, run))
        if not events:
            continue
        stores["statements"].add(events)
        stores["task"].add([of_task(events)])
        for name, store in stores.items():
            for source in ((table, column) for table in SOURCES for column in COLUMNS):
                answer, right = _copies(store, source), holders(rows, source)
                for kind, columns in (("lost", right - answer), ("extra", answer - right)):
                    if columns:
                        column = ".".join(source)
                        yield f"{kind} by {name}, run {run}: {column} in {sorted(columns)}"


def shrunk(runs: Sequence[Run], kind: str) -> Sequence[Run]:
    """The runs without the statements that a difference of the kind does not need."""
    for run in reversed(range(len(runs))):
        for number in reversed(range(len(runs[run].program))):
            fewer = _without(runs, run, number)
            if _all_run(fewer) and any(line.startswith(kind) for line in differences(fewer)):
                runs = fewer
    return [each for each in runs if each.program]


def _without(runs: Sequence[Run], run: int, number: int) -> list[Run]:
    job, program = runs[run]
    return [*runs[:run], Run(job, [*program[:number], *program[number + 1 :]]), *runs[run + 1 :]]


def _all_run(runs: Iterable[Run]) -> bool:
    there = start()
    return all(_runs(program, there) for _, program in runs)


def _copies(store: Store, source: Column) -> set[Column]:
    with store.connection() as connection:
        answer = copies(connection, Field("n", *source))
    return {(copy.name, copy.field) for copy in answer.copies} - {source}


def main() -> int:
    """Compare the programs and print the differences."""
    parser = argparse.ArgumentParser(prog="python -m oracles.table_programs", description=__doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--extra", action="store_true", help="print the copies that are too many")
    parser.add_argument("--shrink", action="store_true", help="print the least program of each")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.programs):
        runs = list(programs(seed))
        lines = list(differences(runs))
        kinds = Counter(line.partition(",")[0] for line in lines)
        counts.update(kinds)
        for kind in sorted(kinds):
            if kind.startswith("lost") or options.extra:
                print(f"seed {seed}:", next(line for line in lines if line.startswith(kind)))
                if options.shrink and counts[kind] <= 40:
                    for number, (job, program) in enumerate(shrunk(runs, kind), 1):
                        for statement in program:
                            print(f"  {job} {number}: {statement.text()}", flush=True)
    print(dict(counts))
    return int(any(kind.startswith("lost") for kind in counts))


if __name__ == "__main__":
    sys.exit(main())
