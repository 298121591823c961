"""What a store that fails costs Airflow's tasks: their states, their output and their time.

    python -m bench.tasks [--tasks 100]

The same mapped tasks, light ones, run in one Airflow each: without lineage, with Airflow's own
OpenLineage events in a file, and with our operator and a store in PostgreSQL that answers always,
and half of the time only. Time for tasks that take long is the time of a light one and what is
added, so the share is that of a task of a minute.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import time
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from airflow_colgraph.store.store import Store
from dev.demo_airflow import environment
from tests.airflow.ran import dags_test
from tests.spark.postgres import port_of, started

DAGS = Path(__file__).parent / "task_dags"
KIND = "airflow_colgraph.transport.StoreTransport"


class Ran(NamedTuple):
    """What came of the tasks."""

    states: list[str]
    rows: list[tuple[int, float]]  # that they wrote
    seconds: list[float]  # of each task, by Airflow's database
    log: str


class Databases(NamedTuple):
    """The URLs of one database: for a program that always has an answer, and for tasks."""

    url: str
    unreliable: str


@contextmanager
def unreliable_store(seconds: float) -> Iterator[Databases]:
    """An empty store, and its URL by a port that closes connections in every other `seconds`."""
    with started() as server:
        (host,) = parse_qs(urlsplit(server.get_uri()).query)["host"]
        Store.open(server.get_uri()).close()
        with port_of(f"{host}/.s.PGSQL.5432", lambda: time() // seconds % 2 == 1) as port:
            yield Databases(server.get_uri(), f"postgresql://postgres@127.0.0.1:{port}/postgres")


def run(home: Path, tasks: int, transport: dict[str, Any] | None, with_us: bool) -> Ran:
    """Run the DAG in a new Airflow."""
    home.mkdir()
    with closing(sqlite3.connect(home / "shop.db")) as shop:
        shop.executescript(
            "CREATE TABLE orders (amount REAL); CREATE TABLE mart (n INTEGER, total REAL);"
            "INSERT INTO orders VALUES (2), (3);"
        )
    variables = environment(
        home / "airflow",
        DAGS,
        AIRFLOW_CONN_SHOP=json.dumps({"conn_type": "sqlite", "host": f"{home}/shop.db"}),
        AIRFLOW__COLGRAPH__SPOOL=str(home / "spool"),
        AIRFLOW__OPENLINEAGE__DISABLED=str(transport is None),
        AIRFLOW__OPENLINEAGE__TRANSPORT=json.dumps(transport or {"type": "console"}),
        TASKS=str(tasks),
        WITH_US="yes" if with_us else "",
    )
    log = dags_test(sys.executable, variables, "many_tasks")
    with closing(sqlite3.connect(home / "shop.db")) as shop:
        rows = shop.execute("SELECT n, total FROM mart ORDER BY n").fetchall()
    query = "SELECT state, duration FROM task_instance ORDER BY map_index"
    with closing(sqlite3.connect(home / "airflow" / "airflow.db")) as airflow:
        ended = airflow.execute(query).fetchall()
    return Ran([state for state, _ in ended], rows, [seconds for _, seconds in ended], log)


def main() -> None:
    """Run the tasks in each way, and print a line of each."""
    parser = argparse.ArgumentParser(prog="python -m bench.tasks", description=__doc__)
    parser.add_argument("--tasks", type=int, default=100)
    tasks = parser.parse_args().tasks
    with tempfile.TemporaryDirectory() as folder, unreliable_store(10) as store:
        home = Path(folder)
        file = {"type": "file", "log_file_path": f"{folder}/events.jsonl"}
        ways = {
            "without lineage": (None, False),
            "OpenLineage's events in a file": (file, False),
            "our operator, in a store": ({"type": KIND, "url": store.url}, True),
            "in a store that fails half of the time": (
                {"type": KIND, "url": store.unreliable},
                True,
            ),
        }
        plain: Ran | None = None
        for number, (name, (transport, with_us)) in enumerate(ways.items()):
            result = run(home / str(number), tasks, transport, with_us)
            plain = plain or result
            assert len(result.states) == tasks, result.log[-3000:]
            same = (result.states, result.rows) == (plain.states, plain.rows)
            median = statistics.median(result.seconds)
            added = median - statistics.median(plain.seconds)
            kept = len([*(home / str(number) / "spool").glob("part-*")])
            share = f"{median:.2f} s ({added:+.2f} s: {added / 60:+.1%} of a minute)"
            longest = f"the longest {max(result.seconds):.2f} s"
            print(f"{name}: {'the same' if same else 'OTHER'} states and rows")
            print(f"  a task takes {share}, {longest}; {kept} events in the spool", flush=True)


if __name__ == "__main__":
    main()
