"""Unity Catalog's system tables, by made rows of their documented columns."""

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from airflow_colgraph.cli import main
from airflow_colgraph.collector.naming.datasets import file_dataset
from airflow_colgraph.exports.openlineage_events import events
from airflow_colgraph.exports.unity_catalog import RowError, lineage_of, parse_rows
from airflow_colgraph.store.model.latest_lineage import Dataset, Input
from airflow_colgraph.store.model.runs import Job

COLUMNS = (
    "account_id", "metastore_id", "workspace_id", "entity_type", "entity_id", "entity_run_id",
    "source_table_full_name", "source_table_catalog", "source_table_schema", "source_table_name",
    "source_path", "source_type", "source_column_name", "target_table_full_name",
    "target_table_catalog", "target_table_schema", "target_table_name", "target_path",
    "target_type", "target_column_name", "created_by", "event_time", "event_date", "record_id",
    "event_id", "statement_id", "entity_metadata",
)  # fmt: skip
Row = dict[str, Any]


def row(
    source: str | None, target: str | None, run: str = "7", hour: int = 10, **more: object
) -> Row:
    """A row as the tables have it; `table.column` on either side."""
    row: Row = dict.fromkeys(COLUMNS)
    row |= {"account_id": "a", "workspace_id": "11", "entity_type": "JOB", "entity_id": "42"}
    row |= {"entity_run_id": run, "event_time": f"2026-11-20T{hour}:00:00.000+0000"}
    for side, name in (("source", source), ("target", target)):
        if name:
            table, _, column = name.partition(".")
            row |= {f"{side}_table_full_name": f"main.shop.{table}", f"{side}_type": "TABLE"}
            row |= {f"{side}_column_name": column or None}
    return {**row, **more}


def as_json(rows: list[Row]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def as_list(rows: list[Row]) -> bytes:
    return json.dumps(rows).encode()


def as_csv(rows: list[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(
        {name: "null" if value is None else value for name, value in row.items()} for row in rows
    )
    return text.getvalue().encode()


ROWS = [
    row("orders.amount", "daily.total", source_path="s3://lake/orders"),
    row("orders.day", "daily.day", source_path="s3://lake/orders"),
    row("rates.rate", "daily.total"),
    row("orders", "daily"),  # of table_lineage
    row("shops", "daily"),  # read, with no column that is known
    row("orders.day", "daily.day", run="8", hour=12),
    row("daily.total", None, entity_type="DASHBOARD_V3", entity_id="d1", run="9", hour=11),
]


@pytest.mark.parametrize("text", [as_json, as_list, as_csv])
def test_rows_of_both_tables_are_one_lineage(text: Any) -> None:
    found = lineage_of(parse_rows(text(ROWS)), file_dataset)
    orders, rates, shops, daily = (
        Dataset("unity-catalog", f"main.shop.{name}")
        for name in ("orders", "rates", "shops", "daily")
    )
    first, second = found.outputs
    assert (first.dataset, first.job) == (daily, Job("databricks://11", "job/42"))
    assert first.fields == {
        "day": (Input(orders, "day"),),
        "total": (Input(orders, "amount"), Input(rates, "rate")),
    }
    assert first.inputs == (orders, rates, shops)
    assert second.fields == {"day": (Input(orders, "day"),)}
    assert first.run != second.run
    assert found.symlinks == {orders: (Dataset("s3://lake", "orders"),)}
    (read,) = found.reads
    assert (read.job.name, read.inputs) == ("dashboard_v3/d1", (daily,))
    again = lineage_of(parse_rows(text(ROWS[::-1])), file_dataset)
    assert again == found


def test_what_is_known_by_its_path_or_not_at_all() -> None:
    rows = [
        row(None, "daily", source_path="abfss://c@account.dfs.core.windows.net/raw/x/"),
        row("orders", None, target_path="dbfs:/tmp/out"),
        row("orders", None, entity_type=None, entity_id=None),  # nobody is named who read it
        row("Orders.Day", "other.day", entity_type=None, entity_id=None),
    ]
    found = lineage_of(parse_rows(as_json(rows)), file_dataset, "databricks://host")
    by_name = {one.dataset.name: one for one in found.outputs}
    assert by_name.keys() == {"main.shop.daily", "/tmp/out", "main.shop.other"}
    (source,) = by_name["main.shop.daily"].inputs
    assert source == Dataset("abfss://c@account.dfs.core.windows.net", "raw/x")
    assert by_name["/tmp/out"].fields is None
    other = by_name["main.shop.other"]
    assert (other.job, other.fields) == (
        None,
        {"day": (Input(Dataset("databricks://host", "main.shop.orders"), "Day"),)},
    )
    assert not found.reads


def test_a_run_that_also_only_reads_keeps_its_reads() -> None:
    rows = [row("orders.day", "daily.day"), row("secrets", None)]
    (read, write) = events(lineage_of(parse_rows(as_json(rows)), file_dataset))
    assert (read["eventType"], write["eventType"]) == ("RUNNING", "COMPLETE")
    assert read["run"] == write["run"]
    assert [one["name"] for one in read["inputs"]] == ["main.shop.secrets"]


BAD = {
    "no table": (b"a,b\n1,2\n", "Row 1 has no column event_time."),
    "no time": (as_json([row("a.b", "c.d", event_time="soon")]), "Row 1, event_time: 'soon' is"),
    "torn": (b'{"event_time"', "is not JSON"),
    "torn list": (b'[{"event_time": 1},\n{"a"', "Line 2 is not JSON"),
    "numbers": (b"[1]", "Row 1 is not an object."),
    "bytes": (b"\xff\xfe", "The file is not UTF-8 text."),
}


@pytest.mark.parametrize("name", BAD)
def test_a_text_that_has_no_such_rows_is_refused(name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(RowError, match=message):
        lineage_of(parse_rows(text), file_dataset)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_text_gives_another_error(text: bytes) -> None:
    with contextlib.suppress(RowError):
        assert not lineage_of(parse_rows(text), file_dataset).outputs


@given(
    st.lists(
        st.fixed_dictionaries(
            {name: st.none() | st.text(max_size=8) for name in COLUMNS}
            | {"event_time": st.just("2026-11-20 10:00:00.5Z")}
        )
    )
)
def test_every_named_edge_is_in_the_events(rows: list[Row]) -> None:
    def value(row: Row, name: str) -> str:
        found = row[name]
        return "" if found in (None, "null") else found.strip()

    expected = {
        tuple(value(row, f"{side}_{name}") for side in ("source", "target")
              for name in ("table_full_name", "column_name"))
        for row in rows
    }  # fmt: skip
    expected = {(a.lower(), b, c.lower(), d) for a, b, c, d in expected if all((a, b, c, d))}
    found = set()
    for event in events(lineage_of(enumerate(rows), file_dataset)):
        for output in (*event.get("outputs", ()), event.get("dataset", {"facets": {}})):
            fields = output["facets"].get("columnLineage", {"fields": {}})["fields"]
            for field, made in fields.items():
                inputs = made["inputFields"]
                found |= {(one["name"], one["field"], output["name"], field) for one in inputs}
    assert expected <= found


def run(*arguments: str, **given: Any) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False, **given)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_column_is_found_from_sparks_events_through_unitys_rows(tmp_path: Path) -> None:
    """Spark names the table by its location, Unity by its catalog: they are one dataset."""
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    file = tmp_path / "column_lineage.csv"
    file.write_bytes(as_csv(ROWS))
    lake = {"namespace": "s3://lake", "name": "orders"}
    raw = {"namespace": "s3://lake", "name": "raw", "field": "amt"}
    facet = {"fields": {"amount": {"inputFields": [raw]}}}
    spark = {
        "eventType": "COMPLETE", "eventTime": "2026-11-20T09:00:00Z", "producer": "urn:x",
        "run": {"runId": "01941f29-7c00-7743-8f3f-1dd9b1b3a3aa"},
        "job": {"namespace": "spark", "name": "load"},
        "inputs": [{"namespace": "s3://lake", "name": "raw"}],
        "outputs": [{**lake, "facets": {"columnLineage": facet}}],
    }  # fmt: skip
    run("--store", url, "ingest", "-", input=json.dumps(spark))
    converted = run("convert", "--from", "unity-catalog", str(file))
    assert run("--store", url, "ingest", "-", input=converted) == "3 events added\n"
    asked = ("--name", "main.shop.daily", "--field", "total", "--format", "csv", "--at")
    found = run("--store", url, "upstream", *asked, "2026-11-20T11:00Z")
    fields = {tuple(line.split(",")[2:5]) for line in found.splitlines()[1:]}
    assert ("s3://lake", "raw", "amt") in fields
    assert any(field[2] == "rate" for field in fields)
    twice = run("--store", url, "ingest", "-", input=converted)
    assert run("--store", url, "upstream", *asked, "2026-11-20T11:00Z") == found, twice


def test_what_a_later_run_does_not_state_has_ended(tmp_path: Path) -> None:
    """Each run was taken to add to what the others had stated: no test had a second export."""
    url = f"sqlite:///{tmp_path / 'lineage.db'}"
    for hour, source in ((10, "amount"), (12, "price")):
        file = tmp_path / f"{hour}.csv"
        file.write_bytes(as_csv([row(f"orders.{source}", "daily.total", str(hour), hour)]))
        converted = run("convert", "--from", "unity-catalog", str(file))
        run("--store", url, "ingest", "-", input=converted)
    asked = ("upstream", "--name", "main.shop.daily", "--field", "total", "--format", "csv", "--at")
    sources = {
        hour: [
            line.split(",")[4]
            for line in run("--store", url, *asked, f"2026-11-20T{hour}:00Z").splitlines()[1:]
        ]
        for hour in (11, 13)
    }
    assert sources == {11: ["amount"], 13: ["price"]}


def test_rows_that_make_no_event_are_counted(tmp_path: Path) -> None:
    rows = [
        *ROWS,
        row(None, None),
        row("orders.day", None, entity_type=None),
        row(None, "daily.load"),
        {**row("orders.day", "daily.day"), "target_column_name": None},
    ]
    file = tmp_path / "rows.json"
    file.write_bytes(as_json(rows))
    result = CliRunner().invoke(main, ["convert", "--from", "unity-catalog", str(file)])
    assert result.exit_code == 0
    assert sorted(line.split("left out: ")[1] for line in result.stderr.splitlines()) == [
        "1 rows of reads by nobody who is named.",
        "1 rows that name neither a source nor a target.",
        "2 rows with a column on one side only: their tables count, not the column.",
    ]


def test_options_of_the_other_format_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{}")
    for format_, option, value in (
        ("unity-catalog", "--mapping", str(tmp_path / "m.json")),
        ("datahub-rfc", "--namespace", "x"),
    ):
        result = CliRunner().invoke(main, ["convert", "--from", format_, option, value, "-"])
        assert result.exit_code == 2
        assert f"{option} does not apply to {format_}." in result.stderr
