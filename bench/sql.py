"""Column lineage of SQL tasks: the TPC-DS and TPC-H queries in a real Airflow and a PostgreSQL.

    python -m bench.sql [--only TPC-H.q3,TPC-DS.q7] [--keep FOLDER] [--record]

Each query is two tasks: `CREATE TABLE .. AS` by our operator, and by the stock one, with the
lineage of openlineage-sql. `airflow dags test` runs both; the lineage is taken from the events. The
judge (oracles/sql_judge.py) runs the query on made rows and moves the values of one column after
another: an output column that changes carries them. A query is right if its DIRECT edges are those:
none is lost, and each is shown by some rows. The stock lineage has no types: all edges are taken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from dev.demo_airflow import environment, run_airflow
from dev.waiting import read_events
from oracles.sql_judge import Edges, Judge, unique
from oracles.sql_results import KINDS, RECORDED, table
from oracles.tpc import Schema, Suite, suites
from tests.spark.postgres import postgres

SEEDS = 44  # of made rows, until every edge is shown
WHOLE = 3  # of them for all columns; then for those whose edges are not shown yet
DAG = """\
import json, os
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sdk import DAG
from airflow_colgraph.operators.sql import ColgraphSQLExecuteQueryOperator

for number, part in enumerate(json.load(open(os.environ["TPC_TASKS"]))):
    with DAG(f"tpc{number}", schedule=None):
        for name, texts in part.items():
            for kind, operator in (
                ("ours", ColgraphSQLExecuteQueryOperator), ("stock", SQLExecuteQueryOperator)
            ):
                operator(task_id=f"{kind}.{name}", conn_id="tpc", sql=texts[kind])
"""
IN_A_DAG = 10  # queries: `dags test` keeps the statements of all its tasks in one process
Claims = set[tuple[str, str]]  # output column, input column
Known = tuple[Edges, Edges]  # that rows show, and that only large moves show


class Task(NamedTuple):
    """A query as tasks."""

    suite: Suite
    query: str

    @property
    def name(self) -> str:
        """The task's name: `tpcds_q14a`."""
        return f"{schema_of(self.suite)}_{self.query}"

    def text(self, kind: str, columns: str) -> str:
        """The statement of one of its tasks."""
        path = f"SET search_path = {schema_of(self.suite)}"
        query = self.suite.queries[self.query]
        return f"{path};\nCREATE TABLE {kind}.{self.name}{columns} AS {query}"


def schema_of(suite: Suite) -> str:
    """The schema in the database that a suite's tables are in."""
    return suite.name.replace("-", "").lower()


def make_tables(connection: psycopg.Connection[Any], found: list[Suite]) -> None:
    """The tables of the suites, empty, and where the tasks write."""
    for name in ("ours", "stock"):
        connection.execute(f"CREATE SCHEMA {name}")
    for suite in found:
        connection.execute(f"CREATE SCHEMA {schema_of(suite)}")
        for name, columns in suite.schema.items():
            typed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            connection.execute(f"CREATE TABLE {schema_of(suite)}.{name} ({typed})")
    connection.commit()


def columns_of(task: Task, connection: psycopg.Connection[Any]) -> str:
    """The columns' names, if the query has some twice: those of a table have to differ."""
    connection.execute(f"SET search_path = {schema_of(task.suite)}")
    described = connection.execute(task.suite.queries[task.query]).description or ()
    names = [column.name for column in described]
    return "" if len({*names}) == len(names) else f" ({', '.join(unique(names))})"


def run_tasks(
    home: Path, port: int, tasks: list[Task], columns: dict[str, str]
) -> list[dict[str, Any]]:
    """The events of all tasks, each run once by Airflow."""
    (home / "dags").mkdir(parents=True)
    (home / "dags" / "tpc.py").write_text(DAG)
    parts = [tasks[at : at + IN_A_DAG] for at in range(0, len(tasks), IN_A_DAG)]
    texts = [
        {one.name: {kind: one.text(kind, columns[one.name]) for kind in KINDS} for one in part}
        for part in parts
    ]
    (home / "tasks.json").write_text(json.dumps(texts))
    variables = environment(
        home / "airflow",
        home / "dags",
        TPC_TASKS=str(home / "tasks.json"),
        AIRFLOW_CONN_TPC=f"postgres://postgres@127.0.0.1:{port}/postgres",
        AIRFLOW__COLGRAPH__SQL_SECONDS="120",  # a busy machine loses no schemas
        AIRFLOW__OPENLINEAGE__NAMESPACE="bench",
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(
            {"type": "file", "log_file_path": f"{home}/events.jsonl", "append": True}
        ),
    )
    run_airflow(variables, "db", "migrate")
    with (home / "airflow.log").open("w") as log:
        for number in range(len(parts)):
            command = [sys.executable, "-m", "airflow", "dags", "test", f"tpc{number}"]
            subprocess.run(command, env=variables, stdout=log, stderr=log, check=False)
    return read_events(home / "events.jsonl")


def claims_of(event: dict[str, Any] | None, schema: Schema, *, direct: bool) -> tuple[Claims, int]:
    """The field edges of a task's event, and its datasets without a name.

    Columns have names of their own in these suites; one of another table keeps the table's name.
    """
    found: Claims = set()
    unnamed = 0
    for output in (event or {}).get("outputs") or ():
        facet = output["facets"].get("columnLineage") or {"fields": {}}
        for name, field in facet["fields"].items():
            for entry in field["inputFields"]:
                unnamed += not entry["name"]
                steps = entry.get("transformations") or ()
                if not direct or any(step["type"] == "DIRECT" for step in steps):
                    table, column = entry["name"].rpartition(".")[2], entry["field"]
                    is_there = column in schema.get(table, ())
                    found.add((name.lower(), column if is_there else f"{table}.{column}"))
    return found, unnamed


class Verdict(NamedTuple):
    """A query's edges that are lost, and those not shown by any rows."""

    lost: Edges
    wrong: Edges

    @property
    def is_right(self) -> bool:
        """Whether the edges are exactly those that were shown."""
        return not (self.lost or self.wrong)


class Verdicts(NamedTuple):
    """The verdict on each kind of lineage, and the edges that it comes from."""

    by_kind: dict[str, Verdict]
    known: Known


def truth(judge: Judge, claimed: Edges) -> tuple[Edges, Edges]:
    """The edges that rows show; the second are those that only large moves show.

    One that is not claimed takes two seeds: where a condition compares what was moved with itself,
    as `a / b < 0.9`, other rows may come by chance.
    """
    times: Counter[tuple[str, frozenset[str]]] = Counter()
    perhaps: Edges = set()
    whole = 0  # seeds for which all columns were moved
    for seed in range(SEEDS):
        try:
            judge.fill(seed)
            if not judge.has_rows():
                continue
            missing = {members for _, members in claimed - times.keys() - perhaps}
            times.update(judge.carried(classes=None if whole < WHOLE else missing))
            whole += 1
            missing = {members for _, members in claimed - times.keys() - perhaps}
            if whole > 1 and missing:
                perhaps |= judge.carried(strong=True, classes=missing)
        except psycopg.Error:  # the rows break the query: a subquery of several rows
            judge.connection.rollback()
            continue
        if whole >= WHOLE and claimed <= times.keys() | perhaps:
            break
    return {edge for edge, count in times.items() if edge in claimed or count > 1}, perhaps


def verdicts(judge: Judge, claims: dict[str, Claims], known: Known | None = None) -> Verdicts:
    """What the judge says about each kind of lineage; `known` is what it has found before."""
    classes = {column: members for members in judge.classes for column in members}
    edges = {
        kind: {(name, classes.get(column, frozenset({column}))) for name, column in found}
        for kind, found in claims.items()
    }
    shown, perhaps = known or truth(judge, edges["ours"])
    if known is not None and not edges["ours"] <= shown | perhaps:
        shown, perhaps = truth(judge, edges["ours"])
    return Verdicts(
        {kind: Verdict(shown - found, found - shown - perhaps) for kind, found in edges.items()},
        (shown, perhaps),
    )


def main() -> int:
    """Run all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="some of the queries: TPC-H.q3,TPC-DS.q7")
    parser.add_argument(
        "--keep", type=Path, help="a folder for Airflow's home; its events are judged again"
    )
    parser.add_argument("--record", action="store_true", help="write the results for the docs")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    found = suites()
    tasks = [Task(s, q) for s in found for q in s.queries if not only or f"{s.name}.{q}" in only]
    with tempfile.TemporaryDirectory() as temporary, postgres() as port:
        home = options.keep or Path(temporary) / "bench"
        home.mkdir(parents=True, exist_ok=True)
        with psycopg.connect(f"host=127.0.0.1 port={port} user=postgres dbname=postgres") as one:
            make_tables(one, found)
            kept = home / "events.jsonl"
            names = {task.name: columns_of(task, one) for task in tasks}
            events = read_events(kept) if kept.exists() else run_tasks(home, port, tasks, names)
            ends = [event for event in events if event["eventType"] != "START"]
            by_task = {e["job"]["name"].partition(".")[2]: e for e in ends}
            results = judge_all(one, tasks, by_task, home / "truth.jsonl")
    print("\n".join(table(results)))
    if options.record:
        RECORDED.write_text(json.dumps(results, indent=2) + "\n")
    return 0


def judge_all(
    connection: psycopg.Connection[Any],
    tasks: list[Task],
    events: dict[str, dict[str, Any]],
    cache: Path,
) -> dict[str, Any]:
    """Judge each query, print what is wrong of ours, and return the counts."""
    queries: dict[str, set[str]] = {}
    wrong: dict[tuple[str, str], set[str]] = {}
    unnamed = dict.fromkeys(KINDS, 0)
    known = {one["task"]: one for one in read_events(cache)}
    for task in tasks:
        connection.execute(f"SET search_path = {schema_of(task.suite)}")
        connection.execute("SET statement_timeout = '20s'")
        claims = {}
        number = task.query.rstrip("ab")  # q14a and q14b are one query
        queries.setdefault(task.suite.name, set()).add(number)
        for kind in KINDS:
            event = events.get(f"{kind}.{task.name}")
            claims[kind], empty = claims_of(event, task.suite.schema, direct=kind == "ours")
            unnamed[kind] += empty
            if event is None or not event["outputs"]:
                wrong.setdefault((task.suite.name, kind), set()).add(number)
        judge = Judge(connection, task.suite.schema, task.suite.queries[task.query])
        before = known.get(task.name)
        found = verdicts(judge, claims, before and (edges(before["shown"]), edges(before["moved"])))
        if before is None:
            shown, moved = map(listed, found.known)
            with cache.open("a") as file:
                file.write(json.dumps({"task": task.name, "shown": shown, "moved": moved}) + "\n")
        for kind, verdict in found.by_kind.items():
            if verdict.lost or verdict.wrong:
                wrong.setdefault((task.suite.name, kind), set()).add(number)
                if kind == "ours":
                    print(f"{task.suite.name} {task.query}: {verdict}", flush=True)
    names = ("openlineage-sql", "sqlglot", "apache-airflow", "apache-airflow-providers-openlineage")
    return {
        "versions": {name: version(name) for name in names},
        "queries": {suite: len(found) for suite, found in queries.items()},
        "right": {
            kind: {s: len(all_ - wrong.get((s, kind), set())) for s, all_ in queries.items()}
            for kind in KINDS
        },
        "wrong": {s: sorted(wrong.get((s, "ours"), ())) for s in queries},
        "unnamed": unnamed,
    }


def listed(found: Edges) -> list[Any]:
    """Edges as JSON."""
    return sorted([name, sorted(members)] for name, members in found)


def edges(listed: list[Any]) -> Edges:
    """Edges of JSON."""
    return {(name, frozenset(members)) for name, members in listed}


if __name__ == "__main__":
    raise SystemExit(main())
