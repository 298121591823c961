"""Iceberg and Delta tables have the rows of Parquet's, and every question the same answer."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_colgraph.publish.publish import publish
from airflow_colgraph.store.admin import retention
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.closure import closure
from airflow_colgraph.warehouse.errors import WarehouseError
from airflow_colgraph.warehouse.folder import Folder
from airflow_colgraph.warehouse.formats import FORMATS, Format
from airflow_colgraph.warehouse.impact import impact
from airflow_colgraph.warehouse.kept_history import ALL
from airflow_colgraph.warehouse.prune import prune
from airflow_colgraph.warehouse.question import Question
from airflow_colgraph.warehouse.session import own
from airflow_colgraph.warehouse.starts import named
from tests.store.samples import at, table_rows
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import different, store_tables, warehouse_tables, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]
pytestmark += [pytest.mark.jars]

EVENTS = random_events(4, 90)
LATE = clock.parse_iso(at(60))
# The file by which each format knows a table.
MARKS = {"iceberg": "metadata/version-hint.text", "delta": "_delta_log/00000000000000000000.json"}
QUESTIONS = {
    "closure": lambda spark, to: closure(spark, to, named(["4a", "4b"]), Question(DOWN)),
    "impact": lambda spark, to: impact(spark, to, indirect=True),
}


@pytest.fixture(scope="module")
def expected() -> Iterator[Store]:
    with Store.open("sqlite://") as store:
        store.add(EVENTS)
        yield store


@pytest.fixture(scope="module")
def parquet(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("parquet")
    write_lines(folder / "events.jsonl", EVENTS)
    build(spark, [str(folder / "events.jsonl")], str(folder / "warehouse"))
    return str(folder / "warehouse")


@pytest.mark.parametrize(("before", "format"), [("iceberg", "iceberg"), ("parquet", "delta")])
def test_tables_answers_and_the_published_store_are_those_of_parquet(
    spark: SparkSession, parquet: str, expected: Store, tmp_path: Path, before: str, format: str
) -> None:
    to = str(tmp_path / "warehouse")
    write_lines(tmp_path / "events" / "a.jsonl", EVENTS[:50], b"{torn")
    build(spark, [str(tmp_path / "events")], to, format=before)
    write_lines(tmp_path / "events" / "b.jsonl", EVENTS[40:])
    changed = None if before == format else format  # without one it stays
    built = build(spark, [str(tmp_path / "events")], to, format=changed)
    current = Folder(spark, to).current()
    assert (current.path, current.format) == (built.path, format)
    assert Path(built.path, "edges", MARKS[format]).exists()
    assert not Path(built.path, "_work").exists()
    session = own(spark)
    found = warehouse_tables(session, built.path, format)
    assert different(found, store_tables(expected)) == {}
    for name, ask in QUESTIONS.items():
        pair = [spark.read.parquet(ask(spark, path)).collect() for path in (to, parquet)]
        assert pair[0], name
        assert sorted(map(str, pair[0])) == sorted(map(str, pair[1])), name
    url = f"sqlite:///{tmp_path}/store.db"
    publish(spark, to, url, since=ALL)
    with Store.open(url) as store:
        published, rows = table_rows(store), table_rows(expected)
    for name in ("colgraph_edge", "colgraph_run", "colgraph_lineage_body"):
        assert set(published[name]) == set(rows[name]) != set()
    prune(spark, to, LATE)
    pruned = warehouse_tables(session, Folder(spark, to).current().path, format)
    with closing(Store.open("sqlite://")) as kept:
        kept.add(EVENTS)
        retention.prune(kept, LATE)
        assert different(pruned, store_tables(kept)) == {}
    assert 0 < len(pruned["edges"]) < len(found["edges"])


def test_a_format_without_its_jar_is_an_error(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path / "events.jsonl", EVENTS[:1])
    without: Any = Format(
        FORMATS["delta"].write, {}, {}, "org.nowhere.Catalog", "org.nowhere:tables"
    )
    monkeypatch.setitem(FORMATS, "delta", without)
    paths, to = [str(tmp_path / "events.jsonl")], str(tmp_path / "warehouse")
    with pytest.raises(
        WarehouseError, match=r"no jar for tables of the format delta\. .*packages=org\.nowhere"
    ):
        build(spark, paths, to, format="delta")
    assert Folder(spark, to).current().number == 0
