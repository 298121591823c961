"""Fields that no job uses: the demo and generated warehouses against brute force, and the edges."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.event import listen

from airflow_colgraph.store.errors import UnknownNode
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query.unknown_columns import diagnosed_reads
from airflow_colgraph.store.query.unused import PERHAPS, UNUSED, UnusedField, unused
from airflow_colgraph.store.store import Store
from bench.synthetic import DAY, FIRST, Size
from bench.synthetic import events as warehouse
from tests.amount import of_all
from tests.store import brute_force
from tests.store.samples import at, copy_event, event, output

FLIGHTS = Path(__file__).parents[1] / "ui" / "flights.jsonl"


def flights() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FLIGHTS.read_text().splitlines()]


def ask(store: Store, since: int | str = 0, **how: Any) -> list[UnusedField]:
    with store.connection() as connection:
        return unused(
            connection, clock.parse(since) if isinstance(since, str) else since, **how
        ).fields


def names(found: list[UnusedField]) -> set[tuple[str, str, str]]:
    return {one[:3] for one in found}


def test_the_demo_equals_brute_force(store: Store) -> None:
    store.add(flights())
    found = ask(store)
    assert names(found) == brute_force.unused(flights(), 0)
    raw = {one.field for one in found if one.name == "/data/raw/flights.csv"}
    assert raw == {"arr_time", "dep_time", "hour", "minute", "sched_arr_time", "sched_dep_time"}
    assert {(one.readers, one.is_read) for one in found if one.name == "/data/mart/plane_days"} == {
        (0, False)
    }


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(of_all(4, 1)))
def test_generated_warehouses_equal_brute_force(store: Store, seed: int) -> None:
    events = list(warehouse(Size(30, 8, 12), seed, changed=0.2))
    store.add(events)
    counts = set()
    for day in (0, 6, 11, 12):
        since = FIRST + day * DAY
        expected = brute_force.unused(events, since)
        assert names(ask(store, since)) == expected
        counts.add(len(expected))
    assert len(counts) > 2
    assert {one.status for one in ask(store, FIRST)} == {UNUSED}


SCHEMA = {"fields": [{"name": name, "type": "int"} for name in ("a", "b", "c")]}
WRITES = event("load", 1, [output("raw", {"a": "", "b": "", "c": ""}, schema=SCHEMA)])


def test_uses_of_both_kinds_count_and_old_ones_do_not(store: Store) -> None:
    store.add(
        [WRITES, copy_event("mart", 5, "mart", {"t": "raw.a"}, dataset="raw.b INDIRECT:JOIN")]
    )
    (one,) = ask(store, at(2), name="raw")
    assert one == UnusedField("n", "raw", "c", UNUSED, None, 1, [], True)
    later = ask(store, at(6), name="raw")
    assert [(one.field, one.last_used, one.readers) for one in later] == [
        ("a", at(5), 0),
        ("b", at(5), 0),
        ("c", None, 0),
    ]
    assert {one.is_read for one in later} == {True}  # though not from minute 6 on
    store.add(copy_event("mart", 7, "mart", {"t": "raw.c"}))
    assert [one.field for one in ask(store, at(6), name="raw")] == ["a", "b"]
    assert ask(store, at(2), name="raw") == []


UNKNOWN = {
    "no column lineage": event("reader", 5, [output("out")], reads=["raw"]),
    "a column without an entry": event(
        "reader",
        5,
        [output("out", {"x": "raw.a"}, schema={"fields": [{"name": n} for n in ("x", "y")]})],
        reads=["raw"],
    ),
    "only its rows": event("reader", 5, [output("out", {"x": ""})], reads=["raw"]),
    "it writes nothing": event("reader", 5, [], reads=["raw"]),
    "the whole dataset": copy_event("reader", 5, "out", {"x": "raw."}),
}


@pytest.mark.parametrize("words", UNKNOWN)
def test_a_reader_of_unknown_columns_keeps_the_others(store: Store, words: str) -> None:
    store.add([WRITES, UNKNOWN[words]])
    found = ask(store, at(2), name="raw")
    assert {one.field for one in found} >= {"b", "c"}
    assert {(one.status, tuple(one.unknown_readers)) for one in found} == {(PERHAPS, ("reader",))}
    assert {one.is_read for one in ask(store, at(6), name="raw")} == {True}
    assert {one.status for one in ask(store, at(6), name="raw")} == {UNUSED}
    hidden = ask(store, at(2), name="raw", hidden={one_job(store, "reader")})
    assert {(one.status, one.readers, len(one.unknown_readers)) for one in hidden} == {
        (PERHAPS, 1, 0)
    }


def one_job(store: Store, name: str) -> int:
    with store.connection() as connection:
        sql = f"SELECT id FROM colgraph_job WHERE name = '{name}'"
        return int(connection.exec_driver_sql(sql).scalar() or 0)


@pytest.mark.parametrize("part", ["unresolved", "truncated"])
def test_what_the_collector_could_not_resolve(store: Store, part: str) -> None:
    facet = {"colgraph_diagnostics": {part: {"Filter.condition": 1}}}
    reader = event("reader", 5, [output("out", {"x": "raw.a"})], reads=["raw"], **facet)
    store.add([WRITES, {**reader, "run": {**reader["run"], "facets": {}}}])
    assert {one.status for one in ask(store, at(2), name="raw")} == {UNUSED}
    store.add({**reader, "eventTime": at(6)})
    assert {one.status for one in ask(store, at(2), name="raw")} == {PERHAPS}
    assert {one.status for one in ask(store, at(7), name="raw")} == {UNUSED}


def test_what_a_query_without_outputs_could_not_resolve(store: Store) -> None:
    """The run wrote something of all that it read, but this query may have used other columns."""
    facet = {"colgraph_diagnostics": {"unresolved": [{"class": "Magic", "count": 1}]}}
    writes = event("reader", 5, [output("out", {"x": "raw.a"})], reads=["raw"])
    store.add([WRITES, writes])
    assert {one.status for one in ask(store, at(2), name="raw")} == {UNUSED}
    store.add(event("reader", 6, [], reads=["raw"], **facet))
    found = ask(store, at(2), name="raw")
    assert {one.status for one in found} == {PERHAPS}
    assert [one.unknown_readers for one in found] == [["reader"]] * len(found)


def test_the_gaps_of_a_job_cost_one_question_of_its_runs(store: Store) -> None:
    """A job whose counts differ has a gap for each run; check asked twice of each of them."""
    for minute in range(10):
        facet = {"unresolved": [{"class": "Odd", "count": minute + 1}]}
        reads = event("reader", minute, [], reads=["raw"], colgraph_diagnostics=facet)
        store.add(reads)
    statements: list[str] = []
    listen(store.engine, "before_cursor_execute", lambda *asked: statements.append(asked[2]))
    with store.connection() as connection:
        (reads_of,) = list(diagnosed_reads(connection, None))
    assert reads_of.reads == {Field("n", "raw", "").id}
    assert len([text for text in statements if text.startswith("SELECT")]) <= 3


def test_parts_of_structs(store: Store) -> None:
    fields = [
        {"name": "s", "type": "struct", "fields": [{"name": "x"}, {"name": "y"}]},
        {"name": "t", "type": "struct", "fields": [{"name": "z"}]},
    ]
    store.add(
        [
            event("load", 1, [output("raw", {"s": "", "t": ""}, schema={"fields": fields})]),
            copy_event("mart", 2, "mart", {"a": "raw.t"}),
            {**copy_event("mart", 2, "mart", {}), "outputs": [part_of_struct()]},
        ]
    )
    assert [one.field for one in ask(store, at(2), name="raw")] == ["s.y"]


def part_of_struct() -> dict[str, Any]:
    made = output("mart", {"b": "raw.s"})
    made["facets"]["columnLineage"]["fields"]["b"]["inputFields"][0]["field"] = "s.x"
    return made


def test_datasets_that_are_gone_are_listed_only_if_they_are_asked_for(store: Store) -> None:
    drop = {"lifecycleStateChange": "DROP"}
    rename = {"lifecycleStateChange": "RENAME"}
    rename["previousIdentifier"] = {"namespace": "n", "name": "old"}  # type: ignore[assignment]
    store.add([copy_event(name, 1, name, {"x": "csv.a"}) for name in ("gone", "old", "kept")])
    store.add(event("drop", 3, [output("gone", lifecycleStateChange=drop)]))
    store.add(event("rename", 3, [output("new", lifecycleStateChange=rename)]))
    assert [one.name for one in ask(store)] == ["kept", "new"]
    assert [one.name for one in ask(store, name="gone")] == ["gone"]


def test_dropped_columns_and_other_names_are_not_listed(store: Store) -> None:
    less = {"fields": [{"name": "a", "type": "int"}]}
    link = {"identifiers": [{"namespace": "n", "name": "db.raw", "type": "TABLE"}]}
    store.add([WRITES, event("load", 3, [output("raw", {"a": ""}, schema=less, symlinks=link)])])
    assert [one[:3] for one in ask(store)] == [("n", "raw", "a")]
    assert ask(store, name="db.raw") == ask(store, name="raw") == ask(store)
    with pytest.raises(UnknownNode, match="is not in namespace 'elsewhere'"):
        ask(store, name="db.raw", namespace="elsewhere")
