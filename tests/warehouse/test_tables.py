"""The tables that Spark builds are the store's, row by row, whatever the order of events."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.warehouse.build import TABLES, build
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.impact import impact
from tests.store.samples import event
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import different, stored, warehouse_tables, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]


class Killed(BaseException):
    """As if the process had been killed."""


def test_two_builds_give_the_tables_of_the_store(spark: SparkSession, tmp_path: Path) -> None:
    """The second build has late and repeated events, in files beside those that were read."""
    events = [event for seed in (1, 2, 3) for event in random_events(seed, 150)]
    shuffled = random.Random(1).sample(events, len(events))
    paths, to = [str(tmp_path / "events")], str(tmp_path / "warehouse")
    write_lines(tmp_path / "events" / "a.jsonl", shuffled[:200])
    write_lines(tmp_path / "events" / "deep er [1]" / "b.jsonl", shuffled[200:250])
    first = build(spark, paths, to)
    assert (first.files, first.events) == (2, 250)
    assert different(warehouse_tables(spark, first.path), stored(shuffled[:250])) == {}
    write_lines(tmp_path / "events" / "c.jsonl", shuffled[220:])
    second = build(spark, paths, to)
    assert (second.files, second.events) == (1, 230)
    expected = stored(events)
    assert {row[1] for row in expected["edges"]} == {"DIRECT", "INDIRECT", "DATASET"}
    assert len(expected["symlinks"]) > 6
    assert different(warehouse_tables(spark, second.path), expected) == {}
    assert build(spark, paths, to) == (second.path, 0, 0, 0, 0, 0)
    assert Folder(spark, to).names("commits") == ["00000001.json", "00000002.json"]


def test_a_build_that_was_killed_leaves_the_tables_before(
    spark: SparkSession, tmp_path: Path
) -> None:
    events = random_events(5, 60)
    paths, to = [str(tmp_path / "events")], str(tmp_path / "warehouse")
    write_lines(tmp_path / "events" / "a.jsonl", events[:30])
    before = build(spark, paths, to)
    write_lines(tmp_path / "events" / "b.jsonl", events[30:])
    for step in (2, len(TABLES)):

        def kill(name: str, number: int, steps: int, step: int = step) -> None:
            if number == step:
                raise Killed

        with pytest.raises(Killed):
            build(spark, paths, to, kill)
        assert Folder(spark, to).current().path == before.path
    assert different(warehouse_tables(spark, before.path), stored(events[:30])) == {}
    after = build(spark, paths, to)
    assert after.files == 1
    assert different(warehouse_tables(spark, after.path), stored(events)) == {}
    write_lines(tmp_path / "events" / "c.jsonl", events[:1])  # again
    last = build(spark, paths, to)
    assert (last.files, last.events) == (1, 1)
    kept = [f"{to}/versions/{name}" for name in Folder(spark, to).names("versions")]
    assert {after.path, last.path} <= set(kept)
    assert before.path not in kept  # of those before, readers may use the last one only
    assert different(warehouse_tables(spark, last.path), stored(events)) == {}


def test_lines_that_are_no_events_are_kept_with_the_reason(
    spark: SparkSession, tmp_path: Path
) -> None:
    (event, other) = random_events(6, 2)
    malformed = {**event, "inputs": [{"namespace": "n", "name": "a", "facets": {"schema": 1}}]}
    foreign = b'[1]\n{"a": 1}\n{"a": 1}\n\n\xff\xfe\n'
    file = tmp_path / "events.jsonl"
    write_lines(file, [event, malformed], foreign + b'{"eventTime": "2026')
    to = str(tmp_path / "warehouse")
    built = build(spark, [str(file)], to)
    assert (built.events, built.rejected, built.partial) == (2, 5, 1)
    rejected = spark.read.parquet(f"{built.path}/rejected")
    found = {tuple(row) for row in rejected.select("line", "lines", "is_partial").collect()}
    torn = '{"eventTime": "2026'
    bad = {("[1]", 1), ('{"a": 1}', 2), ("\ufffd\ufffd", 1), (torn, 1)}
    assert found == {(*one, False) for one in bad} | {(None, 1, True)}
    reasons = {row.line: row.reason for row in rejected.collect()}
    assert reasons['{"a": 1}'] == "The event has no 'eventTime': it is not OpenLineage."
    assert reasons[torn].startswith("not JSON: ")
    assert "'schema' is int" in reasons[None]

    write_lines(file, [event, other])  # as if the job had written the rest of its line
    again = build(spark, [str(file)], to)
    assert (again.files, again.events, again.rejected) == (1, 2, 0)
    assert spark.read.parquet(f"{again.path}/rejected").count() == 0
    assert spark.read.parquet(f"{again.path}/files").count() == 1


def test_of_two_builds_at_a_time_one_fails(spark: SparkSession, tmp_path: Path) -> None:
    write_lines(tmp_path / "events.jsonl", random_events(7, 3))
    paths, to = [str(tmp_path / "events.jsonl")], str(tmp_path / "warehouse")
    quicker = []

    def overtake(name: str, number: int, steps: int) -> None:
        if number == 1:
            quicker.append(build(spark, paths, to))

    with pytest.raises(WarehouseError, match=r"Another build into .* finished meanwhile"):
        build(spark, paths, to, overtake)
    folder = Folder(spark, to)
    assert folder.current().path == quicker[0].path
    assert len(folder.names("versions")) == 1


def test_a_path_that_does_not_exist_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"^There are no events at .*/none\.$"):
        build(spark, [str(tmp_path / "none")], str(tmp_path / "warehouse"))


def test_a_warehouse_without_an_edge_is_read(spark: SparkSession, tmp_path: Path) -> None:
    """A partitioned table without rows has no file of which Spark could take the schema."""
    write_lines(tmp_path / "events.jsonl", [event("job", 1, [], reads=["raw"])])
    to = str(tmp_path / "warehouse")
    build(spark, [str(tmp_path / "events.jsonl")], to)
    edges = Folder(spark, to).current().table(spark, "edges")
    assert (edges.count(), edges.schema["is_current"].dataType.simpleString()) == (0, "boolean")
    (row,) = spark.read.parquet(impact(spark, to)).collect()
    assert tuple(row) == ("n", "raw", 0, 0, 0, 0)
