import multiprocessing
import os
import random
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_colgraph.store.db.tables import run
from airflow_colgraph.store.errors import EventError, StoreError
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from tests.amount import of_all
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

# Any permutation and duplication of a log gives the same store -----------------------------------

fields = st.dictionaries(
    st.sampled_from("xy"),
    st.sampled_from(["", "d0.x", "d1.x DIRECT:AGGREGATION", "d1.y, d2.x INDIRECT:CONDITIONAL"]),
    max_size=2,
)
changes = st.sampled_from([None, "OVERWRITE", "ALTER", "CREATE", "DROP", "TRUNCATE", "RENAME"])
links = st.sampled_from([None, None, None, "d0", "d1", "alias", "_deleted"])


@st.composite
def outputs(draw: st.DrawFn) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if change := draw(changes):
        facets["lifecycleStateChange"] = {"lifecycleStateChange": change}
    if change == "RENAME":
        former = {"namespace": "n", "name": draw(st.sampled_from(["d0", "d1", "d2"]))}
        facets["lifecycleStateChange"]["previousIdentifier"] = former
    if link := draw(links):
        facets["symlinks"] = {"identifiers": [{"namespace": "n", "name": link, "type": "TABLE"}]}
    if link == "_deleted":
        facets["symlinks"] = {"_deleted": True}
    if draw(st.booleans()):
        facets["schema"] = {"fields": [{"name": draw(st.sampled_from("xyz")), "type": "int"}]}
    lineage = draw(st.one_of(st.none(), fields))
    dataset = draw(st.sampled_from(["", "d2.y INDIRECT:FILTER"]))
    written = output(draw(st.sampled_from(["d0", "d1", "d2"])), lineage, dataset, **facets)
    if draw(st.integers(0, 9)) == 0:
        written["facets"]["columnLineage"] = {"_deleted": True}
    return written


@st.composite
def run_events(draw: st.DrawFn) -> dict[str, Any]:
    minute = draw(st.integers(1, 6))
    parent = {"run": {"runId": run_id(99)}, "job": {"namespace": "jobs", "name": "dag"}}
    return event(
        draw(st.sampled_from(["j0", "j1"])),
        minute,
        draw(st.lists(outputs(), max_size=2)),
        run=draw(st.integers(1, 3)),
        reads=draw(st.lists(st.sampled_from(["d0", "d1"]), max_size=1)),
        state=draw(st.sampled_from(["START", "RUNNING", "COMPLETE", "FAIL", "OTHER"])),
        **({"parent": parent} if draw(st.booleans()) else {}),
    )


names = st.sampled_from(["d0", "d1", "d2"]).map(lambda name: {"namespace": "n", "name": name})
jobs = st.sampled_from([{}, {"namespace": "jobs", "name": "j1"}])
entities = st.one_of(
    names.map(lambda named: {"type": "DATASET", **named}),
    jobs.map(lambda named: {"type": "JOB", **named}),
)
entries = st.builds(lambda target, *inputs: {**target, "inputs": list(inputs)}, entities, entities)


@st.composite
def other_events(draw: st.DrawFn) -> dict[str, Any]:
    time = at(draw(st.integers(1, 6)))
    if draw(st.booleans()):
        return {"eventTime": time, "dataset": draw(outputs())}
    job: dict[str, Any] = {"namespace": "jobs", "name": draw(st.sampled_from(["j0", "j1"]))}
    if draw(st.booleans()):
        job["facets"] = {"lineage": {"entries": draw(st.lists(entries, max_size=2))}}
    return {"eventTime": time, "job": job, "outputs": [draw(outputs())]}


@pytest.mark.slow
@pytest.mark.sampled
@settings(max_examples=of_all(80, 25), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.one_of(run_events(), run_events(), other_events()), min_size=1, max_size=8),
    st.randoms(use_true_random=False),
)
def test_order_repetition_and_batches_do_not_matter(
    events: list[dict[str, Any]], choose: random.Random
) -> None:
    plain, shuffled = memory_store(), memory_store()
    for one in events:
        plain.add(one)
    again = events + choose.sample(events, choose.randrange(len(events) + 1))
    choose.shuffle(again)
    while again:
        size = choose.randint(1, len(again))
        shuffled.add(again[:size])
        again = again[size:]
    assert table_rows(shuffled) == table_rows(plain)
    for store in (plain, shuffled):
        store.close()


def test_a_run_that_speaks_twice_in_one_list_speaks_once() -> None:
    events = [
        copy_event("j", m, "d", {"x": "s.a"}, run=run)
        for m, run in ((1, 9), (2, 1), (3, 2), (4, 1))
    ]
    together, one_by_one = memory_store(), memory_store()
    together.add(events)
    for one in events:
        one_by_one.add(one)
    assert table_rows(together) == table_rows(one_by_one)
    assert len(table_rows(one_by_one)["colgraph_occurrence"]) == 3


def test_a_run_that_was_started_before_and_repeats_changes_no_edge(store: Store) -> None:
    """As Airflow's tasks do: START without lineage, then COMPLETE with it."""
    marks = set()
    for minute in (1, 3, 5):
        writer = Store(store.url) if minute == 5 and "memory" not in store.url else store
        writer.add(event("load", minute, [], run=minute, state="START"))
        writer.add(copy_event("load", minute + 1, "d", {"x": "s.a"}, run=minute))
        with store.connection() as connection:
            marks.add(connection.exec_driver_sql("SELECT edges FROM colgraph_change").scalar())
    assert len(marks) == 1
    assert [row[1] - _millis(0) for row in table_rows(store)["colgraph_occurrence"]] == [
        120_000,
        240_000,
        360_000,
    ]


# Several processes -------------------------------------------------------------------------------

LOG = [
    copy_event(
        f"j{job}", minute, f"d{job}", {"x": f"d{job + 1}.x", "y": f"src.c{(minute + job) // 4}"}
    )
    for minute in range(1, 13)
    for job in range(4)
]
for number, one in enumerate(LOG):
    one["run"]["runId"] = run_id(1000 + number)


def _write(url: str, events: list[dict[str, Any]]) -> None:
    store = Store.open(url)
    for one in events:
        store.add(one)


@pytest.mark.slow
def test_several_processes_write_the_same_store(store_url: str) -> None:
    """Four processes make the store and write overlapping parts of a log, each in its own order."""
    parts = []
    for number in range(4):
        part = LOG[number::4] + LOG[number * 6 : number * 6 + 12]
        random.Random(number).shuffle(part)
        parts.append(part)
    start = multiprocessing.get_context("spawn")
    writers = [start.Process(target=_write, args=(store_url, part)) for part in parts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0] * 4
    alone = memory_store()
    alone.add(LOG)
    with Store.open(store_url) as together:
        assert _logical(table_rows(together)) == _logical(table_rows(alone))


def _logical(rows: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows whose bytes do not depend on the database: PostgreSQL has real booleans."""
    return {
        name: sorted(
            (tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in some),
            key=repr,
        )
        for name, some in rows.items()
    }


def test_a_forked_child_uses_its_own_connection(store: Store) -> None:
    store.add(LOG[0])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.add(LOG[1])
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    store.add(LOG[2])
    found = {
        e for d in ("d0", "d1", "d2") for e in short_edges(graph.upstream(store, "n", d, depth=1))
    }
    assert len(found) == 6


# Transactions, small stores, errors --------------------------------------------------------------


def test_a_bad_event_keeps_the_whole_list_out(store: Store) -> None:
    with pytest.raises(EventError):
        store.add([LOG[0], {"hello": "world"}])
    assert {name: rows for name, rows in table_rows(store).items() if rows} == {}


def test_an_unchanged_run_adds_one_row(store: Store) -> None:
    store.add(copy_event("load", 1, "raw", {"x": "csv.a"}))
    before = table_rows(store)
    store.add(copy_event("load", 2, "raw", {"x": "csv.a"}))
    after = table_rows(store)
    added = {name: len(after[name]) - len(before[name]) for name in after}
    assert added.pop("colgraph_occurrence") == 1  # a view
    assert {name: count for name, count in added.items() if count} == {"colgraph_run": 1}
    assert after["colgraph_edge"] == before["colgraph_edge"]


@pytest.mark.slow
def test_a_list_of_more_events_than_a_database_takes_parameters(store: Store) -> None:
    store.add([event("load", 1, [], run=n, state="START") for n in range(1, 3502)])
    store.add([copy_event("wide", 1, "d", {f"f{n}": f"s.f{n}" for n in range(3000)}, run=9_000)])
    assert len(table_rows(store)["colgraph_run"]) == 3502
    assert len(graph.upstream(store, "n", "d").edges) == 3000


def test_an_unchanged_run_is_small(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"
    with Store.open(f"sqlite:///{file}") as store:
        columns = {f"c{n}": f"csv.c{n}, csv.d{n}" for n in range(10)}

        def size_after(runs: range) -> int:
            store.add(
                [copy_event("load", minute, "raw", columns, run=10_000 + minute) for minute in runs]
            )
            with store.connection() as connection:
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
                size = connection.exec_driver_sql("PRAGMA page_size").scalar()
            return int(pages) * int(size)

        first = size_after(range(1, 301))
        assert (size_after(range(301, 1801)) - first) / 1500 <= 160


def test_an_unusable_url() -> None:
    for url, message in {
        "nonsense": "The store's URL '***' is invalid. Expected e.g. "
        "sqlite:////var/lib/colgraph.db or postgresql://user@host/database.",
        "mysql://h/d": "The store cannot be in mysql. Expected sqlite or postgresql.",
    }.items():
        with pytest.raises(StoreError) as error:
            Store.open(url)
        assert str(error.value) == message


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be created"):
        Store.open(f"sqlite:///{tmp_path}/file/colgraph.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"
    file.write_text("this is not a database, and long enough to be looked at " * 20)
    with pytest.raises(StoreError) as error:
        Store.open(f"sqlite:///{file}")
    assert str(error.value) == f"The store sqlite:///{file}: file is not a database."


def test_a_store_without_tables_names_the_command(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/colgraph.db", migrate=False)
    with pytest.raises(StoreError) as error:
        store.add(LOG[0])
    assert str(error.value).endswith("or create it: colgraph db migrate.")


def test_the_default_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from airflow_colgraph.store.default_url import default_url

    for name in ("COLGRAPH_STORE", "AIRFLOW__COLGRAPH__STORE", "AIRFLOW_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "airflow"))
    assert default_url() == f"sqlite:///{tmp_path}/.colgraph/colgraph.db"
    (tmp_path / "airflow").mkdir()
    (tmp_path / "airflow" / "airflow.cfg").write_text("[colgraph]\nstore = sqlite:///cfg.db\n")
    assert default_url() == "sqlite:///cfg.db"
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE", "sqlite:///airflow.db")
    assert default_url() == "sqlite:///airflow.db"
    monkeypatch.setenv("COLGRAPH_STORE", "sqlite:///own.db")
    assert default_url() == "sqlite:///own.db"


def test_the_default_store_by_a_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Airflow reads these options; the command line and the transport took the default file."""
    from airflow_colgraph.store.default_url import default_url

    for name in ("COLGRAPH_STORE", "AIRFLOW__COLGRAPH__STORE"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "airflow.cfg"
    monkeypatch.setenv("AIRFLOW_CONFIG", str(config))
    config.write_text("[colgraph]\nstore_cmd = echo sqlite:///cmd.db\n")
    assert default_url() == "sqlite:///cmd.db"
    monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE_CMD", "echo 'sqlite:///of the environment.db'")
    assert default_url() == "sqlite:///of the environment.db"
    wrong = {"false": "exit code 1", "/no/such/command": "FileNotFoundError", "'": "ValueError"}
    for command, why in wrong.items():
        monkeypatch.setenv("AIRFLOW__COLGRAPH__STORE_CMD", command)
        with pytest.raises(StoreError) as error:
            default_url()
        assert str(error.value) == f"The command in [colgraph] store_cmd failed: {why}."
    monkeypatch.delenv("AIRFLOW__COLGRAPH__STORE_CMD")
    config.write_text("[colgraph]\nstore_secret = colgraph-store\n")
    with pytest.raises(StoreError, match="can be read in Airflow only"):
        default_url()


def test_what_a_run_became(store: Store) -> None:
    """The last end decides, else the furthest state; whichever event came first."""
    states = ["COMPLETE", "START", "FAIL", "RUNNING"]
    for minute, state in zip([3, 1, 5, 2], states, strict=True):
        store.add(event("load", minute, [], run=7, state=state))
    (row,) = table_rows(store)["colgraph_run"]
    named = dict(zip(run.c.keys(), row, strict=True))
    became = [named[name] for name in ("started_at", "ended_at", "state")]
    assert became == [_millis(1), _millis(5), 4]


def _millis(minute: int) -> int:
    from airflow_colgraph.store.model import clock

    return clock.parse_iso(at(minute))


def test_the_file_is_not_for_everyone_to_write(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"
    Store.open(f"sqlite:///{file}").close()
    assert not file.stat().st_mode & stat.S_IWOTH


def test_a_store_that_may_only_be_read(tmp_path: Path) -> None:
    file = tmp_path / "colgraph.db"
    Store.open(f"sqlite:///{file}").add(LOG[0])
    store = Store.open(f"sqlite:///file:{file}?mode=ro&uri=true")
    assert len(short_edges(graph.upstream(store, "n", "d0", "x"))) == 1
    with pytest.raises(StoreError) as error:
        store.add(LOG[1])
    assert str(error.value).endswith(
        f"attempt to write a readonly database. Can user {os.getuid()} write the file and its "
        "folder?"
    )
    assert len(str(error.value).splitlines()) == 1


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/colgraph.db") as store:
        store.add(LOG[0])
        before = table_rows(store)
        with store.connection() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError) as error:
            store.add(
                [
                    copy_event("big", 9, f"d{n}", {f"f{m}": "s.x" for m in range(50)})
                    for n in range(20)
                ]
            )
        assert str(error.value).endswith(
            "database or disk is full. "
            "Free some space, then resend the events that were not acknowledged."
        )
        assert table_rows(store) == before


def test_threads_share_a_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries and events at once, while the caches are emptied all the time."""
    monkeypatch.setattr("airflow_colgraph.store.query.name_cache.MOST", 1)
    monkeypatch.setattr("airflow_colgraph.store.query.edge_cache.MOST", 1)
    store.add(LOG[:8])

    def ask(number: int) -> int:
        if number % 10 == 0:
            return store.add(LOG[8 + number // 10])
        return len(graph.upstream(store, "n", f"d{number % 4}", "x", indirect=True).edges)

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, range(100)))
    assert set(answers) == {1, 2, 3, 4}
