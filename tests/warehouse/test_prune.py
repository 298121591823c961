"""Retention leaves what the store's retention leaves, and builds go on from it."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from airflow_colgraph.cli import main
from airflow_colgraph.store.admin import retention
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import TABLES, build
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.impact import impact
from tests.store.samples import at
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import different, store_tables, warehouse_tables, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

EVENTS = random_events(8, 150)


def test_tables_are_those_of_a_store_that_was_pruned(spark: SparkSession, tmp_path: Path) -> None:
    paths, to = [str(tmp_path / "events")], str(tmp_path / "warehouse")
    write_lines(tmp_path / "events" / "a.jsonl", EVENTS[:120])
    first = build(spark, paths, to)
    answer = impact(spark, to)
    with Store.open("sqlite://") as store:
        store.add(EVENTS[:120])
        whole = store_tables(store)
        retention.prune(store, clock.parse_iso(at(30)))
        expected = store_tables(store)
        for name in ("edges", "runs", "occurrences", "bodies", "gaps"):
            assert 0 < len(expected[name]) < len(whole[name])

        words = ["warehouse", "prune", "--warehouse", to, "--before", at(30)]
        printed = CliRunner().invoke(main, words)
        pruned = Folder(spark, to).current()
        assert (printed.exit_code, printed.stdout) == (0, f"tables: {pruned.path}\n")
        assert sorted(file.name for file in Path(pruned.path).iterdir()) == sorted(TABLES)
        assert different(warehouse_tables(spark, pruned.path), expected) == {}
        assert Path(first.path).exists()
        assert Path(answer).exists()

        write_lines(tmp_path / "events" / "b.jsonl", EVENTS[120:])
        last = build(spark, paths, to)
        store.add(EVENTS[120:])
        assert last.files == 1
        assert different(warehouse_tables(spark, last.path), store_tables(store)) == {}
        assert not Path(first.path).exists()
        assert not Path(answer).exists()


def test_a_time_in_the_future_is_not_pruned(tmp_path: Path) -> None:
    words = ["warehouse", "prune", "--warehouse", str(tmp_path), "--before", "now+1d"]
    result = CliRunner().invoke(main, words)
    message = "colgraph: error: --before is now+1d: expected a time that is not after now.\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
