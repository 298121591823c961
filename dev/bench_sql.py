"""Column lineage of SQL tasks: the TPC-DS and TPC-H queries in a real Airflow and a PostgreSQL.

    python -m dev.bench_sql [--only TPC-H.q3,TPC-DS.q7] [--keep FOLDER]

Each query is two tasks: `CREATE TABLE .. AS` by our operator, and by the stock one, with the
lineage of openlineage-sql. `airflow dags test` runs both; the lineage is taken from the events. The
judge (dev/sql_judge.py) runs the query on made rows and moves the values of one column after
another: an output column that changes carries them. A query is right if its DIRECT edges are those:
none is lost, and each is shown by some rows. The stock lineage has no types: all edges are taken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from dev.demo_airflow import environment, run_airflow
from dev.sql_judge import Edges, Judge
from dev.tpc import VERSION, Suite, suites
from dev.waiting import read_events
from tests.spark.postgres import postgres

SEEDS = 22  # of made rows, until every edge is shown
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


class Task(NamedTuple):
    """A query as tasks."""

    suite: Suite
    query: str

    @property
    def name(self) -> str:
        """The task's name: `tpcds_q14a`."""
        return f"{schema_of(self.suite)}_{self.query}"

    def text(self, kind: str) -> str:
        """The statement of one of its tasks."""
        path = f"SET search_path = {schema_of(self.suite)}"
        return f"{path};\nCREATE TABLE {kind}.{self.name} AS {self.suite.queries[self.query]}"


def schema_of(suite: Suite) -> str:
    """The schema in the database that a suite's tables are in."""
    return suite.name.replace("-", "").lower()


def make_tables(connection: psycopg.Connection[Any], found: list[Suite]) -> None:
    """The tables of the suites, empty, and where the tasks write."""
    for name in ("ours", "stock"):
        connection.execute(f"CREATE SCHEMA {name}")
    for suite in found:
        connection.execute(f"CREATE SCHEMA {schema_of(suite)}")
        for table, columns in suite.schema.items():
            listed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            connection.execute(f"CREATE TABLE {schema_of(suite)}.{table} ({listed})")
    connection.commit()


def run_tasks(home: Path, port: int, tasks: list[Task]) -> list[dict[str, Any]]:
    """The events of all tasks, each run once by Airflow."""
    (home / "dags").mkdir(parents=True)
    (home / "dags" / "tpc.py").write_text(DAG)
    parts = [tasks[at : at + IN_A_DAG] for at in range(0, len(tasks), IN_A_DAG)]
    texts = [{task.name: {k: task.text(k) for k in ("ours", "stock")} for task in p} for p in parts]
    (home / "tasks.json").write_text(json.dumps(texts))
    variables = environment(
        home / "airflow",
        home / "dags",
        TPC_TASKS=str(home / "tasks.json"),
        AIRFLOW_CONN_TPC=f"postgres://postgres@127.0.0.1:{port}/postgres",
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


def claims_of(event: dict[str, Any] | None, *, direct: bool) -> tuple[Claims, int]:
    """The field edges of a task's event, and its datasets without a name."""
    found: Claims = set()
    unnamed = 0
    for output in (event or {}).get("outputs") or ():
        facet = output["facets"].get("columnLineage") or {"fields": {}}
        for name, field in facet["fields"].items():
            for entry in field["inputFields"]:
                unnamed += not entry["name"]
                steps = entry.get("transformations") or ()
                if not direct or any(step["type"] == "DIRECT" for step in steps):
                    found.add((name.lower(), entry["field"]))
    return found, unnamed


class Verdict(NamedTuple):
    """A query's edges as claimed, lost, and not shown by any rows."""

    claimed: int
    lost: Edges
    wrong: Edges

    @property
    def is_right(self) -> bool:
        """Whether the edges are exactly those that were shown."""
        return bool(self.claimed) and not (self.lost or self.wrong)


def truth(judge: Judge, claimed: Edges) -> tuple[Edges, Edges]:
    """The edges that rows show; the second are those that only large moves show."""
    shown: Edges = set()
    perhaps: Edges = set()
    for seed in range(SEEDS):
        try:
            judge.fill(seed)
            shown |= judge.carried()
            if seed > 3 and not claimed <= shown:
                perhaps |= judge.carried(strong=True)
        except psycopg.Error:  # the rows break the query: a subquery of several rows
            judge.connection.rollback()
            continue
        if seed and claimed <= shown | perhaps:
            break
    return shown, perhaps


def verdicts(judge: Judge, claims: dict[str, Claims]) -> dict[str, Verdict]:
    """What the judge says about each kind of lineage."""
    classes = {column: members for members in judge.classes for column in members}
    edges = {
        kind: {(name, classes.get(column, frozenset({column}))) for name, column in found}
        for kind, found in claims.items()
    }
    shown, perhaps = truth(judge, edges["ours"])
    return {
        kind: Verdict(len(found), shown - found, found - shown - perhaps)
        for kind, found in edges.items()
    }


def main() -> int:
    """Run all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="some of the queries: TPC-H.q3,TPC-DS.q7")
    parser.add_argument(
        "--keep", type=Path, help="a folder for Airflow's home; its events are judged again"
    )
    given = parser.parse_args()
    only = set(filter(None, given.only.split(",")))
    found = suites()
    tasks = [Task(s, q) for s in found for q in s.queries if not only or f"{s.name}.{q}" in only]
    with tempfile.TemporaryDirectory() as temporary, postgres() as port:
        home = given.keep or Path(temporary) / "bench"
        home.mkdir(parents=True, exist_ok=True)
        with psycopg.connect(f"host=127.0.0.1 port={port} user=postgres dbname=postgres") as one:
            make_tables(one, found)
            kept = home / "events.jsonl"
            events = read_events(kept) if kept.exists() else run_tasks(home, port, tasks)
            ends = [event for event in events if event["eventType"] != "START"]
            report(one, tasks, {e["job"]["name"].partition(".")[2]: e for e in ends})
    return 0


def report(
    connection: psycopg.Connection[Any], tasks: list[Task], events: dict[str, dict[str, Any]]
) -> None:
    """Judge each query, and print which are wrong and the table."""
    right: dict[tuple[str, str], set[str]] = {}
    wrong: dict[tuple[str, str], set[str]] = {}
    unnamed = {"ours": 0, "stock": 0}
    for task in tasks:
        connection.execute(f"SET search_path = {schema_of(task.suite)}")
        connection.execute("SET statement_timeout = '20s'")
        claims = {}
        for kind in ("ours", "stock"):
            event = events.get(f"{kind}.{task.name}")
            claims[kind], empty = claims_of(event, direct=kind == "ours")
            unnamed[kind] += empty
        judge = Judge(connection, task.suite.schema, task.suite.queries[task.query])
        for kind, verdict in verdicts(judge, claims).items():
            key = task.suite.name, kind
            number = task.query.rstrip("ab")  # q14a and q14b are one query
            (right if verdict.is_right else wrong).setdefault(key, set()).add(number)
            if kind == "ours" and not verdict.is_right:
                print(f"{task.suite.name} {task.query}: lost {verdict.lost} wrong {verdict.wrong}")
    versions = ("openlineage-sql", "sqlglot", "apache-airflow-providers-openlineage")
    print(", ".join(f"{name} {version(name)}" for name in versions), f"queries {VERSION}")
    for key in sorted({*right, *wrong}):
        good, bad = right.get(key, set()), wrong.get(key, set())
        print(f"{key[0]:8}{key[1]:8}{len(good - bad):4} of {len(good | bad)}")
    print(f"datasets without a name: ours {unnamed['ours']}, stock {unnamed['stock']}")


if __name__ == "__main__":
    raise SystemExit(main())
