"""No question scans the edges, whatever the planner's statistics say."""

import itertools
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store.db import id_lists
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.edge_cache import snapshot
from airflow_colgraph.store.query.lookup import Starts
from airflow_colgraph.store.query.provenance import reported_by
from airflow_colgraph.store.query.traversal import KINDS, Traversal, statement
from airflow_colgraph.store.store import Store
from tests.store.samples import at, copy_event

WAYS = ("upstream", "downstream")


@pytest.mark.parametrize("analyzed", [False, True])
def test_no_plan_scans_the_edges(tmp_path: Path, analyzed: bool) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/colgraph.db")
    for job in range(20):
        links = {f"f{n}": f"d{job}.f{n}, d{job}.f{n + 1}" for n in range(40)}
        store.add(copy_event(f"j{job}", job + 1, f"d{job + 1}", links))
    plans = []
    with store.connection() as connection:
        if analyzed:
            connection.exec_driver_sql("ANALYZE")
            connection.exec_driver_sql("ANALYZE sqlite_schema")
        cursor = connection.connection.cursor()
        for way, kinds, open_only in itertools.product(WAYS, KINDS.values(), (True, False)):
            sql = id_lists.statement(statement(way, kinds, open_only), "sqlite")
            parameters = {"ids": json.dumps([1, 2])}
            steps = cursor.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
            plans.append([step[-1] for step in steps])
    assert len(plans) == 12
    for plan in plans:
        (edges,) = [step for step in plan if " e " in f"{step} "]
        assert edges.startswith("SEARCH e USING"), plan
        assert "=? AND kind=?" in edges, plan
        assert not [step for step in plan if "BLOOM" in step], plan
    store.close()


@pytest.mark.postgres
@pytest.mark.parametrize("when", [{}, {"at": at(30)}, {"start": at(9), "end": at(14)}])
@pytest.mark.parametrize("way", WAYS)
def test_postgresql_scans_no_edges_and_is_asked_once(
    postgres_store_url: str, way: str, when: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own counts of this transaction say how it read the table."""
    store = Store.open(postgres_store_url)
    for job in range(20):
        links = {f"f{n}": f"d{job}.f{n}, d{job}.f{n + 1}" for n in range(100)}
        store.add(copy_event(f"j{job}", job + 1, f"d{job + 1}", links))
    counts = (
        "SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = 'colgraph_edge'"
    )
    asked = []
    read = Traversal._read_ahead
    monkeypatch.setattr(Traversal, "_read_ahead", lambda *a: asked.append(a) or read(*a))
    with store.connection() as connection:
        connection.exec_driver_sql("ANALYZE")
        question = graph.Question(direction=way, **when)
        before = connection.exec_driver_sql(counts).one()
        levels, _ = graph.search(connection, [Field("n", "d10", "f50").id], question)
        after = connection.exec_driver_sql(counts).one()
        assert sum(map(len, levels)) > 2
        assert after.seq_scan == before.seq_scan
        assert after.idx_scan > before.idx_scan
        assert len(asked) == 1
    store.close()


@pytest.mark.postgres
@pytest.mark.parametrize("way", WAYS)
def test_postgresql_reads_no_more_than_a_limited_answer_needs(
    postgres_store_url: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each level of the graph has ten times as many edges as the one before."""
    asked: list[dict[int, list[Any]]] = []
    read = Traversal._read_ahead

    def recorded(*given: Any) -> dict[int, list[Any]]:
        asked.append(read(*given))
        return asked[-1]

    monkeypatch.setattr(Traversal, "_read_ahead", recorded)
    found = []
    for url in (postgres_store_url, "sqlite://"):
        store = Store.open(url)
        for job in range(8):
            links = {
                f"f{n}": ", ".join(f"d{job}.f{(7 * n + k) % 100}" for k in range(10))
                for n in range(100)
            }
            store.add(copy_event(f"j{job}", job + 1, f"d{job + 1}", links))
        with store.connection() as connection:
            question = graph.Question(direction=way, limit=150)
            levels, left = graph.search(connection, [Field("n", "d4", "f50").id], question)
            found.append([sorted(level) for level in levels[:-1]])
            assert (sum(map(len, levels)), left > 0) == (150, True)
        store.close()
    assert found[0] == found[1]
    assert [len(level) for level in found[0]] == [10, 100]
    assert 0 < sum(len(rows) for one in asked for rows in one.values()) <= 10 + 100 + 1000
    assert len(asked) <= 2


@pytest.mark.postgres
def test_postgresql_finds_reports_by_key(postgres_store_url: str) -> None:
    store = Store.open(postgres_store_url)
    for day in range(1, 6):
        store.add(
            [copy_event(f"j{job}", 100 * day + job, f"d{job}", {"f": "a.f"}) for job in range(60)]
        )
    counts = (
        "SELECT sum(seq_scan) FROM pg_stat_xact_user_tables "
        "WHERE relname IN ('colgraph_run', 'colgraph_job_output', 'colgraph_job',"
        " 'colgraph_reported')"
    )
    with store.connection() as connection:
        question = graph.Question(depth=1)
        (rows,), _ = graph.search(connection, [Field("n", "d7", "f").id], question)
        before = connection.exec_driver_sql(counts).scalar()
        (report,) = reported_by(connection, rows).values()
        assert report.job is not None
        assert report.run is not None
        assert (report.job.name, report.run.started_at, report.last_seen) == (
            "j7",
            at(507),
            at(507),
        )
        assert connection.exec_driver_sql(counts).scalar() == before
    store.close()


def test_cached_edges_are_dropped_when_edges_change(tmp_path: Path) -> None:
    """Also when another process (here: another store object) changed them."""
    url = f"sqlite:///{tmp_path}/colgraph.db"
    mine, other = Store.open(url), Store.open(url)

    def sources() -> set[str]:
        return {edge.input.field for edge in graph.upstream(mine, "n", "raw", "x").edges}

    mine.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    assert sources() == {"a"}
    other.add(copy_event("load", 2, "raw", {"x": "csv.b"}))
    assert sources() == {"b"}
    other.add(copy_event("load", 3, "raw", {"x": "csv.b"}))
    (edge,) = graph.upstream(mine, "n", "raw", "x").edges
    assert edge.reported_by[0].last_seen == at(3)


def test_a_cached_absence_of_edges_is_dropped_too(store_url: str) -> None:
    mine, other = Store.open(store_url), Store.open(store_url)
    mine.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    assert len(graph.upstream(mine, "n", "raw", "x").edges) == 1  # which has met csv.a
    assert graph.upstream(mine, "n", "csv", "a").edges == []
    other.add(copy_event("fetch", 2, "csv", {"a": "web.a"}))
    (edge,) = graph.upstream(mine, "n", "csv", "a").edges
    assert edge.input.name == "web"
    mine.close()
    other.close()


@pytest.mark.postgres
def test_a_cached_answer_takes_one_round_trip(
    postgres_store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(postgres_store_url)
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    statements: list[str] = []
    execute = psycopg.Cursor.execute
    monkeypatch.setattr(
        psycopg.Cursor,
        "execute",
        lambda self, query, *a, **k: statements.append(query) or execute(self, query, *a, **k),
    )
    graph.upstream(store, "n", "raw", "x")
    before = graph.upstream(store, "n", "raw", "x").edges
    assert len(statements) > 1
    statements.clear()
    assert graph.upstream(store, "n", "raw", "x").edges == before
    (query,) = statements
    assert "colgraph_reported_by" in query
    store.close()


def test_a_question_in_an_older_state_is_answered_from_that_state(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/colgraph.db"
    store = Store.open(url)
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    start = Field("n", "raw", "x").id
    question = graph.Question()
    with store.connection() as old:
        old.exec_driver_sql("SELECT * FROM colgraph_change").fetchall()
        store.add(copy_event("load", 2, "raw", {"x": "csv.b, csv.c"}))
        with store.connection() as new:
            assert len(graph.search(new, [start], question)[0][0]) == 2
        assert len(graph.search(old, [start], question)[0][0]) == 1
        with store.connection() as new:
            assert len(graph.search(new, [start], question)[0][0]) == 2
    store.close()


@pytest.mark.parametrize("warm", [True, False])
def test_a_question_during_which_edges_change_is_asked_again(store_url: str, warm: bool) -> None:
    store, other = Store.open(store_url), Store.open(store_url)
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    if warm:
        graph.upstream(store, "n", "raw", "x")
    start = Field("n", "raw", "x")
    states = []

    def question(connection: Connection) -> graph.Graph:
        states.append(snapshot(connection).cache.change)
        if len(states) == 1:
            other.add(copy_event("load", 2, "raw", {"x": "csv.b"}))
        return graph.answer(connection, Starts((start.id,), (start,)), graph.Question())

    (edge,) = store.ask(question).edges
    assert (edge.input.field, edge.reported_by[0].first_seen) == ("b", at(2))
    assert (len(states), states[0] < states[1]) == (2, True)
    store.close()
    other.close()


def test_a_range_knows_when_each_writer_ran_last(store_url: str) -> None:
    """Also when that was earlier than another process has seen: the run had reported it before."""
    store, other = Store.open(store_url), Store.open(store_url)
    window = {"start": at(4), "end": at(9)}

    def found() -> int:
        return len(graph.upstream(store, "n", "raw", "x", **window).edges)

    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}, run=1))
    assert found() == 0
    other.add(copy_event("load", 5, "raw", {"x": "csv.a"}, run=2))
    assert (found(), found()) == (1, 1)
    other.add(copy_event("load", 2, "raw", {"x": "csv.a"}, run=2))
    assert found() == 0
    store.close()
    other.close()
