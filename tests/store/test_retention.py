from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from airflow_colgraph.store.admin import audit, deletion, paced, retention
from airflow_colgraph.store.admin.retention import Pruned, prune
from airflow_colgraph.store.admin.size import sizes
from airflow_colgraph.store.db import engine
from airflow_colgraph.store.errors import QuestionError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import (
    endpoint,
    graph,
    history,
    listing,
    tag_spread,
    tag_values,
)
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.query.dataset_details import versions
from airflow_colgraph.store.query.why import why
from airflow_colgraph.store.store import Store
from tests.amount import of_all
from tests.store.samples import (
    NOON,
    at,
    copy_event,
    event,
    memory_store,
    output,
    run_id,
    short_edges,
    table_rows,
)
from tests.warehouse.random_events import random_events

MINUTE = 60_000
PARENT = {"run": {"runId": run_id(900)}, "job": {"namespace": "jobs", "name": "dag"}}


def log() -> list[dict[str, object]]:
    return [
        copy_event("load", 1, "raw", {"x": "csv.old"}, parent=PARENT),
        copy_event("load", 2, "raw", {"x": "csv.a"}),
        copy_event("load", 3, "raw", {"x": "csv.a"}),
        copy_event("once", 1, "fixed", {"y": "csv.k"}, run=77),
        {"eventTime": at(1), "dataset": output("reported", {"z": "csv.k"})},
        {"eventTime": at(2), "dataset": output("reported", {"z": "csv.a"})},
        event("reader", 1, [], run=78, reads=["csv"]),
    ]


def test_the_latest_lineage_stays(store: Store) -> None:
    store.add(log())
    before = {d: short_edges(graph.upstream(store, "n", d)) for d in ("raw", "fixed", "reported")}
    gone = prune(store, NOON + 3 * MINUTE)
    assert gone == Pruned(runs=3, occurrences=3, lineage_bodies=2, edges=2)
    assert {d: short_edges(graph.upstream(store, "n", d)) for d in before} == before
    with pytest.raises(QuestionError, match=r"before 2026-.*Z was pruned"):
        graph.upstream(store, "n", "raw", at=at(1))


def test_no_answer_is_about_a_time_that_was_pruned(store: Store) -> None:
    """A comparison with such a time told all lineage as new, and a policy that none was tagged."""
    store.add(log())
    raw = Field("n", "raw", "")
    pruned, kept = NOON + 3 * MINUTE, NOON + 4 * MINUTE
    prune(store, pruned - MINUTE, by="nightly")
    prune(store, pruned, by="nightly")
    with store.connection() as connection:
        (*_, row) = audit.read(connection)
        assert (row.action, row.by) == ("prune-begin", "nightly")
        assert row.subject == f"before {clock.iso(pruned)}"
        questions: list[Callable[[int], object]] = [
            lambda at: history.difference(connection, raw, at, kept),
            lambda at: tag_spread.tags_at(connection, raw, at),
            lambda at: tag_values.values_at(connection, ["pii"], at),
            lambda at: copies(connection, raw._replace(field="x"), at=at),
            lambda at: graph.upstream(store, "n", "raw", "x", at=clock.iso(at), run_aware=True),
            lambda at: graph.upstream(store, "n", "raw", "x", end=clock.iso(at)),
            lambda at: graph.upstream(store, "n", "raw", "x", start=clock.iso(at)),
            lambda at: history.history(connection, raw, start=at),
            lambda at: endpoint.EndPoint(connection, raw, 0, at + 1),
            lambda at: why(connection, raw._replace(field="x"), at, kept),
        ]
        for ask in questions:
            with pytest.raises(QuestionError, match=f"before {clock.iso(pruned)} was pruned"):
                ask(pruned - 1)
            ask(pruned)


def test_nothing_is_old(store: Store) -> None:
    store.add(log())
    before = table_rows(store)
    assert prune(store, NOON) == Pruned(0, 0, 0, 0)
    assert table_rows(store) == before


def test_a_prune_that_deletes_nothing_refuses_nothing(store: Store) -> None:
    """It had a row in the audit log, and earlier times were refused without a reason."""
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    edges = short_edges(graph.upstream(store, "n", "raw", at=at(2)))
    for namespaces in ([], ["n"], ["empty"]):
        assert prune(store, NOON + 9 * MINUTE, namespaces=namespaces) == Pruned(0, 0, 0, 0)
        assert short_edges(graph.upstream(store, "n", "raw", at=at(2))) == edges
        assert graph.downstream(store, "n", "csv", at=at(2)).edges
    with store.connection() as connection:
        assert audit.read(connection) == []


def test_versions_of_a_dataset_are_pruned_with_the_runs_that_reported_them(store: Store) -> None:
    """But for the one that the dataset had at the time."""
    for minute, type_ in enumerate(("int", "bigint", "decimal", "string"), 1):
        told = copy_event("load", minute, "raw", {"x": f"csv.{type_}"})
        told["outputs"][0]["facets"]["schema"] = {"fields": [{"name": "x", "type": type_}]}
        store.add(told)

    def types() -> list[str | None]:
        with store.connection() as connection:
            reported = versions(connection, Field("n", "raw", ""))
        return list(dict.fromkeys(version.fields["x"] for version in reported if version.is_schema))

    assert types() == ["int", "bigint", "decimal", "string"]
    prune(store, NOON + 3 * MINUTE + 1)
    assert types() == ["decimal", "string"]
    assert short_edges(graph.upstream(store, "n", "raw", at=at(4))) == {
        ("csv.string", "raw.x", "DIRECT:IDENTITY")
    }


def test_a_pruned_store_is_as_if_the_old_events_had_not_come(store: Store) -> None:
    """But for names, which stay, and the parent of a run that is kept."""
    store.add(log())
    prune(store, NOON + 2 * MINUTE)
    young = memory_store()
    young.add([e for e in log() if e["eventTime"] != at(1)] + [log()[3], log()[6]])
    kinds = ("dataset", "field", "field_name", "job", "namespace", "transformation")
    names = {f"colgraph_{kind}" for kind in kinds}
    expected = table_rows(young)
    for name, rows in table_rows(store).items():
        if name not in names:
            assert rows == expected[name], name


def test_a_pruned_store_takes_the_same_events_again(store: Store) -> None:
    store.add(log())
    prune(store, NOON + 3 * MINUTE)
    store.add(log())
    whole = memory_store()
    whole.add(log())
    assert table_rows(store) == table_rows(whole)


class Stopped(Exception):
    """As if the process had been killed."""


def test_others_write_meanwhile_and_a_stopped_prune_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One transaction held the lock for all of it: 82 s at a company's size."""
    monkeypatch.setattr(paced, "FIRST", 1)
    monkeypatch.setattr(paced, "SECONDS", 0.0)
    store.add(log())
    seen: list[tuple[int, int]] = []

    def write_and_stop(done: int, total: int) -> None:
        seen.append((done, total))
        store.add(copy_event("other", 9, "mart", {"x": "raw.x"}))
        raise Stopped

    with pytest.raises(Stopped):
        prune(store, NOON + 3 * MINUTE, write_and_stop)
    assert short_edges(graph.upstream(store, "n", "raw")) == {("csv.a", "raw.x", "DIRECT:IDENTITY")}
    prune(store, NOON + 3 * MINUTE, lambda *counts: seen.append(counts))
    assert seen == [(1, 2), (1, 1)]
    whole = memory_store()
    whole.add([*log(), copy_event("other", 9, "mart", {"x": "raw.x"})])
    prune(whole, NOON + 3 * MINUTE)
    assert table_rows(store) == table_rows(whole)


def test_of_the_audit_log_only_old_reads_are_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paced, "FIRST", 1)
    monkeypatch.setattr(paced, "SECONDS", 0.0)
    store.add(log())
    others = ("forget", "tags-add", "key-revoke", "prune-begin", "reads", "Read")
    with engine.writing(store.engine) as connection:
        for at in range(6):
            audit.write(connection, "read", "dataset n raw", "ann", f"x (pii) {at}", at * MINUTE)
        for action in others:
            audit.write(connection, action, "before", "ann", "", 0)
    before = table_rows(store)
    sizes = []
    transaction = paced.transaction

    @contextmanager
    def counting(database: Store) -> Iterator[Connection]:
        with transaction(database) as connection:
            yield connection
            sizes.append(len(audit.read(connection, actions=["read"])))

    monkeypatch.setattr(paced, "transaction", counting)
    assert retention.prune_reads(store, 4 * MINUTE, by="nightly") == 4
    assert sizes == [5, 4, 3, 2]
    assert retention.prune_reads(store, 4 * MINUTE, by="nightly") == 0
    with store.connection() as connection:
        rows = audit.read(connection)
    assert [row.result for row in rows if row.action == "read"] == ["x (pii) 4", "x (pii) 5"]
    assert sorted(row.action for row in rows if row.at < clock.iso(1)) == sorted(others)
    said = ("prune-reads", f"before {clock.iso(4 * MINUTE)}", "nightly", "4 rows")
    assert rows[-1][1:] == said
    assert table_rows(store) == before


@pytest.mark.parametrize("kind", ["run", "lineage body"])
def test_what_is_reported_again_while_it_is_deleted_stays(
    kind: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old parent of a run that comes late, and a body that a run reports once more."""
    store.add(log())
    parent = bytes.fromhex(run_id(900).replace("-", ""))
    late = {
        "run": event("late", 20, [], run=950, parent=PARENT),
        "lineage body": copy_event("load", 20, "raw", {"x": "csv.old"}, run=950),
    }
    whole = paced.paced
    came = []

    def late_event(items: Sequence[Any], least: int = 1) -> Iterator[Sequence[Any]]:
        is_run = (parent,) in items
        is_body = least > 1 and bool(items) and isinstance(items[0][0], int)
        if not came and (is_run if kind == "run" else is_body):  # listed, not deleted yet
            came.append(store.add(late[kind]))
        yield from whole(items, least)

    monkeypatch.setattr(paced, "paced", late_event)
    prune(store, NOON + 3 * MINUTE)
    assert came == [1]
    rows = table_rows(store)
    runs = {bytes(row[0]) for row in rows["colgraph_run"]}
    bodies = {row[0] for row in rows["colgraph_lineage_body"]}
    assert parent in runs or kind != "run"
    assert {row[3] for row in rows["colgraph_occurrence"]} <= bodies


PACED = (
    *("event", "reading", "schema", "description", "facets", "job_source", "gap"),
    *("run", "lineage_body", "template"),
)


def test_no_transaction_deletes_more_than_a_batch_and_each_may_be_the_last(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All old runs, events and reports went in one transaction for each table."""
    monkeypatch.setattr(paced, "FIRST", 1)
    monkeypatch.setattr(deletion, "LEAST", 1)
    monkeypatch.setattr(paced, "SECONDS", 0.0)
    whole = memory_store()
    for each in (store, whole):
        each.keep_events(True)
        each.add([*log(), *(event("reader", n, [], run=80 + n, reads=["csv"]) for n in (2, 3, 4))])
    prune(whole, NOON + 10 * MINUTE)
    left, deleted = 0, [0]
    transaction = paced.transaction

    @contextmanager
    def stopping(database: Store) -> Iterator[Connection]:
        nonlocal left
        before = _sizes(store)
        with transaction(database) as connection:
            yield connection
        deleted.append(max(before[name] - size for name, size in _sizes(store).items()))
        left -= 1
        if not left:
            raise Stopped

    monkeypatch.setattr(paced, "transaction", stopping)
    stops = 0
    while True:
        left = stops + 1
        try:
            prune(store, NOON + 10 * MINUTE)
            break
        except Stopped:
            stops += 1
    assert stops > 3
    assert max(deleted) == 1
    assert table_rows(store) == table_rows(whole)


def _sizes(store: Store) -> dict[str, int]:
    rows = table_rows(store)
    return {name: len(rows[f"colgraph_{name}"]) for name in PACED}


def answers(store: Store, minute: int) -> dict[tuple[object, ...], object]:
    """What questions about a time say of each dataset, without the times of runs."""
    told: dict[tuple[object, ...], object] = {}
    with store.connection() as connection:
        datasets = [Field(*row[:2], "") for row in listing.datasets(connection, limit=100)]
        for field in datasets:
            times = NOON + minute * MINUTE, NOON + 999 * MINUTE
            told["difference", field] = [
                change
                for change in history.difference(connection, field, *times).changes
                if change.kind != "rows-changed"  # rests on the last eight runs before the time
            ]
    for field in datasets:
        for indirect in (False, True):
            for ask in (graph.upstream, graph.downstream):
                edges = ask(store, *field[:2], at=at(minute), indirect=indirect).edges
                told[ask.__name__, indirect, field] = {
                    (edge.output, edge.input, edge.transformation) for edge in edges
                }
    return told


@pytest.mark.sampled
def test_the_time_that_is_kept_has_the_same_answers() -> None:
    """Lineage was missing from the time until the next run, and of appended rows for good."""
    deleted = 0
    for seed in range(of_all(60, 4)):
        whole, pruned = memory_store(), memory_store()
        for store in (whole, pruned):
            store.add(random_events(seed, 40))
        deleted += prune(pruned, NOON + 12 * MINUTE).occurrences
        for minute in (12, 13, 15, 18, 40):
            assert answers(pruned, minute) == answers(whole, minute), (seed, minute)
    assert deleted


def in_two_namespaces(part: object) -> object:
    """The same events, but datasets whose names end with `a` or `b` are in `scratch`."""
    if isinstance(part, list):
        return [in_two_namespaces(each) for each in part]
    if not isinstance(part, dict):
        return part
    whole = {key: in_two_namespaces(value) for key, value in part.items()}
    if whole.get("namespace") == "n" and str(whole.get("name"))[-1:] in ("a", "b"):
        whole["namespace"] = "scratch"
    return whole


@pytest.mark.sampled
def test_only_answers_that_rest_on_a_pruned_namespace_are_refused() -> None:
    said = Counter[str]()
    for seed in range(of_all(40, 4)):
        whole, pruned = memory_store(), memory_store()
        for store in (whole, pruned):
            store.add(in_two_namespaces(random_events(seed, 40)))
        prune(pruned, NOON + 12 * MINUTE, namespaces=["scratch"])
        for minute in (12, 15, 40):
            assert answers(pruned, minute) == answers(whole, minute), (seed, minute)
        with whole.connection() as connection:
            datasets = [row[:2] for row in listing.datasets(connection, limit=100)]
        for minute, dataset in product((6, 9, 11), datasets):
            expected = graph.upstream(whole, *dataset, at=at(minute))
            try:
                edges = short_edges(graph.upstream(pruned, *dataset, at=at(minute)))
            except QuestionError:
                said["refused"] += 1
            else:
                assert edges == short_edges(expected), (seed, minute, dataset)
                said["the same"] += 1
            with suppress(QuestionError):
                edges = short_edges(graph.downstream(pruned, *dataset, at=at(minute)))
                assert edges == short_edges(graph.downstream(whole, *dataset, at=at(minute)))
    assert min(said["refused"], said["the same"]) > 5, said


def test_a_dataset_with_a_name_in_a_pruned_namespace_is_refused(store: Store) -> None:
    """What was written by its other name is gone."""
    other = copy_event("load", 1, "raw", {"x": "csv.a"})
    other["outputs"][0]["namespace"] = "scratch"
    names = {"identifiers": [{"namespace": "scratch", "name": "raw", "type": "TABLE"}]}
    alias = copy_event("load2", 2, "table", {"y": "csv.a"})
    alias["outputs"][0]["facets"]["symlinks"] = names
    later = copy_event("load", 3, "raw", {"x": "csv.b"})
    later["outputs"][0]["namespace"] = "scratch"
    store.add([other, alias, later, copy_event("apart", 1, "apart", {"z": "csv.a"})])
    assert prune(store, NOON + 4 * MINUTE, namespaces=["scratch"]).occurrences == 1
    with pytest.raises(QuestionError, match="Lineage of scratch from before"):
        graph.upstream(store, "n", "table", at=at(2))
    assert graph.upstream(store, "n", "apart", at=at(2)).edges
    with pytest.raises(QuestionError, match="Lineage of scratch from before"):
        graph.downstream(store, "n", "csv", at=at(2))


DAY = 24 * 60  # minutes


def test_a_store_that_is_pruned_each_night_stops_growing(store: Store) -> None:
    """Jobs whose lineage changes now and then, for seven times as long as lineage is kept."""

    def held() -> dict[str, tuple[int, int]]:
        return {table.table: (table.rows, table.bytes) for table in sizes(store, 0)}

    after = {}
    for day in range(1, 37):
        names = [f"csv.{job % 7 + day // 3}" for job in range(20)]  # another one every three days
        store.add(
            [
                copy_event(f"job{job}", day * DAY, f"t{job}", {"x": name})
                | {"run": {"runId": run_id(day * 100 + job)}}
                for job, name in enumerate(names)
            ]
        )
        prune(store, NOON + (day - 5) * DAY * MINUTE)
        after[day] = held()
    for table, (rows, size) in after[36].items():
        if table not in ("audit", "dataset", "field", "field_name"):  # names and prunes are kept
            assert rows <= after[21][table][0], table
            if store.engine.dialect.name == "sqlite":  # PostgreSQL vacuums when it likes
                assert size <= after[21][table][1] * 1.25, table
