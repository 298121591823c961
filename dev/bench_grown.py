"""Answers of the same size from stores of different sizes, beside one another: what grows?

    python -m dev.bench_grown S M L [--postgres] [--queries 60]
    python -m dev.bench_grown sqlite:///m.db sqlite:///l.db     stores that are there

The questions go to each store in turn, the best of seven rounds counts, and the figure is the time
of an edge of the answer. Of one store at a time the edges are in memory, to find the questions.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import Span
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from dev.bench_store import add_all, database, size_of
from dev.bench_walks import DEPTH, Rows, add_row, adjacency, names, reaching
from dev.warehouse import DAY, FIRST, SIZES

ROUNDS = 7
SPANS = {"now": Span(), "as of": Span(at=FIRST + 5 * DAY)}


def filled(url: str, size: str) -> Store:
    """The store at the URL, with the warehouse of the size if one is named."""
    store, begin = Store.open(url), time.process_time()
    if size in SIZES:
        add_all(store, SIZES[size])
    took = time.process_time() - begin
    print(f"{size}: {size_of(store) / 1e6:.0f} MB, filled in {took:.0f} s of CPU time", flush=True)
    return store


def compare(stores: Mapping[str, Store], count: int, rows: Rows) -> None:
    """The time of an edge, for questions that reach about a hundred fields in each store."""
    sqlite = all(store.engine.dialect.name == "sqlite" for store in stores.values())
    timer = time.process_time if sqlite else time.perf_counter
    for title, span in SPANS.items():
        times: dict[str, Any] = {} if span.at is None else {"at": clock.iso(span.at)}
        asked: list[tuple[Store, Field]] = []
        of: list[str] = []
        for name, store in stores.items():
            near, _ = adjacency(store, span)
            fields = names(store, reaching(near, count))
            asked += [(store, field) for field in fields]
            of += [name] * len(fields)
        edges = dict.fromkeys(stores, 0)
        for name, (store, field) in zip(of, asked, strict=True):
            edges[name] += len(graph.lineage(store, [field], depth=DEPTH, **times).edges)
        best = [float("inf")] * len(asked)
        for _ in range(ROUNDS):
            for number, (store, field) in enumerate(asked):
                begin = timer()
                graph.lineage(store, [field], depth=DEPTH, **times)
                best[number] = min(best[number], timer() - begin)
        each = {
            name: sum(took for took, one in zip(best, of, strict=True) if one == name) / edges[name]
            for name in stores
        }
        figures = " / ".join(f"{one * 1e6:.1f}" for one in each.values())
        ratio = list(each.values())[-1] / next(iter(each.values()))
        what = f"ten levels upstream, {title}, about a hundred fields, an edge: {' / '.join(each)}"
        add_row(rows, what, f"{figures} us ({ratio:.2f} x)")


def main() -> None:
    """Compare stores of the sizes, or those at the URLs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="+", help="sizes of the warehouse, or URLs of stores")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--queries", type=int, default=60)
    arguments = parser.parse_args()
    gc.set_threshold(100_000, 50, 100)  # as `colgraph serve` does
    with ExitStack() as stack:
        stores: dict[str, Store] = {}
        for one in arguments.stores:
            url = stack.enter_context(database(arguments.postgres)) if one in SIZES else one
            stores[one] = filled(url, one)
            stack.callback(stores[one].close)
        compare(stores, arguments.queries, {})


if __name__ == "__main__":
    main()
