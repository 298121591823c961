"""`colgraph warehouse`: what it prints, its exit codes, and the impact of every dataset."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from airflow_colgraph.cli import main
from airflow_colgraph.store.model.lineage_body import Field
from airflow_colgraph.store.model.question import DOWN
from airflow_colgraph.store.query import graph
from airflow_colgraph.store.store import Store
from airflow_colgraph.warehouse.question import Question
from tests.store.samples import copy_event, table_rows
from tests.warehouse.random_events import random_events
from tests.warehouse.store_answers import StoreAnswers
from tests.warehouse.tables import different, store_tables, warehouse_tables, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("warehouse")]

EVENTS = random_events(1, 100)


@pytest.fixture(scope="module")
def warehouse(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("command")
    write_lines(folder / "events" / "a.jsonl", EVENTS, b"{torn")
    to = str(folder / "warehouse")
    first = run("build", "--events", str(folder / "events"), "--to", to)
    assert first.exit_code == 0
    events, tables = first.stdout.splitlines()
    assert events == "100 events of 1 files"
    assert tables.startswith(f"tables: {to}/versions/00000001-")
    assert first.stderr == ("colgraph: warning: 1 lines are no events; see the table `rejected`.\n")
    second = run("build", "--events", str(folder / "events"), "--to", to)
    assert second.stdout.splitlines() == ["no new files", tables]
    return to


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["warehouse", *words])


def test_closure_prints_what_is_in_its_table(spark: SparkSession, warehouse: str) -> None:
    asked = ("closure", "--warehouse", warehouse, "--from", "1a.x", "--downstream")
    rows = json.loads(run(*asked, "--format", "json").stdout)
    with Store.open("sqlite://") as store:
        store.add(EVENTS)
        nodes = graph.downstream(store, "n", "1a", "x").nodes
    assert len(nodes) > 2
    assert {(Field(r["namespace"], r["name"], r["field"]), r["depth"]) for r in rows} == set(
        nodes.items()
    )
    *lines, last = run(*asked).stdout.splitlines()
    name = rows[0]["name"]  # the canonical one of 1a's names
    assert lines[0] == f"1a.x    0  n  {name}.x"
    assert last.startswith(f"{len(rows)} rows: {warehouse}/closures/")
    limited = run(*asked, "--format", "csv", "--limit", "1")
    assert limited.stdout.splitlines() == ["set,namespace,name,field,depth", f"1a.x,n,{name},x,0"]
    assert f"{len(rows) - 1} rows are only in {warehouse}" in limited.stderr


@pytest.mark.long
def test_impact_counts_what_depends_on_each_dataset(spark: SparkSession, warehouse: str) -> None:
    printed = run("impact", "--warehouse", warehouse, "--indirect", "--format", "json")
    assert (printed.exit_code, printed.exception) == (0, None), printed.stderr
    counts = {row["name"]: row for row in json.loads(printed.stdout)}
    answer = spark.read.parquet(f"{warehouse}/impact/*/answer")
    assert answer.count() == len(counts)
    with Store.open("sqlite://") as store:
        store.add(EVENTS)
        answers = StoreAnswers(store)
        question = Question(DOWN, indirect=True)
        found = {
            name: {"namespace": "n", "name": name, **answers.impact(name, question)}
            for name in counts
        }
    assert max(row["columns"] for row in found.values()) > 3
    assert counts == found


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            ["build", "--events", "/none/of/it", "--to", "{to}"],
            "There are no events at /none/of/it.",
        ),
        (["closure", "--warehouse", "{to}"], "Expected either --from or --sets."),
        (
            ["closure", "--warehouse", "{to}", "--from", "a", "--at", "noon"],
            "'noon' is not a time. Expected e.g. 2026-11-20T10:00:00Z, seconds since 1970, now or "
            "now-7d.",
        ),
        (
            ["closure", "--warehouse", "{to}", "--from", "a"],
            "There is no warehouse at {to}. Make it: colgraph warehouse build.",
        ),
        (
            ["impact", "--warehouse", "{to}", "--conf", "spark.master"],
            "--conf spark.master has no value. Expected NAME=VALUE.",
        ),
    ],
)
def test_wrong_usage_is_one_line(
    spark: SparkSession, tmp_path: Path, words: list[str], error: str
) -> None:
    done = run(*(word.format(to=tmp_path) for word in words))
    assert done.exit_code == 2
    assert done.stderr == f"colgraph: error: {error.format(to=tmp_path)}\n"


@pytest.mark.long
def test_publish_replaces_a_store_that_anybody_can_ask(warehouse: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/team.db"
    printed = run("publish", "--warehouse", warehouse, "--store", url, "--since", "all")
    ingested, published = Store.open("sqlite://"), Store.open(url)
    ingested.add(EVENTS)
    answers = [graph.downstream(one, "n", "1a", indirect=True) for one in (ingested, published)]
    assert answers[0].edges == answers[1].edges
    assert len(answers[0].edges) > 5
    counts = [len(table_rows(ingested)[f"colgraph_{name}"]) for name in ("dataset", "edge", "run")]
    datasets, edges, runs = counts
    words = f"version 1: {datasets} datasets, {edges} edges, {runs} runs\n"
    assert (printed.exit_code, printed.stdout) == (0, words)
    ingested.close()
    published.close()


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("--store", "sqlite://"), 2, "A warehouse is published into a file: "),
        (("--store", "mysql://host/db"), 2, "The store cannot be in mysql. "),
        (("--since", "yesterday"), 2, "--since: "),
    ],
)
def test_publish_names_what_is_wrong_in_one_line(
    warehouse: str, words: tuple[str, ...], code: int, error: str
) -> None:
    done = run("publish", "--warehouse", warehouse, *words)
    assert done.exit_code == code
    assert done.stderr.startswith(f"colgraph: error: {error}")
    assert done.stderr.count("\n") == 1


@pytest.mark.warehouse
def test_the_events_of_a_store_are_read_a_day_once(spark: SparkSession, tmp_path: Path) -> None:
    url, to = f"sqlite:///{tmp_path}/kept.db", str(tmp_path / "warehouse")
    asked = ("build", "--from-store", url, "--to", to)
    with Store.open(url) as store:
        assert run(*asked).stderr.startswith("colgraph: error: The store keeps no whole events.")
        store.keep_events()
        later = copy_event("late", 24 * 60, "e", {"x": "1a.x"})
        store.add([*EVENTS[:20], later])
        assert run(*asked).stdout.splitlines()[0] == "21 events of 2 files"
        assert run(*asked).stdout.splitlines()[0] == "no new files"
        store.add(EVENTS[20:22])
        printed = run(*asked).stdout.splitlines()
        assert printed[0] == "22 events of 1 files"  # the first day's
        path = printed[1].removeprefix("tables: ")
        assert different(warehouse_tables(spark, path), store_tables(store)) == {}
