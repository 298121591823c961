"""Answers about every dataset are the store's own answers on the same events, put together."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from airflow_colgraph.cli import main
from airflow_colgraph.store.model import clock
from airflow_colgraph.store.model.body_columns import contents
from airflow_colgraph.store.model.lineage_body import Field, unpack
from airflow_colgraph.store.model.runs import Job, job_output_id
from airflow_colgraph.store.query import overview
from airflow_colgraph.store.query.history import difference as difference_in_store
from airflow_colgraph.store.query.unknown_columns import canonical_names
from airflow_colgraph.store.query.unused import unused as unused_in_store
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.build import build
from airflow_colgraph.warehouse.coverage import coverage
from airflow_colgraph.warehouse.difference import difference
from airflow_colgraph.warehouse.unused import unused
from tests.store.samples import at, copy_event, event, output
from tests.warehouse.random_events import random_events
from tests.warehouse.tables import write_lines

pytestmark = [pytest.mark.spark, pytest.mark.warehouse, pytest.mark.xdist_group("warehouse")]

UNRESOLVED = {"colgraph_diagnostics": {"unresolved": [{"class": "Opaque", "count": 1}]}}
# Structs of which only a part is read, a reader that nobody can look into, and one that is
# incomplete by its own diagnostics.
MORE = [
    copy_event("nested", 20, "1a", {"x": "s.one.deep, s.two"}, reads=["s"]),
    event("s", 1, [output("s", {"one.deep": "", "one.other": "", "two": "", "three": ""})]),
    event("opaque", 21, [], reads=["1a", "s"]),
    event("wide", 2, [output("wide", {"p": "", "q": ""})]),
    copy_event("narrow", 23, "narrow", {"x": "wide.p"}, reads=["wide"]),
    copy_event("partly", 22, "2a", {"x": "2b.y"}, reads=["2b"], **UNRESOLVED),
]
EVENTS = [*(event for seed in (1, 2, 3) for event in random_events(seed, 120)), *MORE]
TIMES = [clock.parse_iso(at(minute)) for minute in (15, 30, 60)]


class Both(NamedTuple):
    """The same events in a warehouse and in a store that keeps them whole."""

    warehouse: str
    store: Store


@pytest.fixture(scope="module")
def both(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("answers")
    write_lines(folder / "events.jsonl", EVENTS)
    build(spark, [str(folder / "events.jsonl")], str(folder / "warehouse"))
    store = Store.open("sqlite://")
    store.add(EVENTS)
    yield Both(str(folder / "warehouse"), store)
    store.close()


def rows(spark: SparkSession, path: str) -> list[dict[str, Any]]:
    return [row.asDict() for row in spark.read.parquet(path).collect()]


@pytest.mark.parametrize(("before", "after"), [(0, 2), (1, 2)])
def test_the_difference_is_that_of_each_dataset(
    spark: SparkSession, both: Both, before: int, after: int
) -> None:
    times = TIMES[before], TIMES[after]
    expected = set()
    with both.store.connection() as connection:
        names = canonical_names(connection)
        datasets = connection.exec_driver_sql("SELECT id, namespace, name FROM colgraph_dataset")
        for id, *name in datasets.all():
            if names.get(id, id) != id:
                continue
            found = difference_in_store(connection, Field(*name, ""), *times)
            for change, edges in (("added", found.added), ("removed", found.removed)):
                for edge in edges:
                    how = (edge.output.field, *edge.input, *edge.transformation)
                    expected.add((*name, f"edge {change}", *how, None, None))
            none = (None,) * 7
            expected |= {(*name, "column-added", f, *none, None, t) for f, t in found.fields_added}
            expected |= {
                (*name, "column-removed", f, *none, t, None) for f, t in found.fields_removed
            }
            expected |= {(*name, "type-changed", f, *none, *t) for f, *t in found.types_changed}
    answer = [tuple(row.values()) for row in rows(spark, difference(spark, both.warehouse, *times))]
    assert Counter(answer) == Counter(expected)
    assert len({row[2] for row in expected}) >= 4
    assert len(expected) > 30


def test_unused_fields_are_those_of_the_store(spark: SparkSession, both: Both) -> None:
    statuses = set()
    for since in TIMES:
        with both.store.connection() as connection:
            expected = {
                (*one[:4], one.last_used, one.readers, tuple(one.unknown_readers))
                for one in unused_in_store(connection, since)
            }
        frame = spark.read.parquet(unused(spark, both.warehouse, since))
        frame = frame.withColumn("last_used", frame["last_used"].cast("double"))
        found = [
            (*row[:4], row[4] and clock.iso(round(row[4] * 1000)), row[5], tuple(row[6]))
            for row in frame.collect()
        ]
        assert Counter(found) == Counter(expected)
        assert any(row[2] == "one.other" for row in expected)
        statuses |= {row[3] for row in expected}
    assert statuses == {"unused", "perhaps used"}


def test_coverage_counts_what_the_store_has(spark: SparkSession, both: Both) -> None:
    found = rows(spark, coverage(spark, both.warehouse))
    with both.store.connection() as connection:
        for dag in overview.dags_with_coverage(connection, None):
            of_dag = [row for row in found if row["dag_id"] == dag["dag_id"]]
            assert sum(row["outputs"] for row in of_dag) == dag["outputs"] > 1
            assert sum(row["known"] for row in of_dag) == dag["columns"] > 1
        runs: dict[Any, list[int]] = {}
        for output_id, run, moment, body in connection.exec_driver_sql(
            "SELECT job_output, run, at, lineage_body FROM colgraph_occurrence"
        ):
            runs.setdefault((output_id, run or moment), []).append(body)
        packed = dict(
            map(tuple, connection.exec_driver_sql("SELECT id, body FROM colgraph_lineage_body"))
        )
    partly = job_output_id(Job("jobs", "partly"), Field("n", "2a", ""))
    kinds: Counter[str] = Counter()
    for (output_id, _), ids in runs.items():
        bodies = [unpack(packed[id]) for id in ids]
        if all(body["fields"] is None for body in bodies):
            kinds["none"] += 1
        elif output_id == partly or any(contents(body).unknown for body in bodies):
            kinds["conservative"] += 1
        else:
            kinds["exact"] += 1
    sums = {kind: sum(row[kind] for row in found) for kind in ("exact", "conservative", "none")}
    assert sums == kinds
    assert partly in {output_id for output_id, _ in runs}
    assert sum(row["writes"] for row in found) == len(runs)
    assert all(kinds[kind] > 10 for kind in sums)


def run(*words: str) -> Any:
    done = CliRunner().invoke(main, ["warehouse", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_commands_print_their_tables(spark: SparkSession, both: Both) -> None:
    where = ("--warehouse", both.warehouse)
    changes = run("diff", *where, "--before", at(15), "--after", at(60))
    assert f" rows: {both.warehouse}/diff/" in changes.splitlines()[-1]
    assert {line[0] for line in changes.splitlines()[:-1]} == {"+", "-", "~"}
    covered = json.loads(run("coverage", *where, "--format", "json"))
    assert covered == sorted(covered, key=lambda row: (row["dag_id"] is None, row["namespace"]))
    lines = run("unused", *where, "--days", "36000").splitlines()
    assert any("never used; " in line for line in lines)
    assert "columns unknown: opaque" in "".join(lines)


def test_the_report_shows_each_answer(spark: SparkSession, both: Both, tmp_path: Path) -> None:
    where = ("--warehouse", both.warehouse, "--days", "36000", "--html", str(tmp_path / "r.html"))
    found = json.loads(run("report", *where, "--format", "json"))
    assert found["sizes"]["edges"] > found["sizes"]["datasets"] > 10
    assert all(found[part] for part in ("coverage", "impact", "unused", "changes"))
    assert {"namespace": "n", "name": "wide", "fields": 1} in found["unused"]
    lines = run("report", *where).splitlines()
    assert lines[0].startswith("version 1: 1 files, 0 rejected, ")
    highest = max(row["columns"] for row in found["impact"])
    assert any(line.startswith(f"{highest:>9}  {'#' * 30}  n  ") for line in lines)
    page = (tmp_path / "r.html").read_text()
    assert page.count("<rect ") == sum(
        len(found[part]) for part in ("coverage", "impact", "unused", "changes")
    )
