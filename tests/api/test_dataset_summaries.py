"""The table of datasets: last writer, coverage, uses and tags, filtered and sorted by page."""

from typing import Any

import pytest

from airflow_colgraph.api.access import Access
from airflow_colgraph.openlineage.facets import PRODUCER
from airflow_colgraph.store.store import Store
from tests.api.test_tasks import ask
from tests.store.conftest import (  # noqa: F401
    migrated_postgres,
    migrated_sqlite,
    postgres_url,
    store,
)
from tests.store.samples import at, copy_event, event, output, run_id

COLUMNS = {"fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]}
TAGS = {"tags": [{"key": "pii", "value": "true", "field": "x"}, {"key": "tier", "value": "gold"}]}


def of_task(task: str, minute: int, outputs: list[Any], **more: Any) -> dict[str, Any]:
    airflow = {"dag": {"dag_id": "shop"}, "task": {"task_id": task}}
    return event(f"shop.{task}", minute, outputs, airflow=airflow, **more)


LOG = [
    of_task("mart", 10, [output("lake/mart", {"x": "lake/raw.a"}, schema=COLUMNS, tags=TAGS)]),
    of_task("mart", 20, [], state="FAIL"),
    of_task("copy", 11, [output("lake/copy", {"x": "lake/mart.x", "n": ""})]),
    event("load", 12, [output("lake/plain", None)], reads=["lake/raw"]),
    copy_event("again", 13, "lake/copy", {"x": "lake/mart.x"}),
]


def table(store: Store, access: Access | None = None, **query: Any) -> list[str]:  # noqa: F811
    return [row["name"] for row in ask(store, "dataset-summaries", access, **query)["datasets"]]


def test_a_row_says_who_wrote_the_dataset_and_how_much_is_known(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    answer = ask(store, "dataset-summaries")
    assert (answer["total"], answer["prefix"], answer["next"]) == (4, "lake/", None)
    copy, mart, plain, raw = answer["datasets"]
    assert mart == {
        "namespace": "n",
        "name": "lake/mart",
        "columns": 2,
        "columns_known": 1,
        "is_lacking": False,
        "is_removed": False,
        "used_by": 1,
        "tags": ["pii", "tier=gold"],
        "write": {
            "at": at(10),
            "run": run_id(10),
            "job_namespace": "jobs",
            "job": "shop.mart",
            "dag_id": "shop",
            "task_id": "mart",
            "state": "FAIL",  # of the run at 20, which wrote nothing
        },
    }
    assert (copy["write"]["job"], copy["write"]["state"]) == ("again", "COMPLETE")
    assert (copy["columns"], copy["columns_known"], copy["used_by"]) == (1, 1, 0)
    assert (plain["columns"], plain["columns_known"]) == (0, 0)
    assert (raw["write"], raw["columns"], raw["used_by"], raw["tags"]) == (None, None, 2, [])


def test_a_run_that_has_only_begun_is_no_missing_lineage(store: Store) -> None:  # noqa: F811
    """What it reported at its start counted beside, or before, what it reports when it is done."""
    done = copy_event("load", 12, "lake/x", {"x": "lake/raw.a"})
    begun = {**event("load", 11, [output("lake/x")], run=12, state="START")}
    store.add([begun, done])
    assert "lake/x" not in table(store, only="lineage-missing")
    store.add(event("load", 20, [output("lake/x")], state="START"))
    assert "lake/x" not in table(store, only="lineage-missing")
    store.add(event("load", 20, [output("lake/x")]))
    assert "lake/x" in table(store, only="lineage-missing")


def test_the_state_is_that_of_the_jobs_first_run_in_the_list_of_runs(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    for row in ask(store, "dataset-summaries")["datasets"]:
        if write := row["write"]:
            names = {"job": write["job"], "namespace": write["job_namespace"]}
            assert write["state"] == ask(store, "runs", **names)["runs"][0]["state"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"q": "MART lake"}, ["lake/mart"]),
        ({"q": "shop.mart"}, ["lake/mart"]),
        ({"q": "tier=gold"}, ["lake/mart"]),
        ({"q": "nothing"}, []),
        ({"only": "failed"}, ["lake/mart"]),
        ({"only": "lineage-missing"}, ["lake/mart", "lake/plain"]),
        ({"only": "not-used"}, ["lake/copy", "lake/plain"]),
        ({"descending": True}, ["lake/raw", "lake/plain", "lake/mart", "lake/copy"]),
        ({"sort": "written_at"}, ["lake/mart", "lake/plain", "lake/copy", "lake/raw"]),
        (
            {"sort": "written_at", "descending": True},
            ["lake/copy", "lake/plain", "lake/mart", "lake/raw"],
        ),
        ({"sort": "writer"}, ["lake/copy", "lake/plain", "lake/mart", "lake/raw"]),
        ({"sort": "state"}, ["lake/copy", "lake/plain", "lake/mart", "lake/raw"]),
        ({"sort": "columns_known"}, ["lake/plain", "lake/mart", "lake/copy", "lake/raw"]),
        (
            {"sort": "used_by", "descending": True},
            ["lake/raw", "lake/mart", "lake/copy", "lake/plain"],
        ),
        ({"sort": "tags"}, ["lake/mart", "lake/copy", "lake/plain", "lake/raw"]),
        ({"sort": "namespace"}, ["lake/copy", "lake/mart", "lake/plain", "lake/raw"]),
    ],
)
def test_the_table_is_filtered_and_sorted(
    store: Store,  # noqa: F811
    query: dict[str, Any],
    names: list[str],
) -> None:
    store.add(LOG)
    assert table(store, **query) == names


def test_pages_go_on_where_the_one_before_ends(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    first = ask(store, "dataset-summaries", limit=3)
    assert (len(first["datasets"]), first["total"], first["next"]) == (3, 4, 3)
    assert table(store, limit=3, offset=3) == ["lake/raw"]


def test_the_prefix_stays_the_same_under_a_filter(store: Store) -> None:  # noqa: F811
    """A name that a filter leaves alone was written whole, and shorter among others."""
    store.add(LOG)
    assert ask(store, "dataset-summaries", q="raw")["prefix"] == "lake/"


def test_a_dataset_with_several_names_is_one_row(store: Store) -> None:  # noqa: F811
    link = {"identifiers": [{"namespace": "hive", "name": "db.mart", "type": "TABLE"}]}
    store.add(event("job", 1, [output("/lake/mart", {"x": "raw.a"}, symlinks=link)]))
    report = output("report", None)
    report["facets"]["columnLineage"] = {
        "fields": {"x": {"inputFields": [{"namespace": "hive", "name": "db.mart", "field": "x"}]}}
    }
    store.add(event("reader", 2, [report]))
    rows = ask(store, "dataset-summaries", q="mart")["datasets"]
    assert [(row["write"]["job"], row["columns_known"], row["used_by"]) for row in rows] == [
        ("job", 1, 1)
    ]


def test_several_writes_of_one_run_count_by_the_one_that_says_least(store: Store) -> None:  # noqa: F811
    known, unknown = output("out", {"x": "raw.a"}), output("out", {"x": "raw.a"}, schema=COLUMNS)
    store.add(event("job", 1, [known], run=7, state="RUNNING"))
    store.add(event("job", 2, [unknown], run=7))
    row = ask(store, "dataset-summaries", q="out")["datasets"][0]
    assert (row["columns"], row["columns_known"]) == (2, 1)


def test_writers_and_uses_that_may_not_be_seen_are_left_out(store: Store) -> None:  # noqa: F811
    store.add(LOG)
    shop = ask(store, "dataset-summaries", Access(frozenset({"shop"})))["datasets"]
    assert [row["write"] and row["write"]["job"] for row in shop] == [
        "shop.copy",
        "shop.mart",
        None,
        None,
    ]
    assert [row["used_by"] for row in shop] == [0, 1, 0, 1]
    hidden = Access(frozenset({"other"}))
    assert table(store, hidden, q="shop.mart") == []
    assert table(store, hidden, only="failed") == table(store, hidden, only="lineage-missing") == []


def test_a_dataset_whose_writer_reported_missing_lineage_is_marked(store: Store) -> None:  # noqa: F811
    lacks = {"completeness": {"writes": 2, "writesWithoutLineage": 1}}
    whole = output("out", {"x": "raw.a"})
    store.add(event("job", 1, [whole], colgraph_diagnostics=lacks))

    def is_lacking() -> tuple[bool, list[str]]:
        row = ask(store, "dataset-summaries", q="out")["datasets"][0]
        assert row["columns_known"] == row["columns"] == 1
        return row["is_lacking"], table(store, only="lineage-missing")

    assert is_lacking() == (True, ["out"])
    store.add(event("job", 2, [whole]))
    assert is_lacking() == (False, [])


def test_what_is_missing_of_one_output_marks_no_other(store: Store) -> None:  # noqa: F811
    """Its page had no reason for the mark."""
    lacks = {"unresolved": [{"class": "Column", "count": 1}], "opaque": []}
    store.add(event("job", 1, [output("whole", {"x": "raw.a"})]))
    store.add(event("job", 1, [output("part", {"x": "raw.a"})], colgraph_diagnostics=lacks))
    assert table(store, only="lineage-missing") == ["part"]
    link = {"identifiers": [{"namespace": "s3://lake", "name": "alias", "type": "TABLE"}]}
    store.add(event("job", 1, [output("whole", {"x": "raw.a"}, symlinks=link)]))
    again = [output("alias", {"x": "raw.a"}) | {"namespace": "s3://lake"}]
    store.add(event("job", 1, again, colgraph_diagnostics=lacks))
    assert sorted(table(store, only="lineage-missing")) == ["part", "whole"]


def lifecycle(job: str, minute: int, name: str, change: str, **more: Any) -> dict[str, Any]:
    """A run that says only what became of the dataset as a whole."""
    facet = {"_producer": PRODUCER, "lifecycleStateChange": change}
    return of_task(job, minute, [output(name, lifecycleStateChange=facet, **more)])


def written_by(store: Store, name: str) -> tuple[str | None, str | None, int | None]:  # noqa: F811
    (row,) = (row for row in ask(store, "dataset-summaries")["datasets"] if row["name"] == name)
    write = row["write"] or {}
    return write.get("job"), write.get("at"), row["columns_known"]


@pytest.mark.parametrize("change", ["ALTER", "TRUNCATE", "DROP"])
def test_a_job_that_only_changes_a_dataset_is_not_its_writer(store: Store, change: str) -> None:  # noqa: F811
    store.add([*LOG, lifecycle("tidy", 30, "lake/mart", change, schema=COLUMNS)])
    assert written_by(store, "lake/mart") == ("shop.mart", at(10), 1)
    (mart,) = ask(store, "dataset-summaries", q="lake/mart", only="failed")["datasets"]
    assert mart["is_removed"] == (change == "DROP")
    store.add([lifecycle("tidy", 31, "lake/never", change)])
    assert written_by(store, "lake/never") == (None, None, None)
    store.add([of_task("tidy", 32, [output("lake/mart", {"x": "lake/raw.a"})])])
    assert written_by(store, "lake/mart") == ("shop.tidy", at(32), 1)
    store.add([lifecycle("tidy", 40, "lake/mart", change)])
    assert written_by(store, "lake/mart") == ("shop.tidy", at(32), 1)


def test_a_run_that_also_writes_is_judged_by_what_it_writes(store: Store) -> None:  # noqa: F811
    altered = lifecycle("mart", 30, "lake/mart", "ALTER", schema=COLUMNS)
    insert = of_task("mart", 31, [output("lake/mart", {"x": "lake/raw.a"})], run=30)
    store.add([*LOG, altered, insert])
    assert written_by(store, "lake/mart") == ("shop.mart", at(31), 1)
    (mart,) = (r for r in ask(store, "dataset-summaries")["datasets"] if r["name"] == "lake/mart")
    assert (mart["columns"], mart["columns_known"]) == (1, 1)


@pytest.mark.parametrize(
    ("fields", "reads", "writer"),
    [
        ({"x": "lake/other.a"}, [], "shop.view"),  # a view that is defined anew
        ({"x": ""}, [], "shop.view"),  # of constants
        (None, ["lake/other"], "shop.view"),
        ({"y": "lake/mart.x"}, [], "shop.mart"),  # a column that was renamed
        (None, ["lake/mart"], "shop.mart"),
    ],
)
def test_an_alteration_from_other_datasets_is_a_write(
    store: Store,  # noqa: F811
    fields: dict[str, str] | None,
    reads: list[str],
    writer: str,
) -> None:
    altered = {"_producer": PRODUCER, "lifecycleStateChange": "ALTER"}
    redefined = output("lake/mart", fields, lifecycleStateChange=altered)
    store.add([*LOG, of_task("view", 30, [redefined], reads=reads)])
    assert written_by(store, "lake/mart")[0] == writer


@pytest.mark.parametrize("fields", [None, {"y": "lake/mart.x"}])
def test_other_producers_append_by_alter(store: Store, fields: dict[str, str] | None) -> None:  # noqa: F811
    facet = {"lifecycleStateChange": "ALTER"}
    appended = output("lake/mart", fields, lifecycleStateChange=facet)
    store.add([*LOG, of_task("append", 30, [appended])])
    assert written_by(store, "lake/mart")[:2] == ("shop.append", at(30))


def test_rows_that_a_change_reports_were_written(store: Store) -> None:  # noqa: F811
    for minute, change in ((30, "ALTER"), (31, "TRUNCATE")):
        rows = {"outputStatistics": {"rowCount": 5}}
        store.add([*LOG, lifecycle("fill", minute, "lake/mart", change, **rows)])
        assert written_by(store, "lake/mart")[:2] == ("shop.fill", at(minute))


def test_a_change_is_told_as_what_it_is_everywhere(store: Store) -> None:  # noqa: F811
    kinds = {"lake/mart": "DROP", "lake/copy": "ALTER", "lake/plain": "TRUNCATE"}
    changes = [lifecycle("tidy", 30, name, kind) for name, kind in kinds.items()]
    event = {**changes[0], "outputs": [each["outputs"][0] for each in changes]}
    store.add([*LOG, event])
    told = {"lake/mart": "dropped", "lake/copy": "altered", "lake/plain": "emptied"}
    overview = ask(store, "overview")
    latest = {one["name"]: one["state"] for one in overview["changes"] if one["at"] == at(30)}
    assert latest == told
    outputs = ask(store, "tasks", dag_id="shop", task_id="tidy")["outputs"]
    assert {one["name"]: one["change"] for one in outputs} == told
    for name, state in told.items():
        writes = ask(store, "writes", namespace="n", name=name)["writes"]
        assert [write["change"] for write in writes if write["at"] == at(30)] == [state]
        assert next(write["change"] for write in writes if write["at"] != at(30)) is None
    (shop,) = overview["dags"]
    assert (shop["outputs"], shop["columns"]) == (2, 2)  # mart and copy, by the tasks of that name
