"""Measures the store on a synthetic warehouse, each figure beside a baseline of the same run.

    python -m bench.store [--size S] [--postgres] [--queries 60]
    python -m bench.store --write-docs     S and M in both databases, into docs/store.md

For SQLite the time of a walk is this process's CPU time; for PostgreSQL, where another process
works, it is wall time, as it is over REST. The baseline of a walk is a breadth-first search over a
dict of the same edges, in the same run.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import Span
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from bench.rest import MARQUEZ, ask, at_once, serving
from bench.synthetic import DAY, FIRST, SIZES, Size, events
from bench.walks import DEPTH, Rows, add_row, adjacency, mean_ms, names, queries, sinks
from tests.spark.postgres import started

DOCS = Path(__file__).parents[1] / "docs" / "store.md"
SINGLE = 900  # events that are written one by one, the rest in lists


def size_of(store: Store) -> int:
    """The store's size in bytes: tables and indexes."""
    sql = (
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        if store.engine.dialect.name == "sqlite"
        else "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
        "WHERE relname LIKE 'colgraph_%%' AND relkind = 'r'"
    )
    with store.connection() as connection:
        return int(connection.exec_driver_sql(sql).scalar() or 0)


def fill(rows: Rows, store: Store, size: Size) -> None:
    """The whole warehouse; the last events one by one, each in a transaction, and their rate."""
    every = size.days * (size.datasets - size.datasets // 10)
    stream = events(size)
    while every - 500 >= SINGLE:
        store.add(list(itertools.islice(stream, 500)))
        every -= 500
    rest = [orjson.dumps(event) for event in stream]
    begin, cpu = time.perf_counter(), time.process_time()
    for line in rest:
        store.add(orjson.loads(line))
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    add_row(
        rows,
        "ingest, an event a transaction (of CPU time)",
        f"{len(rest) / wall:.0f}/s ({len(rest) / cpu:.0f}/s)",
    )


def add_all(store: Store, size: Size) -> None:
    """The whole warehouse in lists; a few hundred events are in memory at a time."""
    stream = events(size)
    while batch := list(itertools.islice(stream, 500)):
        store.add(batch)


def last_day(size: Size) -> list[dict[str, Any]]:
    """The events of the last day, some of very many."""
    jobs = size.datasets - size.datasets // 10
    return list(itertools.islice(events(size), (size.days - 1) * jobs, None))[:SINGLE]


def repeated(last: list[dict[str, Any]], size: Size, day: int) -> Iterator[dict[str, Any]]:
    """The events of the last day, as if they had come so many days later."""
    for number, event in enumerate(last):
        at = FIRST + (size.days + day) * DAY + number * 1000
        run = f"{at:012x}7{day % 4096:03x}8{number:015x}"
        yield {**event, "eventTime": clock.iso(at), "run": {"runId": run}}


def unchanged(rows: Rows, store: Store, size: Size, last: list[dict[str, Any]]) -> None:
    """What runs that repeat the one before add, in bytes each, and with their whole events.

    The mean over so many days that pages which are split now and then count as often as they are.
    """
    found = []
    days = max(27, 1 + 3600 // len(last))
    for first in (1, 1 + days):
        store.add(list(repeated(last, size, first)))
        before, count = size_of(store), 0
        for day in range(first + 1, first + days):
            batch = list(repeated(last, size, day))
            store.add(batch)
            count += len(batch)
        found.append((size_of(store) - before) / count)
        store.keep_events()
    store.keep_events(False)
    figure = f"{found[0]:.0f} / {found[1]:.0f} bytes"
    add_row(rows, "an unchanged run: without / with its whole event", figure)


def rest(rows: Rows, url: str, fields: list[Field], sent: list[bytes]) -> None:
    """A real server: how long questions take, and how many it answers and events it keeps."""
    with serving(url) as server:
        asked = (("upstream", DEPTH), (MARQUEZ, DEPTH), ("downstream", DEPTH), ("graph", 20))
        for path, depth in asked:
            times = ask(server, path, depth, fields, 3)
            p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
            what = {"graph": "both directions", MARQUEZ: "upstream for Marquez"}.get(path, path)
            add_row(rows, f"REST {what}, {depth} levels: p50 / p95", f"{p50:.1f} / {p95:.1f} ms")
        wall, cpu = at_once(server, 2, fields * 10)
        add_row(rows, "REST upstream, 5 levels (of CPU time)", f"{wall:.0f}/s ({cpu:.0f}/s)")
        wall, cpu = at_once(server, 8, sent)
        add_row(rows, "REST ingest, 8 clients (of CPU time)", f"{wall:.0f}/s ({cpu:.0f}/s)")


def history(rows: Rows, short: Store, count: int) -> None:
    """The same questions on ten times the history."""
    size = SIZES["S"]._replace(days=300)
    with database(False) as url:
        long = Store.open(url)
        add_all(long, size)
        figures = []
        for span in (Span(), Span(at=FIRST + 15 * DAY)):
            times = {} if span.at is None else {"at": clock.iso(span.at)}
            each = []
            for store in (short, long):
                asked = sinks(adjacency(store, span)[0], count)
                fields = dict(zip(asked, names(store, asked), strict=True))
                found = [
                    graph.lineage(store, [one], depth=DEPTH, **times) for one in fields.values()
                ]
                mean = mean_ms(
                    lambda start, store=store, fields=fields, times=times: graph.lineage(  # type: ignore[misc]
                        store, [fields[start]], depth=DEPTH, **times
                    ),
                    asked,
                    time.process_time,
                )
                each.append(mean / statistics.mean(len(one.edges) for one in found))
            figures.append(f"{each[1] / each[0]:.2f} x")
        long.close()
    add_row(rows, "300 runs instead of 30, time an edge: now / as of", " / ".join(figures))


@contextmanager
def database(postgres: bool) -> Iterator[str]:
    """The URL of a new database, which is gone afterwards."""
    if postgres:
        with started() as server:
            yield server.get_uri()
        return
    with tempfile.TemporaryDirectory(prefix="colgraph-bench-") as folder:
        yield f"sqlite:///{folder}/colgraph.db"


def measure(name: str, postgres: bool, count: int) -> Rows:
    """Everything about one size in one database."""
    gc.set_threshold(100_000, 50, 100)  # as `colgraph serve` does
    size, rows = SIZES[name], Rows()
    print(f"{'PostgreSQL' if postgres else 'SQLite'}, {name}: {size}")
    with database(postgres) as url:
        store = Store.open(url)
        fill(rows, store, size)
        add_row(rows, "the whole store", f"{size_of(store) / 1e6:.1f} MB")
        queries(rows, store, size, count)
        if name == "S" and not postgres:
            history(rows, store, count)
        fields = names(store, random.Random(1).sample(sorted(adjacency(store, Span())[0]), count))
        last = last_day(size)
        days = range(200, 200 + -(-SINGLE // len(last)))
        sent = [orjson.dumps(event) for day in days for event in repeated(last, size, day)]
        unchanged(rows, store, size, last)  # before what comes later
        rest(rows, url, fields, sent)
        store.close()
    return rows


def table(measured: dict[str, Rows]) -> str:
    """The figures as a table of Markdown."""
    lines = [f"| what | {' | '.join(measured)} |", "| --- |" + " --- |" * len(measured)]
    for what in dict.fromkeys(what for rows in measured.values() for what in rows):
        lines.append(f"| {what} | {' | '.join(rows.get(what, '') for rows in measured.values())} |")
    return "\n".join(lines)


def write_docs(measured: dict[str, Rows]) -> None:
    """Put the table in the place of the one that begins with the same word."""
    text = DOCS.read_text()
    new, found = re.subn(
        r"^\| what \|.*\n(?:\|.*\n)+", lambda _: table(measured) + "\n", text, flags=re.M
    )
    assert found == 1, f"{DOCS} has not one table of figures"
    DOCS.write_text(new)


def main() -> None:
    """Measure one size in one database, or all that the documentation shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), default="S")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument(
        "--write-docs", action="store_true", help="put the figures in docs/store.md"
    )
    arguments = parser.parse_args()
    if not arguments.write_docs:
        measure(arguments.size, arguments.postgres, arguments.queries)
        return
    write_docs(
        {
            f"{title} {name}": measure(name, title == "PostgreSQL", arguments.queries)
            for title in ("SQLite", "PostgreSQL")
            for name in ("S", "M")
        }
    )


if __name__ == "__main__":
    main()
