"""What `colgraph plan` refuses before anything is submitted."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from airflow_colgraph.cli import main
from airflow_colgraph.cli.plan_store import stored_rows
from airflow_colgraph.collector.dry_run.known_sources import KnownSources, missing_table
from airflow_colgraph.collector.dry_run.notes import Notes
from airflow_colgraph.store.store import Store
from tests.store.samples import copy_event, memory_store, output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--", "job.jar"], "job.jar cannot be planned: only Python applications can."),
        (["--", "--class", "a.B", "s3a://b/a.jar"], "only Python applications can."),
        (["--", "hdfs://there/job.py"], "hdfs://there/job.py is not a file here."),
        (["--", "--remote", "sc://there", "job.py"], "its server would run it"),
        (["--output", "https://there/x", "--", "job.py"], "a plan sends nothing"),
        (["--schemas", "list.json", "--", "job.py"], "list.json is not an object like"),
        (["--schemas", "job.py", "--", "job.py"], "job.py cannot be read"),
        (["--"], "Give spark-submit's arguments"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("open('HARM', 'w')")
    Path("list.json").write_text("[]")
    result = CliRunner().invoke(main, ["plan", *words])
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("HARM").exists()


def test_a_store_without_types_is_refused_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("open('HARM', 'w')")
    store = f"sqlite:///{tmp_path}/lineage.db"
    opened = Store.open(store)
    opened.add(copy_event("daily", 1, "mart", {"x": "raw.x"}))
    opened.close()
    result = CliRunner().invoke(main, ["plan", "--store", store, "--", "job.py"])
    assert result.exit_code == 2
    assert result.output.startswith("colgraph: error: the store knows no types of any dataset.")
    assert len(result.output.splitlines()) == 1
    assert not Path("HARM").exists()


def test_the_store_names_columns_by_all_names_of_a_dataset() -> None:
    store = memory_store()
    links = {"identifiers": [{"namespace": "hive", "name": "raw.orders", "type": "TABLE"}]}
    fields = [
        {"name": "id", "type": "long"},
        {"name": "a b", "type": "map<string,decimal(10,2)>"},
        {"name": "who", "type": "struct", "fields": [{"name": "mail", "type": "string"}]},
        {
            "name": "items",
            "type": "array",
            "fields": [
                {
                    "name": "_element",
                    "type": "struct",
                    "fields": [{"name": "sku", "type": "string"}],
                }
            ],
        },
    ]
    orders = output("lake/orders", schema={"fields": fields}, symlinks=links)
    notes = output("notes", schema={"fields": [{"name": "id", "type": "serial"}]})
    for dataset in (orders, notes):
        store.add({"eventTime": "2026-11-20T12:01:00Z", "dataset": dataset})
    ddl = (
        "`id` long, `a b` map<string,decimal(10,2)>, `who` struct<`mail`:string>, "
        "`items` array<struct<`sku`:string>>"
    )
    assert sorted(stored_rows(store)) == [
        ("hive", "raw.orders", ddl),
        ("n", "lake/orders", ddl),
        ("n", "notes", None),
    ]


def test_sources_are_found_by_path_and_by_table() -> None:
    notes = Notes("job.py")
    rows = [
        ("s3://lake", "orders", "id long"),
        ("file", "/lake/days", "day date"),
        ("hive", "raw.orders", "id long"),
        ("glue", "raw.orders", "id long"),
        ("hive", "raw.days", "day date"),
        ("glue", "raw.days", "day string"),
        ("file", "/lake/notes", None),
    ]
    found = KnownSources(rows, [], notes)
    assert found.path("s3a://lake/orders") == "id long"
    assert found.path("file:/lake/days/day=2026-01-01") == "day date"
    assert found.table("RAW.orders", "default") == found.table("orders", "raw") == "id long"
    assert found.path("file:/lake/none") is None
    assert list(notes.unknown) == []
    assert found.table("raw.days", "default") is None  # two, which differ
    assert found.path("file:/lake/notes") is None
    assert list(notes.unknown) == ["raw.days", "/lake/notes"]


def test_what_an_earlier_plan_would_have_written_counts_before_the_store() -> None:
    stored = [("file", "/lake/days", "old int"), ("hive", "raw.days", "old int")]
    planned = [("file", "/lake/days", "new int"), ("hive", "raw.days", "new int")]
    found = KnownSources(stored, planned, Notes("job.py"))
    assert found.planned_path("file:/lake/days") == "new int"
    assert found.planned_path("file:/lake/other") is None
    assert found.table("days", "raw") == "new int"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("[TABLE_OR_VIEW_NOT_FOUND] The table or view `raw`.`a b` cannot be found.", "raw.a b"),
        ("The table or view `spark_catalog`.`raw`.`a` cannot be found. Verify", "raw.a"),
        ("Table or view not found: raw.a; line 1 pos 14;", "raw.a"),
        ("[UNRESOLVED_COLUMN] A column with name `x` cannot be resolved.", ""),
    ],
)
def test_the_table_that_spark_has_not_found(message: str, name: str) -> None:
    assert missing_table(message) == name
