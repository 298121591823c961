"""The traversals of `bench.store`: ten levels, next to a plain search of the same edges."""

from __future__ import annotations

import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import Span
from airflow_colgraph.store.query import edge_cache, graph
from airflow_colgraph.store.query.name_cache import of as names_of
from airflow_colgraph.store.store import Store
from bench.synthetic import DAY, FIRST, Size

Adjacency = dict[int, list[int]]
Rows = dict[str, str]  # what was measured and the figure
DEPTH = 10


def add_row(rows: Rows, what: str, figure: str) -> None:
    """One line of the report."""
    rows[what] = figure
    print(f"  {what:<66}{figure}", flush=True)


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


def sinks(near: Adjacency, count: int) -> list[int]:
    """Fields at which a walk in the direction begins."""
    ends = sorted(near.keys() - {other for others in near.values() for other in others})
    return random.Random(1).sample(ends, min(count, len(ends)))


def reaching(near: Adjacency, count: int) -> list[int]:
    """Fields from which a walk reaches about a hundred others."""
    alike = [start for start in sorted(near) if 80 <= bfs(near, start, DEPTH) <= 120][: 10 * count]
    return random.Random(2).sample(alike, min(count, len(alike)))


def names(store: Store, ids: list[int]) -> list[Field]:
    """The fields with the ids."""
    with store.connection() as connection:
        nodes = names_of(connection).read_nodes(connection, ids)
        return [nodes[id].field for id in ids]


def queries(rows: Rows, store: Store, size: Size, count: int) -> None:
    """Walks and whole answers, ten levels, against the plain search."""
    sqlite = store.engine.dialect.name == "sqlite"
    timer = time.process_time if sqlite else time.perf_counter
    middle = FIRST + size.days // 2 * DAY
    spans = {
        "now": Span(),
        "as of": Span(at=middle),
        "window": Span(start=middle, end=middle + 2 * DAY),
    }
    for title, span in spans.items():
        times = {name: None if at is None else clock.iso(at) for name, at in span._asdict().items()}
        for direction, near in zip(("upstream", "downstream"), adjacency(store, span), strict=True):
            asked = sinks(near, count)
            fields = dict(zip(asked, names(store, asked), strict=True))
            how = {"direction": direction, "depth": DEPTH, **times}
            question = graph.Question(**how)

            def walk(start: int, question: graph.Question = question) -> object:
                return store.ask(lambda connection: graph.search(connection, [start], question))

            def whole(start: int, how: Any = how, fields: Any = fields) -> object:
                return graph.lineage(store, [fields[start]], **how)

            def plain(start: int, near: Adjacency = near) -> object:
                return bfs(near, start, DEPTH)

            base, mine = mean_ms(plain, asked, timer), mean_ms(walk, asked, timer)
            reached = statistics.mean(bfs(near, start, DEPTH) for start in asked)
            add_row(
                rows,
                f"ten levels {direction}, {title}: plain search / traversal / answer",
                f"{base:.3f} / {mine:.3f} ({mine / base:.1f} x) / "
                f"{mean_ms(whole, asked, timer):.2f} ms, {reached:.0f} fields",
            )
    up, _ = adjacency(store, Span())
    unknown = sinks(up, count)
    question = graph.Question(depth=DEPTH)

    def forgetful(start: int) -> object:
        edge_cache.clear()
        return store.ask(lambda connection: graph.search(connection, [start], question))

    cold = mean_ms(forgetful, unknown, timer)
    add_row(rows, "ten levels upstream, now, nothing cached: traversal", f"{cold:.2f} ms")
    alike = reaching(up, count)
    fields = dict(zip(alike, names(store, alike), strict=True))
    if alike:
        each = mean_ms(
            lambda start: graph.lineage(store, [fields[start]], depth=DEPTH), alike, timer
        )
        add_row(rows, "answers of 80 to 120 fields upstream, now", f"{each:.2f} ms")
