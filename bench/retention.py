"""A store that is pruned each night for two years: its size, its answers, and how long prunes lock.

    python -m bench.retention [--days 730] [--jobs 60] [--keep 90] [--postgres]

The synthetic warehouse runs each job daily, 60 in place of a company's 3,000. A line for each tenth
of the time has the store's size, the time of an upstream question, of a prune, and of the longest
transaction of one, for which other writers wait, with the most CPU time that one took in this
process. At the end all but the last day is pruned at once.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import paced, retention
from airflow_colgraph.store.db.engine import Database
from airflow_colgraph.store.query.graph import upstream
from airflow_colgraph.store.store import Store
from bench.store import database, size_of
from bench.synthetic import DAY, FIRST, LAYERS, NAMESPACE, Size, events
from bench.synthetic import name as dataset_name

LINES = 10
QUESTIONS = 20
transaction = paced.transaction


class Locks:
    """The most seconds that a transaction of prunes took, and the most of this process' CPU."""

    def __init__(self) -> None:
        """There was none."""
        self.wall = self.cpu = 0.0

    @contextmanager
    def timed(self, store: Database) -> Iterator[Connection]:
        """A transaction of a prune."""
        wall, cpu = time.perf_counter(), time.process_time()
        with transaction(store) as connection:
            yield connection
        self.wall = max(self.wall, time.perf_counter() - wall)
        self.cpu = max(self.cpu, time.process_time() - cpu)

    def __str__(self) -> str:
        """Both in seconds."""
        return f"{self.wall:.2f} ({self.cpu:.2f} CPU)"


def prune(store: Store, before: int, locks: Locks) -> float:
    """Prune; the seconds that it took."""
    paced.transaction = locks.timed
    began = time.perf_counter()
    retention.prune(store, before)
    return time.perf_counter() - began


def asked(store: Store, size: Size) -> float:
    """The median seconds of questions about datasets of the last layer."""
    width, times = size.datasets // LAYERS, []
    for number in range(QUESTIONS):
        began = time.perf_counter()
        name = dataset_name(size.datasets - 1 - number % width, width)
        upstream(store, NAMESPACE, name, "column_000")
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Go through the days."""
    parser = argparse.ArgumentParser(prog="python -m bench.retention", description=__doc__)
    parser.add_argument("--days", type=int, default=730)
    parser.add_argument("--jobs", type=int, default=60, help="runs a day")
    parser.add_argument("--keep", type=int, default=90, help="days that are not pruned")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    width = -(-options.jobs // (LAYERS - 1))
    size = Size(datasets=width * LAYERS, columns=10, days=options.days)
    stream = events(size)
    print("  day      MB  question s  prune s  longest transaction s", flush=True)
    with database(options.postgres) as url, Store.open(url) as store:
        locks, nights = Locks(), list[float]()
        for day in range(options.days):
            store.add(list(itertools.islice(stream, size.datasets - width)))
            nights.append(prune(store, FIRST + (day - options.keep) * DAY, locks))
            if (day + 1) % (options.days // LINES) == 0:
                figures = f"{size_of(store) / 1e6:7.1f}  {asked(store, size):10.4f}"
                print(f"{day + 1:5}  {figures}  {max(nights):7.2f}  {locks}", flush=True)
                locks, nights = Locks(), []
        seconds = prune(store, FIRST + options.days * DAY, locks)
        print(f"all but the last day: {seconds:.1f} s, longest transaction s: {locks}")


if __name__ == "__main__":
    main()
