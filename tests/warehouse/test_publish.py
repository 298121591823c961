"""A published warehouse is the store that received the same events, row by row."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from fastapi.testclient import TestClient
from pyspark.sql import SparkSession

from airflow_colgraph.api.app import create_app
from airflow_colgraph.publish.postgresql import Copying, PostgresqlTarget
from airflow_colgraph.publish.publish import publish
from airflow_colgraph.publish.target import KEPT, SWAPPED
from airflow_colgraph.store.admin import api_keys, retention
from airflow_colgraph.store.admin import tags as tag_admin
from airflow_colgraph.store.db.engine import writing
from airflow_colgraph.store.errors import BadStoreUrl, StoreError
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.tags import Tag
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.query import tags as tag_query
from airflow_colgraph.store.query.listing import columns
from airflow_colgraph.store.query.unused import unused
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.kept_history import ALL, LATEST_ONLY
from bench.synthetic import SIZES
from bench.synthetic import events as warehouse_events
from tests.store.samples import at, copy_event, memory_store, table_rows
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

EVENTS = [event for seed in (1, 2) for event in random_events(seed, 120)]
MIDDLE = clock.parse_iso(at(30))

STEPS = len(SWAPPED) + 2


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.fixture(scope="module")
def warehouse(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("publish")
    write_lines(folder / "events.jsonl", EVENTS)
    build(spark, [str(folder / "events.jsonl")], str(folder / "warehouse"))
    return str(folder / "warehouse")


@pytest.fixture
def ingested() -> Iterator[Store]:
    """A store that received the events one by one."""
    with memory_store() as store:
        store.add(EVENTS)
        yield store


def rows_of(store: Store) -> dict[str, list[Any]]:
    names = {table.name for table in SWAPPED} | {"colgraph_occurrence", "colgraph_field_name"}
    return {name: rows for name, rows in table_rows(store).items() if name in names}


def different(one: Store, other: Store) -> dict[str, Any]:
    """The rows that only one of both has."""
    pairs = {name: (set(rows), set(rows_of(other)[name])) for name, rows in rows_of(one).items()}
    return {name: (a - b, b - a) for name, (a, b) in pairs.items() if a != b}


@pytest.mark.parametrize("since", [ALL, MIDDLE, LATEST_ONLY])
def test_every_row_is_that_of_event_by_event_ingest(
    spark: SparkSession,
    warehouse: str,
    store: Store,
    ingested: Store,
    since: int,
) -> None:
    """Then events go on as if they had gone into the store from the first one."""
    published = publish(spark, warehouse, store.url, since=since)
    if since != ALL:
        retention.prune(ingested, since)
    assert different(store, ingested) == {}
    tables = rows_of(ingested)
    assert tables["colgraph_field_name"]
    assert published.version == 1
    assert published.rows == {
        table.name.removeprefix("colgraph_"): len(tables[table.name]) for table in SWAPPED
    }
    assert sum(map(bool, published.rows.values())) >= (16 if since == ALL else 15)
    more = random_events(1, 160)[120:]
    for one in (store, ingested):
        one.add(more)
    assert different(store, ingested) == {}


def test_a_column_that_an_incomplete_run_may_have_used_is_not_unused(
    spark: SparkSession, warehouse: str, store: Store, ingested: Store
) -> None:
    """Reports of gaps were not published, so that the store said "unused".

    No test asked: the rows of tables that a publish keeps were not compared.
    """
    publish(spark, warehouse, store.url, since=ALL)
    answers = []
    for each in (store, ingested):
        with each.connection() as connection:
            answers.append(unused(connection, clock.parse_iso(at(60))).fields)
    assert answers[0] == answers[1]
    assert {field.status for field in answers[0]} == {"unused", "perhaps used"}


@pytest.mark.slow
def test_every_row_of_size_s_is_that_of_ingest(spark: SparkSession, tmp_path: Path) -> None:
    """A month of ninety daily jobs, of which some reports change; both as they are by default."""
    events = list(warehouse_events(SIZES["S"]))
    write_lines(tmp_path / "events.jsonl", events)
    build(spark, [str(tmp_path / "events.jsonl")], str(tmp_path / "warehouse"))
    published, ingested = Store.open(f"sqlite:///{tmp_path}/team.db"), memory_store()
    publish(spark, str(tmp_path / "warehouse"), published.url, since=ALL)
    for begin in range(0, len(events), 500):
        ingested.add(events[begin : begin + 500])
    assert different(published, ingested) == {}
    assert len(table_rows(published)["colgraph_edge"]) > 5_000
    published.close()
    ingested.close()


def test_what_people_made_of_the_store_stays(
    spark: SparkSession,
    warehouse: str,
    store: Store,
) -> None:
    """Keys, tags and stored events; and the names that only the store knows."""
    field = Field("n", "only_here", "x")
    store.keep_events()
    own = copy_event("reader", 1, "only_here", {"x": "1a.x"})
    store.add(own)
    with store.connection() as connection:
        pii = tag_query.changes(
            connection, ("n", "only_here"), ["x"], [Tag("pii")], is_set=True, at=MIDDLE, by="me"
        )
    tag_admin.write(store, pii)
    secret = api_keys.add(store, "somebody", ["read"])
    before = table_rows(store)
    with pytest.raises(StoreError, match=r"has 1 outputs of jobs .* 'only_here'"):
        publish(spark, warehouse, store.url)
    refused = table_rows(store)
    # Names by which fields are searched are there before the fields: alone, they find nothing.
    names = {name for _, name in refused.pop("colgraph_field_name")}
    assert names >= {name for _, name in before.pop("colgraph_field_name")}
    assert refused == before
    with store.connection() as connection:
        assert (names & {"y"}, columns(connection, "y")) == ({"y"}, [])
    publish(spark, warehouse, store.url, since=ALL, replace=True)
    after = table_rows(store)
    for name in ("colgraph_api_key", "colgraph_tag_change", "colgraph_event", "colgraph_template"):
        assert before[name] == after[name] != []
    key = api_keys.key_of(store, secret)
    assert key is not None
    assert key.grant.scopes == {"read"}
    with store.connection() as connection:
        (tag,) = tag_query.tags_on(connection, field.dataset)
    assert (tag.field, tag.tag.key) == (field, "pii")
    store.add(own)  # by a process that knows its names to be there
    assert len(graph.upstream(store, *field, depth=1).edges) == 1


def test_readers_see_the_old_state_whole_and_then_the_new_one(
    spark: SparkSession,
    warehouse: str,
    store: Store,
) -> None:
    store.add(EVENTS[:60])
    start = Field("n", "1a", "x")

    def answer() -> Any:
        found = graph.lineage(store, [start], direction="downstream", depth=100, indirect=True)
        return frozenset(found.edges)

    old, seen, done = answer(), [], threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.append(answer())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        publish(spark, warehouse, store.url, since=ALL)
    finally:
        done.set()
        reader.join()
    new = answer()
    assert old != new
    assert min(len(old), len(new)) > 3
    assert set(seen) == {old, new}
    assert seen == sorted(seen, key=lambda one: one == new)  # never back


def test_a_command_that_was_killed_leaves_the_old_state(
    spark: SparkSession, warehouse: str, store: Store, ingested: Store
) -> None:
    store.add(EVENTS[:60])
    before = table_rows(store)
    for step in (1, STEPS - 1, STEPS):

        def kill(name: str, number: int, steps: int, step: int = step) -> None:
            if number == step:
                raise Killed

        with pytest.raises(Killed):
            publish(spark, warehouse, store.url, since=ALL, progress=kill)
        assert table_rows(store) == before
        assert not list(Path(warehouse, "published").glob("*"))
    publish(spark, warehouse, store.url, since=ALL)
    assert different(store, ingested) == {}


KILLED = """
import os, signal, sys
from airflow_colgraph.publish.publish import publish
from airflow_colgraph.warehouse.session import start
from tests.warehouse.conftest import CONF

def kill(name, number, steps):
    if number == steps:
        os.kill(os.getpid(), signal.SIGKILL)

publish(start(CONF), sys.argv[1], sys.argv[2], progress=kill)
"""


def test_after_a_real_kill_the_next_command_publishes(
    spark: SparkSession,
    warehouse: str,
    store: Store,
    ingested: Store,
) -> None:
    store.add(EVENTS[:60])
    before = table_rows(store)
    command = [sys.executable, "-c", KILLED, warehouse, store.url]
    assert subprocess.run(command, capture_output=True).returncode == -signal.SIGKILL
    assert table_rows(store) == before
    publish(spark, warehouse, store.url, since=ALL)
    assert different(store, ingested) == {}


def test_of_two_commands_at_a_time_one_fails(
    spark: SparkSession,
    warehouse: str,
    store: Store,
    ingested: Store,
) -> None:
    refused = []

    def again(name: str, number: int, steps: int) -> None:
        if number == 1:
            with pytest.raises(StoreError, match=r"^Another command publishes into") as error:
                publish(spark, warehouse, store.url)
            refused.append(error)

    publish(spark, warehouse, store.url, since=ALL, progress=again)
    assert len(refused) == 1
    assert different(store, ingested) == {}


def test_a_store_in_memory_is_refused(spark: SparkSession, warehouse: str) -> None:
    with pytest.raises(BadStoreUrl, match=r"^A warehouse is published into a file: "):
        publish(spark, warehouse, "sqlite://")


@pytest.mark.postgres
def test_views_and_rights_are_as_they_were(
    spark: SparkSession, warehouse: str, postgres_store_url: str, ingested: Store
) -> None:
    shared = Store.open(postgres_store_url)
    with writing(shared.engine) as connection:
        connection.exec_driver_sql("CREATE ROLE analyst")
        connection.exec_driver_sql("GRANT SELECT ON colgraph_edge TO analyst")
        connection.exec_driver_sql(
            "CREATE VIEW hot AS SELECT input, count(*) AS n FROM colgraph_edge GROUP BY input"
        )
        connection.exec_driver_sql("CREATE VIEW hottest AS SELECT max(n) AS n FROM hot")
        connection.exec_driver_sql("GRANT SELECT ON hottest TO analyst WITH GRANT OPTION")
    try:
        publish(spark, warehouse, shared.url, since=ALL)
        with shared.connection() as connection:
            connection.exec_driver_sql("SET LOCAL ROLE analyst")
            edges = connection.exec_driver_sql("SELECT count(*) FROM colgraph_edge").scalar()
            assert edges == len(table_rows(ingested)["colgraph_edge"])
            assert connection.exec_driver_sql("SELECT n FROM hottest").scalar() > 1
        with shared.connection() as connection:
            asked = "SELECT has_table_privilege('analyst', '{}', '{}')"
            for table, right, has in (
                ("colgraph_edge", "INSERT", False),
                ("colgraph_run", "SELECT", False),
                ("hottest", "SELECT WITH GRANT OPTION", True),
            ):
                sql = asked.format(table, right)
                assert connection.exec_driver_sql(sql).scalar() is has
            lineage = "SELECT count(*) FROM colgraph_column_lineage"
            assert connection.exec_driver_sql(lineage).scalar() > 10
    finally:
        with writing(shared.engine) as connection:
            connection.exec_driver_sql("DROP OWNED BY analyst")
            connection.exec_driver_sql("DROP ROLE analyst")
        shared.close()


@pytest.mark.postgres
def test_a_task_that_runs_again_loads_its_rows_once(postgres_store_url: str) -> None:
    with Store.open(postgres_store_url) as shared:
        batch = pyarrow.RecordBatch.from_pydict(
            {"id": [1, 2], "namespace": ["n", 'a"b,\\x'], "name": ["", "é\n"]}
        )
        with PostgresqlTarget(shared, replace=False):
            copying = Copying(shared.url, "colgraph_dataset", tuple(batch.schema.names))
            for _ in range(2):
                list(copying([batch]))
            with shared.connection() as connection:
                loaded = connection.exec_driver_sql(
                    "SELECT * FROM colgraph_publish.colgraph_dataset"
                )
                assert sorted(map(tuple, loaded)) == [(1, "n", ""), (2, 'a"b,\\x', "é\n")]
                rows = connection.exec_driver_sql("SELECT * FROM colgraph_publish.loaded")
                assert list(map(tuple, rows)) == [("colgraph_dataset", 0, 2)]


def test_the_rest_api_answers_as_over_ingested_events(
    spark: SparkSession, warehouse: str, tmp_path: Path, ingested: Store
) -> None:
    with Store.open(f"sqlite:///{tmp_path}/team.db") as store:
        publish(spark, warehouse, store.url, since=ALL)
        asked = {"namespace": "n", "name": "1a", "field": "x", "q": "a"}
        ways = [
            "upstream",
            "downstream",
            "history",
            "columns",
            "jobs",
            "statistics",
            "overview",
            "unused",
        ]
        answers = []
        for one in (store, ingested):
            client = TestClient(create_app(one))
            found = [client.get(f"/api/v1/{way}", params=asked) for way in ways]
            answers.append([(response.status_code, response.json()) for response in found])
            statistics = answers[-1][ways.index("statistics")][1]
            assert statistics["namespace"] == (0 if one is store else 2), "not in a warehouse"
            for table in KEPT:
                del statistics[table.name.removeprefix("colgraph_")]
        assert answers[0] == answers[1]
        assert [status for status, _ in answers[0]] == [200] * len(ways)


@pytest.mark.postgres
def test_a_user_who_may_not_make_a_schema_is_told_in_one_line(postgres_store_url: str) -> None:
    owner = Store.open(postgres_store_url)
    with writing(owner.engine) as connection:
        connection.exec_driver_sql("CREATE ROLE writer LOGIN")
        connection.exec_driver_sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO writer")
    writer = Store(postgres_store_url.replace("postgres:@", "writer:@"))
    try:
        with pytest.raises(StoreError, match=r": permission denied for database colgraph_\w+\.$"):
            PostgresqlTarget(writer, replace=False).__enter__()
    finally:
        writer.close()
        with writing(owner.engine) as connection:
            connection.exec_driver_sql("DROP OWNED BY writer")
            connection.exec_driver_sql("DROP ROLE writer")
        owner.close()
