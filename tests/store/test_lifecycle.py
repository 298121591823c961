"""Datasets that are dropped, emptied and renamed, by whichever job."""

import itertools
import random
from typing import Any, NamedTuple

import pytest

from airflow_colgraph.store.admin import transfer
from airflow_colgraph.store.admin.retention import prune
from airflow_colgraph.store.db.tables import dataset, edge, field
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.clock import OPEN
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query.copies import copies
from airflow_colgraph.store.query.dataset_details import about
from airflow_colgraph.store.store import Store
from tests.store.samples import (
    at,
    copy_event,
    event,
    memory_store,
    output,
    run_id,
    short_edges,
    table_rows,
)

IDENTITY = "DIRECT:IDENTITY"
LOAD = copy_event("load", 1, "t", {"x": "raw.a"})
MART = copy_event("report", 2, "mart", {"y": "t.x"})
T, M = ("raw.a", "t.x", IDENTITY), ("t.x", "mart.y", IDENTITY)


def change(
    kind: str, name: str, minute: int, job: str = "cleanup", run: int = 0, was: str = ""
) -> dict[str, Any]:
    facet: dict[str, Any] = {"lifecycleStateChange": kind}
    if was:
        facet["previousIdentifier"] = {"namespace": "n", "name": was}
    return event(job, minute, [output(name, lifecycleStateChange=facet)], run=run)


def declared(minute: int, name: str, **facets: Any) -> dict[str, Any]:
    return {"eventTime": at(minute), "dataset": output(name, **facets)}


def upstream(store: Store, name: str, **when: Any) -> set[tuple[str, str, str]]:
    return short_edges(graph.upstream(store, "n", name, **when))


DELETED = {"columnLineage": {"_deleted": True}}
DROPPED = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
EMPTIED = {"lifecycleStateChange": {"lifecycleStateChange": "TRUNCATE"}}
PLANNED = {**change("DROP", "t", 3), "eventType": "START"}
SEEN = {"schema": {"fields": [{"name": "x", "type": "int"}]}}


@pytest.mark.parametrize(
    ("events", "name", "edges"),
    [
        pytest.param([LOAD, change("DROP", "t", 3)], "t", set(), id="dropped by another job"),
        pytest.param([LOAD, change("DROP", "t", 3, "load")], "t", set(), id="by a later run"),
        pytest.param([LOAD, change("TRUNCATE", "t", 3)], "t", set(), id="emptied"),
        pytest.param([LOAD, PLANNED], "t", {T}, id="a drop that has only started"),
        pytest.param([LOAD, declared(3, "t", **DROPPED)], "t", set(), id="a catalog's event"),
        pytest.param(
            [LOAD, MART, change("DROP", "t", 3)], "mart", {T, M}, id="what is left came from it"
        ),
        pytest.param(
            [LOAD, MART, change("DROP", "t", 3), change("DROP", "mart", 4)],
            "t",
            set(),
            id="nothing is left that came from it",
        ),
        pytest.param(
            [LOAD, MART, change("DROP", "t", 3), copy_event("new", 4, "t", {"x": "raw.b"})],
            "mart",
            {("raw.b", "t.x", IDENTITY), M},
            id="written again by another job",
        ),
        pytest.param(
            [LOAD, change("DROP", "t", 3), copy_event("load", 4, "t", {"x": "raw.a"})],
            "t",
            {T},
            id="written again by its job",
        ),
        pytest.param(
            [LOAD, change("DROP", "t", 3, "load", run=1)], "t", set(), id="dropped by the same run"
        ),
        pytest.param(
            [LOAD, change("DROP", "t", 3, "load", run=1), event("x", 4, [output("t", **SEEN)])],
            "t",
            {T},
            id="the same run, and seen after it",
        ),
        pytest.param(
            [change("TRUNCATE", "t", 1, "load", run=9), {**LOAD, "eventTime": at(2)}],
            "t",
            {T},
            id="emptied before it is filled",
        ),
        pytest.param(
            [
                event("load", m, [output("t", {"x": "raw.a"}, **EMPTIED)], run=9, state=state)
                for m, state in ((1, "RUNNING"), (2, "COMPLETE"))
            ],
            "t",
            {T},
            id="emptied and filled by one event",
        ),
        pytest.param([LOAD, event("x", 3, [output("t", **DELETED)])], "t", set(), id="unstated"),
        pytest.param(
            [
                declared(1, "t", **output("t", {"x": "raw.a"})["facets"]),
                declared(3, "t", **DELETED),
            ],
            "t",
            set(),
            id="unstated by a catalog",
        ),
        pytest.param(
            [LOAD, change("RENAME", "u", 3, was="t")],
            "u",
            {("raw.a", "u.x", IDENTITY)},
            id="renamed",
        ),
        pytest.param(
            [LOAD, change("RENAME", "u", 3, was="t")], "t", set(), id="the former name is free"
        ),
        pytest.param(
            [LOAD, change("RENAME", "u", 3, was="t"), change("RENAME", "v", 4, was="u")],
            "v",
            {("raw.a", "v.x", IDENTITY)},
            id="renamed twice",
        ),
        pytest.param(
            [
                copy_event("load", 1, "t_new", {"x": "raw.a"}, run=1),
                change("RENAME", "t_old", 2, "load", run=1, was="t"),
                change("RENAME", "t", 3, "load", run=1, was="t_new"),
                copy_event("load", 4, "t_new", {"x": "raw.b"}, run=2),
                change("RENAME", "t_old", 5, "load", run=2, was="t"),
                change("RENAME", "t", 6, "load", run=2, was="t_new"),
            ],
            "t",
            {("raw.b", "t.x", IDENTITY)},
            id="swapped twice",
        ),
    ],
)
def test_what_holds_now(
    store: Store, events: list[dict[str, Any]], name: str, edges: set[tuple[str, str, str]]
) -> None:
    """Only the same job's later reports ended edges, and a DROP those of datasets only."""
    store.add(events[::-1])
    assert upstream(store, name) == edges


def moved(name: str, was: str) -> dict[str, Any]:
    (renamed,) = change("RENAME", name, 0, was=was)["outputs"]
    return {**renamed, "facets": {**renamed["facets"], **DELETED}}


@pytest.mark.parametrize(
    ("swap", "edges"),
    [
        (
            [
                event("load", 3, [output("u", **DELETED)], run=3, state="START"),
                change("RENAME", "t", 4, was="u"),
                change("RENAME", "u", 6, "load", run=3, was="t"),
            ],
            set(),  # `t` was replaced by `u`, of which nothing is known
        ),
        (
            [
                event(
                    "load",
                    3,
                    [output("t", **DELETED), output("u", **DELETED)],
                    run=3,
                    state="START",
                ),
                event("cleanup", 4, [moved("t", "u")]),
                event("load", 6, [output("t", **DELETED), moved("u", "t")], run=3, reads=["t"]),
            ],
            set(),
        ),
    ],
)
def test_two_names_that_move_into_each_other_in_every_order(
    swap: list[dict[str, Any]], edges: set[tuple[str, str, str]]
) -> None:
    """A run that began before it renamed: what it carried did not hold yet when it began."""
    events = [{"eventTime": at(2), "dataset": output("t", {"y": "raw.x"})}, *swap]
    rows = []
    for order in itertools.permutations(events):
        with memory_store() as store:
            for reported in order:
                store.add(reported)
            rows.append(table_rows(store))
            assert upstream(store, "u") == edges
    assert all(each == rows[0] for each in rows)


def test_a_dataset_that_gets_the_name_of_another_one_replaces_it(store: Store) -> None:
    """The other one's sources were the new one's, too, if nobody had reported its end."""
    swap = change("RENAME", "t", 5, "swap", was="stage")
    store.add([LOAD, copy_event("build", 4, "stage", {"x": "raw.b"}), swap])
    assert upstream(store, "t", at=at(4)) == {T}
    assert upstream(store, "t") == {("raw.b", "t.x", IDENTITY)}
    store.add(copy_event("load", 6, "t", {"x": "raw.a"}))
    assert upstream(store, "t") >= {T}


@pytest.mark.parametrize("state", ["DROP", "TRUNCATE"])
@pytest.mark.parametrize("producer", ["urn:airflow-colgraph:0.1.0", "urn:other"])
def test_what_one_event_reports_as_written_and_then_ended(
    store: Store, state: str, producer: str
) -> None:
    """A task's event has both: `copies` and policies found values in tables that were dropped.

    Other producers may mean that the dataset ended first, and was filled again.
    """
    life = {"lifecycleStateChange": state, "_producer": producer}
    for day in (1, 11):
        scratch = output("t", {"x": "raw.a"}, lifecycleStateChange=life)
        store.add(event("load", day, [scratch, output("mart", {"x": "t.x"})]))
        assert upstream(store, "mart") == {("t.x", "mart.x", IDENTITY), T}
        with store.connection() as connection:
            holders = {copy.name for copy in copies(connection, Field("n", "raw", "a")).copies}
        assert holders == {"raw", "mart"} | ({"t"} if producer == "urn:other" else set())
    store.add(event("load", 21, [output("mart", {"x": "csv.x"})]))
    assert upstream(store, "mart") == {("csv.x", "mart.x", IDENTITY)}


@pytest.mark.parametrize("state", ["DROP", "TRUNCATE"])
def test_what_a_task_reads_before_it_ends_it_keeps_its_sources(store: Store, state: str) -> None:
    """The task's inputs made the dataset look as if it had been written again."""
    (ends,) = change(state, "t", 3)["outputs"]
    store.add([LOAD, event("task", 3, [ends, output("mart", {"y": "t.x, csv.y"})], reads=["csv"])])
    read = {("t.x", "mart.y", IDENTITY), ("csv.y", "mart.y", IDENTITY)}
    assert upstream(store, "mart") == {*read, T}


def test_what_is_written_by_unknown_columns_and_then_ended_keeps_its_sources(store: Store) -> None:
    """One event has both: `COPY stage FROM ..; INSERT INTO mart .. FROM stage; DROP stage`."""
    (dropped,) = change("DROP", "stage", 3)["outputs"]
    (moved,) = change("RENAME", "final", 3, was="loaded")["outputs"]
    mart = output("mart", {"y": "stage.x"})
    store.add(event("task", 3, [dropped, moved, mart], reads=["files"]))
    for name in ("mart", "final"):
        edges = graph.upstream(store, "n", name, level="dataset").edges
        assert "files" in {edge.input.name for edge in edges}


@pytest.mark.parametrize("state", ["DROP", "TRUNCATE", "RENAME"])
def test_what_a_run_ends_and_writes_again_is_there_after_other_runs(
    store: Store, state: str
) -> None:
    """The second write's edges ended with the first one's as soon as another run added rows."""
    append = {"lifecycleStateChange": "APPEND"}

    def of_run(minute: int, *outputs: dict[str, Any]) -> dict[str, Any]:
        return event("load", minute, list(outputs), run=1, state="RUNNING")

    ends = change(state, "kept" if state == "RENAME" else "t", 3, was="t")["outputs"]
    store.add([of_run(1, output("t", {"x": "csv.x"})), of_run(3, *ends)])
    store.add(of_run(4, output("t", {"x": "raw.a"})))
    assert upstream(store, "t") >= {T}
    store.add(event("add", 6, [output("t", {"x": "more.x"}, lifecycleStateChange=append)]))
    store.add(event("load", 7, [output("t", {"x": "last.x"}, lifecycleStateChange=append)]))
    assert upstream(store, "t") >= {T} | {(f"{n}.x", "t.x", IDENTITY) for n in ("more", "last")}


BUILT = [LOAD, copy_event("build", 2, "stage", {"y": "t.x"})]
CARRIED = {
    "dropped, then renamed": ([change("DROP", "t", 3), change("RENAME", "u", 4, was="stage")], "u"),
    "emptied in the same run": (
        [
            change("TRUNCATE", "t", 3, run=5, job="swap"),
            change("RENAME", "u", 4, run=5, job="swap", was="stage"),
        ],
        "u",
    ),
    "both renamed": (
        [change("RENAME", "s", 3, was="t"), change("RENAME", "u", 4, was="stage")],
        "u",
    ),
    "renamed twice": (
        [
            change("DROP", "t", 3),
            change("RENAME", "u", 4, was="stage"),
            change("RENAME", "v", 5, was="u"),
        ],
        "v",
    ),
}


@pytest.mark.parametrize(("changes", "name"), CARRIED.values(), ids=CARRIED)
def test_what_was_computed_of_a_dropped_dataset_keeps_its_sources_under_a_new_name(
    changes: list[dict[str, Any]], name: str
) -> None:
    """The sources of the dropped one were lost with the former name of what it was read for."""
    rows = []
    orders = list(itertools.permutations([*BUILT, *changes]))
    for order in random.Random(0).sample(orders, 12):
        store = memory_store()
        for reported in order:
            store.add(reported)
        assert upstream(store, name) == {T, ("t.x", f"{name}.y", IDENTITY)}
        rows.append(table_rows(store))
        store.close()
    assert all(each == rows[0] for each in rows)


def test_a_table_that_is_rewritten_through_another_one_keeps_its_sources(store: Store) -> None:
    """A task that compacts a table: `new <- t; DROP t; new => t`, in one event."""
    (moved,) = change("RENAME", "t", 3, was="new")["outputs"]
    moved["facets"]["columnLineage"] = output("t", {"x": "t.x"})["facets"]["columnLineage"]
    for day in (0, 10):
        store.add(copy_event("load", 1 + day, "t", {"x": "raw.a"}))
        store.add(event("compact", 3 + day, [moved]))
        assert upstream(store, "t") == {T, ("t.x", "t.x", IDENTITY)}


def test_times(store: Store) -> None:
    """What was dropped held until then; what is created again each day takes one row."""
    store.add([LOAD, change("DROP", "t", 5)])
    assert [upstream(store, "t", at=at(m)) for m in (4, 5)] == [{T}, set()]
    for day in range(1, 4):
        store.add(copy_event("load", 10 * day, "t", {"x": "raw.a"}))
        store.add(change("DROP", "t", 10 * day + 5))
    (edge_row,) = [row for row in table_rows(store)["colgraph_edge"] if row[1] == 0]
    (edge_of,) = graph.upstream(store, "n", "t", at=at(31)).edges
    (report,) = edge_of.reported_by
    assert (report.first_seen, report.last_seen, report.closed_at) == (at(1), at(30), at(35))
    assert report.run is not None
    assert report.run.id == run_id(30)
    assert edge_row


@pytest.mark.parametrize(
    ("events", "holders"),
    [
        ([LOAD, MART, change("DROP", "t", 3)], {"raw", "mart"}),
        ([LOAD, MART, change("TRUNCATE", "t", 3)], {"raw", "mart"}),
        ([LOAD, change("RENAME", "u", 3, was="t")], {"raw", "u"}),
    ],
    ids=["dropped", "emptied", "renamed"],
)
def test_what_holds_a_value(store: Store, events: list[dict[str, Any]], holders: set[str]) -> None:
    """A dropped copy was listed for good, and a renamed one not at all."""
    store.add(events)
    with store.connection() as connection:
        rows = copies(connection, Field("n", "raw", "a")).copies
    assert {row.name for row in rows} == holders


def test_what_holds_a_value_of_a_dataset_that_was_renamed(store: Store) -> None:
    """Asked under its former name it had no copies."""
    copied = copy_event("mart", 5, "mart", {"y": "v.x"})
    store.add([LOAD, change("RENAME", "u", 3, was="t"), change("RENAME", "v", 4, was="u"), copied])
    for minute, holders in ((2, {"t"}), (3, {"t", "u"}), (9, {"t", "u", "v", "mart"})):
        with store.connection() as connection:
            rows = copies(connection, Field("n", "t", "x"), at=clock.parse_iso(at(minute))).copies
        assert {row.name for row in rows} == holders


def test_facets_for_people_that_are_deleted(store: Store) -> None:
    gone = {"_deleted": True}
    owners = {"owners": [{"name": "team", "type": "OWNER"}]}
    described = {"documentation": {"description": "all orders"}, "ownership": owners}
    store.add([declared(5, "t", documentation=gone, ownership=gone), declared(1, "t", **described)])
    with store.connection() as connection:
        assert about(connection, Field("n", "t", "")) == (None, [], {})
    store.add(declared(6, "t", **described))
    with store.connection() as connection:
        assert about(connection, Field("n", "t", "")).description == "all orders"


def test_other_names_that_are_deleted(store: Store) -> None:
    """Edges of both names are stored under each again, until a facet joins them again."""
    link = {"symlinks": {"identifiers": [{"namespace": "n", "name": "table", "type": "TABLE"}]}}
    read = copy_event("report", 2, "mart", {"y": "table.x"})
    joined = {("t.x", "mart.y", IDENTITY), T}
    store.add([read, event("load", 1, [output("t", {"x": "raw.a"}, **link)])])
    assert upstream(store, "mart") == joined
    store.add(declared(5, "t", symlinks={"_deleted": True}))
    assert upstream(store, "mart") == {("table.x", "mart.y", IDENTITY)}
    store.add(declared(4, "t", **link))
    assert upstream(store, "mart") == {("table.x", "mart.y", IDENTITY)}
    moved = memory_store()
    transfer.load(moved, transfer.export(store))
    assert upstream(moved, "mart") == {("table.x", "mart.y", IDENTITY)}
    store.add(declared(6, "t", **link))
    assert upstream(store, "mart") == joined


@pytest.mark.parametrize("seed", range(3))
def test_moved_and_merged_stores(seed: int) -> None:
    """An export has the changes; half of the events in each of two stores make the same one."""
    events, edges = history(seed)
    halves = memory_store(), memory_store()
    for store, some in zip(halves, (events[::2], events[1::2]), strict=True):
        store.add(some)
    transfer.load(halves[0], transfer.export(halves[1]))
    assert held_now(halves[0]) == edges


def test_a_pruned_store_knows_what_was_renamed_and_dropped(store: Store) -> None:
    store.add([LOAD, MART, change("RENAME", "u", 3, was="t"), change("DROP", "mart", 4)])
    store.add([copy_event("load", 10 * n, "t", {"x": f"raw.b{n}"}) for n in range(1, 4)])
    before = {name: upstream(store, name) for name in ("t", "u", "mart")}
    prune(store, clock.parse_iso(at(25)))
    assert {name: upstream(store, name) for name in before} == before
    assert before["u"] == {("raw.a", "u.x", IDENTITY)}


# The same, in a world of tables ------------------------------------------------------------------

Pair = tuple[str, str]


class World(NamedTuple):
    """What each job wrote into the tables that are there, and what those that are gone had."""

    there: dict[str, dict[str, set[Pair]]]
    gone: dict[str, set[Pair]]

    def write(self, job: str, name: str, pairs: set[Pair], *, appends: bool) -> None:
        self.gone.pop(name, None)
        by_job = self.there.setdefault(name, {})
        by_job[job] = pairs | (by_job.get(job, set()) if appends else set())

    def end(self, name: str) -> set[Pair]:
        self.gone[name] = set[Pair]().union(*self.there.pop(name).values())
        return self.gone[name]

    def edges(self) -> set[Pair]:
        """Those of what is there, and those that something that is there came from."""
        held = {pair for by_job in self.there.values() for some in by_job.values() for pair in some}
        while True:
            read = {name_of(source) for source, to in held if name_of(source) != name_of(to)}
            more = {pair for name in read & self.gone.keys() for pair in self.gone[name]} - held
            if not more:
                return held
            held |= more


def name_of(column: str) -> str:
    return column.partition(".")[0]


def history(seed: int) -> tuple[list[dict[str, Any]], set[Pair]]:
    """The events of random jobs, and the edges that hold after them."""
    choose = random.Random(seed)
    names, world, events = [f"d{n}" for n in range(5)], World({}, {}), []
    for minute in range(1, 30):
        job, name = f"j{choose.randrange(3)}", choose.choice(names)
        kind = choose.choice(("WRITE", "APPEND", "WRITE", "DROP", "TRUNCATE", "RENAME"))
        if name not in world.there or kind in ("WRITE", "APPEND"):
            columns = {
                field: f"{choose.choice(names)}.{choose.choice('xy')}"
                for field in "xy"[: choose.randint(1, 2)]
            }
            pairs = {(source, f"{name}.{column}") for column, source in columns.items()}
            world.write(job, name, pairs, appends=kind == "APPEND")
            kept = {"lifecycleStateChange": {"lifecycleStateChange": "APPEND"}}
            facets = kept if kind == "APPEND" else {}
            events.append(event(job, minute, [output(name, columns, **facets)]))
        elif kind == "RENAME":
            free = [other for other in names if other not in world.there]
            if free:
                new = choose.choice(free)
                moved = {
                    (source, f"{new}.{target.partition('.')[2]}")
                    for source, target in world.end(name)
                }
                world.write(job, new, moved, appends=False)
                events.append(change(kind, new, minute, job, was=name))
        else:
            world.end(name)
            events.append(change(kind, name, minute, job))
    return events, world.edges()


def held_now(store: Store) -> set[Pair]:
    ends = [table.alias() for table in (field, field)]
    owners = [table.alias() for table in (dataset, dataset)]
    query = edge.select().where(edge.c.closed_at == OPEN, edge.c.kind == 0)
    query = query.with_only_columns(
        *(column for f, d in zip(ends, owners, strict=True) for column in (d.c.name, f.c.name))
    )
    for end, owner, column in zip(ends, owners, (edge.c.input, edge.c.output), strict=True):
        query = query.where(end.c.id == column, owner.c.id == end.c.dataset)
    with store.connection() as connection:
        return {(f"{a}.{b}", f"{c}.{d}") for a, b, c, d in connection.execute(query)}


@pytest.mark.parametrize("seed", range(8))
def test_a_world_of_tables(seed: int) -> None:
    """The edges are those that a plain simulation has, in whichever order the events arrive."""
    events, edges = history(seed)
    in_order, shuffled = memory_store(), memory_store()
    for each in events:
        in_order.add(each)
    assert held_now(in_order) == edges
    choose = random.Random(seed)
    choose.shuffle(events)
    for begin in range(0, len(events), 7):
        shuffled.add(events[begin : begin + 7])
    assert table_rows(shuffled) == table_rows(in_order)
    in_order.close()
    shuffled.close()
