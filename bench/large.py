"""A store of a million columns and ten million edges: the answers that the page asks for.

    python -m bench.large [--size 1M] [--postgres]
    python -m bench.large --size 10M --postgres --beside M     then the same of size M
    python -m bench.large --size 10M --store FILE      fills the file, or takes it as it is
    python -m bench.ui --size 10M --store FILE         the same store in Chromium

1M and 10M are named after their edges. Each answer is asked for over REST, as the page does: the
times are wall times of whole answers, the bytes those that were sent, with the compression that
every browser asks for, and without it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from airflow_colgraph.store.db.engine import without_transaction
from airflow_colgraph.store.store import Store
from bench.large_store import make
from bench.rest import JSON, Server, serving
from bench.store import database, size_of
from bench.synthetic import LARGE, NAMESPACE, SIZES, Size, column, events, name
from bench.walks import Rows, add_row

WORDS = {  # of names like `column_042` and `warehouse/layer3/dataset_00042`
    "the beginning of names": ("col", "column_04", "column_042", "warehouse/l"),
    "a part of names": ("olumn_0", "7", "e", "_09", "dataset_00042", "layer3"),
    "in no name": ("colmun_042", "customer", "zz"),
}
# Sent to stores of all sizes: new jobs and datasets, and their second day, mostly unchanged.
EVENTS = list(events(Size(300, 50, 2)))
PAGE = 20  # results of a search
LIMIT = 10_000  # edges that the page asks for
MOST = 2_000_000  # bytes of an answer


def fill(url: str, size: Size) -> None:
    """Make the store, and let PostgreSQL know how much there is in it."""
    with Store.open(url) as store:
        begin = time.perf_counter()
        make(store, size)
        if store.engine.dialect.name == "postgresql":
            with without_transaction(store.engine) as connection:
                # As its autovacuum does in the minutes after, and `publish` by itself.
                connection.connection.cursor().execute("VACUUM (ANALYZE)")
        print(f"filled in {time.perf_counter() - begin:.0f} s", flush=True)


def counted(store: Store) -> str:
    """How much there is in the store."""
    with store.connection() as connection:
        counts = [
            connection.exec_driver_sql(f"SELECT count(*) FROM colgraph_{table}").scalar() or 0
            for table in ("dataset", "field", "edge")
        ]
    datasets, fields, edges = counts
    sizes = f"{datasets:,} datasets, {fields - datasets:,} columns, {edges:,} edges"
    return f"{sizes}, {size_of(store) / 1e6:,.0f} MB"


class Answers(NamedTuple):
    """What answers took and how large they were."""

    times: list[float]  # milliseconds, sorted
    cpu: float  # the server's milliseconds of CPU time for one
    sent: int  # bytes of the largest
    unpacked: int


def asked(server: Server, paths: Iterable[str], rounds: int) -> Answers:
    """Ask for each path so often, one after the other."""
    connection, times, most, unpacked = server.connect(), [], 0, 0
    before = server.cpu()
    for path in paths:
        for _ in range(rounds):
            begin = time.perf_counter()
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            body = response.read()
            times.append((time.perf_counter() - begin) * 1000)
            assert response.status == 200, (path, response.status, body[:200])
        packed = response.getheader("Content-Encoding") == "gzip"
        most = max(most, len(body))
        unpacked = max(unpacked, len(gzip.decompress(body)) if packed else len(body))
    cpu = (server.cpu() - before) * 1000 / len(times)
    return Answers(sorted(times), cpu, most, unpacked)


def sent(server: Server, events: Iterable[dict[str, Any]]) -> Answers:
    """Send the events, one after the other."""
    connection, times, most = server.connect(), [], 0
    before = server.cpu()
    for event in events:
        body = json.dumps(event).encode()
        begin = time.perf_counter()
        connection.request("POST", "/api/v1/lineage", body, JSON)
        response = connection.getresponse()
        answer = response.read()
        times.append((time.perf_counter() - begin) * 1000)
        assert response.status in (200, 201), (response.status, answer[:200])
        most = max(most, len(body))
    cpu = (server.cpu() - before) * 1000 / len(times)
    return Answers(sorted(times), cpu, most, most)


def report(rows: Rows, what: str, found: Answers) -> None:
    """A line: the times, and how large the largest answer is."""
    times = found.times
    p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
    over = " OVER 2 MB" if found.sent > MOST else ""
    figures = f"{p50:.0f} / {p95:.0f} / {times[-1]:.0f} ms (CPU {found.cpu:.0f})"
    sizes = f"{found.sent / 1e3:,.0f} kB{over} ({found.unpacked / 1e3:,.0f} kB unpacked)"
    add_row(rows, what, f"{figures}, {sizes}")


def measure(url: str, size: Size, rounds: int) -> Rows:
    """Search, lineage and the pages that show the whole store."""
    rows = Rows()
    choose = random.Random(1)
    width = size.datasets // 10
    fields = [
        {
            "namespace": NAMESPACE,
            "name": name(choose.randrange(size.datasets), width),
            "field": column(choose.randrange(size.columns)),
        }
        for _ in range(30)
    ]

    def paths(route: str, **more: object) -> list[str]:
        return [f"/api/v1/{route}?{urlencode({**field, **more})}" for field in fields]

    def search(route: str, words: Iterable[str]) -> list[str]:
        return [f"/api/v1/{route}?{urlencode({'q': word, 'limit': PAGE})}" for word in words]

    print("what: p50 / p95 / most (the server's CPU time), the largest answer")
    with serving(url) as server:
        for route in ("datasets", "columns"):
            for what, words in WORDS.items():
                report(
                    rows, f"search in {route}: {what}", asked(server, search(route, words), rounds)
                )
        whole = {"indirect": "true", "limit": LIMIT}
        for what, found in (
            ("a field, 10 levels upstream, 500 edges", paths("upstream", depth=10, limit=500)),
            ("a field, 10 levels downstream, 500 edges", paths("downstream", depth=10, limit=500)),
            ("a field, 1 level", paths("graph", depth=1, limit=LIMIT)),
            ("a field, 5 levels both ways, as the page asks", paths("graph", depth=5, limit=LIMIT)),
            ("a field, 5 levels, indirect too", paths("graph", depth=5, **whole)),
            ("its datasets, 5 levels", paths("graph", depth=5, level="dataset", limit=LIMIT)),
            ("its impact, 5 levels", paths("impact", depth=5, limit=LIMIT)),
            ("a dataset's fields", paths("fields")),
            ("the home page's overview", ["/api/v1/overview"]),
            ("the home page's datasets", ["/api/v1/datasets?limit=1000"]),
            ("unused fields of a dataset", paths("unused", days=36500)[:5]),
            ("unused fields of all", ["/api/v1/unused?days=36500"]),
        ):
            report(rows, what, asked(server, found, rounds if "a field" in what else 2))
        report(rows, "ingest, an event a request", sent(server, EVENTS))
    return rows


def main() -> None:
    """Fill a store of the size if there is none, and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=list(LARGE), default="1M")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--store", type=Path, help="keep the store in this SQLite file")
    parser.add_argument("--beside", choices=list(SIZES), help="measure this size after it")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    file = arguments.store.absolute() if arguments.store else None
    measure_size(LARGE[arguments.size], file, postgres=arguments.postgres, rounds=arguments.rounds)
    if arguments.beside:
        beside = SIZES[arguments.beside]
        measure_size(beside, None, postgres=arguments.postgres, rounds=arguments.rounds)


def measure_size(size: Size, file: Path | None, *, postgres: bool, rounds: int) -> None:
    """Fill a store of the size, unless the file is there, and measure."""
    with ExitStack() as stack:
        if file:
            url, there = f"sqlite:///{file}", file.exists()
        else:
            url, there = stack.enter_context(database(postgres)), False
        if not there:
            fill(url, size)
        with Store.open(url) as store:
            print(counted(store))
        measure(url, size, rounds)


if __name__ == "__main__":
    main()
