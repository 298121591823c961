"""Keeps a server or the collector busy for a time, and shows that it holds on to nothing.

    python -m oracles.soak server [--minutes 60] [--postgres]
    python -m oracles.soak collector [--minutes 60]

The server gets the events of days that repeat each other, malformed ones and questions, over new
connections, while others read, and the store is pruned and backed up. Every event of the last days
that it acknowledged has to be in the store at the end. The collector reports queries of one Spark
session to a file. Memory, threads and open files and connections are sampled; the exit code is 1
if, after a first quarter in which caches fill, memory still grew by more than a tenth from the
second to the last quarter, or threads, open files or connections are left. Of memory, mapped files
do not count: the kernel takes those pages back. SQLite's own cache, 64 MB a connection of a
database that grows, would fill for hours: here it has 1 MB.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import orjson
import psutil

from airflow_colgraph.store.admin.backup import back_up
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.store import Store
from bench.rest import Server, serving
from bench.store import database, last_day, repeated
from bench.synthetic import DAY, FIRST, SIZES
from bench.synthetic import name as dataset_name

SAMPLES = 40
GROWTH = 1.10
READERS = 4
HOUSE = 4  # days between two prunes
KEPT = 3  # days that are not pruned
SMALL_CACHE = "from airflow_colgraph.store.db import engine; engine.SQLITE_CACHE = 1 << 20"


class Sample(NamedTuple):
    """What a process holds."""

    memory: int  # bytes, but for mapped files
    resident: int  # bytes, with the parts of the database's file that SQLite has mapped
    threads: int
    files: int  # files and sockets
    connections: int  # of clients, and to PostgreSQL, which may be on a Unix socket


def sample(process: psutil.Process) -> Sample:
    """What the process holds now."""
    connections = sum(one.status != "LISTEN" for one in process.net_connections("all"))
    memory = process.memory_info()
    resident, mapped = memory.rss, memory.shared
    threads, files = process.num_threads(), process.num_fds()
    return Sample(resident - mapped, resident, threads, files, connections)


def keep_busy(process: psutil.Process, seconds: float, work: Callable[[], int]) -> list[Sample]:
    """Samples over the time, each after a piece of work is done."""
    samples: list[Sample] = []
    begin, done = time.monotonic(), 0
    while (passed := time.monotonic() - begin) < seconds:
        done += work()
        if passed >= len(samples) * seconds / SAMPLES:
            samples.append(sample(process))
            memory, resident, threads, files, connections = samples[-1]
            state = f"{memory / 1e6:7.1f} MB ({resident / 1e6:.1f} with mapped files)"
            state += f", {threads} threads, {files} files"
            state += f", {connections} connections, {done} done"
            print(f"{passed:6.0f} s {state}", flush=True)
    return samples


def left(samples: list[Sample]) -> list[str]:
    """What a process held on to, in words; nothing if it is flat."""
    quarter = max(1, len(samples) // 4)
    second, last = samples[quarter : 2 * quarter], samples[-quarter:]
    found = []
    before, after = (max(one.memory for one in some) for some in (second, last))
    if after > before * GROWTH:
        found.append(f"memory grew from {before / 1e6:.1f} to {after / 1e6:.1f} MB")
    for what in ("threads", "files", "connections"):
        before, after = (min(getattr(one, what) for one in some) for some in (second, last))
        if after > before:
            found.append(f"{what} grew from {before} to {after}")
    return found


def ask(server: Server, method: str, path: str, body: bytes | None = None) -> int:
    """The status of one request over a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


@contextmanager
def readers(server: Server, names: list[str]) -> Iterator[list[float]]:
    """Ask from some threads until the block is left; the seconds that each answer took."""
    times: list[float] = []
    is_over = threading.Event()

    def read(number: int) -> None:
        while not is_over.wait(0.1):
            number += READERS
            query = urlencode({"name": names[number % len(names)], "depth": 10})
            began = time.monotonic()
            status = ask(server, "GET", f"/api/v1/upstream?{query}")
            times.append(time.monotonic() - began if status == 200 else math.inf)

    with ThreadPoolExecutor(READERS) as pool:
        asked = [pool.submit(read, number) for number in range(READERS)]
        try:
            yield times
        finally:
            is_over.set()
    for future in asked:
        future.result()


def keep_house(url: str, day: int) -> None:
    """Prune the store and back it up, as another process does while the server runs."""
    with Store.open(url) as store, tempfile.TemporaryDirectory() as folder:
        prune(store, _start(day - KEPT))
        back_up(store, Path(folder) / "copy.db")


def lost(url: str, day: int, events: int) -> int:
    """How many runs of the days that are kept are not in the store, up to and with this day."""
    first = max(1, day - KEPT + 1)
    query = "SELECT count(*) FROM colgraph_run WHERE coalesce(ended_at, started_at) >= "
    with Store.open(url) as store, store.connection() as connection:
        count = connection.exec_driver_sql(f"{query}{_start(first)}").scalar()
    return (day - first + 1) * events - int(count or 0)


def _start(day: int) -> int:
    return FIRST + (SIZES["S"].days + day) * DAY


def soak_server(seconds: float, postgres: bool) -> list[str]:
    """Events and questions, one after the other, beside readers and what an operator does."""
    size = SIZES["S"]
    last = last_day(size)
    names = [dataset_name(number, size.datasets // 10) for number in range(20, size.datasets)]
    with database(postgres) as url, serving(url, SMALL_CACHE) as server:
        status = ask(server, "POST", "/api/v1/lineage", orjson.dumps(last))
        assert status == 201, status
        day = 0
        houses: list[Future[None]] = []

        def work() -> int:
            nonlocal day
            day += 1
            if day % HOUSE == 0:
                houses.append(pool.submit(keep_house, url, day))
            for number, event in enumerate(repeated(last, size, day)):
                status = ask(server, "POST", "/api/v1/lineage", orjson.dumps(event))
                assert status == 201, status
                if number % 5 == 0:
                    query = urlencode({"name": names[(day + number) % len(names)], "depth": 10})
                    for route in ("upstream", "downstream", "fields"):
                        assert ask(server, "GET", f"/api/v1/{route}?{query}") == 200
                    assert ask(server, "POST", "/api/v1/lineage", b'[{"eventTime": 3}]') == 400
                    assert ask(server, "GET", "/api/v1/upstream?name=nothing") == 404
            return len(last)

        with ThreadPoolExecutor(1) as pool, readers(server, names) as times:
            samples = keep_busy(server.process, seconds, work)
        for house in houses:
            house.result()
        p95 = sorted(times)[len(times) * 95 // 100]
        print(f"{len(times)} reads beside, 95 % within {p95:.3f} s; {len(houses)} prunes")
        missing = lost(url, day, len(last))
        return [*left(samples), *([f"{missing} runs are lost"] if missing else [])]


def soak_collector(seconds: float) -> list[str]:
    """Queries of one session, each of another text, so that none is answered from a cache."""
    from pyspark.sql import SparkSession

    from airflow_colgraph.collector.driver import listener

    with tempfile.TemporaryDirectory(prefix="colgraph-soak-") as folder:
        sink = Path(folder) / "events.ndjson"
        builder = SparkSession.builder.master("local[1]").appName("soak")
        builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
        spark = builder.config("spark.colgraph.sink", str(sink)).getOrCreate()
        listener.install(spark)
        spark.range(20).selectExpr("id", "id % 3 AS k").write.parquet(f"{folder}/source")
        number = 0

        def work() -> int:
            nonlocal number
            number += 1
            frame = spark.read.parquet(f"{folder}/source").where(f"id > {number}")
            frame = frame.groupBy("k").sum("id").withColumnRenamed("sum(id)", f"s{number}")
            frame.write.mode("overwrite").parquet(f"{folder}/out")
            listener.drain()
            return 1

        found = left(keep_busy(psutil.Process(os.getpid()), seconds, work))
        reported = sum("columnLineage" in line for line in sink.read_text().splitlines())
        if reported < number:
            found.append(f"{number - reported} queries have no event")
        spark.stop()
        listener.finish()
    return found


def main() -> None:
    """Keep it busy, and say what is left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("server", "collector"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    given = parser.parse_args()
    seconds = given.minutes * 60
    found = (
        soak_server(seconds, given.postgres) if given.what == "server" else soak_collector(seconds)
    )
    print(json.dumps({"left": found}))
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
